"""Responses that are valid until a moment are not given from that moment on."""

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest

from adsvc.api.caching import ReadResponse, ResponseCache, json_response
from adsvc.enums import PriceType
from adsvc.errors import OverloadedError
from adsvc.invalidation import AdAspect, AdChange, InvalidationKind, new_bus
from adsvc.kit.http.messages import PUBLIC
from adsvc.kit.invalidation import Invalidation, InvalidationBus
from adsvc.repositories.ads.criteria import AdFilter, AttributeFilter, Branch, Sort
from adsvc.repositories.ads.places import Circle
from adsvc.repositories.ads.search_words import parse
from support.trouble.clocks import Clock

BEGIN = Clock().now
AUTHOR, READER = 3, 4
EVERYTHING = AdFilter()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def bus() -> InvalidationBus:
    bus = new_bus()
    bus.confirm()
    return bus


@pytest.fixture
def cache(clock: Clock, bus: InvalidationBus) -> ResponseCache:
    return ResponseCache(bus, capacity=1_000_000, now=clock.monotonic)


async def answer(
    body: bytes = b"{}", valid_until: float = math.inf, author_id: int | None = None
) -> ReadResponse:
    return json_response(body, PUBLIC, valid_until=valid_until, author_id=author_id)


async def listing(
    cache: ResponseCache,
    query: bytes,
    make: Callable[[], Awaitable[ReadResponse]],
    ads: AdFilter = EVERYTHING,
    sort: Sort = Sort.NEWEST,
) -> ReadResponse:
    return await cache.make_listing(query, ads, sort, make)


async def test_an_ad_is_kept_until_its_deadline(cache: ResponseCache, clock: Clock) -> None:
    kept, endless = await answer(valid_until=BEGIN + 5), await answer()
    begun = cache.begun()
    for ad_id, made in ((7, kept), (8, endless)):
        cache.keep_ad(ad_id, made, begun, own=False)
        cache.keep_details(ad_id, made, begun)
    clock.now += 4.999
    assert cache.ad("7", READER) is cache.details("7") is kept
    clock.now = BEGIN + 5
    assert cache.ad("7", READER) is cache.details("7") is None
    assert cache.ad("8", READER) is cache.details("8") is endless


async def test_each_miss_is_counted_once(cache: ResponseCache) -> None:
    made = await answer()
    for number in range(2):
        await listing(cache, b"limit=%d" % number, answer)
        await cache.make_category(f"/categories/{number}", answer)
        cache.keep_ad(number, made, cache.begun(), own=False)
        cache.keep_details(number, made, cache.begun())
        cache.keep_picture(f"{number}.jpg", made, cache.begun())
    assert cache.misses == dict.fromkeys(cache.sizes, 2)


async def test_several_pictures_have_room_however_large_they_are(cache: ResponseCache) -> None:
    """Larger ones are not given to it."""
    assert cache.largest_picture > 0
    for number in range(4):
        picture = await answer(bytes(cache.largest_picture))
        cache.keep_picture(f"{number}.jpg", picture, cache.begun())
    assert all(cache.picture(f"{number}.jpg") for number in range(4))


async def test_only_the_author_gets_the_author_s_view(cache: ResponseCache) -> None:
    begun = cache.begun()
    public, own = await answer(b"[1]", author_id=AUTHOR), await answer(b"[2]", author_id=AUTHOR)
    cache.keep_ad(7, own, begun, own=True)
    assert cache.ad("7", AUTHOR) is own
    assert cache.ad("7", READER) is None
    cache.keep_ad(7, public, begun, own=False)
    assert cache.ad("7", AUTHOR) is own
    assert cache.ad("7", READER) is public
    cache.keep_ad(8, public, begun, own=False)
    assert cache.ad("8", AUTHOR) is None


