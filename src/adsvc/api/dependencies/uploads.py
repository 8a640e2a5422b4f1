"""Forms with image files, received and handed on to the service that decodes them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from adsvc.api.app_state import AppState, AppStateDep
from adsvc.api.dependencies.ads import OwnedAd
from adsvc.api.dependencies.caller import CurrentUser, address_of
from adsvc.api.dependencies.idempotency import (
    AnsweredBefore,
    Attempt,
    IdempotencyKey,
    attempt,
    keyed_request,
    parts_of,
    replayed,
)
from adsvc.api.dependencies.writes import count_pictures, count_upload
from adsvc.api.input.json import members_of, parse_json
from adsvc.api.input.multipart import PROPERTIES, Form, announced_size, read_form
from adsvc.api.input.parameters import validation_of
from adsvc.errors import Fault, InvalidRequestError, TooManyImagesError
from adsvc.errors.faults import beyond
from adsvc.http.responses import prefers_strict
from adsvc.repositories.accounts.callers import Account
from adsvc.schemas.ads import CreateAd
from adsvc.services import images
from adsvc.services.accounts.networks import party_of
from adsvc.services.ads.writing import all_faults, validate_new
from adsvc.services.images import ReceivedImages


@asynccontextmanager
async def _received(
    request: Request,
    state: AppState,
    user: Account,
    response: Response,
    *,
    most: int | None = None,
    with_properties: bool = False,
) -> AsyncIterator[tuple[ReceivedImages, Form]]:
    """The files, and the form. Nothing is read before there is room for what is announced.

    The first picture was counted before that.
    """
    settings, party = state.settings, party_of(user.id, address_of(request.scope))
    async with state.uploads.room(party, announced_size(request, settings, most)) as room:
        with state.image_pool.slot(party) as slot:
            async with read_form(
                request, settings, images=most, with_properties=with_properties, room=room
            ) as form:
                await count_pictures(user, state, response, len(form.images) - 1)
                yield ReceivedImages(form.images, slot), form


async def get_uploaded_image(
    request: Request, user: CurrentUser, state: AppStateDep, response: Response
) -> AsyncIterator[ReceivedImages]:
    async with _received(request, state, user, response) as (image, form):
        _require_whole(form)
        yield image


def _require_whole(form: Form) -> None:
    if form.faults:
        raise InvalidRequestError(*form.faults)


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
        if self.with_properties and validation_of(request.scope).only:
            # Nothing happens that it could keep from happening twice.
            keyed = None
        if keyed is not None and await keyed.is_answered():
            await count_upload(user, state, response)
            most, properties = state.settings.ad_images_max, self.with_properties
            async with _received(
                request, state, user, response, most=most, with_properties=properties
            ) as (received, form):
                _require_whole(form)
                ad = _properties(request, form, state) if properties else None
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
    response: Response,
) -> AsyncIterator[ReceivedImages]:
    """As many as the ad still may have, by what was known when the upload began."""
    settings = state.settings
    most = settings.ad_images_max - ad.image_count
    if most <= 0:
        raise TooManyImagesError(settings.ad_images_max)
    await images.require_room(state.database, settings, ad.author_id)
    async with _received(request, state, user, response, most=most) as (received, form):
        _require_whole(form)
        await made.begin(None, received.files)
        yield received


UploadedImages = Annotated[ReceivedImages, Depends(get_uploaded_images, scope="function")]


async def get_uploaded_ad(
    request: Request,
    user: CurrentUser,
    state: AppStateDep,
    made: AdAttempt,
    response: Response,
) -> AsyncIterator[tuple[CreateAd, ReceivedImages]]:
    """Everything that is wrong with query, form, properties and pictures is told at once.

    What is only to be judged is judged here.
    """
    settings, categories = state.settings, state.categories
    await state.text_quota.require(user.id)
    await images.require_room(state.database, settings, user.id)
    most = settings.ad_images_max
    validation = validation_of(request.scope)
    try:
        async with _received(request, state, user, response, most=most, with_properties=True) as (
            received,
            form,
        ):
            try:
                properties = _properties(request, form, state, validation.faults)
            except InvalidRequestError as error:
                raise await all_faults(error, settings, categories, received) from None
            if validation.only:
                sent = members_of(properties)
                await validate_new(
                    state.database, settings, categories, sent, received, author_id=user.id
                )
            else:
                await made.begin(properties, received.files)
            yield properties, received
    except InvalidRequestError as error:
        found = [*validation.faults, *beyond(validation.faults, error.faults)]
        error.faults = [fault.within(PROPERTIES) for fault in found]
        raise


def _properties(
    request: Request, form: Form, state: AppState, beside: Sequence[Fault] = ()
) -> CreateAd:
    found = (*beside, *form.faults)
    if any(fault.part == PROPERTIES for fault in form.faults):
        raise InvalidRequestError(*found)
    try:
        strict = prefers_strict(request.scope["headers"])
        return parse_json(form.properties, CreateAd, state.settings, beside=found, strict=strict)
    except InvalidRequestError as error:
        error.faults = [fault.within(PROPERTIES) for fault in error.faults]
        raise


UploadedAd = Annotated[tuple[CreateAd, ReceivedImages], Depends(get_uploaded_ad, scope="function")]
