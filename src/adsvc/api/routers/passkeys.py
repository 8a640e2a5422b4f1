"""Passkeys: logging in by one, adding and removing them."""

from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Json, Nothing, Write
from adsvc.api.dependencies.caller import FRESH_SECONDS, SETUP
from adsvc.api.dependencies.writes import Operation
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
from adsvc.repositories import FactorRepository
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
from adsvc.services.accounts import passkeys, sign_ins

login_router = APIRouter(prefix="/login/passkey", tags=["auth"])
router = APIRouter(prefix="/users/me/passkeys", tags=["users"])


@Operation(
    login_router,
    "POST",
    "/options",
    operation_id="beginPasskeyLogin",
    summary="Begin a login by a passkey",
    response_model=PasskeyRequestOptions,
    body=Nothing(),
    anonymous=True,
)
async def begin_passkey_login(write: Write[None]) -> PasskeyRequestOptions:
    """Returns what a browser needs to sign a login. The authenticator knows the account.

    Anyone may call it.
    """
    write.headers["Cache-Control"] = "no-store"
    return await passkeys.login_options(write.state.challenges, write.state.settings)


@Operation(
    login_router,
    "POST",
    "",
    operation_id="logInByPasskey",
    summary="Log in by a passkey",
    response_model=TokenPair,
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
async def log_in_by_passkey(write: Write[PasskeyLogin]) -> TokenPair:
    """Takes what the authenticator signed, begins a session and returns its tokens.

    A passkey counts as both factors. Anyone may call it; attempts are limited by address.
    """
    state = write.state
    user = await passkeys.log_in(
        state.database, state.challenges, state.settings, state.password_pool, write.content,
        address=write.address,
    )  # fmt: skip
    write.headers["Cache-Control"] = "no-store"
    return await sign_ins.begin(
        write.transaction, state.tokens, state.settings, user, user_agent=write.user_agent,
        address=write.address, factor_at=PROVED_NOW,
    )  # fmt: skip


@Operation(
    router,
    "POST",
    "/options",
    operation_id="beginPasskey",
    summary="Begin to add a passkey",
    requires=SETUP,
    fresh_factor=True,
    response_model=PasskeyCreationOptions,
    body=Json(BeginPasskey, required=False, adds_text=False),
    refused_with=(WrongPasswordError, RateLimitedError, OverloadedError),
)
async def begin_passkey(write: Write[BeginPasskey]) -> PasskeyCreationOptions:
    """Returns what a browser needs to make a passkey.

    The current password is needed, too, unless the login was in the last five minutes.
    """
    state, caller = write.state, write.caller_with_account
    is_fresh = caller.session_age <= FRESH_SECONDS or caller.factor is not None
    if "current_password" in write.content.model_fields_set:
        password = write.content.current_password
        await state.credentials.require_password(
            write.user, password, address=write.address, session_id=caller.session_id
        )
    elif not is_fresh:
        raise WrongPasswordError
    write.headers["Cache-Control"] = "no-store"
    return await passkeys.registration_options(
        state.database, state.challenges, state.settings, write.user
    )


@Operation(
    router,
    "POST",
    "",
    operation_id="createPasskey",
    summary="Add a passkey",
    requires=SETUP,
    # Its options may be of a session that has ended, from before there was a factor.
    fresh_factor=True,
    status=201,
    response_model=Passkey,
    body=Json(CreatePasskey),
    refused_with=(InvalidPasskeyError, OverloadedError, TooManyError, WrongPasswordError),
)
async def create_passkey(write: Write[CreatePasskey]) -> Passkey:
    """Adds the passkey that an authenticator made. All other sessions of the account end, and it
    gets a mail. It may have 20 passkeys.
    """
    state = write.state
    made = await passkeys.register(
        write.transaction, state.challenges, state.settings, state.password_pool, write.user,
        write.content, session_id=write.caller.session_id, address=write.address,
    )  # fmt: skip
    return Passkey.model_validate(made)


@Operation(
    router,
    "GET",
    "",
    operation_id="listMyPasskeys",
    summary="List the caller's passkeys",
    requires=SETUP,
    response_model=Passkeys,
)
async def list_my_passkeys(write: Write[None]) -> Passkeys:
    """Returns all passkeys of the caller's account, the newest first."""
    async with write.database.autocommit() as session:
        found = await FactorRepository(session).passkeys(write.caller.user_id)
    return Passkeys(results=[Passkey.model_validate(row) for row in found])


@Operation(
    router,
    "DELETE",
    "/{id}",
    operation_id="deletePasskey",
    summary="Remove a passkey",
    requires=SETUP,
    fresh_factor=True,
    status=204,
    limit=None,
    refused_with=(PasskeyNotFoundError, WrongPasswordError),
)
async def delete_passkey(write: Write[None], passkey_id: PasskeyIdPath) -> None:
    """Removes a passkey of the caller's account, which gets a mail. The authenticator keeps its
    part, which is of no use.
    """
    await passkeys.remove(
        write.transaction, write.user, passkey_id, session_id=write.caller.session_id
    )
