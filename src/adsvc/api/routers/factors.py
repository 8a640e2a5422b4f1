"""Second factors: setting them up and removing them. `auth` has the logins."""

from adsvc import errors
from adsvc.api.dependencies.calls import (
    FRESH_SECONDS,
    SESSION,
    SETUP,
    Call,
    Json,
    Nothing,
    require_fresh_factor,
)
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.input.parameters import PasskeyIdPath
from adsvc.repositories.accounts import factors as factor_rows
from adsvc.repositories.accounts.sessions import PROVED_NOW
from adsvc.schemas.auth import (
    BeginPasskey,
    ConfirmedTotp,
    ConfirmTotp,
    CreatedTotp,
    CreatePasskey,
    CreateTotp,
    DeleteTotp,
    Passkey,
    PasskeyCreationOptions,
    PasskeyLogin,
    PasskeyRequestOptions,
    Passkeys,
    TokenPair,
)
from adsvc.services.accounts import factors, passkeys, sessions

router = Router("/users/me/totp", tag="users")

PROOF_REFUSALS = (
    errors.LoginRequiredError,
    errors.WrongPasswordError,
    errors.WrongCodeError,
    errors.RateLimitedError,
    errors.OverloadedError,
)


def _require_passkey(call: Call[CreateTotp] | Call[ConfirmTotp]) -> None:
    """An account with passkeys alone gets no app from a session that began by the password.

    That session would then have proved a second factor. One that replaces an app sends its code.
    """
    if not call.user.has_totp:
        require_fresh_factor(call.state, call.caller_with_account)


@router.post(
    "",
    summary="Begin to set up an authenticator app",
    requires=SETUP,
    refused_with=(*PROOF_REFUSALS, errors.FactorAlreadySetError, errors.StaleFactorError),
)
async def create_totp(call: Call[CreateTotp]) -> CreatedTotp:
    """Returns a new secret for an authenticator app (RFC 6238). It counts once a code confirms it.

    The current password is needed, in an account without one a login of the last five minutes, and
    to replace an app that is set up, its `code` too. A wrong
    one counts as an attempt to log in.
    """
    _require_passkey(call)
    await call.state.credentials.require_password(call, call.content.current_password)
    call.headers["Cache-Control"] = "no-store"
    return await factors.begin_totp(call, call.content.code)


@router.post(
    "/confirm",
    summary="Confirm the authenticator app",
    requires=SETUP,
    body=Json(ConfirmTotp, adds_text=False),
    refused_with=(*PROOF_REFUSALS, errors.NotFoundError, errors.StaleFactorError),
)
async def confirm_totp(call: Call[ConfirmTotp]) -> ConfirmedTotp:
    """Sets the app up by its first code, and returns ten recovery codes, which replace older ones.

    From then on a login needs a code beside the password. All other sessions of the account end,
    and it gets a mail. A wrong code counts as an attempt to log in.
    """
    _require_passkey(call)
    call.headers["Cache-Control"] = "no-store"
    return await factors.confirm_totp(call, call.content.code)


@router.delete(
    "",
    summary="Remove the authenticator app",
    needs_terms=False,
    requires=SESSION,
    body=Json(DeleteTotp, adds_text=False),
    refused_with=(*PROOF_REFUSALS, errors.NotFoundError),
)
async def delete_totp(call: Call[DeleteTotp]) -> None:
    """Removes the app with its recovery codes. A login needs the password alone from then on.

    A code is needed, and the current password or, in an account without one, a login of the last
    five minutes. A wrong one counts as an attempt to log in. The
    account gets a mail.
    """
    await call.state.credentials.require_password(call, call.content.current_password)
    await factors.remove_totp(call, call.content.code)


login_router = Router("/login/passkey", tag="auth")
passkeys_router = Router("/users/me/passkeys", tag="users", requires=SETUP)


@login_router.post(
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


@login_router.post(
    "",
    summary="Log in by a passkey",
    body=Json(PasskeyLogin, adds_text=False),
    anonymous=True,
    refused_with=(
        errors.AccountSuspendedError,
        errors.InvalidChallengeError,
        errors.OverloadedError,
        errors.RateLimitedError,
        errors.WrongFactorError,
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


@passkeys_router.post(
    "/options",
    summary="Begin to add a passkey",
    fresh_factor=True,
    body=Json(BeginPasskey, required=False, adds_text=False),
    refused_with=(errors.WrongPasswordError, errors.RateLimitedError, errors.OverloadedError),
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
        raise errors.WrongPasswordError
    call.headers["Cache-Control"] = "no-store"
    return await passkeys.registration_options(
        state.database, state.challenges, state.settings, call.user
    )


@passkeys_router.post(
    "",
    summary="Add a passkey",
    # Its options may be of a session that has ended, from before there was a factor.
    fresh_factor=True,
    status=201,
    refused_with=(
        errors.InvalidPasskeyError,
        errors.OverloadedError,
        errors.TooManyError,
        errors.WrongPasswordError,
    ),
)
async def create_passkey(call: Call[CreatePasskey]) -> Passkey:
    """Adds the passkey that an authenticator made. All other sessions of the account end, and it
    gets a mail. It may have 20 passkeys.
    """
    state = call.state
    passkey = await passkeys.register(call, state.challenges, state.password_pool, call.content)
    return Passkey.model_validate(passkey)


@passkeys_router.get(
    "",
    summary="List the caller's passkeys",
)
async def list_my_passkeys(call: Call[None]) -> Passkeys:
    """Returns all passkeys of the caller's account, the newest first."""
    async with call.database.autocommit() as session:
        found = await factor_rows.passkeys(session, call.caller.user_id)
    return Passkeys(results=[Passkey.model_validate(row) for row in found])


@passkeys_router.delete(
    "/{id}",
    summary="Remove a passkey",
    needs_terms=False,
    fresh_factor=True,
    limit=None,
    refused_with=(errors.LastSignInError, errors.PasskeyNotFoundError, errors.WrongPasswordError),
)
async def delete_passkey(call: Call[None], passkey_id: PasskeyIdPath) -> None:
    """Removes a passkey of the caller's account, which gets a mail. The authenticator keeps its
    part, which is of no use.
    """
    await passkeys.remove(call, passkey_id)
