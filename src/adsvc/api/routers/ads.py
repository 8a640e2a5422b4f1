from collections.abc import Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Annotated, Any

from fastapi import Header
from pydantic import Field, JsonValue

from adsvc import errors
from adsvc.api.caching import ReadResponse
from adsvc.api.dependencies.access import may_change_ad, may_edit_ad, own_external_id, owned_ad
from adsvc.api.dependencies.calls import Call, Json
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.dependencies.forms import AdForm, AdFormOrJson, UploadedAd
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
from adsvc.api.input.parameters import AdIdPath, Pairs, QueryModel
from adsvc.api.openapi.responses import created_responses, written_responses
from adsvc.api.openapi.schemas import ad_form
from adsvc.api.pipeline.app import AD_REQUIRES
from adsvc.enums import Feature, KeyScope
from adsvc.kit.faults import Fault
from adsvc.kit.http.messages import PRIVATE, PUBLIC, Caching, members_of
from adsvc.kit.records import Written
from adsvc.repositories import views as view_rows
from adsvc.repositories.ads import listing as listing_rows
from adsvc.repositories.ads.criteria import AdFilter, Sort
from adsvc.schemas.ads import (
    Ad,
    AdDetails,
    Ads,
    AdStats,
    CreateDraft,
    CreateOrUpdateAd,
    ExtendedAd,
    OwnAds,
    Sale,
)
from adsvc.schemas.finding import AdFacets, AdMap, SimilarAds, Suggestions
from adsvc.services.ads import lifecycle, writing
from adsvc.services.ads.lifecycle import publish, take_step
from adsvc.services.ads.writing import AdWrite
from adsvc.services.images import PictureStoring
from adsvc.services.mail.rendering import spoken
from adsvc.services.rate_limits import Limit
from adsvc.settings import MailRequired

router = Router(tag="ads", requires=KeyScope.ADS_WRITE, reads=KeyScope.ADS_READ)

# The same for everyone who types it, for a minute.
SUGGESTED: Caching = (
    (b"cache-control", b"public, max-age=60"),
    (b"vary", b"Accept-Encoding, Accept-Language"),
)


@router.get(
    "/ads",
    summary="List or search ads",
    anonymous=True,
    caching=PUBLIC,
    query=ListingQuery,
    response_model=Ads,
    refused_with=(errors.RateLimitedError, errors.OverloadedError),
)
async def list_ads(call: Call[None]) -> ReadResponse:
    """Returns a page of the ads that everyone sees and that match all filters. If nothing matches
    `q`, it is relaxed: `relaxed` says how.

    Anyone may call it. Searches, filtered lists and pages of more than 100 ads are limited by
    address. A client that follows `next` to the end gets every ad that stays unchanged exactly
    once.
    """
    return await found_ads(call.state, call.request.scope)


@router.get(
    "/ads/facets",
    summary="Count ads by filter",
    anonymous=True,
    caching=PUBLIC,
    query=FilterQuery,
    refused_with=(errors.RateLimitedError, errors.OverloadedError),
    response_model=AdFacets,
)
async def count_ads(call: Call[None]) -> ReadResponse:
    """Counts the ads that match the filters: by price, month, category and attributes. Of a long
    `q` the words count that `GET /ads` searches for.

    Anyone may call it; it counts as a search towards the limit by address. If very many ads match,
    only the newest are counted. It is made for a filter panel.
    """
    return await counted_ads(call.state, call.request.scope, call.query)


