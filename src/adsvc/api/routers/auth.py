from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from fastapi import Response
from fastapi.responses import JSONResponse

from adsvc import errors
from adsvc.api.dependencies.calls import SESSION, Call, CallerWithAccount, Json, by_token
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.multipart import read_parameters
from adsvc.api.input.parameters import SessionIdPath
from adsvc.api.openapi.responses import created_responses, token_responses, with_limit
from adsvc.api.openapi.schemas import revocation_form, token_form
from adsvc.enums import KeyScope
from adsvc.kit.faults import Fault
from adsvc.kit.http.messages import rate_limit_headers
from adsvc.kit.records import Written
from adsvc.kit.security.factors import ChallengePurpose
from adsvc.kit.settings import MEBIBYTE
from adsvc.models.accounts import username_key
from adsvc.repositories.accounts import sessions as session_rows
from adsvc.repositories.accounts.sessions import PROVED_NOW
from adsvc.schemas.auth import (
    ForgotPassword,
    Login,
    Register,
    ReportLogin,
    ResetPassword,
    SecondFactor,
    SetUp,
    TokenError,
    TokenPair,
    VerifyMail,
)
from adsvc.schemas.users import Session as SessionRecord
from adsvc.schemas.users import Sessions
from adsvc.schemas.users import User as UserRecord
from adsvc.services import recovery, site
from adsvc.services.accounts import credentials, factors, sessions, users
from adsvc.services.accounts.credentials import checked_login
from adsvc.services.accounts.users import register as register_account
from adsvc.services.accounts.users import require_free
from adsvc.services.rate_limits import Limit, attempts_from, take

router = Router(tag="auth")

BODY_REFUSALS = (errors.ContentTooLargeError, errors.UnsupportedMediaTypeError)
ATTEMPT_REFUSALS = (*BODY_REFUSALS, errors.RateLimitedError)
GRANTS = frozenset({"password", "refresh_token"})
# RFC 6749 §5.1: caches must not store tokens.
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


async def _caller_of_login(call: Call[Login]) -> CallerWithAccount | None:
    """The caller, if a login has a valid token; it needs none."""
    scheme, _, value = call.request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    try:
        return await by_token(call.state, value.strip())
    except errors.UnauthenticatedError:
        return None


async def _log_in(
    call: Call[Login] | Call[None], login: Login, caller: CallerWithAccount | None = None
) -> tuple[TokenPair, dict[str, str]]:
    """The tokens, and the headers that go with them."""
    state, session_id = call.state, None
    if caller and username_key(caller.user.username) == username_key(login.username):
        session_id = caller.session_id
    user, left = await state.credentials.authenticate(
        login, address=call.address, session_id=session_id
    )
    if user.has_totp:
        challenge = state.challenges.issue(ChallengePurpose.LOGIN, user.id, user.password_hash)
        refusal = errors.SecondFactorRequiredError(challenge)
        refusal.rate_limit = left
        raise refusal
    pair = await sessions.begin(call, state.tokens, user)
    return pair, NO_STORE | rate_limit_headers(left)


@router.post(
    "/login",
    summary="Log in",
    responses=with_limit({}, 200, 401),
    body=Json(Login, adds_text=False),
    anonymous=True,
    refused_with=(
        errors.AccountSuspendedError,
        errors.OverloadedError,
        errors.RateLimitedError,
        errors.SecondFactorRequiredError,
        errors.WrongCredentialsError,
    ),
)
async def login(call: Call[Login]) -> TokenPair:
    """Checks a user name and a password, begins a session and returns its tokens.

    With an authenticator app the answer is 401 `second-factor-required` with a `challenge`:
    `POST /login/second-factor` takes that and a code.

    Anyone may call it. Attempts are limited by account and by address; a suspended account is
    refused with 403.
    """
    pair, headers = await _log_in(call, call.content, await _caller_of_login(call))
    call.headers.update(headers)
    return pair


@router.post(
    "/login/second-factor",
    summary="Complete a login by a second factor",
    body=Json(SecondFactor, adds_text=False),
    anonymous=True,
    refused_with=(
        errors.AccountSuspendedError,
        errors.InvalidChallengeError,
        errors.RateLimitedError,
        errors.WrongFactorError,
    ),
)
async def complete_login(call: Call[SecondFactor]) -> TokenPair:
    """Takes the challenge of a login, and a code of the authenticator app or a recovery code;
    begins a session and returns its tokens.

    Anyone who has the challenge may call it. A challenge works once, within five minutes, and a
    code once. Wrong codes count towards the same limits as wrong passwords.
    """
    state = call.state
    user = await factors.complete_login(call, state.challenges, call.content)
    call.headers.update(NO_STORE)
    return await sessions.begin(call, state.tokens, user, factor_at=PROVED_NOW)


