"""The log of events: what is in it, its order, and who writes it."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from sqlalchemy.engine import URL

from adsvc.enums import EventType
from adsvc.invalidation import InvalidationKind, new_bus
from adsvc.kit.counters import SequencerCounts
from adsvc.kit.db.database import Database
from adsvc.kit.db.servers import ServerConnection, Servers
from adsvc.kit.invalidation import CHANNEL
from adsvc.repositories import events as repository
from adsvc.repositories.events import SequencerRepository
from adsvc.worker import sequencer as module
from adsvc.worker.sequencer import sequencing
from adsvc_ops.backup.database import BackupQueries
from conftest import DatabaseFactory
from support.scene.warmth import WAIT_SECONDS


@pytest.fixture
async def url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    async with new_database() as made:
        yield made


@asynccontextmanager
async def connected(url: URL) -> AsyncIterator[ServerConnection]:
    connection = await Servers(url).connect()
    try:
        yield connection
    finally:
        connection.terminate()


@asynccontextmanager
async def process(url: URL) -> AsyncIterator[Database]:
    """What each process has that may be the sequencer."""
    database = Database(url, changes=new_bus())
    database.listen()
    async with sequencing(database, event_days=30, counts=SequencerCounts()):
        yield database
    await database.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not condition():  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.01)


async def log(connection: ServerConnection) -> list[asyncpg.Record]:
    return list(await connection.fetch("SELECT * FROM events ORDER BY id"))


MAKE = """
    INSERT INTO categories (slug, name) VALUES ('cars', 'Cars');
    INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, role)
        SELECT n, n, '', '', '', '', 'USER' FROM generate_series(1, 2) n;
    INSERT INTO ads (author_id, title, description, price, image, status)
        SELECT 1, 'Oak', 'Oak.', 1, 'image' || n, CASE n WHEN 1 THEN 'draft' ELSE 'active' END
        FROM generate_series(1, 2) n;
