"""Every entry is delivered, whatever fails, and never by two workers at once."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy.engine import URL

from adsvc.errors import (
    DatabaseUnavailableError,
    NotDeliveredError,
    ReceiverUnavailableError,
    UndeliverableError,
)
from adsvc.kit.counters import SequencerCounts, WorkCounts
from adsvc.kit.db.database import Database
from adsvc.kit.db.statements import Statements
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import ClaimedEntry, ListedEntry, NewEntry
from adsvc.worker import outbox as module
from adsvc.worker.outbox import Outbox
from adsvc.worker.sequencer import sequencing
from conftest import DatabaseFactory

WAIT_SECONDS = 30
Deliver = Callable[[ClaimedEntry], Awaitable[None]]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (
        ("FIRST_PAUSE_SECONDS", 0.01),
        ("LONGEST_PAUSE_SECONDS", 0.02),
        ("SHORTEST_BACKOFF_SECONDS", 0.01),
        ("LONGEST_BACKOFF_SECONDS", 0.02),
        ("POLL_SECONDS", 0.02),
    ):
        monkeypatch.setattr(module, name, seconds)


@pytest.fixture
async def database_url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    """One of its own: the application that tests share does the work of theirs."""
    async with new_database() as url:
        yield url


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    opened = Database(database_url)
    yield opened
    await opened.close()


async def no_rest() -> None:
    return None


def made(database: Database, deliver: Deliver, **changes: Any) -> Outbox:
    usual = {
        "rest": no_rest, "kinds": {"test"}, "at_once": 4, "seconds": 5.0, "attempts": 3,
        "shutdown_grace_seconds": 5.0, "counts": WorkCounts(),
    }  # fmt: skip
    return Outbox(database, deliver, **{**usual, **changes})


@asynccontextmanager
async def working(database: Database, deliver: Deliver, **changes: Any) -> AsyncIterator[Outbox]:
    outbox = made(database, deliver, **changes)
    task = asyncio.create_task(outbox.run())
    try:
        yield outbox
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def write(database: Database, number: int = 1) -> None:
    async with database.transaction() as transaction:
        entries = [NewEntry("test", {"number": each}) for each in range(number)]
        await outbox_rows.add(transaction, *entries)


async def entries(database: Database, *, dead: bool = False) -> list[ListedEntry]:
    return await outbox_rows.list_after(database.reader, 0, 1000, dead=dead)


async def until_empty(database: Database) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while await entries(database) != await entries(database, dead=True):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def failing(*errors: Exception) -> tuple[Deliver, list[ClaimedEntry]]:
    """Raises them one after the other, and then delivers."""
    left, attempts = list(errors), list[ClaimedEntry]()

    async def deliver(entry: ClaimedEntry) -> None:
        attempts.append(entry)
        if left:
            raise left.pop(0)

    return deliver, attempts


@pytest.mark.heavy
async def test_all_entries_are_delivered_by_two_workers_none_twice(database: Database) -> None:
    await write(database, 60)
    delivered: list[int] = []
    under_way: set[int] = set()
    most = 0

    async def deliver(entry: ClaimedEntry) -> None:
        nonlocal most
        assert entry.id not in under_way
        under_way.add(entry.id)
        most = max(most, len(under_way))
        await asyncio.sleep(0.001)
        under_way.discard(entry.id)
        delivered.append(entry.payload["number"])

    async with working(database, deliver) as one, working(database, deliver) as other:
        await until_empty(database)
    assert sorted(delivered) == list(range(60))
    assert 1 < most <= 8
    assert one.counts.delivered["test"] + other.counts.delivered["test"] == 60


@pytest.mark.heavy
async def test_a_failure_is_tried_again_as_the_same_message(database: Database) -> None:
    deliver, attempts = failing(NotDeliveredError("450 busy"), ZeroDivisionError())
    await write(database)
    async with working(database, deliver) as outbox:
        await until_empty(database)
    assert [entry.attempts for entry in attempts] == [1, 2, 3]
    assert len({entry.message_id for entry in attempts}) == 1
    assert outbox.counts.failed["test"] == 2


@pytest.mark.heavy
async def test_what_fails_too_often_or_for_good_is_given_up_and_shown(database: Database) -> None:
    for error, attempts in ((NotDeliveredError("450 busy"), 3), (UndeliverableError("550 no"), 1)):
        deliver, made = failing(*[error] * 3)
        await write(database)
        async with working(database, deliver):
            await until_empty(database)
        assert len(made) == attempts
        dead = (await entries(database, dead=True))[-1]
        assert (dead.error, dead.attempts) == (str(error), attempts)


@pytest.mark.heavy
async def test_one_that_is_given_up_takes_none_along_that_was_claimed_with_it(
    database: Database,
) -> None:
    """They were claimed at the same moment, and as often."""
    await write(database, 3)
    refused, busy, last = await outbox_rows.claim(database.writer, {"test"}, 3, seconds=60)
    assert refused.claimed_until == busy.claimed_until == last.claimed_until
    await outbox_rows.mark_dead(database.writer, refused, "550 no")
    await outbox_rows.postpone(database.writer, busy, "450 busy", seconds=3600, counts=True)
    by_id = {entry.id: entry for entry in await entries(database)}
    assert [by_id[each.id].error for each in (refused, busy, last)] == ["550 no", "450 busy", None]
    assert by_id[last.id].not_before == last.claimed_until
    assert [entry.id for entry in await entries(database, dead=True)] == [refused.id]


@pytest.mark.heavy
async def test_while_nothing_can_be_delivered_one_entry_is_tried_and_none_given_up(
    database: Database,
) -> None:
    faults = [ReceiverUnavailableError("away"), DatabaseUnavailableError()] * 10
    deliver, attempts = failing(*faults)
    await write(database)
    async with working(database, deliver, at_once=1) as outbox:
        await until_empty(database)
    assert len(attempts) == 21
    assert outbox.counts.unavailable == 20
    assert await entries(database, dead=True) == []


@pytest.mark.heavy
async def test_in_an_outage_nothing_is_tried_before_its_time_or_beside_another(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the connection to the receiver rests only when nothing is under way."""
    for name in ("SHORTEST_BACKOFF_SECONDS", "LONGEST_BACKOFF_SECONDS"):
        monkeypatch.setattr(module, name, 60)
    rested = list[bool]()
    delivering, go_on = asyncio.Event(), asyncio.Event()

    async def rest() -> None:
        rested.append(True)

    async def deliver(_: ClaimedEntry) -> None:
        delivering.set()
        await go_on.wait()

    outbox = made(database, deliver, rest=rest)
    await write(database, 3)
    pause = outbox._back_off()
    assert pause >= 30
    assert await outbox._take() == 0
    outbox._paused_until -= pause
    assert await outbox._take() == 1
    await delivering.wait()
    assert await outbox._take() == 0
    await outbox._wait()
    assert rested == []
    go_on.set()
    await asyncio.gather(*outbox._under_way)
    outbox._woken.clear()
    await outbox._wait()
    assert rested == [True]
    # The outage is over.
    assert await outbox._take() == 2
    await asyncio.gather(*outbox._under_way)


