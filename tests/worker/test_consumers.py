"""Steps that follow the log: whatever is too much at once is done in smaller parts."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from adsvc.kit.db.database import Transaction
from adsvc.kit.db.faults import is_database_fault
from adsvc.worker import consumers
from adsvc.worker.consumers import following
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.warmth import settle

WAIT_SECONDS = 20


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """Nothing else follows the log of its database."""
    async with start_own_api(jobs="off") as started:
        yield started


@pytest.mark.heavy
async def test_events_whose_statements_take_too_long_are_handled_fewer_at_once(api: Api) -> None:
    author = await api.person()
    for _ in range(9):
        await author.post_ad()
    await settle(api)
    [last] = await api.sql("SELECT max(last_event_id) FROM event_batches")
    handled = list[range]()
    slow = True

    async def handle(transaction: Transaction, events: range) -> None:
        seconds = 0.4 if slow and len(events) > 2 else 0
        await transaction.execute(text("SET LOCAL statement_timeout = '100ms'"))
        await transaction.execute(text(f"SELECT pg_sleep({seconds})"))
        handled.append(events)

    async def catch_up() -> None:
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                try:
                    if not await step():
                        break
                except Exception as error:
                    if not is_database_fault(error):
                        raise

    position = "UPDATE consumers SET position = 0 WHERE name = 'searches'"
    step = following(api.state.database, "searches", handle)
    await api.sql(position)
    while not handled or handled[-1][-1] < last:
        await catch_up()
    # Each event once, in their order.
    assert [event for events in handled for event in events] == [*range(1, last + 1)]
    assert max(map(len, handled)) == 2
    # What was slow has passed, so more are handled at once again.
    slow = False
    for _ in range(40):
        await api.sql(position)
        handled.clear()
        await step()
    assert len(handled[0]) == min(last, consumers.EVENTS_AT_ONCE)


@pytest.mark.heavy
async def test_a_step_leaves_the_database_alone_until_something_is_announced(api: Api) -> None:
    handled = list[range]()

    async def handle(_: Transaction, events: range) -> None:
        handled.append(events)

    author = await api.person()
    await settle(api)
    step = following(api.state.database, "searches", handle)
    while not handled or await step():
        await step()
    count = len(handled)
    # Were it to look, it would find them again.
    await api.sql("UPDATE consumers SET position = 0 WHERE name = 'searches'")
    await settle(api)
    assert not await step()
    assert len(handled) == count
    await author.post_ad()
    await settle(api)
    await step()
    assert handled[count].start == 1
