import re
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from adsvc import errors
from adsvc.api.caching import ReadResponse, matches_etag, satisfiable_range
from adsvc.api.dependencies.access import ImageOfAd, editable_ad, owned_ad, owned_ad_image
from adsvc.api.dependencies.calls import Call, Json
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.dependencies.forms import PictureForm, PicturesForm
from adsvc.api.input.parameters import PathParameter
from adsvc.api.openapi.responses import image_responses
from adsvc.api.openapi.schemas import image_form, images_form
from adsvc.enums import KeyScope, Role
from adsvc.kit.http.messages import IMMUTABLE, Header, as_etag
from adsvc.kit.pictures.containers import CONTENT_TYPES, SUFFIXES, pictures_of
from adsvc.kit.records import Written
from adsvc.kit.storage import OpenImage
from adsvc.models.ads import Ad
from adsvc.repositories import images as image_rows
from adsvc.schemas.ads import ImageOrder, Images
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.images import AdPictures, ReceivedImages
from adsvc.services.picture_deletion import stored_name
from adsvc.services.rate_limits import Limit

router = Router(tag="images")

moderated_router = Router("/moderation", tag="moderation")

NAME = re.compile(
    rf"[0-9a-f]{{32}}(?:\.(?:jpg|png|webp)|{'|'.join(map(re.escape, SUFFIXES.values()))})"
)
# The operator may change the address, while a picture never changes.
REDIRECT_CACHING = "public, max-age=3600"
# If a browser ever shows a picture as a document, the document may do nothing.
SANDBOX = b"default-src 'none'; sandbox"


PictureName = Annotated[
    str,
    PathParameter(
        str,
        alias="name",
        description="The file name: the last part of the path in `image`.",
        examples=["0f8fad5bd9cb469fa16570867728950e.jpg"],
    ),
]


