import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from adsvc.errors import RateLimitState
from adsvc.kit.bulkheads.admission import Bucket
from adsvc.kit.db.database import Database
from adsvc.repositories.accounts import rate_limits as limit_rows
from adsvc.services.rate_limits import Limit
from adsvc.settings import Settings


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    database = Database(database_url)
    yield database
    await database.close()


async def ask(database: Database, key: str, *, limit: int, window: int) -> RateLimitState:
    (result,) = await limit_rows.take(database.writer, Bucket(key, limit, window))
    return result


async def take(database: Database, key: str, *, limit: int, window: int) -> int:
    """How long to wait; 0 if the attempt was granted."""
    result = await ask(database, key, limit=limit, window=window)
    return 0 if result.granted else result.reset


async def age(database: Database, seconds: int) -> None:
    """Lets time pass."""
    async with database.autocommit() as session:
        statement = "UPDATE rate_limits SET due_at = due_at - make_interval(secs => :seconds)"
        await session.execute(text(statement), {"seconds": seconds})


async def keys(database: Database) -> list[str]:
    async with database.autocommit() as session:
        found = await session.scalars(text("SELECT key FROM rate_limits ORDER BY key"))
        return list(found)


@pytest.mark.parametrize("limit", [1, 3, 10])
async def test_of_twenty_attempts_at_once_just_the_limit_is_admitted(
    database: Database, limit: int
) -> None:
    waits = await asyncio.gather(
        *(take(database, "a", limit=limit, window=3600) for _ in range(20))
    )
    assert waits.count(0) == limit


async def test_a_refused_attempt_says_how_long_to_wait_and_does_not_count(
    database: Database,
) -> None:
    for _ in range(4):
        assert await take(database, "a", limit=4, window=400) == 0
    for _ in range(10):
        assert 95 <= await take(database, "a", limit=4, window=400) <= 100
    await age(database, 100)
    assert await take(database, "a", limit=4, window=400) == 0
    assert 95 <= await take(database, "a", limit=4, window=400) <= 100


async def test_the_whole_limit_is_back_after_the_window(database: Database) -> None:
    for _ in range(3):
        assert await take(database, "a", limit=3, window=300) == 0
    await age(database, 10_000)
    waits = [await take(database, "a", limit=3, window=300) for _ in range(4)]
    assert waits[:3] == [0, 0, 0]
    assert waits[3] > 0


async def test_a_wait_is_never_less_than_a_second(database: Database) -> None:
    assert await take(database, "a", limit=1, window=1) == 0
    assert await take(database, "a", limit=1, window=1) == 1


async def test_an_admitted_attempt_says_how_many_are_left(database: Database) -> None:
    found = [await ask(database, "a", limit=3, window=300) for _ in range(4)]
    assert [result.granted for result in found] == [True, True, True, False]
    assert [result.remaining for result in found] == [2, 1, 0, 0]
    assert all(1 <= result.reset <= 100 for result in found)
    assert found[3].reset >= 95


async def test_an_attempt_that_is_taken_back_does_not_count(database: Database) -> None:
    for _ in range(10):
        assert await take(database, "a", limit=2, window=300) == 0
        await limit_rows.refund(database.writer, Bucket("a", 2, 300))
    assert [await take(database, "a", limit=2, window=300) for _ in range(2)] == [0, 0]
    assert await take(database, "a", limit=2, window=300) > 0


async def test_keys_do_not_share_a_limit(database: Database) -> None:
    assert await take(database, "a", limit=1, window=300) == 0
    assert await take(database, "b", limit=1, window=300) == 0
    assert await take(database, "a", limit=1, window=300) > 0


async def test_only_rows_that_say_nothing_any_more_are_deleted(database: Database) -> None:
    await take(database, "old", limit=1, window=300)
    await age(database, 10)
    await take(database, "older", limit=1, window=300)
    await age(database, 270)
    await take(database, "soon over", limit=1, window=300)
    await age(database, 25)
    await limit_rows.delete_expired(database.writer)
    assert await keys(database) == ["older", "soon over"]


async def test_a_clock_that_is_set_back_locks_no_one_out(database: Database) -> None:
    for limit in (1, 2, 10):
        key = f"of {limit}"
        for _ in range(limit):
            assert await take(database, key, limit=limit, window=300) == 0
    # What rows look like to a database whose clock has been set back by an hour.
    await age(database, -3600)
    for limit in (1, 2, 10):
        key = f"of {limit}"
        assert await take(database, key, limit=limit, window=300) == 0, limit
        # The rest comes back as it does from any window that was used up.
        assert 0 < await take(database, key, limit=limit, window=300) <= 300 / limit, limit
    await age(database, 300)
    assert await take(database, "of 10", limit=10, window=300) == 0


async def all_of(database: Database, *buckets: Bucket) -> list[bool]:
    results = await limit_rows.take(database.writer, *buckets)
    return [result.granted for result in results]


async def test_one_bucket_without_room_leaves_all_others_as_they_were(database: Database) -> None:
    narrow, wide = Bucket("b", 2, 300), Bucket("a", 3, 300)
    for _ in range(2):
        assert await all_of(database, narrow, wide) == [True, True]
    for _ in range(5):
        assert await all_of(database, narrow, wide) == [False, True]
    assert await all_of(database, wide) == [True]
    assert await all_of(database, narrow, wide) == [False, False]


async def test_buckets_that_many_share_end_at_their_limits(database: Database) -> None:
    shared, shared_too = Bucket("m", 7, 3600), Bucket("c", 9, 3600)

    async def attempt(number: int) -> bool:
        own = Bucket(f"{number:02}", 1, 3600)
        return all(await all_of(database, shared_too, own, shared))

    granted = await asyncio.gather(*(attempt(number) for number in range(30)))
    # Those that came together may have refused each other, but none went beyond the limit.
    assert 0 < granted.count(True) <= 7
    while await attempt(99 + len(await keys(database))):
        pass
    assert not all(await all_of(database, shared))
    assert await all_of(database, shared_too) == [True]


def test_each_limit_has_numbers_or_names_settings() -> None:
    for limit in Limit:
        _, *numbers = limit.value
        for number in numbers:
            assert isinstance(number, int) or number in Settings.model_fields, limit
