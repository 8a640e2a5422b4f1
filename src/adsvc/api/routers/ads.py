import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import Field

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import json_response
from adsvc.api.dependencies.access import may_change_ad, may_edit_ad
from adsvc.api.dependencies.bodies import Json, Write
from adsvc.api.dependencies.caller import Authenticated, CurrentUser, requires
from adsvc.api.dependencies.uploads import AdForm, UploadedAd
from adsvc.api.dependencies.writes import Operation
from adsvc.api.fastpath.cached import AD_REQUIRES
from adsvc.api.fastpath.reads import (
    count_suggestion,
    counted_ads,
    fast_get,
    listed,
    mapped_ads,
    searching,
    similar_ads,
)
from adsvc.api.input.filters import (
    LONGEST_SEARCH,
    FilterQuery,
    ListingQuery,
    MapQuery,
    OwnListingQuery,
    check_typed,
)
from adsvc.api.input.json import members_of
from adsvc.api.input.parameters import AdIdPath, QueryModel
from adsvc.api.openapi import ad_form, answer_responses, created_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    Fault,
    InvalidRequestError,
    MailNotVerifiedError,
    OverloadedError,
    RateLimitedError,
    TooManyError,
    UnauthenticatedError,
)
from adsvc.http.responses import PRIVATE, Caching
from adsvc.models import KeyScope
from adsvc.repositories import AdFilter, ListingRepository, Sort
from adsvc.schemas.ads import (
    Ad,
    AdDetails,
    Ads,
    CreateDraft,
    CreateOrUpdateAd,
    ExtendedAd,
    OwnAds,
)
from adsvc.schemas.finding import AdFacets, AdMap, SimilarAds, Suggestions
from adsvc.services.accounts import rate_limits
from adsvc.services.ads import lifecycle, writing
from adsvc.services.mail.rendering import spoken
from adsvc.settings import MailRequired
from adsvc.versions import Written

router = APIRouter(tags=["ads"])

# The same for everyone who types it, for a minute.
SUGGESTED: Caching = (
    (b"cache-control", b"public, max-age=60"),
    (b"vary", b"Accept-Encoding, Accept-Language"),
)


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
    address. A client that follows `next` to the end gets every ad that stays unchanged exactly
    once.
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


@router.get(
    "/ads/map",
    operation_id="mapAds",
    summary="Count ads by cells of a map",
    response_model=AdMap,
    responses=answer_responses() | refusals(InvalidRequestError, RateLimitedError, OverloadedError),
)
async def map_ads(
    request: Request, state: AppStateDep, query: Annotated[MapQuery, Query()]
) -> Response:
    """Counts the ads that match the filters by cells of a map, at most 20 from edge to edge.

    Anyone may call it; it counts as a search towards the limit by address. The cells stay where
    they are while a map is moved. If very many ads match, only the newest are counted.
    """
    answer = await mapped_ads(state, request.scope, query)
    return answer.to(request)


class SuggestQuery(QueryModel):
    q: Annotated[
        str,
        Field(
            description="What has been typed; nothing yet gives what is most usual.",
            examples=["tabl"],
            json_schema_extra={"maxLength": LONGEST_SEARCH},
        ),
    ] = ""


@router.get(
    "/ads/suggest",
    operation_id="suggestSearches",
    summary="Suggest what to search for",
    response_model=Suggestions,
    responses=answer_responses() | refusals(InvalidRequestError, RateLimitedError, OverloadedError),
)
async def suggest(
    request: Request,
    state: AppStateDep,
    query: Annotated[SuggestQuery, Query()],
    accept_language: Annotated[
        str,
        Header(
            description="Categories have their names in the preferred language.", examples=["de"]
        ),
    ] = "",
) -> Response:
    """Returns phrases and categories that begin with what has been typed, or nearly so: of three
    letters and more one may be wrong, of eight and more two.

    Anyone may call it, with each key that is pressed; it is limited by address. Phrases are those
    of ads of several authors; of one author, the 20 newest ads count.
    """
    check_typed(query.q)
    count_suggestion(state, request.scope)
    site = state.settings.languages[0].partition("-")[0]
    # Names without a tag are in the site's first language.
    languages = tuple(takewhile(lambda language: language != site, spoken(accept_language)))
    async with state.searches.slot(searching(request.scope)):
        vocabulary = await state.vocabularies.vocabulary(await state.categories.tree())
        found = Suggestions(results=vocabulary.suggest(query.q, languages))
    body = found.model_dump_json(by_alias=True).encode()
    return json_response(body, SUGGESTED).to(request)


async def check_new_ad(write: Write[UploadedAd]) -> None:
    await writing.validate_new(
        write.state.database, write.state.settings, write.state.categories,
        members_of(write.content.properties), write.content.images, author_id=write.user.id,
    )  # fmt: skip


@Operation(
    router,
    "POST",
    "/ads",
    operation_id="createAd",
    summary="Post an ad with pictures",
    requires=KeyScope.ADS_WRITE,
    status=201,
    response_model=Ad,
    responses=created_responses(),
    openapi_extra=ad_form(),
    body=AdForm(),
    needs_mail=MailRequired.POST,
    limit=rate_limits.uploads,
    takes_key=True,
    dry_run=check_new_ad,
)
async def create_ad(write: Write[UploadedAd]) -> Written:
    """Creates an ad with its pictures and returns it as lists show it.

    Every account may; some sites require a confirmed mail address. Each picture counts towards the
    account's limits on uploads and on what its pictures may use. Pictures are turned upright,
    reduced where they are large, and stored without metadata.
    """
    state, sent = write.state, write.content
    ad = await writing.create(
        write.transaction, state.settings, state.store, write.user, sent.properties, sent.images,
        categories=state.categories,
    )  # fmt: skip
    # For the access log.
    write.request.state.ad_id = ad.id
    write.headers["Location"] = f"/ads/{ad.id}"
    return ad.written


