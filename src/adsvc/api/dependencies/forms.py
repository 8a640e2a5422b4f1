"""Bodies that are forms with pictures: received within their limits, and counted."""

import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from adsvc import errors
from adsvc.api.dependencies.calls import Body, Call, Json, parts_of
from adsvc.api.input.multipart import PROPERTIES, Form, announced_size, pictures_in, read_form
from adsvc.api.input.parameters import validation_of
from adsvc.api.problems import UPLOAD_REFUSALS
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.faults import Fault, beyond
from adsvc.kit.http.messages import media_type, parse_json, prefers_strict
from adsvc.models.ads import Ad
from adsvc.schemas.ads import CreateAd
from adsvc.services import images
from adsvc.services.ads.writing import all_faults
from adsvc.services.images import ReceivedImages
from adsvc.services.rate_limits import Limit

# The limit on received pictures. The first one of a request is counted before its body is read.
LIMIT = Limit.UPLOADS


@asynccontextmanager
async def _received(
    call: Call[Any],
    *,
    most: int | None = None,
    with_properties: bool = False,
    is_repeated: bool = False,
) -> AsyncIterator[tuple[ReceivedImages, Form]]:
    """Receives the form. Nothing is read before there is room for its announced size."""
    request, state = call.request, call.state
    settings, party = state.settings, Client.of(call.user.id, call.address)
    size = announced_size(request, settings, most)
    async with _counted(call, is_repeated=is_repeated) as counted:
        await counted.count(math.ceil(pictures_in(settings, size or 0)))
        async with state.uploads.room(party, size) as room:

            async def take(size: int) -> None:
                await counted.receive(size)
                await room.take(size)

            with state.image_pool.slot(party) as slot:
                async with read_form(
                    request, settings, images=most, with_properties=with_properties, take=take
                ) as form:
                    await counted.count(len(form.images))
                    yield ReceivedImages(form.images, slot), form


@dataclass(slots=True)
class _Counted:
    """What a form has counted. Its first picture was counted before its body was read.

    Bytes count as the pictures that they could be, before they are read if they are announced.
    """

    call: Call[Any]
    # A repeated form counts as one picture.
    is_repeated: bool
    pictures: int = 1
    # In bytes.
    received: int = 0

    @property
    def pictures_received(self) -> float:
        """The pictures that a refused form counts: the part that was received."""
        return min(self.pictures, pictures_in(self.call.state.settings, self.received))

    async def receive(self, size: int) -> None:
        """As `count`, for the bytes that have arrived."""
        self.received += size
        await self.count(math.ceil(pictures_in(self.call.state.settings, self.received)))

    async def count(self, pictures: int) -> None:
        """Counts as many pictures in all, or raises `RateLimitedError`.

        A form with more pictures than the limit allows counts as that many: otherwise it could
        never be accepted.
        """
        if self.is_repeated:
            return
        most = self.call.attempts(LIMIT).policy(self.call.settings).limit
        others = min(pictures, most) - self.pictures
        if others > 0:
            # The wait of a refusal is that for the whole form: the first picture is given back.
            try:
                await self.call.count(LIMIT, attempts=others)
            except errors.RateLimitedError as error:
                wait = error.retry_after + math.ceil(
                    self.pictures_received * error.window / error.limit
                )
                raise errors.RateLimitedError(
                    error.policy, error.limit, error.window, wait
                ) from None
            self.pictures += others


@asynccontextmanager
async def _counted(call: Call[Any], *, is_repeated: bool) -> AsyncIterator[_Counted]:
    """A form that the service has no room for counts nothing. One that is beyond the limit or the
    share of its account counts what was received of it.

    Its client waits as the refusal says, and then sends the whole form again.
    """
    counted = _Counted(call, is_repeated)
    try:
        yield counted
    except (errors.RateLimitedError, errors.OverloadedError):
        await call.give_back(LIMIT, attempts=counted.pictures - counted.pictures_received)
        raise
    except (errors.TooManyUploadsError, errors.UnavailableError):
        await call.give_back(LIMIT, attempts=counted.pictures)
        raise


def _require_whole(form: Form) -> None:
    if form.faults:
        raise errors.InvalidRequestError(*form.faults)


