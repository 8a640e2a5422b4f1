import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from adsvc.kit.db.database import Database


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    database = Database(database_url, pool_size=1, timeout=5)
    yield database
    await database.close()


async def test_who_is_cancelled_during_a_rollback_goes_on_when_it_has_ended(
    database: Database,
) -> None:
    """Otherwise the session is closed while it rolls back, which is another error."""
    at_it, go_on = asyncio.Event(), asyncio.Event()

    async def hook() -> None:
        at_it.set()
        await go_on.wait()

    async def fail() -> None:
        async with database.transaction() as transaction:
            transaction.on_rollback(hook)
            await transaction.execute(text("SELECT * FROM nowhere"))

    failing = asyncio.create_task(fail())
    await at_it.wait()
    failing.cancel()
    # Far more turns of the loop than a cancellation takes.
    for _ in range(20):
        await asyncio.sleep(0)
    assert not failing.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await failing
