import asyncio
from collections.abc import AsyncIterator, Sequence

import asyncpg
import pytest
from sqlalchemy.engine import URL

from adsvc.invalidation import new_bus
from adsvc.kit.db.database import Database
from adsvc.kit.db.statements import MAX_BATCH, BatchLoader

FOREVER_SECONDS = 20

# Tells which statement a row came by.
WITH_STATEMENT = """
    SELECT id, pg_backend_pid() AS process, statement_timestamp() AS began
    FROM unnest($1::bigint[]) AS id WHERE id <> 3
"""


@pytest.fixture
async def database(migrated_url: URL) -> AsyncIterator[Database]:
    database = Database(migrated_url, changes=new_bus())
    yield database
    await database.close()


async def test_reads_at_the_same_time_are_one_statement(database: Database) -> None:
    ids = [5, 1, 3, 2, 1]
    rows = await asyncio.gather(
        *(database.reader.fetch_by_id(WITH_STATEMENT, each) for each in ids)
    )
    assert [row and row["id"] for row in rows] == [5, 1, None, 2, 1]
    assert len({(row["process"], row["began"]) for row in rows if row}) == 1


async def test_each_statement_has_its_own_batch(database: Database) -> None:
    doubled = "SELECT id, 2 * id AS value FROM unnest($1::bigint[]) AS id"
    tripled = "SELECT id, 3 * id AS value FROM unnest($1::bigint[]) AS id"
    rows = await asyncio.gather(
        *(database.reader.fetch_by_id(sql, 7) for sql in (doubled, tripled, doubled))
    )
    assert [row and row["value"] for row in rows] == [14, 21, 14]


async def test_an_error_reaches_the_whole_batch_and_not_the_next(
    database: Database,
) -> None:
    sql = "SELECT id, 1 / (id - 3) AS value FROM unnest($1::bigint[]) AS id"
    found = await asyncio.gather(
        *(database.reader.fetch_by_id(sql, each) for each in (4, 3, 5)), return_exceptions=True
    )
    assert [type(each) for each in found] == [asyncpg.DivisionByZeroError] * 3
    row = await database.reader.fetch_by_id(sql, 4)
    assert row is not None
    assert row["value"] == 1


async def test_cancelling_one_caller_leaves_the_others(database: Database) -> None:
    reads = [
        asyncio.create_task(database.reader.fetch_by_id(WITH_STATEMENT, each)) for each in (1, 2, 4)
    ]
    # They are in a batch, which is sent in the next turn.
    await asyncio.sleep(0)
    reads[0].cancel()
    found = await asyncio.gather(*reads, return_exceptions=True)
    assert isinstance(found[0], asyncio.CancelledError)
    others = [row["id"] for row in found if row and not isinstance(row, BaseException)]
    assert others == [2, 4]


async def test_a_request_during_a_batch_joins_the_next() -> None:
    sent: list[list[int]] = []
    answered = asyncio.Event()

    async def fetch(ids: list[int]) -> Sequence[dict[str, int]]:
        version = len(sent)
        sent.append(ids)
        await answered.wait()
        return [{"id": each, "version": version} for each in ids]

    loader = BatchLoader(fetch)
    early = asyncio.create_task(loader.load(1))
    async with asyncio.timeout(FOREVER_SECONDS):
        while not sent:  # noqa: ASYNC110 - turns of the loop, not time
            await asyncio.sleep(0)
        late = asyncio.create_task(loader.load(1))
        while len(sent) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
        answered.set()
        rows = await asyncio.gather(early, late)
    assert [row and row["version"] for row in rows] == [0, 1]


async def test_a_batch_has_a_largest_size() -> None:
    sizes: list[int] = []

    async def fetch(ids: list[int]) -> Sequence[dict[str, int]]:
        sizes.append(len(ids))
        return [{"id": each} for each in ids]

    loader = BatchLoader(fetch)
    rows = await asyncio.gather(*(loader.load(each) for each in range(2 * MAX_BATCH + 1)))
    assert [row and row["id"] for row in rows] == list(range(2 * MAX_BATCH + 1))
    assert sizes == [MAX_BATCH, MAX_BATCH, 1]
