"""Second factors: setting them up and removing them. `auth` has the logins."""

from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.caller import SESSION, SETUP, require_fresh_factor
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.errors import (
    FactorAlreadySetError,
    NotFoundError,
    OverloadedError,
    RateLimitedError,
    StaleFactorError,
    WrongCodeError,
    WrongPasswordError,
)
from adsvc.schemas.factors import ConfirmedTotp, ConfirmTotp, CreatedTotp, CreateTotp, DeleteTotp
from adsvc.services.accounts import factors

router = APIRouter(prefix="/users/me/totp", tags=["users"])

PROOF_REFUSALS = (WrongPasswordError, WrongCodeError, RateLimitedError, OverloadedError)


def _require_passkey(call: Call[CreateTotp] | Call[ConfirmTotp]) -> None:
    """An account with passkeys alone gets no app from a session that began by the password.

    That session would then have proved a second factor. One that replaces an app sends its code.
    """
    if not call.user.has_totp:
        require_fresh_factor(call.state, call.caller_with_account)


@Endpoint(
    router,
    "POST",
    "",
    summary="Begin to set up an authenticator app",
    requires=SETUP,
    body=Json(CreateTotp),
    refused_with=(*PROOF_REFUSALS, FactorAlreadySetError, StaleFactorError),
)
async def create_totp(call: Call[CreateTotp]) -> CreatedTotp:
    """Returns a new secret for an authenticator app (RFC 6238). It counts once a code confirms it.

    The current password is needed, and to replace an app that is set up, its `code` too. A wrong
    one counts as an attempt to log in.
    """
    _require_passkey(call)
    await call.state.credentials.require_password(call, call.content.current_password)
    call.headers["Cache-Control"] = "no-store"
    return await factors.begin_totp(call, call.content.code)


@Endpoint(
    router,
    "POST",
    "/confirm",
    summary="Confirm the authenticator app",
    requires=SETUP,
    body=Json(ConfirmTotp, adds_text=False),
    refused_with=(*PROOF_REFUSALS, NotFoundError, StaleFactorError),
)
async def confirm_totp(call: Call[ConfirmTotp]) -> ConfirmedTotp:
    """Sets the app up by its first code, and returns ten recovery codes, which replace older ones.

    From then on a login needs a code beside the password. All other sessions of the account end,
    and it gets a mail. A wrong code counts as an attempt to log in.
    """
    _require_passkey(call)
    call.headers["Cache-Control"] = "no-store"
    return await factors.confirm_totp(call, call.content.code)


@Endpoint(
    router,
    "DELETE",
    "",
    summary="Remove the authenticator app",
    requires=SESSION,
    status=204,
    body=Json(DeleteTotp, adds_text=False),
    refused_with=(*PROOF_REFUSALS, NotFoundError),
)
async def delete_totp(call: Call[DeleteTotp]) -> None:
    """Removes the app with its recovery codes. A login needs the password alone from then on.

    The current password and a code are needed. A wrong one counts as an attempt to log in. The
    account gets a mail.
    """
    await call.state.credentials.require_password(call, call.content.current_password)
    await factors.remove_totp(call, call.content.code)
