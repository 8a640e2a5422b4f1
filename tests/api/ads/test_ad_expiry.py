"""An expired ad is shown nowhere: not by a query, not from the cache, not for a second."""

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy import text

from adsvc.api.caching import ResponseCache
from adsvc.enums import AdvisoryLock
from adsvc.services.ads import lifecycle
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.warmth import settle
from support.trouble.clocks import Clock

MARKING = text(f"SELECT pg_advisory_xact_lock({AdvisoryLock.EXPIRY})")
LATE = "UPDATE ads SET expires_at = now() - interval '1 minute' WHERE id = ANY(:ads)"
COUNTS = """
    SELECT (SELECT sum(ads) FROM ad_totals) || ' ' || ads || ' ' || hidden FROM author_ad_totals
"""


@pytest.fixture
def clock(api: Api, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """That of what is kept in memory."""
    clock = Clock()
    monkeypatch.setattr(api.state.responses, "now", clock.monotonic)
    return clock


async def ads_of(author: Person, number: int) -> list[int]:
    return [(await author.post_ad())["pk"] for _ in range(number)]


@pytest.mark.heavy
async def test_a_listing_is_kept_until_the_first_of_its_ads_expires(api: Api, clock: Clock) -> None:
    author = await api.person()
    await ads_of(author, 3)
    await api.sql(
        "UPDATE ads SET expires_at = now() + make_interval(hours => id::int) WHERE id > 1"
    )
    await settle(api)
    answers: ResponseCache = api.state.responses
    for query, hours in (("limit=1", 2), ("limit=2", 2), ("q=oak", 2), ("minPrice=1&limit=3", 2)):
        began = clock.now
        await api.client.get(f"/ads?{query}")
        clock.now = began + hours * 3600 - 30
        assert answers.listing(query.encode()) is not None, query
        clock.now = began + hours * 3600
        assert answers.listing(query.encode()) is None, query
    await api.sql("UPDATE ads SET expires_at = NULL")
    await settle(api)
    await api.client.get("/ads?limit=2")
    clock.now += 10**9
    assert answers.listing(b"limit=2") is not None


@pytest.mark.heavy
async def test_what_has_expired_is_in_no_answer_before_it_is_marked(api: Api) -> None:
    author = await api.person()
    ads = await ads_of(author, 3)
    async with api.state.database.transaction() as transaction:
        await transaction.execute(MARKING)
        await api.sql(LATE, ads=ads[:1])
        for query in ("", "?q=oak", "?maxPrice=9999", "?sort=-price", f"?author={author.id}"):
            for _ in range(2):
                found = (await api.client.get(f"/ads{query}")).json()
                assert [ad["pk"] for ad in found["results"]] == [3, 2], query
        own = (await author.get("/ads/me")).json()
        assert [ad["status"] for ad in own["results"]] == ["active", "active", "expired"]
        assert await api.sql("SELECT status FROM ads WHERE id = 1") == ["active"]


@pytest.mark.heavy
async def test_expired_ads_are_marked_counted_and_announced(api: Api) -> None:
    author = await api.person()
    ads = await ads_of(author, 3)
    before = (await api.client.get("/ads/1/comments")).status_code
    assert before == 401
    async with api.state.database.transaction() as transaction:
        await transaction.execute(MARKING)
        await api.sql(LATE, ads=ads[1:])
    # The background task may have done it first.
    await until(api, lambda counts: counts == ["1 1 2"])
    assert await api.sql("SELECT status FROM ads ORDER BY id") == ["active", "expired", "expired"]
    assert await api.sql(
        "SELECT concat_ws(' ', ad_id, event, from_status, to_status, actor_id) FROM ad_events"
        " WHERE event <> 'created' ORDER BY id"
    ) == ["2 expired active expired", "3 expired active expired"]
    moments = await api.sql(
        "SELECT count(*) FROM ads JOIN ad_events ON ad_id = ads.id AND at = expires_at"
    )
    assert moments == [2]
    assert (await api.client.get("/ads")).json()["count"] == 1


async def until(api: Api, agreed: Callable[[list[str]], bool]) -> None:
    for _ in range(200):
        await lifecycle.mark_expired(api.state.database)
        if agreed(await api.sql(COUNTS)):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(await api.sql(COUNTS))


@pytest.mark.heavy
async def test_the_service_marks_what_expires_by_itself(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="on") as api:
        author = await api.person()
        ads = await ads_of(author, 1)
        await api.sql(LATE, ads=ads)
        for _ in range(200):
            if await api.sql("SELECT status FROM ads") == ["expired"]:
                return
            await asyncio.sleep(0.05)
    raise AssertionError


async def test_many_that_are_overdue_are_marked_a_few_at_a_time_without_those_in_use(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "BATCH", 5)
    monkeypatch.setattr(lifecycle, "PAUSE_SECONDS", 0)
    author = await api.person()
    await ads_of(author, 1)
    database = api.state.database
    async with database.transaction() as turn:
        await turn.execute(MARKING)
        await api.sql(
            "INSERT INTO ads (author_id, title, description, price, image, expires_at)"
            " select author_id, title, description, n, 'x' || n, now() - interval '1 d'"
            " FROM ads, generate_series(1, 23) AS n"
        )
        # Only one process does it at a time.
        assert await lifecycle.mark_expired(database) == 0
        async with database.transaction() as using:
            await using.execute(text("SELECT FROM ads WHERE price = 7 FOR UPDATE"))
            await turn.rollback()
            marked = 0
            while await api.sql("SELECT count(*) FROM ads WHERE status = 'expired'") != [22]:
                marked += await lifecycle.mark_expired(database)
    await until(api, lambda counts: counts == ["1 1 23"])


async def test_counts_follow_every_way_in_and_out_of_sight(api: Api) -> None:
    author = await api.person()
    await ads_of(author, 1)
    for statement, counts in (
        ("UPDATE ads SET status = 'reserved'", "1 1 0"),
        ("UPDATE ads SET status = 'sold'", "0 0 1"),
        ("UPDATE ads SET status = 'expired'", "0 0 1"),
        ("UPDATE ads SET status = 'active'", "1 1 0"),
        (
            """
            INSERT INTO ads (author_id, title, description, price, image, status)
            select author_id, title, description, 1, 'x', s
            FROM ads, unnest('{draft,active,sold}'::text[]) AS s
            """,
            "2 2 2",
        ),
        ("DELETE FROM ads WHERE status IN ('draft', 'active')", "0 0 1"),
    ):
        await api.sql(statement)
        assert await api.sql(COUNTS) == [counts], statement


@pytest.mark.heavy
async def test_marking_goes_on_after_a_fault(
    start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lifecycle, "PERIOD_SECONDS", 0.01)
    async with start_own_api(jobs="on") as api:
        author = await api.person()
        ads = await ads_of(author, 1)
        await api.sql("ALTER TABLE ad_events RENAME TO away")
        await api.sql(LATE, ads=ads)
        for _ in range(500):
            if "The job expiries failed" in caplog.text:
                break
            await asyncio.sleep(0.02)
        assert await api.sql("SELECT status FROM ads") == ["active"]
        await api.sql("ALTER TABLE away RENAME TO ad_events")
        for _ in range(500):
            if await api.sql("SELECT status FROM ads") == ["expired"]:
                return
            await asyncio.sleep(0.02)
        raise AssertionError