class Registration(Json[Register]):
    """A registration, counted by the client's address once its body is valid."""

    async def read(self, call: Call[Register], _: object, *, is_repeated: bool) -> Register:
        users.require_open(call.settings)
        registration = await super().read(call, _, is_repeated=is_repeated)
        users.require_admission(call.settings, registration)
        counts = attempts_from(Limit.REGISTRATIONS, call.address)
        await take(call.state.database, call.settings, *counts)
        return registration


def _weaknesses(call: Call[Register], sent: Mapping[str, Any]) -> Sequence[Fault]:
    return credentials.registration_faults(call.state.settings, sent)


async def check_name(call: Call[Register]) -> None:
    await require_free(call.state.database, call.content.username)


@router.post(
    "/register",
    summary="Create an account",
    status=201,
    response_model=UserRecord,
    responses=created_responses(),
    body=Registration(Register, validates=True, faults=_weaknesses),
    anonymous=True,
    takes_key=True,
    dry_run=check_name,
    refused_with=(
        *(errors.RegistrationClosedError, errors.UsernameTakenError),
        *(errors.InvitationRequiredError, errors.TermsMissingError),
        *(errors.OverloadedError, errors.RateLimitedError),
    ),
)
async def register(call: Call[Register]) -> Written:
    """Creates an account and returns it. Log in to get tokens.

    Anyone may call it; registrations are limited by address. The account is always an ordinary one:
    the operator makes moderators and administrators. If the user name is a mail address, it becomes
    the account's address and receives a link that confirms it.
    """
    user = await register_account(call, call.state.credentials, call.content)
    # The count of its mail takes another connection: it comes before the first statement.
    await users.admit(call.transaction, call.settings, user.id, call.content)
    call.created_user_id = user.id
    call.headers["Location"] = "/users/me"
    return await users.profile(call.transaction, call.settings, user)


@router.post(
    "/setup",
    summary="Set up a new site",
    status=201,
    response_model=UserRecord,
    responses=created_responses(),
    body=Json(SetUp, max_bytes=MEBIBYTE, faults=_weaknesses),
    anonymous=True,
    refused_with=(
        *(errors.SetupEndedError, errors.UsernameTakenError, errors.OverloadedError),
        errors.FixedByEnvironmentError,
        errors.HasAdsError,
    ),
)
async def set_up(call: Call[SetUp]) -> Written:
    """Creates the first administrator, sets the site and loads categories, all of it or nothing,
    and returns the account.

    Anyone who has the link of the set-up may call it, once: `adsvc serve` prints it while there is
    no administrator.
    """
    state = call.state
    user = await site.set_up(call, state.credentials, state.site, call.content)
    call.headers["Location"] = "/users/me"
    return await users.profile(call.transaction, call.settings, user)


@router.post(
    "/token",
    summary="Request tokens (OAuth 2.0)",
    response_model=TokenPair,
    responses=with_limit(token_responses(), 200),
    openapi_extra=token_form(),
    anonymous=True,
    strict=False,
    refused_with=(errors.OverloadedError, *ATTEMPT_REFUSALS),
)
async def issue_token(call: Call[None]) -> Response:
    """Begins a session by user name and password, or renews the tokens of one by its refresh token.

    This is OAuth 2.0's token endpoint for public clients (RFC 6749 §4.3 and §6). Refusals are in
    its own format (§5.2). A refresh token works once. A second use within ten seconds gets the same
    pair again, as long as that was not renewed; any other ends the session. Passwords count towards
    the same limits as `POST /login`.

    An account with an authenticator app is refused (`invalid_grant`): its owner logs in by `POST
    /login`, and its programs use a key.
    """
    state, address = call.state, call.address
    try:
        parameters = await read_parameters(call.request, state.settings)
    except errors.InvalidRequestError:
        return _token_error("invalid_request", "The form is malformed.")
    try:
        match parameters:
            case {"grant_type": "password", "username": username, "password": password}:
                credentials = checked_login(username, password, state.settings)
                async with state.database.transaction() as call.transaction:
                    pair, headers = await _log_in(call, credentials)
            case {"grant_type": "refresh_token", "refresh_token": token}:
                pair = await sessions.refresh(
                    state.database, state.tokens, state.settings, token, address=address
                )
                headers = NO_STORE
            case {"grant_type": grant} if grant not in GRANTS:
                return _token_error(
                    "unsupported_grant_type", "The grants are password and refresh_token."
                )
            case _:
                return _token_error("invalid_request", "A parameter is missing.")
    except (errors.UnauthenticatedError, errors.AccountSuspendedError) as error:
        return _token_error("invalid_grant", error.detail, rate_limit_headers(error.rate_limit))
    return JSONResponse(pair.model_dump(), headers=headers)


