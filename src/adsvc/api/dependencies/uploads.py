"""Forms with an image file, received and handed on to the service that decodes it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.json import parse_json
from adsvc.api.input.multipart import announced_size, read_form
from adsvc.repositories.callers import Account
from adsvc.schemas.ads import NewAd
from adsvc.services import images
from adsvc.services.images import ReceivedImage


@asynccontextmanager
async def _received(
    request: Request, state: AppState, user: Account, *, with_properties: bool = False
) -> AsyncIterator[tuple[ReceivedImage, bytes]]:
    """The file and the properties. Nothing is read before there is room for all of it."""
    settings = state.settings
    async with state.uploads.room(user.id, announced_size(request, settings)):
        with state.image_pool.slot() as slot:
            async with read_form(request, settings, with_properties=with_properties) as form:
                yield ReceivedImage(form.image, slot), form.properties


async def get_uploaded_image(
    request: Request, user: CurrentUser, state: AppStateDep
) -> AsyncIterator[ReceivedImage]:
    async with _received(request, state, user) as (image, _):
        yield image


# With scope "function" the file and the slot go before the answer does.
UploadedImage = Annotated[ReceivedImage, Depends(get_uploaded_image, scope="function")]


async def get_uploaded_ad(
    request: Request, user: CurrentUser, state: AppStateDep
) -> AsyncIterator[tuple[NewAd, ReceivedImage]]:
    """The properties are validated before the image is decoded, which costs more."""
    settings = state.settings
    await images.require_room(state.database, settings, user.id)
    async with _received(request, state, user, with_properties=True) as (image, properties):
        yield parse_json(properties, NewAd, settings), image


UploadedAd = Annotated[tuple[NewAd, ReceivedImage], Depends(get_uploaded_ad, scope="function")]
