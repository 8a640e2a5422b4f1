"""What accounts follow: saved searches, and which new ads match; favorites and their notices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import parse_qsl

from adsvc import errors
from adsvc.enums import AdStatus, EventType, Notify, PriceType
from adsvc.errors import AdNotFoundError, OwnAdError, TooManyError, UnauthenticatedError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.faults import Fault, FaultCode
from adsvc.models.ads import SHOWN, Ad
from adsvc.repositories import deals, following, notices, percolation
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads import search_words
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.ads.criteria import EPOCH, AdFilter, AttributeFilter
from adsvc.repositories.ads.places import DEFAULT_RADIUS, Box, Circle
from adsvc.repositories.ads.search.keys import Wanted, keys_of, rarity_of
from adsvc.repositories.ads.search.words import queries_of
from adsvc.repositories.percolation import Candidate, Match, NewQuery, Pair, parts_of, store_matches
from adsvc.schemas.following import CreateSearch
from adsvc.services.accounts.sessions import AccountRequest
from adsvc.services.ads import listing
from adsvc.services.categories import reading
from adsvc.services.categories.reading import CategoryMemory, CategoryTree


def _values(query: str) -> tuple[dict[str, str], list[str]]:
    """The parameters of a canonical query by name, and those that filter by attributes."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return dict(pairs), [value for name, value in pairs if name == "attr"]


def _without_tree(values: Mapping[str, str]) -> AdFilter:
    """As `api.input.filters.FilterQuery` reads them, without category and attributes.

    The query is canonical: it was valid when it was saved. Older ones may have `q` as it was typed.
    """

    def number(name: str) -> int | None:
        return int(values[name]) if name in values else None

    def moment(name: str) -> datetime | None:
        return EPOCH + timedelta(milliseconds=int(values[name])) if name in values else None

    near, box = (
        [float(part) for part in values[name].split(",")] if name in values else None
        for name in ("near", "bbox")
    )
    radius = int(values.get("radius", DEFAULT_RADIUS))
    return AdFilter(
        terms=search_words.parse(search_words.normal_form(values["q"])) if "q" in values else None,
        min_price=number("minPrice"),
        max_price=number("maxPrice"),
        author=number("author"),
        created_after=moment("createdAfter"),
        created_before=moment("createdBefore"),
        price_type=PriceType(values["priceType"]) if "priceType" in values else None,
        near=None if near is None else Circle(near[0], near[1], radius),
        box=None if box is None else Box(*box),
    )


def filter_of(query: str, tree: CategoryTree) -> AdFilter | None:
    """What the canonical query selects; None if its category or attributes are not there now."""
    values, attributes = _values(query)
    try:
        category = reading.branch(tree, values["category"]) if "category" in values else None
        wanted = None
        if attributes:
            slug = values.get("category")
            wanted = reading.attribute_filters(tree, slug, attributes)
    except errors.InvalidRequestError:
        return None
    return replace(_without_tree(values), category=category, attributes=wanted)


async def stored_queries(reader: Statements, queries: Iterable[str]) -> Mapping[str, NewQuery]:
    """What is stored of canonical queries. One without keys might match any ad."""
    rarity = await rarity_of(reader)
    read = {query: _read(query) for query in queries}
    typed = {ads.terms for ads, _, _ in read.values() if ads.terms is not None}
    words = await queries_of(reader, typed)
    found = {}
    for query, (ads, category, attributes) in read.items():
        tsquery = None if ads.terms is None else words[ads.terms].begun
        keys = await keys_of(reader, Wanted(ads, category, attributes, tsquery), rarity)
        parts = parts_of(ads, tsquery, category, has_attributes=bool(attributes))
        found[query] = NewQuery(keys, parts)
    return found


def _read(query: str) -> tuple[AdFilter, str | None, Sequence[AttributeFilter]]:
    values, attributes = _values(query)
    read = [reading.read_as_all_types(text) for text in attributes]
    return _without_tree(values), values.get("category"), read


