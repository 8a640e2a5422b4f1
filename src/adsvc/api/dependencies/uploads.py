"""Forms with image files, received and handed on to the service that decodes them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.ads import OwnedAd
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.json import parse_json
from adsvc.api.input.multipart import announced_size, read_form
from adsvc.errors import TooManyImagesError
from adsvc.repositories.accounts.callers import Account
from adsvc.schemas.ads.ad import CreateAd
from adsvc.services import images
from adsvc.services.images import ReceivedImages


@asynccontextmanager
async def _received(
    request: Request,
    state: AppState,
    user: Account,
    *,
    most: int | None = None,
    with_properties: bool = False,
) -> AsyncIterator[tuple[ReceivedImages, bytes]]:
    """The files and the properties. Nothing is read before there is room for what is announced."""
    settings = state.settings
    async with state.uploads.room(user.id, announced_size(request, settings, most)) as room:
        with state.image_pool.slot() as slot:
            async with read_form(
                request, settings, images=most, with_properties=with_properties, room=room
            ) as form:
                yield ReceivedImages(form.images, slot), form.properties


async def get_uploaded_image(
    request: Request, user: CurrentUser, state: AppStateDep
) -> AsyncIterator[ReceivedImages]:
    async with _received(request, state, user) as (image, _):
        yield image


# With scope "function" the file and the slot go before the answer does.
UploadedImage = Annotated[ReceivedImages, Depends(get_uploaded_image, scope="function")]


async def get_uploaded_images(
    request: Request, user: CurrentUser, ad: OwnedAd, state: AppStateDep
) -> AsyncIterator[ReceivedImages]:
    """As many as the ad still may have, by what was known when the upload began."""
    settings = state.settings
    most = settings.ad_images_max - ad.image_count
    if most <= 0:
        raise TooManyImagesError(settings.ad_images_max)
    await images.require_room(state.database, settings, ad.author_id)
    async with _received(request, state, user, most=most) as (received, _):
        yield received


UploadedImages = Annotated[ReceivedImages, Depends(get_uploaded_images, scope="function")]


async def get_uploaded_ad(
    request: Request, user: CurrentUser, state: AppStateDep
) -> AsyncIterator[tuple[CreateAd, ReceivedImages]]:
    """The properties are validated before the images are decoded, which costs more."""
    settings = state.settings
    await images.require_room(state.database, settings, user.id)
    most = settings.ad_images_max
    async with _received(request, state, user, most=most, with_properties=True) as form:
        received, properties = form
        yield parse_json(properties, CreateAd, settings), received


UploadedAd = Annotated[tuple[CreateAd, ReceivedImages], Depends(get_uploaded_ad, scope="function")]