"""


def step(status: str) -> str:
    return f"UPDATE ads SET status = '{status}' WHERE id = 1"  # noqa: S608


Happened = tuple[str, int | None, int | None, dict[str, Any]]


def stepped(event: str, old: str, new: str) -> list[Happened]:
    return [(event, 1, 1, {"from": old, "to": new})]


HAPPENED: dict[str, list[Happened]] = {
    MAKE: [
        ("user.registered", None, 1, {}),
        ("user.registered", None, 2, {}),
        ("ad.created", 1, 1, {"status": "draft"}),
        ("ad.created", 2, 1, {"status": "active"}),
    ],
    step("active"): stepped("ad.published", "draft", "active"),
    step("reserved"): stepped("ad.reserved", "active", "reserved"),
    "UPDATE ads SET status = 'active', updated_at = now() WHERE id = 1":
        stepped("ad.released", "reserved", "active"),
    step("suspended"): stepped("ad.hidden", "active", "suspended"),
    step("removed"): stepped("ad.hidden", "suspended", "removed"),
    "UPDATE ads SET status = 'active' WHERE id = 1;": stepped("ad.shown", "removed", "active"),
    step("sold"): stepped("ad.sold", "active", "sold"),
    step("withdrawn"): stepped("ad.withdrawn", "sold", "withdrawn"),
    step("expired"): stepped("ad.expired", "withdrawn", "expired"),
    "UPDATE ads SET status = 'active' WHERE id = 1 ": stepped("ad.published", "expired", "active"),
    step("withdrawn") + " ": stepped("ad.withdrawn", "active", "withdrawn"),
    # Nobody sees that end move.
    "UPDATE ads SET expires_at = '2030-01-01', updated_at = now() WHERE id = 1": [],
    "UPDATE ads SET expires_at = '2031-01-01', updated_at = now() WHERE id = 1": [],
    step("active") + "  ": stepped("ad.published", "withdrawn", "active"),
    "UPDATE ads SET expires_at = '2040-01-01' WHERE id = 1": [("ad.renewed", 1, 1, {})],
    "UPDATE ads SET expires_at = '2041-01-01', updated_at = now() WHERE id = 1": [
        ("ad.renewed", 1, 1, {}),
    ],
    # Expired, and not marked yet: it was not seen before.
    "UPDATE ads SET expires_at = now() - interval '1 s' WHERE id = 1": [],
    "UPDATE ads SET expires_at = '2042-01-01', updated_at = now() WHERE id = 1":
        stepped("ad.published", "expired", "active"),
    "UPDATE ads SET price = 5, updated_at = now() WHERE id = 2": [
        ("ad.priceChanged", 2, 1, {"from": 1, "to": 5}),
    ],
    "UPDATE ads SET price = 6, title = 'Ash', updated_at = now() WHERE id = 2": [
        ("ad.priceChanged", 2, 1, {"from": 5, "to": 6}),
        ("ad.updated", 2, 1, {}),
    ],
    "UPDATE ads SET updated_at = now() + interval '1 s' WHERE id = 2": [("ad.updated", 2, 1, {})],
    "UPDATE ads SET search = search": [],
    "INSERT INTO comments (ad_id, author_id, text) VALUES (1, 2, 'Hello'), (2, 2, 'Hello')": [
        ("comment.created", 1, 2, {"comment": 1}),
        ("comment.created", 2, 2, {"comment": 2}),
    ],
    "DELETE FROM comments WHERE id = 1": [("comment.deleted", 1, 2, {"comment": 1})],
    "UPDATE users SET mail_verified = true WHERE id = 1": [("user.verified", None, 1, {})],
    "UPDATE users SET suspended_until = 'infinity' WHERE id = 1": [("user.suspended", None, 1, {})],
    "UPDATE users SET suspended_until = now() WHERE id = 1": [],
    "UPDATE users SET suspended_until = NULL WHERE id = 1": [("user.restored", None, 1, {})],
    """
        INSERT INTO cases (kind, target_id, ad_id, author_id, snapshot)
            VALUES ('ad', 2, 2, 1, '{}');
        INSERT INTO reports (case_id, reporter_id, reason, text) VALUES (1, 2, 'scam', '');
    """: [("report.created", 2, 1, {"case": 1})],
    "INSERT INTO decisions (case_id, user_id, action) VALUES (1, 1, 'dismiss')": [
        ("decision.made", 2, 1, {"case": 1, "decision": 1, "action": "dismiss"}),
    ],
    """
        INSERT INTO conversations (ad_id, title, buyer_id, seller_id) VALUES (2, 'Oak', 2, 1);
        INSERT INTO messages (conversation_id, author_id, by, text) VALUES (1, 2, 'buyer', 'Hello');
    """: [("message.sent", 2, 2, {"conversation": 1, "message": 1, "to": 1})],
    """
        INSERT INTO messages (conversation_id, author_id, by, text, held)
            VALUES (1, 2, 'buyer', 'Hello', true)
    """: [],
    "UPDATE messages SET held = false": [
        ("message.sent", 2, 2, {"conversation": 1, "message": 2, "to": 1}),
    ],
    """
        INSERT INTO offers (conversation_id, price, by, expires_at)
            VALUES (1, 5, 'buyer', '2040-01-01');
        INSERT INTO messages (conversation_id, author_id, by, text, kind, offer_id)
            VALUES (1, 2, 'buyer', '', 'offer', 1);
    """: [
        (
            "offer.made", 2, 2,
            {"conversation": 1, "message": 3, "offer": 1, "price": 5, "to": 1},
        ),
    ],
    """
        INSERT INTO messages (conversation_id, author_id, by, text, kind, offer_id)
            VALUES (1, 1, 'seller', 'accepted', 'notice', 1);
    """: [("offer.accepted", 2, 1, {"conversation": 1, "message": 4, "offer": 1, "to": 2})],
    """
        INSERT INTO deals (ad_id, title, price, buyer_id, seller_id) VALUES (2, 'Oak', 5, 2, 1);
        INSERT INTO ratings (deal_id, role, author_id, rated_id, stars, text)
            VALUES (1, 'buyer', 2, 1, 5, '');
    """: [("rating.created", 2, 2, {"deal": 1, "rating": 1})],
    "UPDATE ratings SET shown_at = now()": [("rating.shown", 2, 2, {"deal": 1, "rating": 1})],
    "UPDATE ratings SET removed = true": [],
    "DELETE FROM ads WHERE id = 2": [("ad.deleted", 2, 1, {})],
    "BEGIN; DELETE FROM users; ROLLBACK": [],
    "DELETE FROM users WHERE id = 2": [("user.deleted", None, 2, {})],
}  # fmt: skip


@pytest.mark.heavy
async def test_what_happens_is_in_the_log(url: URL) -> None:
    async with connected(url) as connection, connected(url) as other:
        events = SequencerRepository(connection)
        assert await events.lead()
        await events.keep_partitions(30)
        seen = 0
        for statement, expected in HAPPENED.items():
            await other.execute(statement)
            await events.move()
            found = (await log(other))[seen:]
            seen += len(found)
            shown = [
                (row["type"], row["ad_id"], row["user_id"], json.loads(row["data"]))
                for row in found
            ]
            assert shown == expected, statement
        logged = {each[0] for found in HAPPENED.values() for each in found}
        # Matches are no events of the log: webhooks are sent them.
        assert logged == {*EventType} - {EventType.SEARCH_MATCHED}


async def write(url: URL, ads: list[int], seconds: float) -> None:
    """Changes prices, with pauses before some commits."""
    end = asyncio.get_running_loop().time() + seconds
    async with connected(url) as connection:
        while asyncio.get_running_loop().time() < end:
            ad = random.choice(ads)
            async with connection.transaction():
                await connection.execute("UPDATE ads SET price = price + 1 WHERE id = $1", ad)
                if random.random() < 0.3:
                    await asyncio.sleep(random.random() * 0.02)


@pytest.mark.heavy
async def test_the_log_has_each_change_once_and_in_the_order_of_commits(url: URL) -> None:
    """Also when sequencers end at any moment, and while a transaction stays open."""
    async with connected(url) as reading, connected(url) as slow:
        await reading.execute(MAKE)

        async def sequence() -> None:
            async with connected(url) as connection:
                events = SequencerRepository(connection)
                async with asyncio.timeout(WAIT_SECONDS):
                    while not await events.lead():  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                await events.keep_partitions(30)
                end = asyncio.get_running_loop().time() + 0.1 + random.random() * 0.2
                while asyncio.get_running_loop().time() < end:
                    await events.move()
                    await asyncio.sleep(random.random() * 0.01)
                # In the middle of a batch.
                moving = asyncio.create_task(events.move())
                await asyncio.sleep(random.random() * 0.003)
                connection.terminate()
                await asyncio.gather(moving, return_exceptions=True)

        await sequence()
        held = slow.transaction()
        await held.start()
        await slow.execute("UPDATE ads SET price = 100 WHERE id = 1")
        writers = [asyncio.create_task(write(url, [2], 1)) for _ in range(2)]
        other = "INSERT INTO comments (ad_id, author_id, text) VALUES (2, 1, 'Hello')"
        await reading.execute(other)
        while not all(writer.done() for writer in writers):
            await sequence()
        await asyncio.gather(*writers)
        await sequence()
        before = await log(reading)
        assert not [row for row in before if row["ad_id"] == 1 and row["type"] == "ad.priceChanged"]
        await held.commit()
        await sequence()
        rows = await log(reading)
        price = await reading.fetchval("SELECT price FROM ads WHERE id = 2")
        [late] = rows[len(before) :]
        assert (late["ad_id"], json.loads(late["data"])) == (1, {"from": 1, "to": 100})
        assert [row["id"] for row in rows] == [*range(1, len(rows) + 1)]
        changes = [
            json.loads(row["data"])
            for row in before
            if row["type"] == "ad.priceChanged" and row["ad_id"] == 2
        ]
        steps = [(change["from"], change["to"]) for change in changes]
        assert steps == [(each, each + 1) for each in range(1, price)]
        assert sum(row["type"] == "comment.created" for row in rows) == 1


@pytest.mark.heavy
async def test_what_was_moved_is_deleted_and_nothing_else(url: URL) -> None:
    async with connected(url) as connection, connected(url) as other, connected(url) as slow:
        events = SequencerRepository(connection)
        assert await events.lead()
        await events.keep_partitions(30)
        await other.execute(MAKE)
        held = slow.transaction()
        await held.start()
        await slow.execute("UPDATE ads SET price = 2 WHERE id = 1")
        await other.execute("UPDATE ads SET price = 2 WHERE id = 2")
        for _ in range(3):
            await events.move()
            await events.delete_moved()
        # Those of the transactions that began after the oldest that is open.
        left = "SELECT array_agg(ad_id ORDER BY id) FROM changes WHERE type IS NOT NULL"
        assert await other.fetchval(left) == [2]
        await held.commit()
        await events.move()
        await events.move()
        await events.delete_moved()
        await other.execute("UPDATE ads SET price = 3 WHERE id = 2")
        await events.move()
        await events.delete_moved()
        assert await other.fetchval("SELECT count(*) FROM event_batches") == 1
        assert [row["ad_id"] for row in await log(other)][-3:] == [2, 1, 2]


@pytest.mark.heavy
async def test_however_much_has_waited_is_moved_at_once_and_deleted_in_portions(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after hours in which older versions served, whose processes are no sequencers."""
    monkeypatch.setattr(repository, "DELETED_AT_ONCE", 20_000)
    async with connected(url) as connection:
        # Migrations announce what they change.
        await connection.execute("DELETE FROM changes")
        await connection.execute(
            "INSERT INTO changes (notice, type, ad_id, user_id, data)"
            " SELECT 'ad:' || n, 'ad.updated', n, 1, '{}' FROM generate_series(1, 50000) n"
        )
        # Statements elsewhere end after some seconds.
        await connection.execute("SET statement_timeout = 50")
        events = SequencerRepository(connection)
        assert await events.lead()
        await events.keep_partitions(30)
        batch = await events.move()
        assert batch is not None
        assert (batch.changes, batch.last_event_id, batch.notices) == (50_000, 50_000, ["ad:"])
        assert [await events.delete_moved() for _ in range(3)] == [False, False, True]
        assert await connection.fetchval("SELECT count(*) FROM changes") == 0


