"""Recovery by mail."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import ClientAddress, CurrentUser
from adsvc.api.dependencies.writes import TransactionDep
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    ContentTooLargeError,
    InvalidRequestError,
    InvalidTokenError,
    OverloadedError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.schemas.auth import ForgotPassword, ResetPassword, VerifyMail
from adsvc.services import recovery
from adsvc.services.mail.rendering import preferred

mail_router = APIRouter(tags=["users"])


@mail_router.post(
    "/users/me/mail/verification",
    operation_id="requestMailVerification",
    summary="Send the confirmation link again",
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
    """Sends the link that confirms a mail address once more, to the caller's address that is not
    confirmed yet. If there is none, nothing is sent.

    Mails are limited by account and by address.
    """
    language = preferred(request.headers.get("accept-language", ""))
    await recovery.ask_for_proof(
        transaction, state.settings, user, address=address, language=language
    )
    return Response(status_code=202)


@mail_router.post(
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
    """Confirms a mail address by the token of the link that was sent to it.

    Whoever has the token may call it, without credentials. A token works once, within a day.
    Attempts are limited by address.
    """
    await recovery.verify(transaction, state.settings, proof.token, address=address)


password_router = APIRouter(prefix="/password", tags=["auth"])

REFUSALS = (
    InvalidRequestError,
    ContentTooLargeError,
    UnsupportedMediaTypeError,
    RateLimitedError,
)


@password_router.post(
    "/forgot",
    operation_id="forgotPassword",
    summary="Request a link to replace a forgotten password",
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
    """Sends a link to the account's confirmed mail address. An address that was never confirmed
    receives the link that confirms it instead.

    Anyone may call it. The answer is always 202, so that it does not reveal which accounts exist.
    Mails are limited by account and by address.
    """
    language = preferred(request.headers.get("accept-language", ""))
    await recovery.forgot(
        transaction, state.settings, wanted.username, address=address, language=language
    )
    return Response(status_code=202)


@password_router.post(
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
    """Replaces a forgotten password by the token of the link that was sent, and ends all sessions
    of the account.

    Whoever has the token may call it, without credentials. A token works once, within an hour.
    Attempts are limited by address.
    """
    await recovery.reset(transaction, state.credentials, state.settings, proof, address=address)
