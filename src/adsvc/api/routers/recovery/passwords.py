from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import ClientAddress
from adsvc.api.dependencies.transactions import TransactionDep
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    ContentTooLargeError,
    InvalidRequestError,
    InvalidTokenError,
    OverloadedError,
    RateLimitedError,
    UnsupportedMediaTypeError,
)
from adsvc.schemas.accounts.recovery import ForgotPassword, ResetPassword
from adsvc.services.mail.languages import preferred
from adsvc.services.recovery import passwords

router = APIRouter(prefix="/password", tags=["auth"])

REFUSALS = (
    InvalidRequestError,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
    RateLimitedError,
)


@router.post(
    "/forgot",
    operation_id="forgotPassword",
    summary="Ask for a link to replace a forgotten password",
    status_code=202,
    response_class=Response,
    responses=refusals(*REFUSALS),
)
async def forgot_password(
    request: Request,
    state: AppStateDep,
    address: ClientAddress,
    transaction: TransactionDep,
    wanted: Annotated[ForgotPassword, Depends(JsonBody(ForgotPassword, adds_text=False))],
) -> Response:
    """The answer is the same whether or not there is such an account.

    The link goes to the account's confirmed mail address. One that was never confirmed gets the
    link that confirms it.
    """
    language = preferred(request.headers.get("accept-language", ""))
    await passwords.forgot(
        transaction, state.settings, wanted.username, address=address, language=language
    )
    return Response(status_code=202)


@router.post(
    "/reset",
    operation_id="resetPassword",
    summary="Replace a forgotten password",
    status_code=204,
    responses=refusals(*REFUSALS, InvalidTokenError, OverloadedError),
)
async def reset_password(
    state: AppStateDep,
    address: ClientAddress,
    transaction: TransactionDep,
    proof: Annotated[ResetPassword, Depends(JsonBody(ResetPassword, adds_text=False))],
) -> None:
    """By the token of the link, once and within an hour. All sessions of the account end."""
    await passwords.reset(transaction, state.credentials, state.settings, proof, address=address)
