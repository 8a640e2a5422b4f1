"""Passkeys: logging in by one, adding and removing them."""

from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Call, Json, Nothing
from adsvc.api.dependencies.caller import FRESH_SECONDS, SETUP
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import PasskeyIdPath
from adsvc.errors import (
    AccountSuspendedError,
    InvalidChallengeError,
    InvalidPasskeyError,
    OverloadedError,
    PasskeyNotFoundError,
    RateLimitedError,
    TooManyError,
    WrongFactorError,
    WrongPasswordError,
)
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.accounts.sessions import PROVED_NOW
from adsvc.schemas.auth import TokenPair
from adsvc.schemas.factors import (
    BeginPasskey,
    CreatePasskey,
    Passkey,
    PasskeyCreationOptions,
    PasskeyLogin,
    PasskeyRequestOptions,
    Passkeys,
)
from adsvc.services.accounts import passkeys, sessions

login_router = APIRouter(prefix="/login/passkey", tags=["auth"])
router = APIRouter(prefix="/users/me/passkeys", tags=["users"])


@Endpoint(
    login_router,
    "POST",
    "/options",
    summary="Begin a login by a passkey",
    body=Nothing(),
    anonymous=True,
)
async def begin_passkey_login(call: Call[None]) -> PasskeyRequestOptions:
    """Returns what a browser needs to sign a login. The authenticator knows the account.

    Anyone may call it.
    """
    call.headers["Cache-Control"] = "no-store"
    return await passkeys.login_options(call.state.challenges, call.state.settings)


@Endpoint(
    login_router,
    "POST",
    "",
    summary="Log in by a passkey",
    body=Json(PasskeyLogin, adds_text=False),
    anonymous=True,
    refused_with=(
        AccountSuspendedError,
        InvalidChallengeError,
        OverloadedError,
        RateLimitedError,
        WrongFactorError,
    ),
)
async def log_in_by_passkey(call: Call[PasskeyLogin]) -> TokenPair:
    """Takes what the authenticator signed, begins a session and returns its tokens.

    A passkey counts as both factors. Anyone may call it; attempts are limited by address.
    """
    state = call.state
    user = await passkeys.log_in(call, state.challenges, state.password_pool, call.content)
    call.headers["Cache-Control"] = "no-store"
    return await sessions.begin(call, state.tokens, user, factor_at=PROVED_NOW)


@Endpoint(
    router,
    "POST",
    "/options",
    summary="Begin to add a passkey",
    requires=SETUP,
    fresh_factor=True,
    body=Json(BeginPasskey, required=False, adds_text=False),
    refused_with=(WrongPasswordError, RateLimitedError, OverloadedError),
)
async def begin_passkey(call: Call[BeginPasskey]) -> PasskeyCreationOptions:
    """Returns what a browser needs to make a passkey.

    The current password is needed, too, unless the login was in the last five minutes.
    """
    state, caller = call.state, call.caller_with_account
    is_fresh = caller.session_age <= FRESH_SECONDS or caller.factor is not None
    if "current_password" in call.content.model_fields_set:
        await state.credentials.require_password(call, call.content.current_password)
    elif not is_fresh:
        raise WrongPasswordError
    call.headers["Cache-Control"] = "no-store"
    return await passkeys.registration_options(
        state.database, state.challenges, state.settings, call.user
    )


@Endpoint(
    router,
    "POST",
    "",
    summary="Add a passkey",
    requires=SETUP,
    # Its options may be of a session that has ended, from before there was a factor.
    fresh_factor=True,
    status=201,
    body=Json(CreatePasskey),
    refused_with=(InvalidPasskeyError, OverloadedError, TooManyError, WrongPasswordError),
)
async def create_passkey(call: Call[CreatePasskey]) -> Passkey:
    """Adds the passkey that an authenticator made. All other sessions of the account end, and it
    gets a mail. It may have 20 passkeys.
    """
    state = call.state
    passkey = await passkeys.register(call, state.challenges, state.password_pool, call.content)
    return Passkey.model_validate(passkey)


@Endpoint(
    router,
    "GET",
    "",
    summary="List the caller's passkeys",
    requires=SETUP,
)
async def list_my_passkeys(call: Call[None]) -> Passkeys:
    """Returns all passkeys of the caller's account, the newest first."""
    async with call.database.autocommit() as session:
        found = await factor_rows.passkeys(session, call.caller.user_id)
    return Passkeys(results=[Passkey.model_validate(row) for row in found])


@Endpoint(
    router,
    "DELETE",
    "/{id}",
    summary="Remove a passkey",
    requires=SETUP,
    fresh_factor=True,
    status=204,
    limit=None,
    refused_with=(PasskeyNotFoundError, WrongPasswordError),
)
async def delete_passkey(call: Call[None], passkey_id: PasskeyIdPath) -> None:
    """Removes a passkey of the caller's account, which gets a mail. The authenticator keeps its
    part, which is of no use.
    """
    await passkeys.remove(call, passkey_id)