@pytest.mark.heavy
async def test_an_outage_leaves_all_attempts_for_refusals(database: Database) -> None:
    """However long the server was away: what it then refuses for now is tried as often as ever."""
    away, busy = ReceiverUnavailableError("away"), NotDeliveredError("450 busy")
    deliver, attempts = failing(*[away] * 7, busy, *[away] * 3, busy)
    await write(database)
    async with working(database, deliver, at_once=1) as outbox:
        await until_empty(database)
    assert [entry.attempts for entry in attempts] == [*[1] * 8, *[2] * 4, 3]
    assert await entries(database, dead=True) == []
    counts = outbox.counts
    assert (counts.unavailable, counts.failed["test"], counts.died["test"]) == (10, 2, 0)


@pytest.mark.heavy
async def test_several_that_fail_at_once_lengthen_the_rest_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHORTEST_BACKOFF_SECONDS", 1.0)
    monkeypatch.setattr(module, "LONGEST_BACKOFF_SECONDS", 3600)
    failed = asyncio.Barrier(4)

    async def deliver(_: ClaimedEntry) -> None:
        await failed.wait()
        raise ReceiverUnavailableError

    await write(database, 4)
    async with working(database, deliver) as outbox:
        async with asyncio.timeout(WAIT_SECONDS):
            while outbox.counts.unavailable < 4:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert outbox._backoff_seconds == 1.0