@pytest.mark.heavy
async def test_another_process_takes_over(url: URL) -> None:
    async with connected(url) as connection, connected(url) as other:
        events = SequencerRepository(connection)
        assert await events.lead()
        async with process(url) as first, process(url) as second:
            while not (first.changes.reliable and second.changes.reliable):
                await events.announce(events.last_batch)
                await asyncio.sleep(0.01)
            before = first.changes.generations[InvalidationKind.AD]
            connection.terminate()
            await until(lambda: first.changes.generations[InvalidationKind.AD] > before)
            await other.execute(MAKE)
            await until(lambda: first.changes.reliable and second.changes.reliable)
            async with asyncio.timeout(WAIT_SECONDS):
                while len(await log(other)) < 4:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)


@pytest.mark.heavy
async def test_one_that_ends_is_replaced_without_waiting_for_silence(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with AsyncExitStack() as first, connected(url) as other:
        leader = await first.enter_async_context(process(url))
        await until(lambda: leader.changes.reliable)
        async with process(url) as second:
            await until(lambda: second.changes.reliable)
            monkeypatch.setattr(module, "ELECTION_SECONDS", 3600)
            await first.aclose()
            await other.execute(MAKE)
            async with asyncio.timeout(WAIT_SECONDS):
                while len(await log(other)) < 4:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)


