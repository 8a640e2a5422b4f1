"""What request handlers can ask for, each named by the type alias it is asked for with."""

import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, BeforeValidator
from pydantic_core import PydanticCustomError
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.convertors import StringConvertor, register_url_convertor

from adsvc import policies
from adsvc.api.bodies import parse_json, read_form, read_json
from adsvc.api.resources import Resources
from adsvc.db import Transaction
from adsvc.errors import (
    AdNotFoundError,
    Fault,
    ForbiddenError,
    InvalidRequestError,
    UnauthenticatedError,
)
from adsvc.imaging import Picture, normalise
from adsvc.models import Ad, User
from adsvc.repositories import AdRepository, UserRepository
from adsvc.schemas.ads import NewAd
from adsvc.settings import AdEditors

Body = TypeVar("Body", bound=BaseModel)

LARGEST_ID = 2**63 - 1
DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")


def decimal(value: object) -> object:
    """Python's `int` takes more than the interface does: signs, spaces, underscores, zeros."""
    if isinstance(value, str) and not DECIMAL.fullmatch(value):
        raise PydanticCustomError("decimal", "must be a decimal number within range")
    return value


def get_resources(request: Request) -> Resources:
    resources: Resources = request.app.state.resources
    return resources


ResourcesDep = Annotated[Resources, Depends(get_resources)]


async def get_session(resources: ResourcesDep) -> AsyncIterator[AsyncSession]:
    async with resources.database.autocommit() as session:
        yield session


async def get_transaction(resources: ResourcesDep) -> AsyncIterator[Transaction]:
    async with resources.database.transaction() as transaction:
        yield transaction


# With scope "function" both end before the answer goes out: a failing commit is a refusal, not a
# 201 that was never true.
ReadSession = Annotated[AsyncSession, Depends(get_session, scope="function")]
TransactionDep = Annotated[Transaction, Depends(get_transaction, scope="function")]

bearer = HTTPBearer(
    scheme_name="bearer",
    bearerFormat="JWT",
    description="An access token from `/login`.",
    auto_error=False,
)


async def get_current_user(
    request: Request,
    resources: ResourcesDep,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> User:
    """The user the token was issued to, as the database has them now.

    The connection goes back at once: what follows may be a long upload.
    """
    if credentials is None:
        raise UnauthenticatedError
    user_id = resources.tokens.verify(credentials.credentials)
    async with resources.database.autocommit() as session:
        user = await UserRepository(session).get(user_id)
    if user is None:
        raise UnauthenticatedError
    request.state.user_id = user.id
    return user


CurrentUser = Annotated[User, Depends(get_current_user)]


class AdIdConvertor(StringConvertor):
    """Any one segment but `me`, so that `/ads/me` has the methods of `/ads/me` alone."""

    regex = "(?!me(?:/|$))[^/]+"


register_url_convertor("ad_id", AdIdConvertor())


def _id(value: str) -> int:
    """Refuses at once what is no id: FastAPI itself would go on and read the body first."""
    if not DECIMAL.fullmatch(value) or not 1 <= int(value) <= LARGEST_ID:
        raise InvalidRequestError(Fault(f"must be from 1 to {LARGEST_ID}", "id", "parameter"))
    return int(value)


AdIdPath = Annotated[
    int,
    BeforeValidator(_id),
    Path(
        alias="id",
        description="The ad's id.",
        examples=[42],
        json_schema_extra={"minimum": 1, "maximum": LARGEST_ID},
    ),
]


async def get_existing_ad(_: CurrentUser, resources: ResourcesDep, ad_id: AdIdPath) -> Ad:
    async with resources.database.autocommit() as session:
        ad = await AdRepository(session).get(ad_id)
    if ad is None:
        raise AdNotFoundError
    return ad


ExistingAd = Annotated[Ad, Depends(get_existing_ad)]


async def get_owned_ad(user: CurrentUser, ad: ExistingAd) -> Ad:
    """The ad, if the caller is its author or an administrator."""
    if not policies.is_author_or_admin(user, ad):
        raise ForbiddenError
    return ad


OwnedAd = Annotated[Ad, Depends(get_owned_ad)]


async def get_editable_ad(user: CurrentUser, ad: ExistingAd, resources: ResourcesDep) -> Ad:
    """As `get_owned_ad`, unless the operator lets every user edit every ad."""
    if resources.settings.ad_editors is AdEditors.AUTHENTICATED:
        return ad
    return await get_owned_ad(user, ad)


EditableAd = Annotated[Ad, Depends(get_editable_ad)]


def json_body(model: type[Body]) -> Callable[..., Coroutine[Any, Any, Body]]:
    """A dependency that reads the body as that record; ask for it last."""

    async def read(request: Request, resources: ResourcesDep) -> Body:
        return await read_json(request, model, resources.settings)

    return read


async def get_uploaded_picture(request: Request, resources: ResourcesDep) -> Picture:
    form = await read_form(request, resources.settings)
    return await _normalised(resources, form.image)


UploadedPicture = Annotated[Picture, Depends(get_uploaded_picture)]


async def get_uploaded_ad(request: Request, resources: ResourcesDep) -> tuple[NewAd, Picture]:
    """The properties are judged before the picture, which costs more."""
    form = await read_form(request, resources.settings, with_properties=True)
    properties = parse_json(form.properties or b"", NewAd, resources.settings)
    return properties, await _normalised(resources, form.image)


UploadedAd = Annotated[tuple[NewAd, Picture], Depends(get_uploaded_ad)]


async def _normalised(resources: Resources, image: bytes) -> Picture:
    settings = resources.settings

    def work() -> Picture:
        return normalise(
            image, max_pixels=settings.image_max_pixels, max_side=settings.image_max_side
        )

    return await resources.image_pool.run(work)


def client_address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


ClientAddress = Annotated[str, Depends(client_address)]
