"""Pools, requests and rows that are blocked for as long as a test needs."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Any, TypeVar

from sqlalchemy import text

from adsvc.kit.bulkheads.admission import Bulkhead
from adsvc.kit.bulkheads.pools import ProcessPool, ThreadPool
from support.scene.api import Api

Result = TypeVar("Result")

WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@contextmanager
def busy(pool: Bulkhead | ThreadPool | ProcessPool) -> Iterator[None]:
    """All that the pool admits is admitted, and is not done before the block is."""
    with ExitStack() as stack:
        for _ in range(pool.admission.capacity):
            pool.admission.enter()
            stack.callback(pool.admission.leave)
        yield


async def until_waiting(api: Api, *tasks: asyncio.Task[Any]) -> None:
    """Each of the tasks waits for a lock, or is done."""
    async with asyncio.timeout(20):
        while await _waiting(api) < sum(not task.done() for task in tasks):  # noqa: ASYNC110
            # PostgreSQL has no event for a waiting session.
            await asyncio.sleep(0.01)


async def _waiting(api: Api) -> int:
    (count,) = await api.sql(WAITING)
    return int(count)


@asynccontextmanager
async def one_at_work(api: Api) -> AsyncIterator[None]:
    """One request has the only place for the length of the block, and is answered after it."""
    async with api.state.database.engine.begin() as connection:
        await connection.execute(text("LOCK TABLE ads"))
        waiting = asyncio.create_task(api.client.get("/ads?minPrice=1"))
        await until_waiting(api, waiting)
        yield
    assert (await waiting).status_code == 200


@asynccontextmanager
async def while_changing(api: Api, *statements: str) -> AsyncIterator[None]:
    async with api.state.database.engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))
        yield


async def meanwhile(
    api: Api, request: Coroutine[Any, Any, Result], *statements: str
) -> asyncio.Task[Result]:
    """Starts the request, which has to wait for the statements, and then lets it go on."""
    async with while_changing(api, *statements):
        task = asyncio.create_task(request)
        await until_waiting(api, task)
    return task
