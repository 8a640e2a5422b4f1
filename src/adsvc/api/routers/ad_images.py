from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ads import EditableAd, OwnedAd, OwnedAdImage
from adsvc.api.dependencies.bodies import JsonBody
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.dependencies.uploads import ImagesAttempt, UploadedImage, UploadedImages
from adsvc.api.dependencies.writes import (
    CountedUpload,
    CountedWrite,
    ExpectedDep,
    TransactionDep,
    written_response,
)
from adsvc.api.openapi import image_form, image_responses, images_form, written_responses
from adsvc.api.problems.documentation import KEYED_REFUSALS, UPLOAD_REFUSALS, refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    ImageNotFoundError,
    InvalidRequestError,
    LastImageError,
    PreconditionFailedError,
    RateLimitedError,
    TooManyImagesError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.http.responses import as_etag
from adsvc.schemas.ads import ImageOrder, Images
from adsvc.schemas.base import IMAGE_PATH
from adsvc.services.ads.images import AdPictures

router = APIRouter(tags=["ads"])

AD_REFUSALS = (AdNotFoundError, AdGoneError, ForbiddenError)


@router.patch(
    "/ads/{id:ad_id}/image",
    operation_id="replaceAdImage",
    summary="Replace an ad's first picture",
    response_class=Response,
    responses={
        **image_responses(stored=True),
        **refusals(*UPLOAD_REFUSALS, *AD_REFUSALS, PreconditionFailedError),
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
    expected: ExpectedDep,
    image: UploadedImage,
) -> Response:
    """Replaces the first picture of an ad, and returns the new picture as it is stored.

    The author and administrators may. Counts towards the account's limits on uploads and on what
    its pictures may use.
    """
    pictures = AdPictures(transaction, state.store, ad, user, expected)
    name, picture, version = await pictures.replace_first(state.settings, image)
    # The body is what is to be found there (RFC 9110 §8.7); the tag is that of the ad.
    told = {"Content-Location": IMAGE_PATH + name, "ETag": as_etag(version)}
    headers = {**response.headers, **told}
    return Response(picture.data, media_type=picture.content_type, headers=headers)


@router.post(
    "/ads/{id:ad_id}/images",
    operation_id="addAdImages",
    summary="Add pictures to an ad",
    status_code=201,
    response_model=Images,
    responses=written_responses(201)
    | refusals(
        *UPLOAD_REFUSALS,
        TooManyImagesError,
        *AD_REFUSALS,
        PreconditionFailedError,
        *KEYED_REFUSALS,
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
    expected: ExpectedDep,
    images: UploadedImages,
) -> Response:
    """Adds pictures after those that an ad has, all of them or none, and returns all its pictures.

    The author and administrators may. Each picture counts towards the account's limits on uploads
    and on what its pictures may use.
    """
    pictures = AdPictures(transaction, state.store, ad, user, expected)
    answer = written_response(await pictures.add(state.settings, images), response.headers, 201)
    return await attempt.kept(transaction, answer)


@router.patch(
    "/ads/{id:ad_id}/images",
    operation_id="orderAdImages",
    summary="Reorder the pictures of an ad",
    response_model=Images,
    responses=written_responses()
    | refusals(
        InvalidRequestError,
        UnauthenticatedError,
        *AD_REFUSALS,
        PreconditionFailedError,
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
    wanted: Annotated[ImageOrder, Depends(JsonBody(ImageOrder, adds_text=False))],
    expected: ExpectedDep,
) -> Response:
    """Puts the pictures of an ad into another order, and returns them. Lists show the first one.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    pictures = AdPictures(transaction, state.store, ad, user, expected)
    return written_response(await pictures.order(wanted.order), response.headers)


@router.delete(
    "/ads/{id:ad_id}/images/{imageId}",
    operation_id="deleteAdImage",
    summary="Delete a picture of an ad",
    status_code=204,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        *AD_REFUSALS,
        ImageNotFoundError,
        LastImageError,
        PreconditionFailedError,
        RateLimitedError,
    ),
)
async def delete_ad_image(
    user: CurrentUser,
    image: OwnedAdImage,
    state: AppStateDep,
    transaction: TransactionDep,
    _counted: CountedWrite,
    expected: ExpectedDep,
) -> None:
    """Deletes a picture of an ad. The last one is refused with 409: an ad has at least one.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    await AdPictures(transaction, state.store, image.ad, user, expected).delete(image.id)
