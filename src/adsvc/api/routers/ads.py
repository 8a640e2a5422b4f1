from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.bodies import ValidatesOnly
from adsvc.api.dependencies.caller import Authenticated, CurrentUser, PostingUser
from adsvc.api.dependencies.uploads import AdAttempt, UploadedAd
from adsvc.api.dependencies.writes import (
    BareWrite,
    CountedUpload,
    JsonWrite,
    TransactionDep,
    Write,
    write_route,
    written_response,
)
from adsvc.api.fastpath.reads import counted_ads, fast_get, listed
from adsvc.api.input.filters import FilterQuery, ListingQuery, OwnListingQuery
from adsvc.api.input.parameters import AdIdPath
from adsvc.api.openapi import ad_form, answer_responses, created_responses, written_responses
from adsvc.api.problems.documentation import KEYED_REFUSALS, UPLOAD_REFUSALS, refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    ContentTooLargeError,
    ForbiddenError,
    InvalidRequestError,
    MailNotVerifiedError,
    OverloadedError,
    PreconditionFailedError,
    QuotaExceededError,
    RateLimitedError,
    TooManyImagesError,
    UnauthenticatedError,
    UnsupportedMediaTypeError,
)
from adsvc.http.responses import PRIVATE
from adsvc.repositories import AdFilter, Sort
from adsvc.schemas.ads import Ad, AdDetails, AdFacets, Ads, CreateOrUpdateAd, ExtendedAd
from adsvc.services.ads import writing as ad_service
from adsvc.services.ads.lifecycle import AdDeletion

router = APIRouter(tags=["ads"])


@fast_get(
    router,
    "/ads",
    operation_id="listAds",
    summary="List or search ads",
    response_model=Ads,
    responses=answer_responses() | refusals(InvalidRequestError, RateLimitedError, OverloadedError),
)
async def list_ads(query: Annotated[ListingQuery, Query()]) -> None:
    """Returns a page of the ads that everyone sees and that match all filters.

    Anyone may call it. Searches, filtered lists and pages of more than 100 ads are limited by
    address. A walk through the pages meets every ad that stays unchanged exactly once.
    """


@router.get(
    "/ads/facets",
    operation_id="countAds",
    summary="Count ads by filter",
    response_model=AdFacets,
    responses=answer_responses() | refusals(InvalidRequestError, RateLimitedError, OverloadedError),
)
async def count_ads(
    request: Request, state: AppStateDep, query: Annotated[FilterQuery, Query()]
) -> Response:
    """Counts the ads that match the filters: by price, month, category and attributes.

    Anyone may call it; it counts as a search towards the limit by address. If very many ads match,
    only the newest are counted. It is made for a filter panel.
    """
    answer = await counted_ads(state, request.scope, query)
    return answer.to(request)


@router.post(
    "/ads",
    operation_id="createAd",
    summary="Post an ad with pictures",
    status_code=201,
    response_model=Ad,
    responses=created_responses()
    | refusals(*UPLOAD_REFUSALS, MailNotVerifiedError, TooManyImagesError, *KEYED_REFUSALS),
    openapi_extra=ad_form(),
)
async def create_ad(
    request: Request,
    user: PostingUser,
    state: AppStateDep,
    attempt: AdAttempt,
    transaction: TransactionDep,
    response: Response,
    _counted: CountedUpload,
    validates_only: ValidatesOnly,
    uploaded: UploadedAd,
) -> Response:
    """Creates an ad with its pictures and returns it as lists show it.

    Every account may; some sites require a confirmed mail address. Each picture counts towards the
    account's limits on uploads and on what its pictures may use. Pictures are turned upright,
    reduced where they are large, and stored without metadata.
    """
    if validates_only:
        return Response(status_code=204, headers=dict(response.headers))
    properties, images = uploaded
    ad = await ad_service.create(
        transaction, state.settings, state.store, user, properties, images,
        categories=state.categories,
    )  # fmt: skip
    # For the log.
    request.state.ad_id = ad.id
    headers = {**response.headers, "Location": f"/ads/{ad.id}"}
    answer = written_response(ad.written, headers, 201)
    return await attempt.kept(transaction, answer)