def changed(aspects: str, ad_id: int = 7, *, category: int = 0, before: int = 0) -> Invalidation:
    return AdChange(
        ad_id, AUTHOR, category, before or category, frozenset(map(AdAspect, aspects))
    ).invalidation


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (Invalidation(InvalidationKind.AD, "7"), {"8", "8 own"}),
        (changed("p"), {"8", "8 own", "8 details"}),
        (changed("p", 9), {"7", "7 own", "7 details", "8", "8 own", "8 details"}),
        (changed("s", 9), {"7", "7 own", "8", "8 own", "8 details"}),
        (changed("a", 9, category=1, before=2), {"7", "7 own", "8", "8 own", "8 details"}),
        # One ad more is one more in the details of each of its author's.
        (Invalidation(InvalidationKind.AD, "9"), {"7", "7 own", "8", "8 own"}),
        (Invalidation(InvalidationKind.AD), set()),
        (Invalidation(InvalidationKind.USER, str(AUTHOR)), {"8", "8 own", "8 details"}),
        (Invalidation(InvalidationKind.USER), set()),
        (
            Invalidation(InvalidationKind.SESSION, "7"),
            {"7", "7 own", "7 details", "8", "8 own", "8 details"},
        ),
    ],
)
async def test_a_change_drops_the_responses_that_contain_it(
    change: Invalidation, left: set[str]
) -> None:
    bus = new_bus()
    bus.confirm()
    cache = ResponseCache(bus, capacity=1_000_000)
    for ad_id, author in ((7, AUTHOR), (8, READER)):
        made, begun = await answer(author_id=author), cache.begun()
        cache.keep_ad(ad_id, made, begun, own=False)
        cache.keep_ad(ad_id, made, begun, own=True)
        cache.keep_details(ad_id, made, begun)
    before = cache.begun()
    bus.apply(change)
    found = {
        "7": cache.ad("7", 0), "7 own": cache.ad("7", AUTHOR), "7 details": cache.details("7"),
        "8": cache.ad("8", 0), "8 own": cache.ad("8", READER), "8 details": cache.details("8"),
    }  # fmt: skip
    assert {name for name, kept in found.items() if kept} == left
    # What was begun before the change is kept after it only where the change leaves it.
    for ad_id, author in ((7, AUTHOR), (8, READER)):
        cache.keep_ad(ad_id, await answer(author_id=author), before, own=False)
        cache.keep_ad(ad_id, await answer(author_id=author), before, own=True)
        cache.keep_details(ad_id, await answer(author_id=author), before)
    found = {
        "7": cache.ad("7", 0), "7 own": cache.ad("7", AUTHOR), "7 details": cache.details("7"),
        "8": cache.ad("8", 0), "8 own": cache.ad("8", READER), "8 details": cache.details("8"),
    }  # fmt: skip
    assert {name for name, kept in found.items() if kept} == left


async def test_a_listing_is_kept_until_its_deadline(cache: ResponseCache, clock: Clock) -> None:
    kept = await listing(cache, b"limit=2", lambda: answer(valid_until=BEGIN + 5))
    cache.add_alias(b"limit=02", b"limit=2")
    assert cache.listing(b"limit=2") is cache.listing(b"limit=02") is kept
    clock.now = BEGIN + 5
    assert cache.listing(b"limit=2") is cache.listing(b"limit=02") is None


async def test_what_others_wait_for_is_made_anew_if_it_comes_too_late(
    cache: ResponseCache, clock: Clock
) -> None:
    """Requests share an answer that is being made; this one no longer holds when it is there."""
    may_go_on = asyncio.Event()

    async def slowly() -> ReadResponse:
        await may_go_on.wait()
        clock.now += 10
        return await answer(b"[1]", valid_until=BEGIN + 5)

    first = asyncio.create_task(listing(cache, b"", slowly))
    await asyncio.sleep(0)
    second = asyncio.create_task(listing(cache, b"", lambda: answer(b"[2]")))
    await asyncio.sleep(0)
    may_go_on.set()
    assert [(await made).body for made in (first, second)] == [b"[1]", b"[2]"]


async def test_who_waits_for_a_listing_does_not_share_its_rejection(cache: ResponseCache) -> None:
    may_go_on = asyncio.Event()

    async def rejected() -> ReadResponse:
        await may_go_on.wait()
        raise OverloadedError

    first = asyncio.create_task(listing(cache, b"", rejected))
    await asyncio.sleep(0)
    second = asyncio.create_task(listing(cache, b"", lambda: answer(b"[2]")))
    await asyncio.sleep(0)
    may_go_on.set()
    with pytest.raises(OverloadedError):
        await first
    assert (await second).body == b"[2]"


# A tree: cars (1) with vans (2), and furniture (3).
CARS, VANS, FURNITURE = Branch("cars", (1, 2)), Branch("vans", (2,)), Branch("furniture", (3,))
NEAR = Circle(52.5, 13.4, 1000)

LISTS: dict[str, tuple[AdFilter, Sort]] = {
    "all": (EVERYTHING, Sort.NEWEST),
    "cheapest": (EVERYTHING, Sort.CHEAPEST),
    "cheap": (AdFilter(max_price=10), Sort.NEWEST),
    "free": (AdFilter(price_type=PriceType.FREE), Sort.NEWEST),
    "words": (AdFilter(terms=parse("oak")), Sort.RELEVANCE),
    "near": (AdFilter(near=NEAR), Sort.NEWEST),
    "wooden": (AdFilter(attributes=(AttributeFilter("material", ("wood",)),)), Sort.NEWEST),
    "cars": (AdFilter(category=CARS), Sort.NEWEST),
    "cheapest cars": (AdFilter(category=CARS), Sort.CHEAPEST),
    "vans": (AdFilter(category=VANS), Sort.NEWEST),
    "furniture": (AdFilter(category=FURNITURE), Sort.NEWEST),
    "author": (AdFilter(author=AUTHOR), Sort.NEWEST),
    "author's cheapest": (AdFilter(author=AUTHOR), Sort.CHEAPEST),
    "reader": (AdFilter(author=READER), Sort.NEWEST),
}
SHOWING = {"cars", "words", "all"}


