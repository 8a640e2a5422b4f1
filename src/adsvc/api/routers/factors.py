"""Second factors: setting them up and removing them. `auth` has the logins."""

from fastapi import APIRouter

from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.caller import SESSION, SETUP, require_fresh_factor
from adsvc.api.dependencies.writes import Operation
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


async def _require_password(write: Write[CreateTotp] | Write[DeleteTotp]) -> None:
    await write.state.credentials.require_password(
        write.user, write.content.current_password, address=write.address,
        session_id=write.caller.session_id,
    )  # fmt: skip


def _require_passkey(write: Write[CreateTotp] | Write[ConfirmTotp]) -> None:
    """An account with passkeys alone gets no app from a session that began by the password.

    That session would then have proved a second factor. One that replaces an app sends its code.
    """
    if not write.user.has_totp:
        require_fresh_factor(write.state, write.caller_with_account)


@Operation(
    router,
    "POST",
    "",
    operation_id="createTotp",
    summary="Begin to set up an authenticator app",
    requires=SETUP,
    response_model=CreatedTotp,
    body=Json(CreateTotp),
    refused_with=(*PROOF_REFUSALS, FactorAlreadySetError, StaleFactorError),
)
async def create_totp(write: Write[CreateTotp]) -> CreatedTotp:
    """Returns a new secret for an authenticator app (RFC 6238). It counts once a code confirms it.

    The current password is needed, and to replace an app that is set up, its `code` too. A wrong
    one counts as an attempt to log in.
    """
    _require_passkey(write)
    await _require_password(write)
    write.headers["Cache-Control"] = "no-store"
    return await factors.begin_totp(
        write.transaction, write.state.settings, write.user, write.content.code,
        address=write.address, session_id=write.caller.session_id,
    )  # fmt: skip


@Operation(
    router,
    "POST",
    "/confirm",
    operation_id="confirmTotp",
    summary="Confirm the authenticator app",
    requires=SETUP,
    response_model=ConfirmedTotp,
    body=Json(ConfirmTotp, adds_text=False),
    refused_with=(*PROOF_REFUSALS, NotFoundError, StaleFactorError),
)
async def confirm_totp(write: Write[ConfirmTotp]) -> ConfirmedTotp:
    """Sets the app up by its first code, and returns ten recovery codes, which replace older ones.

    From then on a login needs a code beside the password. All other sessions of the account end,
    and it gets a mail. A wrong code counts as an attempt to log in.
    """
    _require_passkey(write)
    write.headers["Cache-Control"] = "no-store"
    return await factors.confirm_totp(
        write.transaction, write.state.settings, write.user, write.content.code,
        address=write.address, session_id=write.caller.session_id,
    )  # fmt: skip


@Operation(
    router,
    "DELETE",
    "",
    operation_id="deleteTotp",
    summary="Remove the authenticator app",
    requires=SESSION,
    status=204,
    body=Json(DeleteTotp, adds_text=False),
    refused_with=(*PROOF_REFUSALS, NotFoundError),
)
async def delete_totp(write: Write[DeleteTotp]) -> None:
    """Removes the app with its recovery codes. A login needs the password alone from then on.

    The current password and a code are needed. A wrong one counts as an attempt to log in. The
    account gets a mail.
    """
    await _require_password(write)
    await factors.remove_totp(
        write.transaction, write.state.settings, write.user, write.content.code,
        address=write.address, session_id=write.caller.session_id,
    )  # fmt: skip