@pytest.mark.heavy
async def test_a_delivery_that_hangs_is_ended_before_its_claim_lapses(database: Database) -> None:
    hung = 0

    async def deliver(_: ClaimedEntry) -> None:
        nonlocal hung
        hung += 1
        if hung == 1:
            await asyncio.Event().wait()

    await write(database)
    async with working(database, deliver, seconds=0.05):
        await until_empty(database)
    assert hung == 2


@pytest.mark.heavy
async def test_what_a_dead_worker_held_is_delivered_when_its_claim_has_lapsed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MARGIN_SECONDS", 0)
    begun = asyncio.Event()

    async def die(_: ClaimedEntry) -> None:
        begun.set()
        await asyncio.Event().wait()

    await write(database)
    async with working(database, die, seconds=0.3, shutdown_grace_seconds=0):
        await begun.wait()
    deliver, attempts = failing()
    async with working(database, deliver):
        await until_empty(database)
    assert [entry.attempts for entry in attempts] == [2]


@pytest.mark.heavy
async def test_what_is_under_way_at_the_end_is_finished(database: Database) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def deliver(_: ClaimedEntry) -> None:
        begun.set()
        await asyncio.sleep(0.05)
        ended.set()

    await write(database)
    async with working(database, deliver):
        await begun.wait()
    assert ended.is_set()
    assert await entries(database) == []


@pytest.mark.heavy
async def test_a_delivered_entry_that_could_not_be_deleted_is_not_delivered_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MARGIN_SECONDS", 0)
    delete, refused = outbox_rows.delete_claimed, 0

    async def sometimes(db: Statements, ids: list[int]) -> None:
        nonlocal refused
        refused += 1
        if refused == 1:
            raise DatabaseUnavailableError
        await delete(db, ids)

    monkeypatch.setattr(outbox_rows, "delete_claimed", sometimes)
    deliver, attempts = failing()
    await write(database)
    async with working(database, deliver, seconds=0.1) as outbox:
        await until_empty(database)
    assert (len(attempts), refused) == (1, 2)
    assert outbox.counts.delivered["test"] == 1


@pytest.mark.heavy
async def test_a_claim_is_taken_for_no_other_by_a_worker_that_is_late(database: Database) -> None:
    """Another one's attempt that did not count leaves as many attempts as there were."""
    await write(database)
    [late] = await outbox_rows.claim(database.writer, {"test"}, 1, seconds=0)
    [other] = await outbox_rows.claim(database.writer, {"test"}, 1, seconds=60)
    await outbox_rows.postpone(database.writer, other, "away", seconds=60, counts=False)
    [before] = await entries(database)
    assert before.attempts == late.attempts
    await outbox_rows.postpone(database.writer, late, "late", seconds=0, counts=True)
    await outbox_rows.mark_dead(database.writer, late, "late")
    assert await entries(database) == [before]


@pytest.mark.heavy
async def test_a_worker_that_listens_wakes_at_the_commit(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 3600)
    deliver, attempts = failing()
    database.listen()
    async with (
        sequencing(database, event_days=1, counts=SequencerCounts()),
        working(database, deliver) as outbox,
    ):
        database.changes.follow(outbox.wake)
        async with asyncio.timeout(WAIT_SECONDS):
            while not database.changes.reliable:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await write(database)
        await until_empty(database)
    assert len(attempts) == 1


@pytest.mark.heavy
async def test_the_outbox_outlives_a_database_that_is_away(database: Database) -> None:
    deliver, attempts = failing()
    claim, refused = outbox_rows.claim, 0

    async def away(db: Statements, *given: Any, **options: Any) -> list[ClaimedEntry]:
        nonlocal refused
        refused += 1
        if refused < 3:
            raise DatabaseUnavailableError
        return await claim(db, *given, **options)

    await write(database)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outbox_rows, "claim", away)
        async with working(database, deliver):
            await until_empty(database)
    assert len(attempts) == 1


def test_pauses_grow_to_a_bound_and_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for attempt, usual in ((2, 10), (3, 20), (4, 40), (11, 3600), (99, 3600)):
        pauses = [module.pause_before(attempt) for _ in range(50)]
        assert len(set(pauses)) > 1
        assert all(usual / 2 <= pause <= usual * 1.5 for pause in pauses), attempt
