"""The ad of the path, for whoever may read or change it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request

from adsvc import policies
from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.multipart import Form, announced_size, read_form
from adsvc.api.input.parameters import AdIdPath
from adsvc.bulkheads.pools import Slot
from adsvc.errors import AdNotFoundError, ForbiddenError
from adsvc.models import Ad, User
from adsvc.repositories import AdRepository
from adsvc.settings import AdEditors


async def get_existing_ad(_: CurrentUser, state: AppStateDep, ad_id: AdIdPath) -> Ad:
    async with state.database.autocommit() as session:
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


async def get_editable_ad(user: CurrentUser, ad: ExistingAd, state: AppStateDep) -> Ad:
    """As `get_owned_ad`, unless the operator lets every user edit every ad."""
    if state.settings.ad_editors is AdEditors.AUTHENTICATED:
        return ad
    return await get_owned_ad(user, ad)


EditableAd = Annotated[Ad, Depends(get_editable_ad)]


@asynccontextmanager
async def received_form(
    request: Request, state: AppState, user: User, *, with_properties: bool = False
) -> AsyncIterator[tuple[Slot, Form]]:
    """The form, with a place to decode its picture; neither is asked for before there is room."""
    settings = state.settings
    async with state.uploads.place(user.id, announced_size(request, settings)):
        with state.image_pool.place() as place:
            async with read_form(request, settings, with_properties=with_properties) as form:
                yield place, form
