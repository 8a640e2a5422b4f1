from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ad_images import OwnedAdImage
from adsvc.api.dependencies.ads import EditableAd, OwnedAd
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.dependencies.throttles import CountedUpload, CountedWrite
from adsvc.api.dependencies.transactions import TransactionDep
from adsvc.api.dependencies.uploads import ImagesAttempt, UploadedImage, UploadedImages
from adsvc.api.openapi import image_form, image_responses, images_form
from adsvc.api.problems.documentation import KEYED_REFUSALS, UPLOAD_REFUSALS, refusals
from adsvc.errors import (
    AdNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    ImageNotFoundError,
    InvalidRequestError,
    LastImageError,
    RateLimitedError,
    TooManyImagesError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.schemas.ads.images import ImageOrder, Images
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.ads.images import AdPictures

router = APIRouter(tags=["ads"])

JSON = "application/json"


@router.patch(
    "/ads/{id:ad_id}/image",
    operation_id="replaceAdImage",
    summary="Replace an ad's first picture",
    response_class=Response,
    responses={
        **image_responses(stored=True),
        **refusals(*UPLOAD_REFUSALS, ForbiddenError, AdNotFoundError),
    },
    openapi_extra=image_form(),
)
async def replace_ad_image(
    user: CurrentUser,
    ad: EditableAd,
    state: AppStateDep,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedUpload,
    image: UploadedImage,
) -> Response:
    """Answers the bytes of the picture as it is stored from now on."""
    pictures = AdPictures(transaction, state.store, ad, user)
    name, picture = await pictures.replace_first(state.settings, image)
    # The body is what is to be found there (RFC 9110 §8.7).
    headers = {**response.headers, "Content-Location": IMAGE_PATH + name}
    return Response(picture.data, media_type=picture.content_type, headers=headers)


@router.post(
    "/ads/{id:ad_id}/images",
    operation_id="addAdImages",
    summary="Add pictures to an ad",
    status_code=201,
    response_model=Images,
    responses=refusals(
        *UPLOAD_REFUSALS, TooManyImagesError, ForbiddenError, AdNotFoundError, *KEYED_REFUSALS
    ),
    openapi_extra=images_form(),
)
async def add_ad_images(
    user: CurrentUser,
    attempt: ImagesAttempt,
    ad: OwnedAd,
    state: AppStateDep,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedUpload,
    images: UploadedImages,
) -> Response:
    """Behind those it has, all or none of them. Answers all pictures of the ad."""
    pictures = AdPictures(transaction, state.store, ad, user)
    record = await pictures.add(state.settings, images)
    answer = Response(record, 201, dict(response.headers), JSON)
    return await attempt.kept(transaction, answer)


@router.patch(
    "/ads/{id:ad_id}/images",
    operation_id="orderAdImages",
    summary="Put an ad's pictures into another order",
    response_model=Images,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        ForbiddenError,
        AdNotFoundError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
    ),
)
async def order_ad_images(
    user: CurrentUser,
    ad: OwnedAd,
    state: AppStateDep,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedWrite,
    wanted: Annotated[ImageOrder, Depends(JsonBody(ImageOrder))],
) -> Response:
    """The first one is what lists of ads show."""
    pictures = AdPictures(transaction, state.store, ad, user)
    record = await pictures.order(wanted.order)
    return Response(record, 200, dict(response.headers), JSON)


@router.delete(
    "/ads/{id:ad_id}/images/{imageId}",
    operation_id="deleteAdImage",
    summary="Delete one of an ad's pictures",
    status_code=204,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        ForbiddenError,
        AdNotFoundError,
        ImageNotFoundError,
        LastImageError,
        RateLimitedError,
    ),
)
async def delete_ad_image(
    user: CurrentUser,
    image: OwnedAdImage,
    state: AppStateDep,
    transaction: TransactionDep,
    _counted: CountedWrite,
) -> None:
    """An ad keeps at least one."""
    await AdPictures(transaction, state.store, image.ad, user).delete(image.id)
