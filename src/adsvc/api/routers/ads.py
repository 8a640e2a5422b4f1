from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Annotated, Any

from fastapi import APIRouter, Header
from pydantic import Field, JsonValue

from adsvc.api.caching import ReadResponse
from adsvc.api.dependencies.access import may_change_ad, may_edit_ad
from adsvc.api.dependencies.bodies import Call, Json
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.dependencies.uploads import AdForm, UploadedAd
from adsvc.api.finding import (
    count_suggestion,
    counted_ads,
    found_ads,
    get_details,
    listed,
    mapped_ads,
    searching,
    similar_ads,
)
from adsvc.api.finding import get_ad as read_ad
from adsvc.api.input.filters import (
    LONGEST_SEARCH,
    FilterQuery,
    ListingQuery,
    MapQuery,
    OwnListingQuery,
    listing_name,
    typed,
)
from adsvc.api.input.json import members_of
from adsvc.api.input.parameters import AdIdPath, Pairs, QueryModel
from adsvc.api.openapi import ad_form, created_responses
from adsvc.api.pipeline.cached import AD_REQUIRES
from adsvc.bulkheads.rate_limits import Limit
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    Fault,
    MailNotVerifiedError,
    OverloadedError,
    RateLimitedError,
    TooManyError,
)
from adsvc.http.responses import PRIVATE, PUBLIC, Caching
from adsvc.models import KeyScope
from adsvc.repositories.ads import listing as listing_rows
from adsvc.repositories.ads.criteria import AdFilter, Sort
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


@Endpoint(
    router,
    "GET",
    "/ads",
    summary="List or search ads",
    anonymous=True,
    caching=PUBLIC,
    query=ListingQuery,
    response_model=Ads,
    refused_with=(RateLimitedError, OverloadedError),
)
async def list_ads(call: Call[None]) -> ReadResponse:
    """Returns a page of the ads that everyone sees and that match all filters. If nothing matches
    `q`, it is relaxed: `relaxed` says how.

    Anyone may call it. Searches, filtered lists and pages of more than 100 ads are limited by
    address. A client that follows `next` to the end gets every ad that stays unchanged exactly
    once.
    """
    return await found_ads(call.state, call.request.scope)


@Endpoint(
    router,
    "GET",
    "/ads/facets",
    summary="Count ads by filter",
    anonymous=True,
    caching=PUBLIC,
    query=FilterQuery,
    refused_with=(RateLimitedError, OverloadedError),
    response_model=AdFacets,
)
async def count_ads(call: Call[None]) -> ReadResponse:
    """Counts the ads that match the filters: by price, month, category and attributes. Of a long
    `q` the words count that `GET /ads` searches for.

    Anyone may call it; it counts as a search towards the limit by address. If very many ads match,
    only the newest are counted. It is made for a filter panel.
    """
    return await counted_ads(call.state, call.request.scope, call.query)


@Endpoint(
    router,
    "GET",
    "/ads/map",
    summary="Count ads by cells of a map",
    anonymous=True,
    caching=PUBLIC,
    query=MapQuery,
    refused_with=(RateLimitedError, OverloadedError),
    response_model=AdMap,
)
async def map_ads(call: Call[None]) -> ReadResponse:
    """Counts the ads that match the filters by cells of a map, at most 20 from edge to edge. Of a
    long `q` the words count that `GET /ads` searches for.

    Anyone may call it; it counts as a search towards the limit by address. The cells stay where
    they are while a map is moved. If very many ads match, only the newest are counted.
    """
    return await mapped_ads(call.state, call.request.scope, call.query)


AcceptLanguage = Annotated[
    str,
    Header(description="Categories have their names in the preferred language.", examples=["de"]),
]


class SuggestQuery(QueryModel):
    q: Annotated[str, Field(examples=["tabl"], json_schema_extra={"maxLength": LONGEST_SEARCH})] = (
        ""
    )
    """What has been typed; nothing yet gives what is most usual."""


