"""Answers that hold until a moment are not given from it on, whoever kept them."""

import asyncio
import math

import pytest

from adsvc.api.caching.representation import CachedResponse, json_response
from adsvc.api.caching.response_cache import ResponseCache
from adsvc.http.headers import PUBLIC
from adsvc.invalidation import InvalidationBus
from support.trouble.clocks import Clock

BEGIN = Clock().now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> ResponseCache:
    bus = InvalidationBus()
    bus.confirm()
    return ResponseCache(bus, capacity=1_000_000, now=clock.monotonic)


async def answer(body: bytes = b"{}", holds_until: float = math.inf) -> CachedResponse:
    return json_response(body, PUBLIC, holds_until=holds_until)


async def test_an_ad_is_kept_until_its_deadline(cache: ResponseCache, clock: Clock) -> None:
    kept = await cache.make_ad(7, lambda: answer(holds_until=BEGIN + 5))
    endless = await cache.make_ad(8, answer)
    clock.now += 4.999
    assert cache.ad("7") is kept
    assert cache.holds(kept)
    clock.now = BEGIN + 5
    assert cache.ad("7") is None
    assert not cache.holds(kept)
    assert cache.ad("8") is endless


async def test_a_listing_is_kept_until_its_deadline(cache: ResponseCache, clock: Clock) -> None:
    kept = await cache.make_listing(b"limit=2", lambda: answer(holds_until=BEGIN + 5))
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
        return await answer(b"[1]", holds_until=BEGIN + 5)

    first = asyncio.create_task(cache.make_listing(b"", slowly))
    await asyncio.sleep(0)
    second = asyncio.create_task(cache.make_listing(b"", lambda: answer(b"[2]")))
    await asyncio.sleep(0)
    may_go_on.set()
    assert [(await made).body for made in (first, second)] == [b"[1]", b"[2]"]
