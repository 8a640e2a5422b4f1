"""An outbox entry is there if, and only if, its transaction was committed."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from adsvc.kit.db.database import Database
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import OUTBOX_COLUMNS, NewEntry
from adsvc.services.mail.rendering import Letter, recovery, to_account, verification
from conftest import DatabaseFactory

SENTENCE = to_account(Letter.PASSWORD_CHANGED, 7)


@pytest.fixture
async def database_url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    """One of its own: the application that tests share works off the outbox of theirs."""
    async with new_database() as url:
        yield url


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    opened = Database(database_url)
    # Migrations announce what they change.
    await opened.writer.fetch("DELETE FROM changes")
    yield opened
    await opened.close()


async def notices(database: Database) -> list[str]:
    """What the sequencer will announce, which wakes workers."""
    return [row["notice"] for row in await database.reader.fetch("SELECT notice FROM changes")]


@pytest.mark.heavy
async def test_an_entry_of_a_committed_transaction_is_there_and_wakes_workers(
    database: Database,
) -> None:
    async with database.transaction() as transaction:
        await outbox_rows.add(transaction, SENTENCE, SENTENCE)
    assert set(await notices(database)) == {"outbox:"}
    entries = await outbox_rows.list_after(database.reader, 0, 10, dead=False)
    assert [(entry.kind, entry.payload) for entry in entries] == [
        ("letter", {"letter": "password-changed", "user_id": 7, "values": {}})
    ] * 2


@pytest.mark.heavy
async def test_an_entry_of_a_transaction_that_was_rolled_back_is_not(database: Database) -> None:
    async def fail() -> None:
        async with database.transaction() as transaction:
            await outbox_rows.add(transaction, SENTENCE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await notices(database) == []
    assert await outbox_rows.list_after(database.reader, 0, 10, dead=False) == []


async def test_a_statement_can_write_one_along_with_its_change(database: Database) -> None:
    entry = NewEntry("letter", {"text": 'a "quoted" word'})
    await database.writer.fetch(
        f"INSERT INTO outbox ({OUTBOX_COLUMNS}) VALUES ($1::text, $2::text::jsonb)",  # noqa: S608
        *(entry.kind, entry.payload_json),
    )
    [found] = await outbox_rows.list_after(database.reader, 0, 10, dead=False)
    assert found.payload == entry.payload


@pytest.mark.heavy
async def test_workers_that_claim_at_once_get_different_entries(database: Database) -> None:
    async with database.transaction() as transaction:
        await outbox_rows.add(transaction, *[SENTENCE] * 5)
    first = await outbox_rows.claim(database.writer, ["letter"], 3, seconds=60)
    second = await outbox_rows.claim(database.writer, ["letter"], 3, seconds=60)
    assert (len(first), len(second)) == (3, 2)
    assert {entry.id for entry in first}.isdisjoint(entry.id for entry in second)
    assert await outbox_rows.claim(database.writer, ["letter"], 3, seconds=60) == []


@pytest.mark.heavy
async def test_one_that_is_locked_is_not_waited_for(database: Database) -> None:
    async with database.transaction() as transaction:
        await outbox_rows.add(transaction, SENTENCE, SENTENCE)
    async with database.transaction() as transaction:
        locked = await transaction.scalar(
            text("SELECT id FROM outbox ORDER BY id LIMIT 1 FOR UPDATE")
        )
        [claimed] = await outbox_rows.claim(database.writer, ["letter"], 3, seconds=60)
    assert claimed.id != locked


@pytest.mark.heavy
async def test_kinds_of_a_newer_version_are_left_to_it(database: Database) -> None:
    async with database.transaction() as transaction:
        await outbox_rows.add(transaction, NewEntry("hologram", {}))
    assert await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60) == []


@pytest.mark.heavy
async def test_the_claim_of_a_dead_worker_lapses_and_its_late_word_counts_no_more(
    database: Database,
) -> None:
    async with database.transaction() as transaction:
        await outbox_rows.add(transaction, SENTENCE)
    [lost] = await outbox_rows.claim(database.writer, ["letter"], 1, seconds=0)
    [held] = await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60)
    assert (held.id, held.message_id, held.attempts) == (lost.id, lost.message_id, 2)
    await outbox_rows.mark_dead(database.writer, lost, "too late")
    await outbox_rows.postpone(database.writer, lost, "too late", seconds=0, counts=True)
    assert await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60) == []
    assert (await outbox_rows.status(database.reader)).dead == 0


@pytest.mark.heavy
async def test_what_was_given_up_begins_anew_when_an_operator_says_so(database: Database) -> None:
    async with database.transaction() as transaction:
        await outbox_rows.add(transaction, SENTENCE)
    [claimed] = await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60)
    await outbox_rows.mark_dead(database.writer, claimed, "550 no such mailbox")
    assert await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60) == []
    [dead] = await outbox_rows.list_after(database.reader, 0, 10, dead=True)
    assert (dead.id, dead.error) == (claimed.id, "550 no such mailbox")
    assert await outbox_rows.retry(database.writer, [claimed.id + 1]) == []
    assert await outbox_rows.retry(database.writer, None) == [claimed.id]
    [again] = await outbox_rows.claim(database.writer, ["letter"], 1, seconds=60)
    assert (again.id, again.message_id, again.attempts) == (claimed.id, claimed.message_id, 1)


@pytest.mark.heavy
async def test_what_a_person_waits_for_goes_before_notices(database: Database) -> None:
    """Those about one ad may be a hundred thousand."""
    await database.writer.fetch(
        f"INSERT INTO outbox ({OUTBOX_COLUMNS}) SELECT 'notice', '{{}}'"  # noqa: S608 - constant
        " FROM generate_series(1, 500)"
    )
    async with database.transaction() as transaction:
        await outbox_rows.add(
            transaction, recovery("ann", None), verification(7, "ann@example.com", None)
        )
    kinds = ["notice", "recovery", "verification"]
    claimed = await outbox_rows.claim(database.writer, kinds, 4, seconds=5)
    found = sorted(entry.kind for entry in claimed)
    assert found == ["notice", "notice", "recovery", "verification"]
    # Not once more than they need.
    assert {
        entry.kind for entry in await outbox_rows.claim(database.writer, kinds, 4, seconds=5)
    } == {"notice"}
