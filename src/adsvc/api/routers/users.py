import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from starlette.types import Send

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching.responses import json_response
from adsvc.api.dependencies.bodies import JsonBody, JsonRecord, ValidatesOnly, read_validated
from adsvc.api.dependencies.caller import CallerDep, ClientAddress, CurrentUser, UserAgent
from adsvc.api.dependencies.uploads import UploadedImage
from adsvc.api.dependencies.writes import (
    Allowance,
    CountedUpload,
    CountedWrite,
    ExpectedDep,
    ReadSession,
    TransactionDep,
    written_response,
)
from adsvc.api.deprecation import deprecated_route
from adsvc.api.openapi import answer_responses, image_form, written_responses
from adsvc.api.problems.documentation import UPLOAD_REFUSALS, refusals
from adsvc.db.faults import is_database_fault
from adsvc.errors import (
    ContentTooLargeError,
    Fault,
    InvalidRequestError,
    OverloadedError,
    PreconditionFailedError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
    WrongPasswordError,
)
from adsvc.http.responses import PRIVATE
from adsvc.schemas.auth import TokenPair
from adsvc.schemas.export import AccountExport
from adsvc.schemas.users import DeleteUser, NewPassword, UpdateUser
from adsvc.schemas.users import User as UserRecord
from adsvc.services import recovery
from adsvc.services.accounts import passwords, rate_limits, sessions, users
from adsvc.services.mail.rendering import preferred
from adsvc.settings import Settings

logger = logging.getLogger("adsvc.export")

router = APIRouter(prefix="/users", tags=["users"])

JSON_REFUSALS = (
    InvalidRequestError,
    UnauthenticatedError,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
)
PASSWORD_REFUSALS = (*JSON_REFUSALS, WrongPasswordError, RateLimitedError, OverloadedError)


@router.get(
    "/me",
    operation_id="getMe",
    summary="Get the caller's account",
    response_model=UserRecord,
    responses=answer_responses() | refusals(UnauthenticatedError),
)
async def get_me(
    request: Request, user: CurrentUser, state: AppStateDep, session: ReadSession
) -> Response:
    """Returns the caller's account, with the bytes that its pictures use."""
    profile = await users.profile(session, state.settings, user)
    return json_response(profile.record.encode(), PRIVATE).to(request)


@router.patch(
    "/me",
    operation_id="updateMe",
    summary="Change the caller's account",
    response_model=UserRecord,
    responses=written_responses() | refusals(*PASSWORD_REFUSALS, PreconditionFailedError),
)
async def update_me(
    request: Request,
    caller: CallerDep,
    user: CurrentUser,
    state: AppStateDep,
    address: ClientAddress,
    transaction: TransactionDep,
    _counted: CountedWrite,
    validates_only: ValidatesOnly,
    changes: Annotated[
        UpdateUser, Depends(JsonBody(UpdateUser, validates=True, validate=recovery.faults_of))
    ],
    expected: ExpectedDep,
    response: Response,
) -> Response:
    """Changes the members that are sent, and returns the account.

    A new `mail` requires `currentPassword`. The address receives a link and counts once the link
    was followed; until then a confirmed address stays in use and is informed of the change. Counts
    towards the account's limit on changes.
    """
    if validates_only:
        await users.require_expected(transaction, state.settings, user, expected)
        return Response(status_code=204, headers=dict(response.headers))
    written = await recovery.update_profile(
        transaction, state.credentials, state.settings, user, changes, expected,
        address=address, session_id=caller.session_id,
        language=preferred(request.headers.get("accept-language", "")),
    )  # fmt: skip
    return written_response(written, response.headers)


@router.delete(
    "/me",
    operation_id="deleteMe",
    summary="Delete the caller's account",
    status_code=204,
    responses=refusals(*PASSWORD_REFUSALS, PreconditionFailedError),
)
async def delete_me(
    caller: CallerDep,
    user: CurrentUser,
    state: AppStateDep,
    address: ClientAddress,
    transaction: TransactionDep,
    confirmation: Annotated[DeleteUser, Depends(JsonBody(DeleteUser, adds_text=False))],
    expected: ExpectedDep,
) -> None:
    """Deletes the caller's account with its ads, pictures, comments and sessions, at once and for
    good.

    The current password confirms it. A wrong one is refused with 403 and counts as an attempt to
    log in.
    """
    await users.delete(
        transaction,
        state.credentials,
        state.settings,
        state.store,
        user,
        confirmation.current_password,
        address=address,
        session_id=caller.session_id,
        expected=expected,
    )


