"""Recovery by mail: confirming an address, replacing a forgotten password."""

from fastapi import APIRouter

from adsvc import errors
from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.models import KeyScope
from adsvc.schemas.auth import ForgotPassword, ReportLogin, ResetPassword, VerifyMail
from adsvc.services import recovery

mail_router = APIRouter(tags=["users"])

login_router = APIRouter(prefix="/login", tags=["auth"])

password_router = APIRouter(prefix="/password", tags=["auth"])


@Endpoint(
    mail_router,
    "POST",
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


@Endpoint(
    mail_router,
    "POST",
    "/mail/verify",
    summary="Confirm a mail address",
    status=204,
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


@Endpoint(
    login_router,
    "POST",
    "/report",
    summary="Report a login as somebody else's",
    status=204,
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


@Endpoint(
    password_router,
    "POST",
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


@Endpoint(
    password_router,
    "POST",
    "/reset",
    summary="Replace a forgotten password",
    status=204,
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
