import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from typing import Any

from fastapi import Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from adsvc import errors
from adsvc.api.caching import ReadResponse
from adsvc.api.dependencies.access import existing_account
from adsvc.api.dependencies.calls import SESSION, SETUP, Call, Json, has_fresh_login
from adsvc.api.dependencies.endpoints import Endpoint, Responses, Router
from adsvc.api.dependencies.forms import PictureForm
from adsvc.api.finding import get_seller as read_seller
from adsvc.api.input.parameters import KeyIdPath, UserIdPath
from adsvc.api.openapi.schemas import image_form
from adsvc.enums import KeyScope, Role
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.db.statements import Row
from adsvc.kit.faults import Fault
from adsvc.kit.http.messages import PUBLIC, Deprecation
from adsvc.kit.records import Written
from adsvc.repositories.accounts import keys as key_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.schemas.ads import Seller
from adsvc.schemas.auth import AcceptTerms, TokenPair
from adsvc.schemas.users import (
    AccountLimits,
    CreatedKey,
    CreateKey,
    DeleteUser,
    Key,
    Keys,
    LimitLeft,
    NewPassword,
    UpdateUser,
)
from adsvc.schemas.users import User as UserRecord
from adsvc.services import recovery
from adsvc.services.accounts import credentials, keys, sessions, users
from adsvc.services.accounts.export import AccountExport
from adsvc.services.images import ReceivedImages
from adsvc.services.moderation.decisions import lock_account
from adsvc.services.rate_limits import Limit, attempts_by, states_now

logger = logging.getLogger("adsvc.export")

router = Router("/users", tag="users", requires=KeyScope.ACCOUNT_WRITE, reads=KeyScope.ACCOUNT_READ)

EXPORTED = 'externalId,title,description,price\r\nA1,Oak table,"Solid oak, oiled.",1500\r\n'

sellers_router = Router("/sellers", tag="users")

# Refusals of operations that verify the caller's password.
PASSWORD_REFUSALS = (errors.WrongPasswordError, errors.RateLimitedError, errors.OverloadedError)


@router.get(
    "/me",
    summary="Get the caller's account",
    account=True,
    response_model=UserRecord,
)
async def get_me(call: Call[None]) -> str:
    """Returns the caller's account, with the bytes that its pictures use."""
    profile = await users.profile(call.database.reader, call.settings, call.user)
    return profile.record


@router.get(
    "/me/limits",
    summary="Get the caller's limits",
    account=True,
)
async def get_my_limits(call: Call[None]) -> AccountLimits:
    """Returns the limits of the caller's plan, and what is left of them. It counts towards none."""
    state, user, settings = call.state, call.user, call.settings
    limits = settings.limits_of(user.plan)
    rated = {"uploads": Limit.UPLOADS, "writes": Limit.WRITES}
    counted = [attempts_by(limit, user.id, plan=user.plan) for limit in rated.values()]
    left = await states_now(state.database, settings, *counted)
    results = [
        LimitLeft(name=name, limit=each.limit, remaining=each.remaining, window=each.window)
        for name, each in zip(rated, left, strict=True)
    ]
    shown, saved = await user_rows.counts(state.database.reader, user.id)
    streams = state.streams.of_account(user.id)
    for name, used in (("ads", shown), ("searches", saved), ("streams", streams)):
        limit = getattr(limits, name)
        remaining = None if limit is None else max(0, limit - used)
        results.append(LimitLeft(name=name, limit=limit, remaining=remaining, window=None))
    return AccountLimits(plan=user.plan, results=results)


def _profile_faults(call: Call[UpdateUser], sent: Mapping[str, Any]) -> Sequence[Fault]:
    return recovery.faults_of(call.state.settings, sent)


def _require_session_for_mail(call: Call[UpdateUser]) -> None:
    """A key that is older than the factor would change the address by the password alone."""
    is_key = call.caller.scopes is not None
    if is_key and call.user.has_factor and "mail" in call.content.model_fields_set:
        raise errors.SessionRequiredError


async def check_version(call: Call[UpdateUser]) -> None:
    _require_session_for_mail(call)
    await users.require_expected(call.database.reader, call.settings, call.user, call.expected)


@router.patch(
    "/me",
    summary="Change the caller's account",
    response_model=UserRecord,
    fresh_factor=True,
    body=Json(UpdateUser, validates=True, faults=_profile_faults),
    version=True,
    dry_run=check_version,
    refused_with=(*PASSWORD_REFUSALS, errors.SessionRequiredError),
)
async def update_me(call: Call[UpdateUser]) -> Written:
    """Changes the members that are sent, and returns the account.

    A new `mail` requires `currentPassword`. The address receives a link and counts once the link
    was followed; until then a confirmed address stays in use and is informed of the change. Counts
    towards the account's limit on changes.
    """
    _require_session_for_mail(call)
    return await recovery.update_profile(call, call.state.credentials, call.content)