async def create_search(
    request: AccountRequest, query: str, sent: CreateSearch
) -> tuple[Row, bool]:
    """The search, and whether it is new: the same query again is the first search.

    `query` is canonical. `InvalidRequestError` if any ad might match; `TooManyError`.
    """
    transaction, owner = request.transaction, request.user
    new = (await stored_queries(transaction.database.reader, [query]))[query]
    if not new.keys:
        detail = "needs words, a category, an attribute, a place or an author"
        raise errors.InvalidRequestError(Fault(FaultCode.TOO_BROAD, detail).at("/query"))
    if not await user_rows.lock_unless_suspended(transaction, owner.id):
        raise errors.UnauthenticatedError
    search_id = await following.find(transaction, owner.id, query)
    is_new = search_id is None
    if search_id is None:
        most = request.settings.limits_of(owner.plan).searches
        if await following.count(transaction, owner.id) >= most:
            raise errors.TooManyError(most, "saved searches of an account")
        search_id = await following.add(
            transaction, owner.id, query, new, name=sent.name, notify=Notify(sent.notify)
        )
    [row] = await following.list_of_user(transaction, owner.id, search_id)
    return row, is_new


# A mass import is handled in parts, each with a few statements.
ADS_AT_ONCE = 200
KEYS_AT_ONCE = 500
# The filters of queries that are kept.
MOST_FILTERS = 20_000


HIDDEN = frozenset(AdStatus) - frozenset(SHOWN)


class Matches(NamedTuple):
    """What follows from some events, and what it has used up."""

    found: Sequence[Match]
    used: Sequence[int]


class Percolation:
    """Finds the saved queries that ads have come to match."""

    def __init__(self, database: Database) -> None:
        self._repository = database
        self._reader = database.reader
        self._categories = CategoryMemory(database)
        self._tree: CategoryTree | None = None
        self._filters: dict[str, AdFilter | None] = {}
        self.candidates = 0

    async def has_right_keys(self) -> bool:
        """Whether ads find all queries that they match: none has keys that are wrong."""
        return not await percolation.due_for_keys(self._repository.reader, None, 1)

    async def renew_wrong_keys(self) -> bool:
        """A step before `handle`. Whether there may be more.

        Not in the transaction of `handle`: of very many queries it takes minutes, and PostgreSQL
        ends a session that is idle in a transaction for so long.
        """
        return await self.renew_keys(None) == KEYS_AT_ONCE

    async def handle(self, transaction: Transaction, events: range) -> None:
        """Matches the ads of these events, by their ids, while it `has_right_keys`."""
        rows = await percolation.events(self._repository.reader, events[0], events[-1])
        for start in range(0, len(rows), ADS_AT_ONCE):
            found = await self.matches(rows[start : start + ADS_AT_ONCE])
            await store_matches(transaction, found.found, found.used)

    async def matches(self, events: Sequence[Row]) -> Matches:
        """An ad matches anew if it was not visible, or did not match before its changes.

        The states before are read first: whatever changes from then on has an event of its own.
        """
        changes = {event["id"]: event["change_id"] for event in events}
        last = {event["ad_id"]: event["id"] for event in events}
        if not last:
            return Matches((), ())
        appeared = {event["ad_id"] for event in events if _makes_visible(event)}
        states = await percolation.earliest(self._repository.reader, last)
        before = {row["ad_id"]: row["id"] for row in states}
        if not (ad_ids := {*before, *appeared}):
            return Matches((), ())
        matched = await percolation.matching(self._repository.reader, ad_ids)
        self.candidates += matched.candidates
        found = matched.certain | await percolation.confirmed(
            self._repository.reader, await self._candidates(matched.uncertain)
        )
        found -= await self._matching_before(
            [pair for pair in found if pair.ad_id not in appeared], before
        )
        return Matches(
            [Match(query, ad, last[ad], changes[last[ad]]) for ad, query in found],
            [state for row in states for state in row["ids"]],
        )

    async def _matching_before(self, pairs: Sequence[Pair], states: Mapping[int, int]) -> set[Pair]:
        """`states` are ids of `changed_ads` by ads."""
        if not pairs:
            return set()
        matched = await percolation.matching_before(self._repository.reader, pairs, states.values())
        uncertain = await self._candidates(matched.uncertain)
        return matched.certain | await percolation.confirmed(
            self._repository.reader, uncertain, states.values()
        )

    async def _candidates(self, queries: Mapping[Pair, str]) -> list[Candidate]:
        """Of pairs with the texts of their queries those whose attributes are there now."""
        if not queries:
            return []
        tree = await self._categories.tree()
        if tree is not self._tree or len(self._filters) > MOST_FILTERS:
            self._tree, self._filters = tree, {}
        found = []
        for pair, query in queries.items():
            if query not in self._filters:
                self._filters[query] = filter_of(query, tree)
            if (ads := self._filters[query]) is not None:
                found.append(Candidate(*pair, ads))
        return found

    async def renew_keys(self, chosen_before: datetime | None) -> int:
        """Chooses the keys of some queries anew; None for those whose keys are wrong."""
        due = await percolation.due_for_keys(self._repository.reader, chosen_before, KEYS_AT_ONCE)
        if due:
            renewed = await stored_queries(self._reader, [row["query"] for row in due])
            await percolation.replace(
                self._repository.writer, {row["id"]: renewed[row["query"]] for row in due}
            )
        return len(due)


