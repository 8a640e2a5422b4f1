"""Responses that are valid until a moment are not given from that moment on."""

import asyncio
import math

import pytest

from adsvc.api.caching import CachedResponse, ResponseCache, json_response
from adsvc.errors import OverloadedError
from adsvc.http.responses import PUBLIC
from adsvc.invalidation import Invalidation, InvalidationBus, InvalidationKind
from support.trouble.clocks import Clock

BEGIN = Clock().now
AUTHOR, READER = 3, 4


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> ResponseCache:
    bus = InvalidationBus()
    bus.confirm()
    return ResponseCache(bus, capacity=1_000_000, now=clock.monotonic)


async def answer(
    body: bytes = b"{}", valid_until: float = math.inf, author_id: int | None = None
) -> CachedResponse:
    return json_response(body, PUBLIC, valid_until=valid_until, author_id=author_id)


async def test_an_ad_is_kept_until_its_deadline(cache: ResponseCache, clock: Clock) -> None:
    kept, endless = await answer(valid_until=BEGIN + 5), await answer()
    generation = cache.ad_generation()
    for ad_id, made in ((7, kept), (8, endless)):
        cache.keep_ad(ad_id, made, generation, own=False)
        cache.keep_details(ad_id, made, generation)
    clock.now += 4.999
    assert cache.ad("7", READER) is cache.details("7") is kept
    clock.now = BEGIN + 5
    assert cache.ad("7", READER) is cache.details("7") is None
    assert cache.ad("8", READER) is cache.details("8") is endless


async def test_each_miss_is_counted_once(cache: ResponseCache) -> None:
    made = await answer()
    for number in range(2):
        await cache.make_listing(b"limit=%d" % number, answer)
        await cache.make_category(f"/categories/{number}", answer)
        cache.keep_ad(number, made, cache.ad_generation(), own=False)
        cache.keep_details(number, made, cache.ad_generation())
        cache.keep_picture(f"{number}.jpg", made, cache.picture_generation())
    assert cache.misses == dict.fromkeys(cache.sizes, 2)


async def test_several_pictures_have_room_however_large_they_are(cache: ResponseCache) -> None:
    """Larger ones are not given to it."""
    assert cache.largest_picture > 0
    for number in range(4):
        picture = await answer(bytes(cache.largest_picture))
        cache.keep_picture(f"{number}.jpg", picture, cache.picture_generation())
    assert all(cache.picture(f"{number}.jpg") for number in range(4))


async def test_only_the_author_gets_the_author_s_view(cache: ResponseCache) -> None:
    generation = cache.ad_generation()
    public, own = await answer(b"[1]", author_id=AUTHOR), await answer(b"[2]", author_id=AUTHOR)
    cache.keep_ad(7, own, generation, own=True)
    assert cache.ad("7", AUTHOR) is own
    assert cache.ad("7", READER) is None
    cache.keep_ad(7, public, generation, own=False)
    assert cache.ad("7", AUTHOR) is own
    assert cache.ad("7", READER) is public
    cache.keep_ad(8, public, generation, own=False)
    assert cache.ad("8", AUTHOR) is None


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (Invalidation(InvalidationKind.AD, "7"), {"8", "8 own"}),
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
    bus = InvalidationBus()
    bus.confirm()
    cache = ResponseCache(bus, capacity=1_000_000)
    for ad_id, author in ((7, AUTHOR), (8, READER)):
        made, generation = await answer(author_id=author), cache.ad_generation()
        cache.keep_ad(ad_id, made, generation, own=False)
        cache.keep_ad(ad_id, made, generation, own=True)
        cache.keep_details(ad_id, made, generation)
    before = cache.ad_generation()
    bus.apply(change)
    found = {
        "7": cache.ad("7", 0), "7 own": cache.ad("7", AUTHOR), "7 details": cache.details("7"),
        "8": cache.ad("8", 0), "8 own": cache.ad("8", READER), "8 details": cache.details("8"),
    }  # fmt: skip
    assert {name for name, kept in found.items() if kept} == left
    # What was read before the change is not kept after it.
    cache.keep_ad(9, await answer(), before, own=False)
    cache.keep_details(9, await answer(), before)
    if change.kind is not InvalidationKind.SESSION:
        assert cache.ad("9", 0) is cache.details("9") is None


async def test_a_listing_is_kept_until_its_deadline(cache: ResponseCache, clock: Clock) -> None:
    kept = await cache.make_listing(b"limit=2", lambda: answer(valid_until=BEGIN + 5))
    cache.spelled(b"limit=02", b"limit=2")
    assert cache.listing(b"limit=2") is cache.listing(b"limit=02") is kept
    clock.now = BEGIN + 5
    assert cache.listing(b"limit=2") is cache.listing(b"limit=02") is None


async def test_what_others_wait_for_is_made_anew_if_it_comes_too_late(
    cache: ResponseCache, clock: Clock
) -> None:
    """Requests share an answer that is being made; this one no longer holds when it is there."""
    may_go_on = asyncio.Event()

    async def slowly() -> CachedResponse:
        await may_go_on.wait()
        clock.now += 10
        return await answer(b"[1]", valid_until=BEGIN + 5)

    first = asyncio.create_task(cache.make_listing(b"", slowly))
    await asyncio.sleep(0)
    second = asyncio.create_task(cache.make_listing(b"", lambda: answer(b"[2]")))
    await asyncio.sleep(0)
    may_go_on.set()
    assert [(await made).body for made in (first, second)] == [b"[1]", b"[2]"]


async def test_who_waits_for_a_listing_does_not_share_its_rejection(cache: ResponseCache) -> None:
    may_go_on = asyncio.Event()

    async def rejected() -> CachedResponse:
        await may_go_on.wait()
        raise OverloadedError

    first = asyncio.create_task(cache.make_listing(b"", rejected))
    await asyncio.sleep(0)
    second = asyncio.create_task(cache.make_listing(b"", lambda: answer(b"[2]")))
    await asyncio.sleep(0)
    may_go_on.set()
    with pytest.raises(OverloadedError):
        await first
    assert (await second).body == b"[2]"
