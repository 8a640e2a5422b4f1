"""Finding ads: lists and searches, single ads, what is counted of them, sellers, categories.

Pages of the storefront begin with the same responses as those of the interface.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlencode

from pydantic import JsonValue
from starlette.types import Scope

from adsvc.api.app_state import AppState
from adsvc.api.caching import MOST_WITHHELD, ListSubject, ReadResponse, json_response
from adsvc.api.dependencies.calls import AnyCaller, address_of
from adsvc.api.input.filters import (
    KNOWN,
    NOT_SAVED,
    PLACE,
    FilterQuery,
    ListingQuery,
    MapQuery,
    filters_among,
    known_pairs,
    listing_name,
    typed,
)
from adsvc.api.input.parameters import PageLimits, PageRequest, Pairs, pairs_of, refuse_unknown
from adsvc.api.pipeline.app import LISTING_PATH, count, sees_counts
from adsvc.enums import ContactVisibility, Feature
from adsvc.errors import AccountNotFoundError, InvalidRequestError
from adsvc.kit import faults
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.http.messages import PRIVATE, PUBLIC, Caching, Header, prefers_strict
from adsvc.repositories import following
from adsvc.repositories import places as place_rows
from adsvc.repositories.ads import listing as listing_rows
from adsvc.repositories.ads import search_words
from adsvc.repositories.ads.criteria import AdFilter, Sort
from adsvc.repositories.ads.listing import Listing, OneAd
from adsvc.services.ads import listing
from adsvc.services.ads.relaxing import (
    QueryChange,
    QueryChangeKind,
    QueryChanges,
    Relaxation,
    RelaxedListing,
    changed,
    decoded,
    described,
    encoded,
    filter_of,
    with_rarest_words,
)
from adsvc.services.categories import reading
from adsvc.services.categories.reading import CategoryTree
from adsvc.services.rate_limits import Limit, attempts_from, policies_of


async def point_of(state: AppState, near: str | None) -> str | None:
    """The same with the point of a place instead of its id. Raises the fault of an unknown one."""
    found = None if near is None else re.fullmatch(PLACE, near)
    if found is None:
        return near
    row = await place_rows.get(state.database.list_reader, int(found[1]))
    if row is None:
        raise InvalidRequestError(faults.unknown("names no place").of("near"))
    return f"{row['latitude']},{row['longitude']}"


async def with_points(state: AppState, query: bytes) -> bytes:
    """A query whose `near` is a point, not a place."""
    if b"place" not in query:
        return query
    pairs = pairs_of(query)
    near = dict(pairs).get("near")
    if (point := await point_of(state, near)) == near:
        return query
    return urlencode([(name, point if name == "near" else value) for name, value in pairs]).encode()


def shortened(state: AppState, headers: Iterable[Header], q: str | None) -> str | None:
    """The query without its last words, if it has too many and the client is not strict.

    None if all its words count. Its phrases, excluded words and `or` always do.
    """
    most = state.settings.search_words_max
    # So many words have at least a letter each, and something between them.
    if q is None or len(q) < 2 * most or prefers_strict(headers):
        return None
    with suppress(InvalidRequestError):
        dropped = search_words.excess_words(q := typed(q), most, {})
        if dropped:
            return changed(q, tuple(QueryChange(QueryChangeKind.DROPPED, at) for at in dropped))
    return None


async def shortest(state: AppState, q: str) -> str:
    """The query with its rarest words, as many as are searched for."""
    q, most = typed(q), state.settings.search_words_max
    return changed(q, await with_rarest_words(state.database.list_reader, q, most))


def understood(filters: Pairs, q: str, relaxed: RelaxedListing) -> str:
    """The query of `GET /ads` that has the same matches as the relaxed one.

    A place is the point that saved searches and addresses of the storefront have.
    """
    given, near = {"q": changed(q, relaxed.changes)}, relaxed.ads.near
    for change in relaxed.changes:
        if change.kind is QueryChangeKind.PLACE and near is not None:
            given |= {"near": f"{near.latitude},{near.longitude}", "radius": str(near.radius)}
        elif change.kind is QueryChangeKind.CATEGORY:
            given["category"] = change.to
    pairs = [(name, value) for name, value in filters if name not in {*NOT_SAVED, *given}]
    return urlencode([*((name, value) for name, value in given.items() if value.strip()), *pairs])


def with_q(pairs: Pairs, q: str) -> Pairs:
    return [(name, q if name == "q" else value) for name, value in pairs]


async def canonical_query(state: AppState, headers: Iterable[Header], text: str) -> str:
    """The filters of a query of `GET /ads` in the one spelling that searches are saved in.

    Of a long query they have the words that `GET /ads` searches for. Raises the faults that such a
    request would have. If the client is strict, an unknown parameter is one.
    """
    query = await with_points(state, text.removeprefix("?").encode())
    pairs = [pair for pair in pairs_of(query) if pair[0] not in NOT_SAVED]
    if prefers_strict(headers):
        refuse_unknown(dict(pairs), KNOWN)
    q = dict(pairs).get("q", "")
    shorter = shortened(state, headers, q)
    checked = FilterQuery.from_pairs(pairs if shorter is None else with_q(pairs, shorter))
    checked.filter(await state.categories.tree(), most_words=state.settings.search_words_max)
    if shorter is not None:
        pairs = with_q(pairs, await shortest(state, q))
    return urlencode(known_pairs(pairs))


class ListRequest(NamedTuple):
    """A parsed query of `GET /ads`."""

    ads: AdFilter
    sort: Sort
    limit: int
    q: str | None
    cursor: str | None
    # Its parameters that a next page has too.
    filters: Pairs
    # Its parameters in one order, without unknown ones.
    canonical: bytes
    only_known: bool
    # Whether the rarest words of `q` have to be looked up.
    is_shortened: bool = False
    # Whether the client wants nothing relaxed.
    is_strict: bool = False

    @property
    def name(self) -> bytes:
        """Its name in the cache."""
        return b"strict " + self.canonical if self.is_strict else self.canonical

    def at(self, cursor: str) -> "ListRequest":
        """The same with this cursor, which is the last parameter and needs no quoting."""
        pair = b"cursor=" + cursor.encode()
        canonical = self.canonical + b"&" + pair if self.canonical else pair
        return self._replace(cursor=cursor, canonical=canonical)


def _validated(query: bytes, limits: PageLimits, tree: CategoryTree | None) -> ListRequest | None:
    """None if only the categories show it. Raises all faults at once."""
    pairs = pairs_of(query)
    wanted = ListingQuery.from_pairs(pairs)
    if tree is None and wanted.needs_tree:
        return None
    resolved = wanted.resolved(tree, limits)
    known = known_pairs(pairs)
    return ListRequest(
        *resolved,
        dict(known).get("q"),
        wanted.cursor,
        filters_among(known),
        urlencode(known).encode(),
        only_known=len(known) == len(pairs),
    )


# The pages of a listing differ in their cursors, and to read the rest takes a fifth of the time of
# a page that is not in memory.
_remembered = lru_cache(maxsize=1000)(_validated)
LONGEST_REMEMBERED = 512

# A query that ends with a cursor, as those of `next` do.
CONTINUED = re.compile(rb"(?:(.+)&)?cursor=([\w-]+)", re.ASCII)


async def _request_of(state: AppState, query: bytes) -> ListRequest:
    limits = PageLimits.of(state.settings)
    read = _remembered if len(query) <= LONGEST_REMEMBERED else _validated
    request = read(query, limits, None) or _validated(query, limits, await state.categories.tree())
    assert request is not None  # noqa: S101 - with the categories
    return request


async def _shortened(state: AppState, scope: Scope, query: bytes) -> ListRequest | None:
    """As `_request_of`, with fewer words than were typed; None if all its words count."""
    if len(query) < 2 * state.settings.search_words_max:
        return None
    pairs = pairs_of(query)
    q = dict(pairs).get("q")
    shorter = shortened(state, scope["headers"], q)
    if q is None or shorter is None:
        return None
    request = await _request_of(state, urlencode(with_q(pairs, shorter)).encode())
    known = known_pairs(pairs)
    return request._replace(
        q=typed(q),
        filters=filters_among(known),
        canonical=urlencode(known).encode(),
        is_shortened=True,
    )


async def found_ads(state: AppState, scope: Scope) -> ReadResponse:
    """The page of the public listing for the query."""
    query = await with_points(state, scope["query_string"])
    if (shortened := await _shortened(state, scope, query)) is not None:
        return await _found_ads(state, scope, shortened)
    continued = CONTINUED.fullmatch(query)
    request = await _request_of(state, query if continued is None else continued[1] or b"")
    if continued is not None:
        # Of two cursors the last one counts, wherever the first one stands.
        several = request.cursor is not None
        request = await _request_of(state, query) if several else request.at(continued[2].decode())
    return await _found_ads(state, scope, request)


async def _found_ads(state: AppState, scope: Scope, request: ListRequest) -> ReadResponse:
    settings, answers, query = state.settings, state.responses, scope["query_string"]
    if request.q is not None and prefers_strict(scope["headers"]):
        request = request._replace(is_strict=True)
    elif request.only_known:
        # Only spellings without unknown parameters are cached: there is no end to the others.
        answers.add_alias(query, request.canonical)
    # The lookup before this has tried the query as it was sent, unless the client is strict.
    if cached := answers.listing(request.name):
        return cached
    most = max(settings.page_size_default, settings.search_page_size_max)
    if not request.ads.is_everything or request.limit > most:
        # A search takes several milliseconds, and each cursor makes another one.
        count_search(state, scope)
    return await answers.make_listing(
        request.name, request.ads, request.sort, lambda: _page_of(state, scope, request)
    )


async def _page_of(state: AppState, scope: Scope, request: ListRequest) -> ReadResponse:
    path = state.settings.root_path + LISTING_PATH
    name = listing_name(request.ads, request.sort)
    page = PageRequest.of(request.limit, request.cursor, name, state.cursors, path, request.filters)
    queried_at = state.responses.now()
    relaxed = await _relaxed(state, scope, request, page)
    members: dict[str, JsonValue] = {}
    subjects: Sequence[ListSubject] = ()
    if relaxed.changes and request.q is not None:
        # It may be near a place.
        subjects = state.responses.subjects_of(relaxed.ads, request.sort)
        page = replace(page, carried=(encoded(relaxed.changes),))
        members = {
            "relaxed": described(request.q, relaxed.changes),
            "understood": understood(request.filters, request.q, relaxed),
        }
    if relaxed.suggestion is not None:
        members["suggestion"] = relaxed.suggestion
    return _listed(page, relaxed.found, PUBLIC, members, queried_at, subjects)


async def _relaxed(
    state: AppState, scope: Scope, request: ListRequest, page: PageRequest
) -> RelaxedListing:
    """The page of the query as it was typed or, if nothing matches that, as it was relaxed."""
    reader, ads, q = state.database.list_reader, request.ads, request.q
    changes: QueryChanges = ()
    is_search, client = not ads.is_everything, searching(scope)
    async with state.searches.slot(client) if is_search else nullcontext():
        if page.start is not None and isinstance(page.start[0], str):
            changes = decoded(page.start[0])
            page = replace(page, start=page.start[1:])
        elif q is not None and request.is_shortened:
            changes = await with_rarest_words(reader, q, state.settings.search_words_max)
        if q is not None and changes:
            ads = await filter_of(reader, await state.categories.tree(), ads, q, changes)
        found = await _found(state, page, ads, request.sort, PUBLIC)
    if q is None or page.start is not None or not found.is_empty:
        return RelaxedListing(found, ads, changes)
    async with state.relaxations.slot(client):
        return await _relaxation(state, request, page, RelaxedListing(found, ads, changes))


async def _relaxation(
    state: AppState, request: ListRequest, page: PageRequest, typed: RelaxedListing
) -> RelaxedListing:
    q = request.q or ""
    relaxation = Relaxation(
        state.database.list_reader,
        await state.vocabularies.vocabulary(await state.categories.tree()),
        request.ads,
        q,
        typed.changes,
        lambda ads: _found(state, page, ads, request.sort, PUBLIC),
    )
    if not request.is_strict:
        return await relaxation.relaxed() or typed
    corrected = await relaxation.corrected_listing()
    suggestion = None if corrected is None else changed(q, corrected.changes).strip()
    return typed._replace(changes=(), suggestion=suggestion)


async def counted_ads(state: AppState, scope: Scope, query: FilterQuery) -> ReadResponse:
    """Numbers of the ads that match, by price, month, category and attribute."""
    settings = state.settings
    query = query.model_copy(update={"near": await point_of(state, query.near)})
    tree = await state.categories.tree()
    ads, is_shortened = _until_looked_up(state, scope, query, tree)
    for _ in range(listing.statements(ads, tree)):
        count_search(state, scope)
    async with state.searches.slot(searching(scope)):
        if is_shortened:
            ads = await _with_looked_up(state, query, ads)
        found = await listing.facets(
            state.database.list_reader,
            ads,
            tree,
            decimals=settings.price_decimals,
            bound=settings.facet_bound,
            search=state.search,
        )
    body = found.model_dump_json(by_alias=True, exclude_unset=True)
    return json_response(body.encode(), PUBLIC)


async def mapped_ads(state: AppState, scope: Scope, query: MapQuery) -> ReadResponse:
    """Numbers of the ads that match, by cells of a map."""
    settings = state.settings
    query = query.model_copy(update={"near": await point_of(state, query.near)})
    tree = await state.categories.tree() if query.needs_tree else None
    ads, is_shortened = _until_looked_up(state, scope, query, tree)
    count_search(state, scope)
    async with state.searches.slot(searching(scope)):
        if is_shortened:
            ads = await _with_looked_up(state, query, ads)
        found, is_exact = await listing.cells(
            state.database.list_reader, ads, bound=settings.facet_bound, search=state.search
        )
    exact = "true" if is_exact else "false"
    return json_response(f'{{"results":{found},"countExact":{exact}}}'.encode(), PUBLIC)


def _until_looked_up(
    state: AppState, scope: Scope, query: FilterQuery, tree: CategoryTree | None
) -> tuple[AdFilter, bool]:
    """What the query selects; with fewer words than were typed if the rarest must be looked up."""
    most = state.settings.search_words_max
    shorter = shortened(state, scope["headers"], query.q)
    if shorter is None:
        return query.filter(tree, most_words=most), False
    return query.model_copy(update={"q": shorter}).filter(tree, most_words=most), True


async def _with_looked_up(state: AppState, query: FilterQuery, ads: AdFilter) -> AdFilter:
    return replace(ads, terms=search_words.parse(await shortest(state, query.q or "")))


# A list of similar ads is kept until one of its ads changes, and no longer: new ads have no part in
# what drops it.
SIMILAR_SECONDS = 60


async def similar_ads(state: AppState, scope: Scope, ad_id: int) -> ReadResponse:
    answers = state.responses
    # The name of no listing: a query has no space.
    name = b"similar %d" % ad_id
    if (cached := answers.listing(name)) is not None:
        return cached
    count_search(state, scope)

    async def search() -> ReadResponse:
        async with state.searches.slot(searching(scope)):
            queried_at = answers.now()
            tree = await state.categories.tree()
            found = await listing.similar(state.database.list_reader, ad_id, tree)
        seconds = SIMILAR_SECONDS if found.valid_seconds is None else found.valid_seconds
        return json_response(
            f'{{"results":[{",".join(found.records)}]}}'.encode(),
            PUBLIC,
            valid_until=queried_at + min(SIMILAR_SECONDS, seconds),
            subjects=(ad_id, *found.ids),
        )

    return await answers.make_list(name, (), search)


def count_search(state: AppState, scope: Scope) -> None:
    """Counts a search; cached responses do not count. Raises `RateLimitedError`."""
    _count(state, scope, Limit.SEARCHES)


def count_suggestion(state: AppState, scope: Scope) -> None:
    """Counts a suggestion. Raises `RateLimitedError`."""
    _count(state, scope, Limit.SUGGESTIONS)


def _count(state: AppState, scope: Scope, limit: Limit) -> None:
    counts = attempts_from(limit, address_of(scope))
    state.buckets.take(policies_of(state.settings, *counts))


def searching(scope: Scope) -> Client:
    """The client that searches."""
    return Client.of(None, address_of(scope))


async def listed(
    state: AppState,
    page: PageRequest,
    ads: AdFilter,
    sort: Sort,
    caching: Caching,
    members: Mapping[str, JsonValue],
) -> ReadResponse:
    """A page of ads, with further members."""
    queried_at = state.responses.now()
    found = await _found(state, page, ads, sort, caching)
    return _listed(page, found, caching, members, queried_at)


async def _found(
    state: AppState, page: PageRequest, ads: AdFilter, sort: Sort, caching: Caching
) -> Listing:
    # Callers see at once what they have written through another process.
    database = state.database
    return await listing.page(
        database.list_reader if caching is PUBLIC else database.reader,
        ads,
        sort,
        limit=page.limit,
        after=page.start,
        bound=state.settings.count_bound,
        search=state.search,
    )


# The engine that should have answered may be back soon.
PARTIAL: Header = (b"x-search", b"partial")
PARTIAL_SECONDS = 2.0


def _listed(
    page: PageRequest,
    found: Listing,
    caching: Caching,
    members: Mapping[str, JsonValue],
    queried_at: float,
    subjects: Sequence[ListSubject] = (),
) -> ReadResponse:
    cursor, link = page.next(found.next_key) if found.next_key else (None, None)
    # The JSON of `schemas.ads.Ads`: its parts are JSON already.
    exact, following = "true" if found.count_exact else "false", f'"{cursor}"' if cursor else "null"
    further = "".join(f',"{name}":{json.dumps(value)}' for name, value in members.items())
    body = (
        f'{{"count":{found.count},"countExact":{exact},'
        f'"results":[{",".join(found.records)}],"next":{following}{further}}}'
    )
    # The seconds are by the database's clock, from before the query.
    valid_until = math.inf if found.valid_seconds is None else queried_at + found.valid_seconds
    if found.is_partial:
        caching = (*caching, PARTIAL)
        valid_until = min(valid_until, queried_at + PARTIAL_SECONDS)
    return json_response(
        body.encode(), caching, link=link, valid_until=valid_until, subjects=(*found.ids, *subjects)
    )


async def get_ad(
    state: AppState, caller: AnyCaller, ad_id: int
) -> tuple[ReadResponse, Mapping[str, str]]:
    """The ad as the caller sees it, and the headers of the limit.

    An ad of another author is counted, because it contains a contact.
    """
    hides = state.settings.contact is ContactVisibility.HIDDEN
    # Administrators, who see every account, get what no one else does then.
    cached = None if hides and caller.is_admin else state.responses.ad(str(ad_id), caller.user_id)
    if cached is not None and caller.user_id in cached.withheld_from and not caller.is_admin:
        cached = None
    ad = cached or await _made_ad(state, ad_id, caller)
    extra_headers = await count(state, caller, ad_id, ad)
    if sees_counts(caller, ad):
        counts = await following.favorite_counts(state.database.reader, ad_id)
        ad = ad.with_members(b'"favoriteCount":%d,"phoneCount":%d' % counts)
    return ad, extra_headers


async def _made_ad(state: AppState, ad_id: int, viewer: listing.Viewer) -> ReadResponse:
    answers = state.responses
    begun, queried_at = answers.begun(), answers.now()
    is_open = state.settings.contact is ContactVisibility.OPEN
    has_contact = is_open or viewer.is_admin
    ad = await listing.extended(state.database.reader, ad_id, viewer, has_contact=has_contact)
    if Feature.PHONE in state.settings.features_off:
        ad = ad._replace(record=json.dumps({**json.loads(ad.record), "phone": ""}))
    if viewer.user_id in ad.blocks and not viewer.is_admin:
        # Made anew for the few who have a block with the author.
        reader = state.database.reader
        ad = await listing.extended(reader, ad_id, viewer, has_contact=False)
        return _response(ad, PRIVATE, queried_at)
    answer = _response(ad, PRIVATE, queried_at)
    own = ad.author_id == viewer.user_id
    # An ad that is not shown is visible to its author, its buyer and administrators only. One whose
    # author has many blocks takes more memory than a query is worth.
    is_light = len(ad.blocks) <= MOST_WITHHELD
    if own or (ad.is_shown and is_light and has_contact is is_open):
        answers.keep_ad(ad_id, answer, begun, own=own)
    return answer


async def all_categories(state: AppState) -> ReadResponse:
    """`schemas.categories.Categories`."""

    async def make() -> ReadResponse:
        tree = await state.categories.tree()
        found = await reading.categories(state.database.list_reader, tree)
        return json_response(found.model_dump_json(by_alias=True).encode(), PUBLIC)

    return await state.responses.make_category("/categories", make)


async def get_seller(state: AppState, scope: Scope, user_id: int) -> ReadResponse:
    """`schemas.ads.Seller`. Counts as a search."""
    count_search(state, scope)
    async with state.searches.slot(searching(scope)):
        record = await listing_rows.get_seller(state.database.list_reader, user_id)
    if record is None:
        raise AccountNotFoundError
    return json_response(record.encode(), PUBLIC)


async def get_details(state: AppState, ad_id: int) -> ReadResponse:
    answers = state.responses
    if (cached := answers.details(str(ad_id))) is not None:
        return cached
    begun, queried_at = answers.begun(), answers.now()
    answer = _response(await listing.details(state.database.reader, ad_id), PUBLIC, queried_at)
    answers.keep_details(ad_id, answer, begun)
    return answer


def _response(ad: OneAd, caching: Caching, queried_at: float) -> ReadResponse:
    """`ad.seconds` are by the database's clock, from `queried_at`."""
    valid_seconds = math.inf if ad.seconds is None else ad.seconds
    return json_response(
        ad.record.encode(),
        caching,
        author_id=ad.author_id,
        valid_until=queried_at + valid_seconds,
        lean=True,
        withheld_from=frozenset(ad.blocks),
    )
