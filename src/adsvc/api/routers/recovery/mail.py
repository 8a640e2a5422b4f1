from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import ClientAddress, CurrentUser
from adsvc.api.dependencies.transactions import TransactionDep
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    ContentTooLargeError,
    InvalidRequestError,
    InvalidTokenError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.schemas.accounts.recovery import VerifyMail
from adsvc.services.mail.languages import preferred
from adsvc.services.recovery import addresses

router = APIRouter(tags=["users"])


@router.post(
    "/users/me/mail/verification",
    operation_id="requestMailVerification",
    summary="Send the link that confirms a mail address once more",
    status_code=202,
    response_class=Response,
    responses=refusals(UnauthenticatedError, RateLimitedError),
)
async def request_mail_verification(
    request: Request,
    user: CurrentUser,
    state: AppStateDep,
    address: ClientAddress,
    transaction: TransactionDep,
) -> Response:
    """To the address that is not confirmed so far; if there is none, nothing is sent."""
    language = preferred(request.headers.get("accept-language", ""))
    await addresses.ask_for_proof(
        transaction, state.settings, user, address=address, language=language
    )
    return Response(status_code=202)


@router.post(
    "/mail/verify",
    operation_id="verifyMail",
    summary="Confirm a mail address",
    status_code=204,
    responses=refusals(
        InvalidRequestError,
        InvalidTokenError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
    ),
)
async def verify_mail(
    state: AppStateDep,
    address: ClientAddress,
    transaction: TransactionDep,
    proof: Annotated[VerifyMail, Depends(JsonBody(VerifyMail, adds_text=False))],
) -> None:
    """By the token of the link, once and within a day. No credentials are needed."""
    await addresses.verify(transaction, state.settings, proof.token, address=address)