class PictureResponse(StreamingResponse):
    """Closes the picture, also if the client disconnects before the first piece is read."""

    def __init__(
        self,
        image: OpenImage,
        chunks: AsyncIterator[bytes],
        *,
        status: int,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(chunks, status_code=status, headers=headers)
        self._image = image

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._image.close()


@router.get(
    IMAGE_PATH + "{name}",
    summary="Get a picture",
    anonymous=True,
    caching=None,
    response_class=Response,
    responses=image_responses(ranges=True, elsewhere=True),
    refused_with=(
        errors.ImageNotFoundError,
        errors.RangeNotSatisfiableError,
        errors.ImageStoreUnavailableError,
    ),
)
async def get_image(call: Call[None], name: PictureName) -> ReadResponse | Response:
    """Returns a picture, or a single byte range of it.

    Anyone may call it, without credentials, so that `<img>` can. A site that keeps its pictures
    elsewhere answers 307 with their address. Pictures of suspended and removed ads, and all those
    of suspended accounts, are 404.
    """
    state, request = call.state, call.request
    if NAME.fullmatch(name) is None:
        raise errors.ImageNotFoundError
    if state.settings.image_redirect_url is not None:
        # The bucket decides where it cannot be asked: the other address has the same pictures.
        with suppress(errors.ImageStoreUnavailableError, errors.OverloadedError):
            await state.store.require(name)
        address = state.settings.picture_address(name)
        moved = {"Location": address, "Cache-Control": REDIRECT_CACHING}
        return Response(status_code=307, headers=moved)
    etag = f'"{name}"'
    headers = _headers(name)
    described = {"ETag": etag, **{key.decode(): value.decode() for key, value in headers}}
    if matches_etag(request.headers.get("if-none-match"), etag):
        # The picture of a name never changes, but it may have been deleted.
        await state.store.require(name)
        return Response(status_code=304, headers=described)
    begun = state.responses.begun()
    image = await state.store.open(name)
    if "range" not in request.headers and image.size <= state.responses.largest_picture:
        body = b"".join([chunk async for chunk in image.chunks(0, image.size)])
        whole = ReadResponse(body, etag, headers)
        state.responses.keep_picture(name, whole, begun)
        return whole
    return await _streamed(request, image, etag, described)


@moderated_router.get(
    IMAGE_PATH + "{name}",
    summary="Get a picture that may be hidden",
    requires=KeyScope.MODERATION,
    account=True,
    caching=None,
    response_class=Response,
    responses=image_responses(),
    refused_with=(errors.ImageNotFoundError, errors.ImageStoreUnavailableError),
)
async def get_moderated_image(call: Call[None], name: PictureName) -> Response:
    """Returns a picture, also one of a suspended or removed ad or a suspended account, by its
    public name.

    Moderators and administrators may, and the author of the ad.
    """
    if NAME.fullmatch(name) is None:
        raise errors.ImageNotFoundError
    async with call.database.autocommit() as session:
        if call.user.role is Role.USER and not await image_rows.is_of_own_ad(
            session, call.user.id, pictures_of(name)
        ):
            raise errors.ImageNotFoundError
        file = await stored_name(session, name)
    headers = {key.decode(): value.decode() for key, value in _headers(name)}
    headers |= {"Cache-Control": "private, no-store", "ETag": f'"{name}"'}
    del headers["accept-ranges"], headers["cache-control"]
    image = await call.state.store.open(file)
    headers["Content-Length"] = str(image.size)
    return PictureResponse(image, image.chunks(0, image.size), status=200, headers=headers)


async def _streamed(
    request: Request, image: OpenImage, etag: str, described: Mapping[str, str]
) -> Response:
    """The requested range, or the whole picture."""
    try:
        wanted = satisfiable_range(request.headers, etag, image.size)
    except errors.RangeNotSatisfiableError:
        await image.close()
        raise
    start, stop = wanted or (0, image.size)
    headers = {**described, "Content-Length": str(stop - start)}
    if wanted:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{image.size}"
    status = 206 if wanted else 200
    return PictureResponse(image, image.chunks(start, stop), status=status, headers=headers)


def _headers(name: str) -> tuple[Header, ...]:
    return (
        (b"accept-ranges", b"bytes"),
        (b"cache-control", IMMUTABLE),
        (b"content-security-policy", SANDBOX),
        (b"content-type", CONTENT_TYPES[name.rpartition(".")[2]].encode()),
        (b"x-content-type-options", b"nosniff"),
    )


of_ads_router = Router(tag="ads", requires=KeyScope.ADS_WRITE)


def _pictures(call: Call[Any], ad: Ad) -> AdPictures:
    return AdPictures(
        call.transaction, call.settings, call.state.store, ad, call.user, call.expected
    )


@of_ads_router.patch(
    "/ads/{id:ad_id}/image",
    summary="Replace an ad's first picture",
    response_class=Response,
    responses=image_responses(stored=True),
    openapi_extra=image_form(),
    body=PictureForm(),
    access=editable_ad,
    limit=Limit.UPLOADS,
    version=True,
)
async def replace_ad_image(call: Call[ReceivedImages], ad: Ad) -> Response:
    """Replaces the first picture of an ad, and returns the new picture as it is stored.

    The author and administrators may. Counts towards the account's limits on uploads and on what
    its pictures may use.
    """
    pictures = _pictures(call, ad)
    name, picture, version = await pictures.replace_first(call.content)
    # `Content-Location` names the picture in the body (RFC 9110 §8.7). The tag is the ad's.
    headers = {"Content-Location": IMAGE_PATH + name, "ETag": as_etag(version)}
    return Response(picture.data, media_type=picture.content_type, headers=headers)


@of_ads_router.post(
    "/ads/{id:ad_id}/images",
    summary="Add pictures to an ad",
    status=201,
    response_model=Images,
    openapi_extra=images_form(),
    body=PicturesForm(),
    access=owned_ad,
    limit=Limit.UPLOADS,
    takes_key=True,
    version=True,
)
async def add_ad_images(call: Call[ReceivedImages], ad: Ad) -> Written:
    """Adds pictures after those that an ad has, all of them or none, and returns all its pictures.

    The author and administrators may. Each picture counts towards the account's limits on uploads
    and on what its pictures may use.
    """
    return await _pictures(call, ad).add(call.content)


@of_ads_router.patch(
    "/ads/{id:ad_id}/images",
    summary="Reorder the pictures of an ad",
    response_model=Images,
    body=Json(ImageOrder, adds_text=False),
    access=owned_ad,
    version=True,
)
async def order_ad_images(call: Call[ImageOrder], ad: Ad) -> Written:
    """Puts the pictures of an ad into another order, and returns them. Lists show the first one.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    return await _pictures(call, ad).order(call.content.order)


@of_ads_router.delete(
    "/ads/{id:ad_id}/images/{imageId}",
    summary="Delete a picture of an ad",
    access=owned_ad_image,
    refused_with=(errors.LastImageError,),
    version=True,
)
async def delete_ad_image(call: Call[None], image: ImageOfAd) -> None:
    """Deletes a picture of an ad. The last one is refused with 409, except of a draft.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    await _pictures(call, image.ad).delete(image.id)