class PictureForm(Body[ReceivedImages]):
    """One picture."""

    refusals = UPLOAD_REFUSALS

    async def read(
        self,
        call: Call[ReceivedImages],
        _: object,
        *,
        is_repeated: bool,  # noqa: ARG002 - as any body
    ) -> ReceivedImages:
        received, form = await call.stack.enter_async_context(_received(call))
        _require_whole(form)
        return received


class PicturesForm(Body[ReceivedImages]):
    """Pictures for the ad that the access function found: as many as it may still have."""

    refusals = (*UPLOAD_REFUSALS, errors.TooManyImagesError)
    is_upload = True

    async def read(
        self, call: Call[ReceivedImages], found: object, *, is_repeated: bool
    ) -> ReceivedImages:
        settings = call.state.settings
        most = settings.ad_images_max
        if not is_repeated:
            ad = cast("Ad", found)
            most -= ad.image_count
            if most <= 0:
                raise errors.TooManyImagesError(settings.ad_images_max)
            await images.require_picture_quota(call.state.database, settings, ad.author_id)
        receiving = _received(call, most=most, is_repeated=is_repeated)
        received, form = await call.stack.enter_async_context(receiving)
        _require_whole(form)
        return received

    def parts(self, content: ReceivedImages) -> tuple[JsonValue, Sequence[Path]]:
        return None, content.files


@dataclass(frozen=True, slots=True)
class UploadedAd:
    properties: CreateAd
    images: ReceivedImages | None


class AdForm(Body[UploadedAd]):
    """A new ad with its pictures.

    One refusal lists everything that is wrong with query, form, properties and pictures.
    """

    refusals = (*UPLOAD_REFUSALS, errors.TooManyImagesError)
    validates = True
    is_upload = True

    async def read(self, call: Call[UploadedAd], _: object, *, is_repeated: bool) -> UploadedAd:
        state, settings = call.state, call.state.settings
        if not is_repeated:
            await state.text_quota.require(call.user.id)
            await images.require_picture_quota(state.database, settings, call.user.id)
        await call.stack.enter_async_context(_faults_in_form(call))
        receiving = _received(
            call, most=settings.ad_images_max, with_properties=True, is_repeated=is_repeated
        )
        received, form = await call.stack.enter_async_context(receiving)
        if is_repeated:
            _require_whole(form)
        try:
            properties = _properties(call, form)
        except errors.InvalidRequestError as error:
            if is_repeated:
                raise
            raise await all_faults(error, settings, state.categories, received) from None
        return UploadedAd(properties, received)

    def parts(self, content: UploadedAd) -> tuple[JsonValue, Sequence[Path]]:
        files = () if content.images is None else content.images.files
        return parts_of(content.properties), files


class AdFormOrJson(AdForm):
    """As `AdForm`, or the properties alone as JSON, without pictures."""

    validates = False

    async def read(self, call: Call[UploadedAd], found: object, *, is_repeated: bool) -> UploadedAd:
        if media_type(call.request) == "application/json":
            body = Json(CreateAd, in_quota=True)
            properties = cast("Call[CreateAd]", call)
            return UploadedAd(await body.read(properties, found, is_repeated=is_repeated), None)
        # The first picture of a form is counted before the form is received.
        await call.count(LIMIT)
        return await super().read(call, found, is_repeated=is_repeated)


@asynccontextmanager
async def _faults_in_form(call: Call[UploadedAd]) -> AsyncIterator[None]:
    """Until the end of the request, faults of the ad get the part `properties`.

    This includes those that the operation finds later.
    """
    validation = validation_of(call.request.scope)
    try:
        yield
    except errors.InvalidRequestError as error:
        found = [*validation.faults, *beyond(validation.faults, error.faults)]
        error.faults = [fault.within(PROPERTIES) for fault in found]
        raise


def _properties(call: Call[UploadedAd], form: Form) -> CreateAd:
    found: Sequence[Fault] = (*validation_of(call.request.scope).faults, *form.faults)
    if any(fault.part == PROPERTIES for fault in form.faults):
        raise errors.InvalidRequestError(*found)
    try:
        strict = prefers_strict(call.request.scope["headers"])
        settings = call.state.settings
        return parse_json(form.properties, CreateAd, settings, query_faults=found, strict=strict)
    except errors.InvalidRequestError as error:
        # Beside the faults of the form, which have other parts.
        error.faults = [fault.within(PROPERTIES) for fault in error.faults]
        raise