@router.delete(
    "/me",
    summary="Delete the caller's account",
    requires=SESSION,
    fresh_factor=True,
    body=Json(DeleteUser, adds_text=False),
    limit=None,
    needs_terms=False,
    version=True,
    refused_with=(*PASSWORD_REFUSALS, errors.LoginRequiredError),
)
async def delete_me(call: Call[DeleteUser]) -> None:
    """Deletes the caller's account with its ads, pictures, comments and sessions at once. For a
    time that the operator sets, administrators can bring it back.

    The current password confirms it, in an account without one a login of the last five minutes. A
    wrong one is refused with 403 and counts as an attempt to log in.
    """
    password = call.content.current_password
    await users.delete(call, call.state.credentials, call.state.store, password)


@router.post(
    "/me/terms",
    summary="Accept the terms of the site",
    requires=SETUP,
    body=Json(AcceptTerms, adds_text=False),
    needs_terms=False,
)
async def accept_terms(call: Call[AcceptTerms]) -> None:
    """Notes that the caller has accepted the terms in force, and when. Another version is refused.

    Counts towards the account's limit on changes.
    """
    await users.accept_terms(call.transaction, call.settings, call.user.id, call.content.version)


@router.patch(
    "/me/image",
    summary="Replace the caller's avatar",
    response_model=UserRecord,
    openapi_extra=image_form(),
    body=PictureForm(),
    limit=Limit.UPLOADS,
    version=True,
)
async def replace_my_image(call: Call[ReceivedImages]) -> Written:
    """Stores a picture as the caller's avatar, deletes the one before, and returns the account.

    Counts towards the account's limits on uploads and on what its pictures may use.
    """
    return await users.replace_image(call, call.state.store, call.content)


class ExportResponse(StreamingResponse):
    """Ends without a traceback if the database has been away for long."""

    def __init__(
        self, pieces: AsyncIterator[bytes], ending: ExitStack, headers: Mapping[str, str]
    ) -> None:
        """`ending` is closed with the response."""
        super().__init__(pieces, headers=headers)
        self._ending = ending

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._ending:
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        except Exception as error:
            if not is_database_fault(error):
                raise
            # The server cuts the connection, so that the client does not take the part for the
            # whole.
            logger.warning("An export broke off: the database was away for too long.")


EXPORT: Responses = {
    200: {
        "description": "The export, one JSON document",
        "model": AccountExport,
        "headers": {"Content-Disposition": {}},
    },
}


@router.get(
    "/me/export",
    summary="Export everything stored about the caller",
    requires=SESSION,
    account=True,
    fresh_factor=True,
    caching=None,
    limit=Limit.EXPORTS,
    response_class=StreamingResponse,
    responses=EXPORT,
    refused_with=(errors.OverloadedError,),
)
async def export_me(call: Call[None]) -> Response:
    """Returns everything stored about the caller's account as one JSON document, without the
    password's hash.

    A session of an account with a second factor must have proved it in the last five minutes. An
    account may have one export under way, and a limited number an hour. The document is sent in
    pieces; if it breaks off, it is not valid JSON.
    """
    pieces = call.state.exports.pieces(call.user)
    return await _exported(call, pieces, "adsvc-export.json", "application/json")


@router.get(
    "/{id:user_id}/export",
    summary="Export everything stored about an account",
    requires=SESSION,
    role=Role.ADMIN,
    access=existing_account,
    fresh_factor=True,
    caching=None,
    limit=Limit.EXPORTS,
    response_class=StreamingResponse,
    responses=EXPORT,
    refused_with=(errors.OverloadedError,),
)
async def export_user(call: Call[None], account: Row) -> Response:
    """Returns what `GET /users/me/export` returns to the owner of the account, who cannot log in.

    Administrators may. They may have one export under way, and a limited number an hour. Each is in
    the audit trail.
    """
    async with call.database.transaction() as transaction:
        user = await lock_account(transaction, account["id"])
        users.record_export(transaction, user.id, actor=call.user.id)
        owner = CallerAccount.of(user)
    pieces = call.state.exports.pieces(owner)
    return await _exported(call, pieces, "adsvc-export.json", "application/json")


async def _exported(
    call: Call[None], pieces: AsyncGenerator[bytes, None], name: str, media_type: str
) -> Response:
    """The place is taken until the response has been sent."""
    with ExitStack() as place:
        place.enter_context(call.state.exports.place(call.user.id, call.address))
        first = await anext(pieces)

        async def every() -> AsyncIterator[bytes]:
            yield first
            async for piece in pieces:
                yield piece

        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Type": media_type,
        }
        return ExportResponse(every(), place.pop_all(), headers)