@Endpoint(
    router,
    "GET",
    "/ads/suggest",
    operation_id="suggestSearches",
    summary="Suggest what to search for",
    anonymous=True,
    caching=SUGGESTED,
    query=SuggestQuery,
    headers={"accept_language": (AcceptLanguage, "")},
    refused_with=(RateLimitedError, OverloadedError),
)
async def suggest(call: Call[None]) -> Suggestions:
    """Returns phrases and categories that begin with what has been typed, or nearly so: of three
    letters and more one may be wrong, of six and more two.

    Anyone may call it, with each key that is pressed; it is limited by address. Phrases are those
    of ads of several authors; of one author, the 20 newest ads count.
    """
    state, q, scope = call.state, typed(call.query.q), call.request.scope
    count_suggestion(state, scope)
    site = state.settings.languages[0].partition("-")[0]
    # Names without a tag are in the site's first language.
    spoken_here = spoken(call.request.headers.get("accept-language", ""))
    languages = tuple(takewhile(lambda language: language != site, spoken_here))
    async with state.searches.slot(searching(scope)):
        vocabulary = await state.vocabularies.vocabulary(await state.categories.tree())
        return Suggestions(results=vocabulary.suggest(q, languages))


async def check_new_ad(call: Call[UploadedAd]) -> None:
    await writing.validate_new(
        call.state.database,
        call.state.settings,
        call.state.categories,
        members_of(call.content.properties),
        call.content.images,
        author_id=call.user.id,
    )


@Endpoint(
    router,
    "POST",
    "/ads",
    summary="Post an ad with pictures",
    requires=KeyScope.ADS_WRITE,
    status=201,
    response_model=Ad,
    responses=created_responses(),
    openapi_extra=ad_form(),
    body=AdForm(),
    needs_mail=MailRequired.POST,
    limit=Limit.UPLOADS,
    takes_key=True,
    dry_run=check_new_ad,
)
async def create_ad(call: Call[UploadedAd]) -> Written:
    """Creates an ad with its pictures and returns it as lists show it.

    Every account may; some sites require a confirmed mail address. Each picture counts towards the
    account's limits on uploads and on what its pictures may use. Pictures are turned upright,
    reduced where they are large, and stored without metadata.
    """
    state, sent = call.state, call.content
    ad = await writing.create(call, state.categories, state.store, sent.properties, sent.images)
    # For the access log.
    call.request.state.ad_id = ad.id
    call.headers["Location"] = f"/ads/{ad.id}"
    return ad.written


@Endpoint(
    router,
    "POST",
    "/ads/drafts",
    summary="Begin an ad",
    requires=KeyScope.ADS_WRITE,
    status=201,
    response_model=Ad,
    responses=created_responses(),
    body=Json(CreateDraft, in_quota=True),
    takes_key=True,
    refused_with=(TooManyError,),
)
async def create_draft(call: Call[CreateDraft]) -> Written:
    """Creates a draft that may be unfinished, and returns it as lists show it.

    Every account may. Only the author and administrators see it. What is missing is an empty text,
    the price 0 and no picture; `POST /ads/{id}/images` adds pictures, and `POST /ads/{id}/publish`
    refuses a draft that is not complete. An account may have a limited number of drafts, and one
    that was not changed for long is deleted.
    """
    ad = await writing.create_draft(call, call.state.categories, call.content)
    # For the access log.
    call.request.state.ad_id = ad.id
    call.headers["Location"] = f"/ads/{ad.id}"
    return ad.written


# Before `/ads/{id}`, so that `me` is never read as an id.
@Endpoint(
    router,
    "GET",
    "/ads/me",
    summary="List the caller's ads",
    requires=KeyScope.ADS_READ,
    own_list=True,
    query=OwnListingQuery,
    response_model=OwnAds,
)
async def list_my_ads(call: Call[None]) -> ReadResponse:
    """Returns a page of the caller's ads, whatever their status, the newest first.

    The first page also has how many of them have each status.
    """
    query, user_id = call.query, call.caller.user_id
    ads = AdFilter(author=user_id, statuses=query.statuses)
    filters: Pairs = [("status", status) for status in query.statuses] if query.status else []
    page = call.page(listing_name(ads, Sort.NEWEST), filters)
    members: dict[str, JsonValue] = {}
    if query.cursor is None:
        counts = await listing_rows.count_by_status(call.database.reader, user_id)
        members["counts"] = dict(counts)
    return await listed(call.state, page, ads, Sort.NEWEST, PRIVATE, members)


