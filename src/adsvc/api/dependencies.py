"""What request handlers can ask for, each named by the type alias it is asked for with."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Response
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc import policies
from adsvc.api.authentication import CurrentUser
from adsvc.api.bodies import parse_json, read_json
from adsvc.api.errors import rate_limit_headers
from adsvc.api.forms import Form, announced_size, read_form
from adsvc.api.parameters import AdIdPath, CommentIdPath
from adsvc.api.resources import Resources, ResourcesDep
from adsvc.db import Transaction
from adsvc.errors import AdNotFoundError, CommentNotFoundError, ForbiddenError
from adsvc.imaging import Picture
from adsvc.models import Ad, Comment, User
from adsvc.repositories import AdRepository, CommentRepository
from adsvc.schemas.ads import NewAd
from adsvc.services import images, rate_limits
from adsvc.services.rate_limits import Policy
from adsvc.settings import AdEditors, Settings
from adsvc.work import Place

Body = TypeVar("Body", bound=BaseModel)


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


async def get_existing_comment(
    ad: ExistingAd, resources: ResourcesDep, comment_id: CommentIdPath
) -> Comment:
    """The comment, if it belongs to the ad of the path."""
    async with resources.database.autocommit() as session:
        comment = await CommentRepository(session).get(ad.id, comment_id)
    if comment is None:
        raise CommentNotFoundError
    return comment


ExistingComment = Annotated[Comment, Depends(get_existing_comment)]


async def get_owned_comment(user: CurrentUser, comment: ExistingComment) -> Comment:
    """The comment, if the caller is its author or an administrator."""
    if not policies.is_author_or_admin(user, comment):
        raise ForbiddenError
    return comment


OwnedComment = Annotated[Comment, Depends(get_owned_comment)]


def json_body(model: type[Body]) -> Callable[..., Coroutine[Any, Any, Body]]:
    """A dependency that reads the body as that record; ask for it last."""

    async def read(request: Request, resources: ResourcesDep) -> Body:
        return await read_json(request, model, resources.settings)

    return read


@asynccontextmanager
async def received_form(
    request: Request, resources: Resources, user: User, *, with_properties: bool = False
) -> AsyncIterator[tuple[Place, Form]]:
    """The form, with a place to decode its picture; neither is asked for before there is room."""
    settings = resources.settings
    async with resources.uploads.place(user.id, announced_size(request, settings)):
        with resources.image_pool.place() as place:
            async with read_form(request, settings, with_properties=with_properties) as form:
                yield place, form


async def get_uploaded_picture(
    request: Request, user: CurrentUser, resources: ResourcesDep
) -> Picture:
    async with received_form(request, resources, user) as (place, form):
        return await images.normalised(place, resources.settings, form.image)


UploadedPicture = Annotated[Picture, Depends(get_uploaded_picture)]


async def get_uploaded_ad(
    request: Request, user: CurrentUser, resources: ResourcesDep
) -> tuple[NewAd, Picture]:
    """The properties are judged before the picture, which costs more."""
    settings = resources.settings
    await images.require_room(resources.database, settings, user.id)
    async with received_form(request, resources, user, with_properties=True) as (place, form):
        properties = parse_json(form.properties, NewAd, settings)
        return properties, await images.normalised(place, settings, form.image)


UploadedAd = Annotated[tuple[NewAd, Picture], Depends(get_uploaded_ad)]


def allowance(policy: Callable[[Settings], Policy]) -> Callable[..., Coroutine[Any, Any, None]]:
    """A dependency that counts one attempt of the caller; ask for it before the body."""

    async def count(user: CurrentUser, resources: ResourcesDep, response: Response) -> None:
        settings = resources.settings
        limit = policy(settings)
        granted = await rate_limits.take(resources.database, settings, limit, str(user.id))
        if granted is not None:
            response.headers.update(
                rate_limit_headers(
                    limit.name,
                    limit.limit,
                    limit.window,
                    remaining=granted.remaining,
                    reset=granted.reset,
                )
            )

    return count


CountedWrite = Annotated[None, Depends(allowance(rate_limits.writes))]
CountedUpload = Annotated[None, Depends(allowance(rate_limits.uploads))]


async def get_user_agent(request: Request) -> str:
    return request.headers.get("user-agent", "")


UserAgent = Annotated[str, Depends(get_user_agent)]