@pytest.mark.heavy
async def test_a_sequencer_that_is_stopped_loses_the_lock(
    url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONFIDENCE_SECONDS", 0.2)
    async with connected(url) as connection:
        assert await SequencerRepository(connection).lead()
        async with process(url) as second:
            await until(lambda: second.changes.reliable)
        await until(connection.is_closed)


@pytest.mark.heavy
async def test_one_that_waits_for_the_database_keeps_it(url: URL) -> None:
    async with connected(url) as connection, connected(url) as other:
        assert await SequencerRepository(connection).lead()
        waiting = asyncio.create_task(connection.execute("SELECT pg_sleep(60)"))
        async with asyncio.timeout(WAIT_SECONDS):
            while not await other.fetchval(  # noqa: ASYNC110
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE"
                " 'SELECT pg_sleep%' AND state = 'active'"
            ):
                await asyncio.sleep(0.01)
        events = SequencerRepository(other)
        assert not await events.lead()
        assert await events.end_silent(0) == 0
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


@pytest.mark.heavy
async def test_a_gap_in_the_batches_makes_everything_doubtful(url: URL) -> None:
    async with connected(url) as connection:
        events = SequencerRepository(connection)
        assert await events.lead()
        database = Database(url, changes=new_bus())
        database.listen()
        try:
            while not database.changes.reliable:
                await connection.execute(f"NOTIFY {CHANNEL}, '5:0:'")
                await asyncio.sleep(0.01)
            generations = database.changes.generations
            for number, all_dropped in ((5, False), (6, False), (8, True), (7, True), (8, False)):
                before = dict(generations)
                await connection.execute(f"NOTIFY {CHANNEL}, '{number}:0:session:{number}'")
                async with asyncio.timeout(WAIT_SECONDS):
                    while generations[InvalidationKind.SESSION] == before[InvalidationKind.SESSION]:  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                grown = generations[InvalidationKind.AD] > before[InvalidationKind.AD]
                assert grown is all_dropped, number
        finally:
            await database.close()


@pytest.mark.heavy
async def test_there_is_a_partition_for_each_day(url: URL) -> None:
    async with connected(url) as connection, connected(url) as other:
        events = SequencerRepository(connection)
        assert await events.lead()
        today = datetime.now(UTC).date()
        for age in (3, 2):
            await events._add_partition(today - timedelta(days=age))
        count = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass"
        async with other.transaction():
            await other.execute("SELECT FROM events")
            # What is read, as by a backup, is not dropped, and holds up nothing.
            await events.keep_partitions(2)
            assert await other.fetchval(count) == 5
        await events.keep_partitions(2)
        await events.keep_partitions(2)
        assert await other.fetchval(count) == 4
        with pytest.raises(asyncpg.UndefinedTableError):
            await other.execute(f"SELECT FROM events_{today - timedelta(days=3):%Y%m%d}")


@pytest.mark.heavy
async def test_a_restored_log_goes_on_and_no_cursor_of_the_old_one_is_valid(url: URL) -> None:
    async with connected(url) as connection, connected(url) as other:
        events = SequencerRepository(connection)
        assert await events.lead()
        await events.keep_partitions(30)
        await other.execute(MAKE)
        await events.move()
        await other.execute("UPDATE ads SET price = 2 WHERE id = 1")
        # As in a cluster whose transactions have got much further, or not so far.
        for xids in (10**9, -(10**9)):
            await other.execute("UPDATE changes SET xid = xid + $1", xids)
            await other.execute(
                "UPDATE event_batches SET snapshot = format('%s:%s:',"
                " pg_snapshot_xmin(snapshot::pg_snapshot)::text::bigint + $1::bigint,"
                " pg_snapshot_xmax(snapshot::pg_snapshot)::text::bigint + $1)",
                xids,
            )
            epoch = await other.fetchval("SELECT epoch FROM event_log")
            database = Database(url, changes=new_bus())
            async with database.transaction() as transaction:
                await BackupQueries(transaction).restart_log()
            await database.close()
            assert await other.fetchval("SELECT epoch FROM event_log") != epoch
            await connection.execute("SELECT pg_advisory_unlock_all()")
            assert await events.lead()
            await events.move()
            await other.execute("UPDATE ads SET price = price + 1 WHERE id = 1")
        await events.move()
        rows = await log(other)
        assert [row["id"] for row in rows] == [*range(1, 8)]
        assert [json.loads(row["data"]).get("to") for row in rows[4:]] == [2, 3, 4]
