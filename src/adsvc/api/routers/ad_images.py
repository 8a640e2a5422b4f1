from functools import partial
from typing import Any

from fastapi import APIRouter, Response

from adsvc.api.dependencies.access import ImageOfAd, editable_ad, owned_ad, owned_ad_image
from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.dependencies.uploads import PictureForm, PicturesForm
from adsvc.api.openapi import image_form, image_responses, images_form
from adsvc.bulkheads.rate_limits import Limit
from adsvc.errors import LastImageError
from adsvc.http.responses import as_etag
from adsvc.models import Ad, KeyScope
from adsvc.schemas.ads import ImageOrder, Images
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.ads.images import AdPictures
from adsvc.services.images import ReceivedImages
from adsvc.versions import Written

router = APIRouter(tags=["ads"])

operation = partial(Endpoint, router, requires=KeyScope.ADS_WRITE, version=True)


def _pictures(call: Call[Any], ad: Ad) -> AdPictures:
    return AdPictures(call.transaction, call.state.store, ad, call.user, call.expected)


@operation(
    "PATCH",
    "/ads/{id:ad_id}/image",
    summary="Replace an ad's first picture",
    response_class=Response,
    responses=image_responses(stored=True),
    openapi_extra=image_form(),
    body=PictureForm(),
    access=editable_ad,
    limit=Limit.UPLOADS,
)
async def replace_ad_image(call: Call[ReceivedImages], ad: Ad) -> Response:
    """Replaces the first picture of an ad, and returns the new picture as it is stored.

    The author and administrators may. Counts towards the account's limits on uploads and on what
    its pictures may use.
    """
    pictures = _pictures(call, ad)
    name, picture, version = await pictures.replace_first(call.state.settings, call.content)
    # `Content-Location` names the picture in the body (RFC 9110 §8.7). The tag is the ad's.
    headers = {"Content-Location": IMAGE_PATH + name, "ETag": as_etag(version)}
    return Response(picture.data, media_type=picture.content_type, headers=headers)


@operation(
    "POST",
    "/ads/{id:ad_id}/images",
    summary="Add pictures to an ad",
    status=201,
    response_model=Images,
    openapi_extra=images_form(),
    body=PicturesForm(),
    access=owned_ad,
    limit=Limit.UPLOADS,
    takes_key=True,
)
async def add_ad_images(call: Call[ReceivedImages], ad: Ad) -> Written:
    """Adds pictures after those that an ad has, all of them or none, and returns all its pictures.

    The author and administrators may. Each picture counts towards the account's limits on uploads
    and on what its pictures may use.
    """
    return await _pictures(call, ad).add(call.state.settings, call.content)


@operation(
    "PATCH",
    "/ads/{id:ad_id}/images",
    summary="Reorder the pictures of an ad",
    response_model=Images,
    body=Json(ImageOrder, adds_text=False),
    access=owned_ad,
)
async def order_ad_images(call: Call[ImageOrder], ad: Ad) -> Written:
    """Puts the pictures of an ad into another order, and returns them. Lists show the first one.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    return await _pictures(call, ad).order(call.content.order)


@operation(
    "DELETE",
    "/ads/{id:ad_id}/images/{imageId}",
    summary="Delete a picture of an ad",
    status=204,
    access=owned_ad_image,
    refused_with=(LastImageError,),
)
async def delete_ad_image(call: Call[None], image: ImageOfAd) -> None:
    """Deletes a picture of an ad. The last one is refused with 409, except of a draft.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    await _pictures(call, image.ad).delete(image.id)