# Before `/ads/{id}`, so that `me` is never read as an id.
@router.get(
    "/ads/me",
    operation_id="listMyAds",
    summary="List the caller's ads",
    response_model=Ads,
    responses=answer_responses() | refusals(InvalidRequestError, UnauthenticatedError),
)
async def list_my_ads(
    request: Request,
    user: CurrentUser,
    state: AppStateDep,
    query: Annotated[OwnListingQuery, Query()],
) -> Response:
    """Returns a page of the caller's ads, whatever their status, the newest first."""
    ads = AdFilter(author=user.id, statuses=query.statuses)
    page = query.own_page(request.url.path, state)
    answer = await listed(state, page, ads, Sort.NEWEST, PRIVATE)
    return answer.to(request)


@fast_get(
    router,
    "/ads/{id:ad_id}",
    operation_id="getAd",
    summary="Get an ad with its author's contact details",
    response_model=ExtendedAd,
    responses=answer_responses(counted=True)
    | refusals(
        *(InvalidRequestError, UnauthenticatedError, MailNotVerifiedError),
        *(AdNotFoundError, AdGoneError),
    ),
)
async def get_ad(_caller: Authenticated, ad_id: AdIdPath) -> None:
    """Returns an ad with its author's name, user name and phone number.

    Every account may; some sites require a confirmed mail address. How many different ads of others
    an account may read is limited, as each reveals contact details. The author and administrators
    get the ad whatever its status; the author gets the exact location.
    """


@fast_get(
    router,
    "/ads/{id:ad_id}/details",
    operation_id="getAdDetails",
    summary="Get an ad without contact details",
    response_model=AdDetails,
    responses=answer_responses() | refusals(InvalidRequestError, AdNotFoundError, AdGoneError),
)
async def get_ad_details(ad_id: AdIdPath) -> None:
    """Returns an ad without its author's contact details, for a page that everyone may see.

    Anyone may call it; it is not limited.
    """


@write_route(
    router,
    "PATCH",
    "/ads/{id:ad_id}",
    operation_id="updateAd",
    summary="Change an ad",
    response_model=Ad,
    responses=written_responses()
    | refusals(
        InvalidRequestError,
        UnauthenticatedError,
        AdNotFoundError,
        AdGoneError,
        ForbiddenError,
        PreconditionFailedError,
        QuotaExceededError,
        ContentTooLargeError,
        UnsupportedMediaTypeError,
        RateLimitedError,
    ),
)
async def update_ad(
    write: Annotated[Write[CreateOrUpdateAd], Depends(JsonWrite(CreateOrUpdateAd, validates=True))],
    ad_id: AdIdPath,
) -> Response:
    """Changes the members that are sent, and returns the ad as lists show it.

    The author and administrators may; every account may on a site that is configured so. Its
    category and attributes must fit each other after the change. Counts towards the account's limit
    on changes.
    """
    state = write.state
    ad = ad_service.AdWrite(state.database, state.settings, write.caller, ad_id, state.categories)
    return await write.answer(
        ad.update, require=ad.require_editable, compare=ad.require_expected, validate=ad.validate
    )


@write_route(
    router,
    "DELETE",
    "/ads/{id:ad_id}",
    operation_id="deleteAd",
    summary="Delete an ad",
    status_code=204,
    responses=refusals(
        InvalidRequestError,
        UnauthenticatedError,
        AdNotFoundError,
        AdGoneError,
        ForbiddenError,
        PreconditionFailedError,
        RateLimitedError,
    ),
)
async def delete_ad(
    write: Annotated[Write[None], Depends(BareWrite())], ad_id: AdIdPath
) -> Response:
    """Deletes an ad with its pictures and comments, at once and for good.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    state = write.state
    ad = AdDeletion(state.database, state.store, write.caller, ad_id)
    return await write.answer(lambda _, expected: ad.delete(expected), require=ad.require_owned)