@router.get(
    "/ads/map",
    summary="Count ads by cells of a map",
    features=(Feature.MAP,),
    anonymous=True,
    caching=PUBLIC,
    query=MapQuery,
    refused_with=(errors.RateLimitedError, errors.OverloadedError),
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


@router.get(
    "/ads/suggest",
    operation_id="suggestSearches",
    summary="Suggest what to search for",
    anonymous=True,
    caching=SUGGESTED,
    query=SuggestQuery,
    headers={"accept_language": (AcceptLanguage, "")},
    refused_with=(errors.RateLimitedError, errors.OverloadedError),
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
        return Suggestions(results=await vocabulary.suggest(q, languages))


async def check_new_ad(call: Call[UploadedAd]) -> None:
    await writing.validate_new(
        call.state.database,
        call.state.settings,
        call.state.categories,
        members_of(call.content.properties),
        call.content.images,
        author_id=call.user.id,
    )


@router.post(
    "/ads",
    summary="Post an ad with pictures",
    status=201,
    response_model=Ad,
    responses=created_responses(),
    openapi_extra=ad_form(),
    body=AdForm(),
    needs_mail=MailRequired.POST,
    limit=Limit.UPLOADS,
    takes_key=True,
    dry_run=check_new_ad,
    refused_with=(errors.ExternalIdTakenError,),
)
async def create_ad(call: Call[UploadedAd]) -> Written:
    """Creates an ad with its pictures and returns it as lists show it.

    Every account may; some sites require a confirmed mail address. Each picture counts towards the
    account's limits on uploads and on what its pictures may use. Pictures are turned upright,
    reduced where they are large, and stored without metadata.
    """
    state, sent = call.state, call.content
    storing = PictureStoring(call.transaction, call.settings, state.store)
    ad = await writing.create(storing, call.user, state.categories, sent.properties, sent.images)
    # For the access log.
    call.request.state.ad_id = ad.id
    call.headers["Location"] = f"/ads/{ad.id}"
    return ad.written


@router.put(
    "/ads/by-external-id/{externalId:path}",
    summary="Create or change the ad with an external id",
    response_model=Ad,
    responses={
        **written_responses(),
        201: {
            "description": "Created: the caller had no such ad",
            "model": Ad,
            "headers": {"Location": {}, "ETag": {}},
        },
    },
    openapi_extra=ad_form(or_json=True),
    body=AdFormOrJson(),
    access=own_external_id,
    needs_mail=MailRequired.POST,
)
async def put_ad(call: Call[UploadedAd], external_id: str) -> Written:
    """Creates or changes the caller's ad with this id in the caller's own system, and returns it as
    lists show it.

    Every account may; some sites require a confirmed mail address. Members that are left out stay
    as they are; `status` is for a new ad. Pictures that are sent replace all of the ad. JSON has no
    pictures: a new ad without one has to be a draft. Counts towards the account's limit on changes,
    and each picture towards that on uploads. Of two requests at once, one creates the ad.
    """
    state, sent = call.state, call.content
    ad, is_new = await writing.put(
        state.database,
        state.settings,
        call.user,
        state.categories,
        state.store,
        external_id,
        sent.properties,
        sent.images,
    )
    # For the access log.
    call.request.state.ad_id = ad.id
    if is_new:
        call.status, call.headers["Location"] = 201, f"/ads/{ad.id}"
    return ad.written


@router.post(
    "/ads/drafts",
    summary="Begin an ad",
    status=201,
    response_model=Ad,
    responses=created_responses(),
    body=Json(CreateDraft, in_quota=True),
    takes_key=True,
    refused_with=(errors.TooManyError, errors.ExternalIdTakenError),
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
@router.get(
    "/ads/me",
    summary="List the caller's ads",
    own_list=True,
    query=OwnListingQuery,
    response_model=OwnAds,
)
async def list_my_ads(call: Call[None]) -> ReadResponse:
    """Returns a page of the caller's ads, whatever their status, the newest first.

    The first page also has how many of them have each status.
    """
    query, user_id = call.query, call.caller.user_id
    external_id = query.external_id
    ads = AdFilter(author=user_id, statuses=query.statuses, external_id=external_id)
    filters: Pairs = [("status", status) for status in query.statuses] if query.status else []
    if external_id is not None:
        filters.append(("externalId", external_id))
    page = call.page(listing_name(ads, Sort.NEWEST), filters)
    members: dict[str, JsonValue] = {}
    if query.cursor is None:
        counts = await listing_rows.count_by_status(call.database.reader, user_id)
        members["counts"] = dict(counts)
    return await listed(call.state, page, ads, Sort.NEWEST, PRIVATE, members)


@router.get(
    "/ads/{id:ad_id}",
    summary="Get an ad with its author's contact details",
    requires=AD_REQUIRES,
    response_model=ExtendedAd,
    responses={200: {"headers": {"ETag": {}, "RateLimit": {}, "RateLimit-Policy": {}}}},
    refused_with=(
        errors.MailNotVerifiedError,
        errors.AdNotFoundError,
        errors.AdGoneError,
        errors.RateLimitedError,
    ),
)
async def get_ad(call: Call[None], ad_id: AdIdPath) -> ReadResponse:
    """Returns an ad with its author's name, user name and phone number.

    Every account may; some sites require a confirmed mail address. How many different ads of others
    an account may read is limited, as each reveals contact details. The author and administrators
    get the ad whatever its status, and its buyer when it is sold; the author gets the exact
    location.
    """
    ad, left = await read_ad(call.state, call.caller, ad_id)
    call.headers.update(left)
    return ad


@router.get(
    "/ads/{id:ad_id}/details",
    summary="Get an ad without contact details",
    anonymous=True,
    caching=PUBLIC,
    response_model=AdDetails,
    refused_with=(errors.AdNotFoundError, errors.AdGoneError),
)
async def get_ad_details(call: Call[None], ad_id: AdIdPath) -> ReadResponse:
    """Returns an ad without its author's contact details, for a page that everyone may see.

    Anyone may call it; it is not limited.
    """
    return await get_details(call.state, ad_id)


@router.get(
    "/ads/{id:ad_id}/stats",
    summary="Get how successful an ad is",
    account=True,
    response_model=AdStats,
    refused_with=(errors.AdNotFoundError, errors.AdGoneError, errors.ForbiddenError),
)
async def get_ad_stats(call: Call[None], ad_id: AdIdPath) -> str:
    """Returns how often an ad was seen and saved, how many have written about it, and what similar
    ads cost.

    Its author and administrators may. A visitor counts once a day, without cookies: an account, or
    else an address with its browser. The author, crawlers and prefetches do not count.
    """
    ad = await owned_ad(call.caller_with_account, call.state, ad_id)
    record = await view_rows.stats(call.database.reader, ad.id)
    if record is None:
        raise errors.AdNotFoundError
    return record


@router.get(
    "/ads/{id:ad_id}/similar",
    summary="List ads that are like an ad",
    anonymous=True,
    caching=PUBLIC,
    refused_with=(
        errors.AdNotFoundError,
        errors.RateLimitedError,
        errors.OverloadedError,
    ),
    response_model=SimilarAds,
)
async def list_similar_ads(call: Call[None], ad_id: AdIdPath) -> ReadResponse:
    """Returns ads with the same words in their titles, of the same category, at about the same
    price and near each other; the most similar first. A sold or expired ad has them too.

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


@router.patch(
    "/ads/{id:ad_id}",
    summary="Change an ad",
    response_model=Ad,
    body=Json(CreateOrUpdateAd, validates=True, in_quota=True),
    access=may_edit_ad,
    version=True,
    one_statement=True,
    dry_run=check_change,
    more_faults=more_faults,
    refused_with=(errors.ExternalIdTakenError,),
)
async def update_ad(call: Call[CreateOrUpdateAd], ad_id: int) -> Written:
    """Changes the members that are sent, and returns the ad as lists show it.

    The author and administrators may; every account may on a site that is configured so. Its
    category and attributes must fit each other after the change. Counts towards the account's limit
    on changes.
    """
    ad = _changed_ad(call, ad_id)
    return await ad.update(call.statement, call.content, call.expected)


@router.delete(
    "/ads/{id:ad_id}",
    summary="Delete an ad",
    access=may_change_ad,
    version=True,
    one_statement=True,
)
async def delete_ad(call: Call[None], ad_id: int) -> None:
    """Deletes an ad with its pictures and comments at once. For a time that the operator sets,
    administrators can bring it back.

    The author and administrators may. Counts towards the account's limit on changes.
    """
    await lifecycle.delete(
        *(call.statement, call.state.store, call.caller, ad_id, call.expected),
        days=call.settings.undo_days,
    )


steps_router = Router("/ads/{id:ad_id}", tag="ads", requires=KeyScope.ADS_WRITE)

NO_SALE = Sale()

# The end of every step's description.
WHO = (
    "The author and administrators may{mail}. If the ad's status does not allow the step, it is "
    "refused with 409. Counts towards the account's limit on changes."
)

step = partial(
    steps_router.post,
    response_model=Ad,
    access=may_change_ad,
    version=True,
    takes_key=True,
    one_statement=True,
    refused_with=(errors.IllegalTransitionError,),
)


async def _take(
    call: Call[None] | Call[Sale], ad_id: int, name: str, sale: Sale = NO_SALE
) -> Written:
    return await take_step(
        call.statement,
        call.caller,
        ad_id,
        name,
        call.expected,
        days=call.state.settings.ad_days,
        price=sale.price,
        buyer=sale.buyer,
    )


def _add(name: str, summary: str, description: str) -> None:
    async def take(call: Call[None], ad_id: int) -> Written:
        return await _take(call, ad_id, name)

    # It makes an ad public, as `publish` does: the site may require a confirmed mail address.
    is_renewal = name == "renew"
    mail = "; some sites require a confirmed mail address" if is_renewal else ""
    take.__doc__ = f"{description} Returns the ad as lists show it.\n\n{WHO.format(mail=mail)}"
    needs_mail = MailRequired.POST if is_renewal else None
    step(f"/{name}", operation_id=f"{name}Ad", summary=summary, needs_mail=needs_mail)(take)


@step(
    "/publish",
    summary="Publish an ad",
    needs_mail=MailRequired.POST,
)
async def publish_ad(call: Call[None], ad_id: int) -> Written:
    """Makes a draft, or a withdrawn or expired ad, active. Returns the ad as lists show it.

    The author and administrators may; some sites require a confirmed mail address. A draft has to
    be complete: all that is missing or wrong is refused with 400 at its member. If the ad's status
    does not allow the step, it is refused with 409. Counts towards the account's limit on changes.
    """
    state = call.state
    ad = AdWrite(state.database, state.settings, call.caller, ad_id, state.categories)
    return await publish(call.statement, ad, call.expected)


_add("reserve", "Reserve an ad", "Marks an active ad as reserved. Everyone still sees it.")
_add("release", "End the reservation of an ad", "Makes a reserved ad active again.")


@step(
    "/sell",
    summary="Mark an ad as sold",
    body=Json(Sale, required=False, adds_text=False),
)
async def sell_ad(call: Call[Sale], ad_id: int) -> Written:
    """Marks an active or reserved ad as sold, and returns it. It cannot be published again.

    The author and administrators may. The body is optional: its `price` becomes the ad's, and its
    `buyer`, who has talked about the ad, gets a notice in that conversation. From another status it
    is refused with 409. Counts towards the account's limit on changes.
    """
    return await _take(call, ad_id, "sell", call.content)


_add("withdraw", "Withdraw an ad", "Takes an ad out of all lists until it is published again.")
_add("renew", "Renew an ad", "Shows an active or expired ad for the full time again.")