# In one transaction, during which no match is stored.
ALERTS_AT_ONCE = 20
# A job chooses keys anew, by statistics of today.
KEYS_LAST = timedelta(days=7)
# Matches are counted as new for so long.
MATCH_DAYS = 90


async def send_alerts(database: Database) -> bool:
    """Sends some of the alerts that are due. Whether there may be more."""
    async with database.transaction() as transaction:
        position = await following.lock(transaction)
        # First all of them: a search whose alert was sent would be marked again.
        if await following.mark_due(transaction):
            return True
        room = await following.fill_room(transaction)
        for number in range(ALERTS_AT_ONCE):
            if not await following.send_next(transaction, position, has_room=number < room):
                return False
    return True


async def renew_keys(database: Database) -> int:
    """How many queries got keys anew, of those whose keys are old."""
    return await Percolation(database).renew_keys(datetime.now(UTC) - KEYS_LAST)


def _makes_visible(event: Row) -> bool:
    """Whether the ad had a status before in which others do not see it."""
    return event["type"] == EventType.AD_CREATED or (
        event["before"] in HIDDEN and event["after"] in SHOWN
    )


# Of one account.
MOST_FAVORITES = 1000
# Of one ad, in one transaction of the worker.
WATCHERS_AT_ONCE = 2000
# How often ads that expire are looked for.
ENDINGS_SECONDS = 60


async def add_favorite(transaction: Transaction, user: CallerAccount, ad_id: int) -> None:
    """Nothing if it is one already. `TooManyError`, whoever adds others at this moment."""
    session = transaction
    ad = await _shown(transaction, user, ad_id)
    if not await user_rows.lock_unless_suspended(session, user.id):
        raise UnauthenticatedError
    if await following.has_favorite(session, user.id, ad_id):
        return
    if await following.count_favorites(session, user.id) >= MOST_FAVORITES:
        raise TooManyError(MOST_FAVORITES, "favorites of an account")
    await following.add_favorite(session, user.id, ad_id, ad.price)


async def remove_favorite(transaction: Transaction, user: CallerAccount, ad_id: int) -> None:
    """A favorite can be removed whatever became of the ad."""
    if not await following.delete_favorite(transaction, user.id, ad_id):
        await _shown(transaction, user, ad_id)


async def send_notices(database: Database) -> bool:
    """Notifies the next accounts of a batch. Whether there may be more."""
    async with database.transaction() as transaction:
        return await notices.send_batch(transaction, WATCHERS_AT_ONCE)


async def queue_endings(database: Database) -> int:
    """Of ads and of deals: also shows ratings that have waited for the other one."""
    shown = await deals.show_overdue(database.writer)
    return shown + await notices.queue_endings(database.writer)


async def _shown(transaction: Transaction, user: CallerAccount, ad_id: int) -> Ad:
    """The ad of another account, as everyone sees it."""
    ad = await ad_rows.get(transaction, ad_id)
    if ad is None:
        raise AdNotFoundError
    if ad.author_id == user.id:
        raise OwnAdError
    if ad.current_status not in SHOWN:
        listing.raise_hidden(ad.current_status)
    return ad
