"""Forms with image files, received and handed on to the service that decodes them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.ads import OwnedAd
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.dependencies.idempotency.attempts import (
    AnsweredBefore,
    Attempt,
    attempt,
    keyed_request,
    parts_of,
    replayed,
)
from adsvc.api.dependencies.idempotency.keys import IdempotencyKey
from adsvc.api.dependencies.throttles import count_upload
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


@dataclass(frozen=True, slots=True)
class UploadAttempt:
    """A dependency for uploads that may have a key; ask for it behind the caller.

    What was answered before is answered again here: by now the ad may be full, or gone.
    """

    with_properties: bool

    async def __call__(
        self,
        request: Request,
        user: CurrentUser,
        state: AppStateDep,
        key: IdempotencyKey,
        response: Response,
    ) -> AsyncIterator[Attempt]:
        keyed = keyed_request(request, state, key, user.id)
        if keyed is not None and await keyed.is_answered():
            await count_upload(user, state, response)
            most, properties = state.settings.ad_images_max, self.with_properties
            async with _received(request, state, user, most=most, with_properties=properties) as (
                received,
                sent,
            ):
                ad = parse_json(sent, CreateAd, state.settings) if properties else None
                answer = await keyed.answer(parts_of(ad), received.files)
            raise AnsweredBefore(replayed(answer, response.headers))
        async with attempt(keyed, response) as made:
            yield made


AdAttempt = Annotated[Attempt, Depends(UploadAttempt(with_properties=True), scope="function")]

ImagesAttempt = Annotated[Attempt, Depends(UploadAttempt(with_properties=False), scope="function")]


async def get_uploaded_images(
    request: Request,
    user: CurrentUser,
    ad: OwnedAd,
    state: AppStateDep,
    made: ImagesAttempt,
) -> AsyncIterator[ReceivedImages]:
    """As many as the ad still may have, by what was known when the upload began."""
    settings = state.settings
    most = settings.ad_images_max - ad.image_count
    if most <= 0:
        raise TooManyImagesError(settings.ad_images_max)
    await images.require_room(state.database, settings, ad.author_id)
    async with _received(request, state, user, most=most) as (received, _):
        await made.begin(None, received.files)
        yield received


UploadedImages = Annotated[ReceivedImages, Depends(get_uploaded_images, scope="function")]


async def get_uploaded_ad(
    request: Request, user: CurrentUser, state: AppStateDep, made: AdAttempt
) -> AsyncIterator[tuple[CreateAd, ReceivedImages]]:
    """The properties are validated before the images are decoded, which costs more."""
    settings = state.settings
    await images.require_room(state.database, settings, user.id)
    most = settings.ad_images_max
    async with _received(request, state, user, most=most, with_properties=True) as form:
        received, properties = form
        ad = parse_json(properties, CreateAd, settings)
        await made.begin(ad, received.files)
        yield ad, received


UploadedAd = Annotated[tuple[CreateAd, ReceivedImages], Depends(get_uploaded_ad, scope="function")]