@router.patch(
    "/me/image",
    operation_id="replaceMyImage",
    summary="Replace the caller's avatar",
    response_model=UserRecord,
    responses=written_responses() | refusals(*UPLOAD_REFUSALS, PreconditionFailedError),
    openapi_extra=image_form(),
)
async def replace_my_image(
    user: CurrentUser,
    state: AppStateDep,
    transaction: TransactionDep,
    _counted: CountedUpload,
    expected: ExpectedDep,
    image: UploadedImage,
    response: Response,
) -> Response:
    """Stores a picture as the caller's avatar, deletes the one before, and returns the account.

    Counts towards the account's limits on uploads and on what its pictures may use.
    """
    written = await users.replace_image(
        transaction, state.settings, state.store, user, image, expected
    )
    return written_response(written, response.headers)


async def export_place(
    user: CurrentUser, state: AppStateDep, address: ClientAddress
) -> AsyncIterator[None]:
    """For as long as the answer is under way."""
    with state.exports.place(user.id, address):
        yield


class ExportResponse(StreamingResponse):
    """One that breaks off, when the database has been away for long, without a traceback."""

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        except Exception as error:
            if not is_database_fault(error):
                raise
            # The server cuts the connection, so that the client does not take it for the whole.
            logger.warning("An export broke off: the database was away for too long.")


@router.get(
    "/me/export",
    operation_id="exportMe",
    summary="Export everything stored about the caller",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The export, one JSON document",
            "model": AccountExport,
            "headers": {"Content-Disposition": {}},
        },
        **refusals(UnauthenticatedError, RateLimitedError, OverloadedError),
    },
)
async def export_me(
    user: CurrentUser,
    state: AppStateDep,
    response: Response,
    _place: Annotated[None, Depends(export_place, scope="request")],
    _counted: Annotated[None, Depends(Allowance(rate_limits.exports))],
) -> StreamingResponse:
    """Returns everything stored about the caller's account as one JSON document, without the
    password's hash.

    An account may have one export under way, and a limited number an hour. The document is sent in
    pieces; if it breaks off, it is not valid JSON.
    """
    pieces = state.exports.pieces(user)
    first = await anext(pieces)

    async def every() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    return ExportResponse(
        every(),
        media_type="application/json",
        headers={
            **response.headers,
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="adsvc-export.json"',
        },
    )


class NewPasswordBody(JsonRecord[NewPassword]):
    """A dependency that reads the body, and judges the new password by the caller's names."""

    async def __call__(
        self, request: Request, state: AppStateDep, user: CurrentUser
    ) -> NewPassword:
        def validate(settings: Settings, sent: Mapping[str, Any]) -> Sequence[Fault]:
            names = user.username, user.first_name, user.last_name
            return passwords.faults_of(settings, sent, "newPassword", *names)

        return await read_validated(self, request, state, validate)


async def set_password(
    caller: CallerDep,
    user: CurrentUser,
    state: AppStateDep,
    address: ClientAddress,
    user_agent: UserAgent,
    response: Response,
    transaction: TransactionDep,
    change: Annotated[NewPassword, Depends(NewPasswordBody(NewPassword, adds_text=False))],
) -> TokenPair:
    """Sets a new password, ends all sessions of the account, and returns the tokens of a new one.

    The current password confirms it. A wrong one is refused with 403 and counts as an attempt to
    log in.
    """
    changed = await users.set_password(
        transaction,
        state.credentials,
        user,
        change,
        address=address,
        session_id=caller.session_id,
    )
    response.headers["Cache-Control"] = "no-store"
    return await sessions.begin(
        transaction,
        state.tokens,
        state.settings,
        changed,
        user_agent=user_agent,
        address=address,
    )


# Clients of this interface are known to use either method.
SET_PASSWORD_BY_POST = deprecated_route(
    since=date(2026, 11, 22), sunset=date(2027, 11, 22), successor="changePassword"
)

for method, operation_id, route_class in (
    ("PATCH", "changePassword", APIRoute),
    ("POST", "setPassword", SET_PASSWORD_BY_POST),
):
    router.add_api_route(
        "/set_password",
        set_password,
        methods=[method],
        operation_id=operation_id,
        summary="Change the caller's password",
        responses=refusals(*PASSWORD_REFUSALS),
        route_class_override=route_class,
    )