@pytest.mark.parametrize(
    ("change", "dropped"),
    [
        # A picture, or anything else that decides about no list.
        (changed(""), SHOWING),
        (changed("", 8), set()),
        (changed("p", 8), {"cheapest", "cheap", "free", "author's cheapest"}),
        (
            changed("p", 8, category=2),
            {"cheapest", "cheap", "free", "cheapest cars", "author's cheapest"},
        ),
        (changed("p", 7, category=3), SHOWING | {"cheapest", "cheap", "free", "author's cheapest"}),
        (changed("w", 8), {"words"}),
        (changed("l", 8), {"near"}),
        (changed("a", 8, category=3), {"words", "wooden", "furniture"}),
        # Moved from one category to another: both, and those above them.
        (
            changed("a", 8, category=3, before=2),
            {"words", "wooden", "furniture", "vans", "cars", "cheapest cars"},
        ),
        (
            changed("a", 8, category=1, before=3),
            {"words", "wooden", "furniture", "cars", "cheapest cars"},
        ),
        (changed("s", 8, category=3), set(LISTS) - {"cars", "cheapest cars", "vans", "reader"}),
        (changed("s", 8), set(LISTS) - {"cars", "cheapest cars", "vans", "furniture", "reader"}),
        (Invalidation(InvalidationKind.AD, "8"), set(LISTS)),
        (Invalidation(InvalidationKind.CATEGORY), set(LISTS)),
        (Invalidation(InvalidationKind.USER, str(AUTHOR)), set()),
    ],
)
async def test_a_change_drops_the_lists_that_it_can_affect(
    cache: ResponseCache, bus: InvalidationBus, change: Invalidation, dropped: set[str]
) -> None:
    for name, (ads, sort) in LISTS.items():
        ad_ids = [7, 70] if name in SHOWING else []
        made = json_response(b"{}", PUBLIC, subjects=ad_ids)
        await listing(cache, name.encode(), _made(made), ads, sort)
    bus.receive(change)
    assert {name for name in LISTS if cache.listing(name.encode()) is None} == dropped
    # A second one finds nothing of what was dropped.
    bus.receive(change)


def _made(response: ReadResponse) -> Callable[[], Awaitable[ReadResponse]]:
    async def make() -> ReadResponse:
        return response

    return make


@pytest.mark.parametrize(
    ("change", "is_kept"),
    [
        (changed("p", 8, category=1), True),
        (changed("s", 8, category=3), True),
        (changed("s", 8, category=2), False),
        # Which ads it shows is known only when it is made.
        (changed("", 7), False),
        (Invalidation(InvalidationKind.AD, "0"), False),
        (Invalidation(InvalidationKind.CATEGORY), False),
    ],
)
async def test_a_list_that_a_change_affected_meanwhile_is_not_kept(
    cache: ResponseCache, bus: InvalidationBus, change: Invalidation, *, is_kept: bool
) -> None:
    async def make() -> ReadResponse:
        bus.receive(change)
        bus.receive(changed("p", 9, category=3))
        return json_response(b"{}", PUBLIC, subjects=[7])

    await listing(cache, b"cars", make, *LISTS["cars"])
    assert (cache.listing(b"cars") is not None) == is_kept


async def test_a_category_below_is_known_as_soon_as_a_list_has_it(
    cache: ResponseCache, bus: InvalidationBus
) -> None:
    """Another process has added it, and this one has read the tree before the notice of it."""
    await listing(cache, b"old", answer, AdFilter(category=CARS))
    grown = AdFilter(category=Branch("cars", (1, 2, 4)))
    await listing(cache, b"new", answer, grown)
    bus.receive(changed("s", 8, category=4))
    assert cache.listing(b"new") is None


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (changed("p", category=3), b"[1]"),
        (changed("s", category=3), b"[1]"),
        (changed("s", category=2), b"[2]"),
        # It is on the list.
        (changed("", 8, category=2), b"[2]"),
        (Invalidation(InvalidationKind.AD), b"[2]"),
        (Invalidation(InvalidationKind.CATEGORY), b"[2]"),
    ],
)
async def test_a_listing_is_shared_after_changes_that_do_not_affect_it(
    change: Invalidation, found: bytes
) -> None:
    bus = new_bus()
    bus.confirm()
    cache = ResponseCache(bus, capacity=1_000_000)
    may_go_on = asyncio.Event()
    cars = AdFilter(category=CARS)

    async def slowly() -> ReadResponse:
        await may_go_on.wait()
        return json_response(b"[1]", PUBLIC, subjects=[8])

    first = asyncio.create_task(listing(cache, b"", slowly, cars))
    await asyncio.sleep(0)
    bus.apply(change)
    others = [
        asyncio.create_task(listing(cache, b"", lambda: answer(b"[2]"), cars)) for _ in range(2)
    ]
    await asyncio.sleep(0)
    # What comes later concerns requests that come later.
    bus.apply(changed("s", category=2))
    may_go_on.set()
    assert (await first).body == b"[1]"
    assert {(await other).body for other in others} == {found}
    assert cache.making == 0