@Operation(
    router,
    "POST",
    "/ads/drafts",
    operation_id="createDraft",
    summary="Begin an ad",
    requires=KeyScope.ADS_WRITE,
    status=201,
    response_model=Ad,
    responses=created_responses(),
    body=Json(CreateDraft, in_quota=True),
    takes_key=True,
    refused_with=(TooManyError,),
)
async def create_draft(write: Write[CreateDraft]) -> Written:
    """Creates a draft that may be unfinished, and returns it as lists show it.

    Every account may. Only the author and administrators see it. What is missing is an empty text,
    the price 0 and no picture; `POST /ads/{id}/images` adds pictures, and `POST /ads/{id}/publish`
    refuses a draft that is not complete. An account may have a limited number of drafts, and one
    that was not changed for long is deleted.
    """
    state = write.state
    ad = await writing.create_draft(
        write.transaction, state.settings, write.user, write.content, categories=state.categories
    )
    # For the access log.
    write.request.state.ad_id = ad.id
    write.headers["Location"] = f"/ads/{ad.id}"
    return ad.written


# Before `/ads/{id}`, so that `me` is never read as an id.
@router.get(
    "/ads/me",
    operation_id="listMyAds",
    summary="List the caller's ads",
    dependencies=[requires(KeyScope.ADS_READ)],
    response_model=OwnAds,
    responses=answer_responses() | refusals(InvalidRequestError, UnauthenticatedError),
)
async def list_my_ads(
    request: Request,
    user: CurrentUser,
    state: AppStateDep,
    query: Annotated[OwnListingQuery, Query()],
) -> Response:
    """Returns a page of the caller's ads, whatever their status, the newest first.

    The first page also has how many of them have each status.
    """
    ads = AdFilter(author=user.id, statuses=query.statuses)
    page = query.own_page(request.url.path, state)
    beside = ""
    if query.cursor is None:
        counts = await ListingRepository(state.database.reader).count_by_status(user.id)
        beside = f',"counts":{json.dumps(counts)}'
    answer = await listed(state, page, ads, Sort.NEWEST, PRIVATE, beside=beside)
    return answer.to(request)


@fast_get(
    router,
    "/ads/{id:ad_id}",
    operation_id="getAd",
    summary="Get an ad with its author's contact details",
    dependencies=[requires(AD_REQUIRES)],
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


@router.get(
    "/ads/{id:ad_id}/similar",
    operation_id="listSimilarAds",
    summary="List ads that are like an ad",
    response_model=SimilarAds,
    responses=answer_responses()
    | refusals(
        *(InvalidRequestError, AdNotFoundError, AdGoneError),
        *(RateLimitedError, OverloadedError),
    ),
)
async def list_similar_ads(request: Request, state: AppStateDep, ad_id: AdIdPath) -> Response:
    """Returns ads with the same words in their titles, of the same category, at about the same
    price and near each other; the most similar first.

    Anyone may call it; it counts as a search towards the limit by address. A new ad may be missing
    for a minute.
    """
    answer = await similar_ads(state, request.scope, ad_id)
    return answer.to(request)


def _changed_ad(write: Write[CreateOrUpdateAd], ad_id: int) -> writing.AdWrite:
    state = write.state
    return writing.AdWrite(state.database, state.settings, write.caller, ad_id, state.categories)


async def check_change(write: Write[CreateOrUpdateAd], ad_id: int) -> None:
    ad = _changed_ad(write, ad_id)
    await ad.require_expected(write.expected)
    await ad.validate(members_of(write.content), ())


async def more_faults(
    write: Write[CreateOrUpdateAd], sent: Mapping[str, Any], found: Sequence[Fault], ad_id: int
) -> None:
    await _changed_ad(write, ad_id).validate(sent, found)


@Operation(
    router,
    "PATCH",
    "/ads/{id:ad_id}",
    operation_id="updateAd",
    summary="Change an ad",
    requires=KeyScope.ADS_WRITE,
    response_model=Ad,
    body=Json(CreateOrUpdateAd, validates=True, in_quota=True),
    access=may_edit_ad,
    version=True,
    one_statement=True,
    dry_run=check_change,
    more_faults=more_faults,
)
async def update_ad(write: Write[CreateOrUpdateAd], ad_id: int) -> Written:
    """Changes the members that are sent, and returns the ad as lists show it.

    The author and administrators may; every account may on a site that is configured so. Its
    category and attributes must fit each other after the change. Counts towards the account's limit
    on changes.
    """
    ad = _changed_ad(write, ad_id)
    return await ad.update(write.statement, write.content, write.expected)


@Operation(
    router,
    "DELETE",
    "/ads/{id:ad_id}",
    operation_id="deleteAd",
    summary="Delete an ad",
    requires=KeyScope.ADS_WRITE,
    status=204,
    access=may_change_ad,
    version=True,
    one_statement=True,
)
async def delete_ad(write: Write[None], ad_id: int) -> None:
    """Deletes an ad with its pictures and comments, at once and permanently.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    await lifecycle.delete(write.statement, write.state.store, write.caller, ad_id, write.expected)
