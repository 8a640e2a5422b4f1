from typing import Annotated

from fastapi import APIRouter, Depends, Response

from adsvc.api.authentication import CurrentUser
from adsvc.api.contract import ad_form, image_form, image_responses, json_request
from adsvc.api.dependencies import (
    CountedUpload,
    CountedWrite,
    EditableAd,
    OwnedAd,
    ReadSession,
    TransactionDep,
    UploadedAd,
    UploadedPicture,
    json_body,
)
from adsvc.api.errors import UPLOAD_REFUSALS, refusals
from adsvc.api.pages import Page, PageDep
from adsvc.api.parameters import AdIdPath
from adsvc.api.resources import ResourcesDep
from adsvc.errors import (
    AdNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    InvalidRequestError,
    RateLimitedError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.models import Ad
from adsvc.repositories import AdPage, AdRepository
from adsvc.schemas.ads import Ad as AdRecord
from adsvc.schemas.ads import Ads, CreateOrUpdateAd, ExtendedAd
from adsvc.services import ads

router = APIRouter(tags=["ads"])


def _answer(page: Page, listing: str, found: AdPage) -> Ads:
    return Ads.model_validate(
        {
            "count": found.count,
            "results": found.rows,
            "next": page.next(listing, found.rows, more=found.more),
        }
    )


@router.get(
    "/ads",
    operation_id="listAds",
    summary="All ads, newest first",
    responses=refusals(InvalidRequestError),
)
async def list_ads(session: ReadSession, page: PageDep) -> Ads:
    """Page by page: walking them meets every ad that stays exactly once."""
    found = await AdRepository(session).list_page(page.limit, before=page.start("ads"))
    return _answer(page, "ads", found)


@router.post(
    "/ads",
    operation_id="createAd",
    summary="Post an ad with a picture",
    status_code=201,
    response_model=AdRecord,
    responses=refusals(*UPLOAD_REFUSALS),
    openapi_extra=ad_form(),
)
async def create_ad(
    user: CurrentUser,
    resources: ResourcesDep,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedUpload,
    uploaded: UploadedAd,
) -> Ad:
    """The picture is turned upright, stripped of all metadata and made fit for the web."""
    properties, picture = uploaded
    ad = await ads.create(transaction, resources.store, user, properties, picture)
    response.headers["Location"] = f"/ads/{ad.id}"
    return ad


# Before `/ads/{id}`, so that `me` is never read as an id.
@router.get(
    "/ads/me",
    operation_id="listMyAds",
    summary="The caller's ads, newest first",
    responses=refusals(InvalidRequestError, UnauthenticatedError),
)
async def list_my_ads(user: CurrentUser, session: ReadSession, page: PageDep) -> Ads:
    listing = f"ads/{user.id}"
    before = page.start(listing)
    found = await AdRepository(session).list_page(page.limit, before=before, author_id=user.id)
    return _answer(page, listing, found)


@router.get(
    "/ads/{id:ad_id}",
    operation_id="getAd",
    summary="One ad with its author's contact details",
    response_model=ExtendedAd,
    responses=refusals(InvalidRequestError, UnauthenticatedError, AdNotFoundError),
)
async def get_ad(_: CurrentUser, ad_id: AdIdPath, session: ReadSession) -> Ad:
    ad = await AdRepository(session).get_with_author(ad_id)
    if ad is None:
        raise AdNotFoundError
    return ad


@router.patch(
    "/ads/{id:ad_id}",
    operation_id="updateAd",
    summary="Change an ad",
    response_model=AdRecord,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        ForbiddenError,
        AdNotFoundError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
    ),
    openapi_extra=json_request(CreateOrUpdateAd),
)
async def update_ad(
    ad: EditableAd,
    transaction: TransactionDep,
    _counted: CountedWrite,
    changes: Annotated[CreateOrUpdateAd, Depends(json_body(CreateOrUpdateAd))],
) -> Ad:
    """Members that are absent stay as they are."""
    return await ads.update(transaction, ad, changes)


@router.delete(
    "/ads/{id:ad_id}",
    operation_id="deleteAd",
    summary="Delete an ad and its picture",
    status_code=204,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        ForbiddenError,
        AdNotFoundError,
        RateLimitedError,
    ),
)
async def delete_ad(
    user: CurrentUser,
    ad: OwnedAd,
    resources: ResourcesDep,
    transaction: TransactionDep,
    _counted: CountedWrite,
) -> None:
    await ads.delete(transaction, resources.store, ad, actor=user)


@router.patch(
    "/ads/{id:ad_id}/image",
    operation_id="replaceAdImage",
    summary="Replace an ad's picture",
    response_class=Response,
    responses={
        **image_responses(),
        **refusals(*UPLOAD_REFUSALS, ForbiddenError, AdNotFoundError),
    },
    openapi_extra=image_form(),
)
async def replace_ad_image(
    ad: EditableAd,
    resources: ResourcesDep,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedUpload,
    picture: UploadedPicture,
) -> Response:
    """Answers the bytes of the picture as it is stored from now on."""
    await ads.replace_image(transaction, resources.store, ad, picture)
    headers = dict(response.headers)
    return Response(picture.data, media_type=picture.content_type, headers=headers)