@router.get(
    "/me/export/ads",
    summary="Export the caller's ads as CSV",
    operation_id="exportMyAds",
    requires=KeyScope.ADS_READ,
    account=True,
    caching=None,
    limit=Limit.EXPORTS,
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The ads, as `POST /imports` takes them",
            "content": {"text/csv": {"schema": {"type": "string", "examples": [EXPORTED]}}},
            "headers": {"Content-Disposition": {}},
        },
    },
    refused_with=(errors.OverloadedError,),
)
async def export_my_ads(call: Call[None]) -> Response:
    """Returns the caller's drafts, and the ads that everyone sees, as CSV with the columns that
    `POST /imports` takes.

    An account may have one export under way, and a limited number an hour.
    """
    pieces = call.state.exports.feed(call.user.id, call.settings.link_base)
    return await _exported(call, pieces, "ads.csv", "text/csv; charset=utf-8")


def _password_faults(call: Call[NewPassword], sent: Mapping[str, Any]) -> Sequence[Fault]:
    names = call.user.username, call.user.first_name, call.user.last_name
    return credentials.password_faults(call.state.settings, sent, "newPassword", *names)


async def set_password(call: Call[NewPassword]) -> TokenPair:
    """Sets a new password, ends all sessions of the account, and returns the tokens of a new one.

    The current password confirms it. A wrong one is refused with 403 and counts as an attempt to
    log in.
    """
    changed = await users.set_password(call, call.state.credentials, call.content)
    call.headers["Cache-Control"] = "no-store"
    factor = call.caller_with_account.factor
    factor_at = None if factor is None else factor.at
    return await sessions.begin(
        call, call.state.tokens, changed, factor_at=factor_at, is_login=False
    )


# Known clients use either method.
OLD_METHOD = Deprecation(date(2026, 11, 22), date(2027, 11, 22), successor="changePassword")

for method, operation_id, deprecation in (
    ("PATCH", "changePassword", None),
    ("POST", "setPassword", OLD_METHOD),
):
    Endpoint(
        router,
        method,
        "/set_password",
        operation_id=operation_id,
        summary="Change the caller's password",
        needs_terms=False,
        requires=SESSION,
        fresh_factor=True,
        response_model=TokenPair,
        body=Json(NewPassword, adds_text=False, faults=_password_faults),
        limit=None,
        refused_with=PASSWORD_REFUSALS,
        deprecation=deprecation,
    )(set_password)


@sellers_router.get(
    "/{id}",
    summary="Get what everyone sees of an account",
    anonymous=True,
    caching=PUBLIC,
    refused_with=(errors.AccountNotFoundError, errors.RateLimitedError, errors.OverloadedError),
    response_model=Seller,
)
async def get_seller(call: Call[None], user_id: UserIdPath) -> ReadResponse:
    """Returns an account's first name, avatar and age, and how many ads it has and has sold.

    Anyone may call it; it counts as a search towards the limit by address. An account that is
    suspended, or has published no ad, is 404. `GET /ads?author=` has its ads.
    """
    return await read_seller(call.state, call.request.scope, user_id)


keys_router = Router("/users/me/keys", tag="users", requires=SESSION)


# It takes no `Idempotency-Key`: the answer has a secret, which is not to be kept.
@keys_router.post(
    "",
    summary="Create a key for a program",
    fresh_factor=True,
    status=201,
    refused_with=(
        errors.LoginRequiredError,
        errors.OverloadedError,
        errors.RateLimitedError,
        errors.TooManyError,
        errors.WrongPasswordError,
    ),
)
async def create_key(call: Call[CreateKey]) -> CreatedKey:
    """Creates a key, and returns it with its secret, which cannot be read again.

    A program sends the secret as `Authorization: Bearer`. The key can do what its account may and
    its scopes allow, until it expires, is deleted, or the account is; it outlives sessions and
    passwords. The current password is needed, unless the login was in the last five minutes. The
    account gets a mail. It may have 20 keys. Counts towards the account's limit on changes.
    """
    caller = call.caller_with_account
    if "current_password" in call.content.model_fields_set:
        await call.state.credentials.require_password(call, call.content.current_password)
    elif not has_fresh_login(caller):
        raise errors.LoginRequiredError
    call.headers["Cache-Control"] = "no-store"
    return await keys.create(call, call.content)


@keys_router.get(
    "",
    summary="List the caller's keys",
)
async def list_my_keys(call: Call[None]) -> Keys:
    """Returns all keys of the caller's account, the newest first, also those that have expired.

    Their secrets are not among what is returned.
    """
    async with call.database.autocommit() as session:
        found = await key_rows.list_of_user(session, call.caller.user_id)
    return Keys(results=[Key.model_validate(row) for row in found])


@keys_router.delete(
    "/{id}",
    summary="Delete a key",
    needs_terms=False,
    fresh_factor=True,
    limit=None,
    refused_with=(errors.KeyNotFoundError,),
)
async def delete_key(call: Call[None], key_id: KeyIdPath) -> None:
    """Deletes a key of the caller's account. It stops working at once."""
    await keys.delete(call.transaction, call.user, key_id)