@router.post(
    "/revoke",
    summary="End a session",
    response_class=Response,
    responses={
        **token_responses(),
        200: {"description": "The session of the token, if there was one, has ended"},
    },
    openapi_extra=revocation_form(),
    anonymous=True,
    strict=False,
    refused_with=BODY_REFUSALS,
)
async def revoke_token(call: Call[None]) -> Response:
    """Ends the session that a refresh token or an access token belongs to (RFC 7009).

    Anyone who has the token may call it. An unknown token is not an error: the answer is 200 as
    well.
    """
    try:
        parameters = await read_parameters(call.request, call.settings)
    except errors.InvalidRequestError:
        return _token_error("invalid_request", "The form is malformed.")
    if "token" not in parameters:
        return _token_error("invalid_request", "The parameter token is missing.")
    await sessions.revoke(call.database, call.state.tokens, parameters["token"])
    return Response(headers=NO_STORE)


def _token_error(
    code: str, description: str, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    error = TokenError.model_validate({"error": code, "error_description": description})
    return JSONResponse(error.model_dump(), status_code=400, headers={**NO_STORE, **headers})


sessions_router = Router("/users/me/sessions", tag="users", requires=SESSION)


@sessions_router.get(
    "",
    summary="List where the caller is logged in",
)
async def list_my_sessions(call: Call[None]) -> Sessions:
    """Returns all sessions of the caller's account, the most recently used first."""
    async with call.database.autocommit() as session:
        found = await session_rows.list_of_user(session, call.caller.user_id)
    results = [SessionRecord.model_validate(row) for row in found]
    for record in results:
        record.current = record.id == call.caller.session_id
    return Sessions(count=len(results), results=results)


@sessions_router.delete(
    "/{id}",
    summary="Log out one session",
    limit=None,
    needs_terms=False,
    refused_with=(errors.SessionNotFoundError,),
)
async def end_my_session(call: Call[None], session_id: SessionIdPath) -> None:
    """Ends one session of the caller's account. Its tokens stop working at once."""
    await sessions.end(call.transaction, call.user, session_id)


mail_router = Router(tag="users")

login_router = Router("/login", tag="auth")

password_router = Router("/password", tag="auth")


@mail_router.post(
    "/users/me/mail/verification",
    summary="Send the confirmation link again",
    requires=KeyScope.ACCOUNT_WRITE,
    status=202,
    # The service counts these itself, by account and by address.
    limit=None,
    refused_with=(errors.RateLimitedError,),
)
async def request_mail_verification(call: Call[None]) -> None:
    """Sends the link that confirms a mail address once more, to the caller's address that is not
    confirmed yet. If there is none, nothing is sent.

    Mails are limited by account and by address.
    """
    await recovery.request_verification(call)


@mail_router.post(
    "/mail/verify",
    summary="Confirm a mail address",
    body=Json(VerifyMail, adds_text=False),
    anonymous=True,
    refused_with=(errors.InvalidTokenError, errors.RateLimitedError),
)
async def verify_mail(call: Call[VerifyMail]) -> None:
    """Confirms a mail address by the token of the link that was sent to it.

    Anyone who has the token may call it. A token works once, within a day.
    Attempts are limited by address.
    """
    await recovery.verify(call, call.content.token)


@login_router.post(
    "/report",
    summary="Report a login as somebody else's",
    body=Json(ReportLogin, adds_text=False),
    anonymous=True,
    refused_with=(errors.InvalidTokenError, errors.RateLimitedError),
)
async def report_login(call: Call[ReportLogin]) -> None:
    """Reports the login that a mail was about: "this was not me". All sessions of the account end,
    its password is void, and its address gets the link that replaces it. Keys, passkeys,
    identities and an authenticator app that the session of that login or a later one has added are
    removed; with `endKeys` all keys are.

    Anyone who has the token may call it. A token works once, within a week, also after a change of
    the password. Attempts are limited by address.
    """
    await recovery.report_login(call, call.content)


@password_router.post(
    "/forgot",
    summary="Request a link to replace a forgotten password",
    status=202,
    body=Json(ForgotPassword, adds_text=False),
    anonymous=True,
    refused_with=(errors.RateLimitedError,),
)
async def forgot_password(call: Call[ForgotPassword]) -> None:
    """Sends a link to the account's confirmed mail address. An address that was never confirmed
    receives the link that confirms it instead.

    Anyone may call it. The answer is always 202, so that it does not reveal which accounts exist.
    Mails are limited by account and by address.
    """
    await recovery.forgot(call, call.content.username)


@password_router.post(
    "/reset",
    summary="Replace a forgotten password",
    body=Json(ResetPassword, adds_text=False),
    anonymous=True,
    refused_with=(
        errors.CodeRequiredError,
        errors.InvalidTokenError,
        errors.OverloadedError,
        errors.RateLimitedError,
        errors.WrongCodeError,
    ),
)
async def reset_password(call: Call[ResetPassword]) -> None:
    """Replaces a forgotten password by the token of the link that was sent, and ends all sessions
    of the account; with `endKeys` its keys too.

    Anyone who has the token may call it. A token works once, within an hour. With an authenticator
    app `code` is needed too; a refusal because of it leaves the token as it is.
    Attempts are limited by address.
    """
    await recovery.reset(call, call.state.credentials, call.content)
