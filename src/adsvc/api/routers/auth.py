from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.contract import json_request
from adsvc.api.dependencies import (
    ClientAddress,
    ResourcesDep,
    TransactionDep,
    json_body,
)
from adsvc.api.errors import refusals
from adsvc.errors import (
    ContentTooLargeError,
    InvalidRequestError,
    OverloadedError,
    RateLimitedError,
    UnsupportedMediaTypeError,
    UsernameTakenError,
    WrongCredentialsError,
)
from adsvc.models import User
from adsvc.schemas.auth import Login, Register, TokenPair
from adsvc.schemas.users import User as UserRecord
from adsvc.services import auth, rate_limits

router = APIRouter(tags=["auth"])


@router.post(
    "/login",
    operation_id="login",
    summary="Log in",
    responses=refusals(
        InvalidRequestError,
        WrongCredentialsError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
        OverloadedError,
    ),
    openapi_extra=json_request(Login),
)
async def login(
    resources: ResourcesDep,
    address: ClientAddress,
    response: Response,
    credentials: Annotated[Login, Depends(json_body(Login))],
) -> TokenPair:
    """An access token for a user name and password. Attempts are limited by account and address."""
    async with rate_limits.login_attempt(
        resources.database, resources.settings, username=credentials.username, address=address
    ):
        user = await auth.authenticate(resources.database, resources.passwords, credentials)
    token = resources.tokens.issue(user.id)
    # RFC 6749 §5.1: tokens are not for caches.
    response.headers["Cache-Control"] = "no-store"
    return TokenPair(access_token=token.text, expires_in=token.expires_in)


@router.post(
    "/register",
    operation_id="register",
    summary="Create an account",
    status_code=201,
    response_model=UserRecord,
    responses=refusals(
        InvalidRequestError,
        UsernameTakenError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
        OverloadedError,
    ),
    openapi_extra=json_request(Register),
)
async def register(
    resources: ResourcesDep,
    address: ClientAddress,
    response: Response,
    transaction: TransactionDep,
    registration: Annotated[Register, Depends(json_body(Register))],
) -> User:
    """A new account, always an ordinary one; administrators are made on the command line."""
    await rate_limits.registration_attempt(resources.database, resources.settings, address=address)
    response.headers["Location"] = "/users/me"
    return await auth.register(transaction, resources.passwords, registration)