@Endpoint(
    router,
    "GET",
    "/ads/{id:ad_id}",
    summary="Get an ad with its author's contact details",
    requires=AD_REQUIRES,
    response_model=ExtendedAd,
    responses={200: {"headers": {"ETag": {}, "RateLimit": {}, "RateLimit-Policy": {}}}},
    refused_with=(MailNotVerifiedError, AdNotFoundError, AdGoneError, RateLimitedError),
)
async def get_ad(call: Call[None], ad_id: AdIdPath) -> ReadResponse:
    """Returns an ad with its author's name, user name and phone number.

    Every account may; some sites require a confirmed mail address. How many different ads of others
    an account may read is limited, as each reveals contact details. The author and administrators
    get the ad whatever its status; the author gets the exact location.
    """
    ad, left = await read_ad(call.state, call.caller, ad_id)
    call.headers.update(left)
    return ad


@Endpoint(
    router,
    "GET",
    "/ads/{id:ad_id}/details",
    summary="Get an ad without contact details",
    anonymous=True,
    caching=PUBLIC,
    response_model=AdDetails,
    refused_with=(AdNotFoundError, AdGoneError),
)
async def get_ad_details(call: Call[None], ad_id: AdIdPath) -> ReadResponse:
    """Returns an ad without its author's contact details, for a page that everyone may see.

    Anyone may call it; it is not limited.
    """
    return await get_details(call.state, ad_id)


@Endpoint(
    router,
    "GET",
    "/ads/{id:ad_id}/similar",
    summary="List ads that are like an ad",
    anonymous=True,
    caching=PUBLIC,
    refused_with=(AdNotFoundError, AdGoneError, RateLimitedError, OverloadedError),
    response_model=SimilarAds,
)
async def list_similar_ads(call: Call[None], ad_id: AdIdPath) -> ReadResponse:
    """Returns ads with the same words in their titles, of the same category, at about the same
    price and near each other; the most similar first.

    Anyone may call it; it counts as a search towards the limit by address. A new ad may be missing
    for a minute.
    """
    return await similar_ads(call.state, call.request.scope, ad_id)


def _changed_ad(call: Call[CreateOrUpdateAd], ad_id: int) -> writing.AdWrite:
    state = call.state
    return writing.AdWrite(state.database, state.settings, call.caller, ad_id, state.categories)


async def check_change(call: Call[CreateOrUpdateAd], ad_id: int) -> None:
    ad = _changed_ad(call, ad_id)
    await ad.require_expected(call.expected)
    await ad.validate(members_of(call.content), ())


async def more_faults(
    call: Call[CreateOrUpdateAd], sent: Mapping[str, Any], found: Sequence[Fault], ad_id: int
) -> None:
    await _changed_ad(call, ad_id).validate(sent, found)


@Endpoint(
    router,
    "PATCH",
    "/ads/{id:ad_id}",
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
async def update_ad(call: Call[CreateOrUpdateAd], ad_id: int) -> Written:
    """Changes the members that are sent, and returns the ad as lists show it.

    The author and administrators may; every account may on a site that is configured so. Its
    category and attributes must fit each other after the change. Counts towards the account's limit
    on changes.
    """
    ad = _changed_ad(call, ad_id)
    return await ad.update(call.statement, call.content, call.expected)


@Endpoint(
    router,
    "DELETE",
    "/ads/{id:ad_id}",
    summary="Delete an ad",
    requires=KeyScope.ADS_WRITE,
    status=204,
    access=may_change_ad,
    version=True,
    one_statement=True,
)
async def delete_ad(call: Call[None], ad_id: int) -> None:
    """Deletes an ad with its pictures and comments, at once and permanently.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    await lifecycle.delete(call.statement, call.state.store, call.caller, ad_id, call.expected)
