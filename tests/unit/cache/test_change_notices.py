import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL

from adsvc import migrations
from adsvc.invalidation import AdAspect, AdChange, InvalidationKind, new_bus, parse
from adsvc.kit import invalidation as changes_module
from adsvc.kit.counters import SequencerCounts
from adsvc.kit.db.database import Database
from adsvc.kit.db.servers import Servers
from adsvc.kit.invalidation import CHANNEL, CONFIDENCE_SECONDS, Invalidation
from adsvc.kit.security.tokens import KnownCaller, TokenCache, UnknownKeys
from adsvc.worker.sequencer import sequencing
from adsvc_ops.seeding.bulk import BulkRepository
from conftest import DatabaseFactory
from support.scene.warmth import WAIT_SECONDS
from support.trouble.clocks import Clock


@pytest.mark.parametrize("kind", InvalidationKind)
def test_a_payload_says_what_changed(kind: InvalidationKind) -> None:
    assert parse(f"{kind}:7") == Invalidation(kind, "7")
    assert parse(f"{kind}:") == parse(kind.value) == Invalidation(kind)


@pytest.mark.parametrize("payload", ["", ":", "ads:1", "Ad:1", "ad 1", "\0"])
def test_other_payloads_say_nothing(payload: str) -> None:
    with pytest.raises(ValueError, match="not a valid InvalidationKind"):
        parse(payload)


def test_a_notice_of_an_ad_says_what_changed() -> None:
    change = AdChange(7, 3, 2, 1, frozenset({AdAspect.PRICE, AdAspect.CLASSIFICATION}))
    assert parse("ad:7:3:2:1:pa") == change.invalidation
    nothing = AdChange(7, 3, 0, 0, frozenset())
    assert parse("ad:7:3:0:0:") == Invalidation(InvalidationKind.AD, "7", nothing)


@pytest.mark.parametrize("payload", ["ad:x:1:0:0:s", "ad::1:0:0:s", "ad:1:1:0:0:z"])
def test_a_notice_of_an_ad_that_says_nothing_known_is_refused(payload: str) -> None:
    with pytest.raises(ValueError, match=r"not a valid AdAspect|invalid literal"):
        parse(payload)


def test_a_change_is_counted_before_it_is_passed_on() -> None:
    changes = new_bus()
    seen: list[tuple[Invalidation, int]] = []
    changes.follow(lambda change: seen.append((change, changes.generations[change.kind])))
    changes.apply(Invalidation(InvalidationKind.AD, "1"))
    changes.apply(Invalidation(InvalidationKind.AD))
    changes.apply(Invalidation(InvalidationKind.USER, "1"))
    assert [count for _, count in seen] == [1, 2, 1]
    changes.apply_all()
    assert [change for change, _ in seen[3:]] == [Invalidation(kind) for kind in InvalidationKind]
    assert set(changes.generations.values()) == {1, 2, 3}


def test_confidence_lasts_a_while_and_ends_with_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock.of(changes_module, monkeypatch)
    changes = new_bus()
    reliable = [changes.reliable]
    changes.confirm()
    for seconds in (CONFIDENCE_SECONDS - 0.01, 0.02):
        clock.now += seconds
        reliable.append(changes.reliable)
    changes.confirm()
    changes.apply(Invalidation(InvalidationKind.AD))
    reliable.append(changes.reliable)
    changes.apply_all()
    assert [*reliable, changes.reliable] == [False, True, False, True, False]
    # Five seconds are promised, of which the last heartbeat may take one.
    assert CONFIDENCE_SECONDS + 1 < 5


def test_callers_are_known_while_their_sessions_last() -> None:
    changes = new_bus()
    callers, nobody = TokenCache(changes, enabled=True), TokenCache(changes, enabled=False)
    changes.confirm()
    for known in (callers, nobody):
        for session in (1, 2):
            caller = KnownCaller(7, session, 2**40, is_admin=False)
            known.keep_known(f"Bearer token{session}", caller, known.begun)
    assert nobody.get("Bearer token1") is None
    found = callers.get("Bearer token1")
    assert found is not None
    assert found.session_id == 1
    for wrong in ("token1", "bearer token1", "Bearer token3", "Bearer  token1", ""):
        assert callers.get(wrong) is None
    begun = callers.begun
    changes.apply(Invalidation(InvalidationKind.SESSION, "1"))
    assert callers.get("Bearer token1") is None
    assert callers.get("Bearer token2") is not None
    callers.keep_known("Bearer token1", KnownCaller(7, 1, 2**40, is_admin=False), begun)
    assert callers.get("Bearer token1") is None
    callers.keep_known("Bearer old", KnownCaller(7, 3, 1, is_admin=False), callers.begun)
    assert callers.get("Bearer old") is None
    changes.apply(Invalidation(InvalidationKind.SESSION))
    assert callers.get("Bearer token2") is None


def test_a_key_looked_up_before_its_account_changed_is_not_taken_for_unknown() -> None:
    changes = new_bus()
    unknown = UnknownKeys(changes)
    begun = unknown.begun
    changes.apply(Invalidation(InvalidationKind.USER, "7"))
    unknown.keep(b"early", begun)
    unknown.keep(b"late", unknown.begun)
    assert not unknown.has(b"early")
    assert unknown.has(b"late")
    changes.apply(Invalidation(InvalidationKind.USER, "7"))
    assert not unknown.has(b"late")


@pytest.fixture
async def url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    async with new_database() as made:
        yield made


async def noted(url: URL, *statements: str) -> list[str]:
    """The notices of these, each a transaction, without what only the log of events has."""
    connection = await Servers(url).connect()
    try:
        for statement in statements:
            await connection.execute(statement)
        rows = await connection.fetch("DELETE FROM changes RETURNING notice")
    finally:
        await connection.close()
    return sorted({row["notice"] for row in rows if row["notice"] is not None})


MAKE = """
    INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, role)
        SELECT n, n, '', '', '', '', 'USER' FROM generate_series(1, 3) n;
    INSERT INTO ads (author_id, title, description, price, image)
        SELECT 1 + n % 2, 'Oak table', 'Solid oak.', 1, 'image' || n FROM generate_series(1, 60) n;
    INSERT INTO sessions (user_id, handle_hash, secret_hash, client, expires_at)
        SELECT 3, n::text::bytea, '', '', now() FROM generate_series(1, 2) n;
"""


CHANGES = {
    MAKE: ["ad:1:2:0:0:s"],
    "UPDATE ads SET price = 2 WHERE id < 3": ["ad:1:2:0:0:p", "ad:2:1:0:0:p"],
    "UPDATE ads SET price = 3 WHERE id = 99": [],
    "UPDATE ads SET title = 'Ash' WHERE id = 1": ["ad:1:2:0:0:w"],
    "UPDATE ads SET category_id = 1 WHERE id = 1": ["ad:1:2:1:0:a"],
    "UPDATE ads SET category_id = 2, price_type = 'free' WHERE id = 1": ["ad:1:2:2:1:pa"],
    "UPDATE ads SET attribute_words = 'Metal' WHERE id = 1": ["ad:1:2:2:2:w"],
    "UPDATE ads SET attributes = '{\"a\": 1}' WHERE id = 1": ["ad:1:2:2:2:a"],
    (
        "UPDATE ads SET latitude = 1, longitude = 1, public_latitude = 1, public_longitude = 1"
        " WHERE id = 1"
    ): ["ad:1:2:2:2:l"],
    "UPDATE ads SET expires_at = now() WHERE id = 1": ["ad:1:2:2:2:s"],
    "UPDATE ads SET status = 'sold' WHERE id = 1": ["ad:1:2:2:2:s"],
    "UPDATE ads SET expires_at = NULL, title = 'Elm', price = 9 WHERE id = 1": ["ad:1:2:2:2:"],
    (
        "INSERT INTO ads (author_id, title, description, price, image, status, category_id)"
        " VALUES (2, 'Ash table', '', 1, 'image61', 'draft', 1)"
    ): ["ad:61:2:1:0:"],
    "UPDATE ads SET status = 'active' WHERE id = 61": ["ad:61:2:1:1:s"],
    "UPDATE ads SET status = 'withdrawn' WHERE id = 61": ["ad:61:2:1:1:s"],
    "DELETE FROM ads WHERE id = 61": ["ad:61:2:1:0:", "image:image61"],
    "UPDATE ads SET image = 'other' WHERE id = 1": ["ad:1:2:2:2:", "image:image1"],
    "UPDATE ad_images SET name = 'another' WHERE ad_id = 1": ["ad:1:2:2:2:"],
    "DELETE FROM ads WHERE id = 2": ["ad:2:1:0:0:s", "image:image2"],
    "DELETE FROM ads WHERE id = 99": [],
    "INSERT INTO comments (ad_id, author_id, text) VALUES (1, 1, 'Still there?')": [],
    "DELETE FROM comments": [],
    "UPDATE users SET phone = '1' WHERE id = 2": ["user:2"],
    "UPDATE users SET image = 'avatar' WHERE id = 2": ["user:2"],
    "UPDATE users SET image = 'other' WHERE id = 2": ["image:avatar", "user:2"],
    "UPDATE sessions SET client = 'x'": [],
    "DELETE FROM sessions WHERE id = 1": ["session:1"],
    "DELETE FROM users WHERE id = 3": ["session:2", "user:3"],
    "BEGIN; DELETE FROM ads; ROLLBACK": [],
    "UPDATE categories SET position = 1": ["category:"],
    "INSERT INTO outbox (kind, payload) VALUES ('letter', '{}')": ["outbox:"],
    "TRUNCATE comments, ads CASCADE": ["ad:", "image:"],
    "TRUNCATE users CASCADE": ["ad:", "image:", "key:", "session:", "user:"],
}


@pytest.mark.heavy
async def test_every_change_has_its_notice(url: URL) -> None:
    await noted(url, "INSERT INTO categories (slug, name) VALUES ('a', 'A'), ('b', 'B')")
    for statement, notices in CHANGES.items():
        found = await noted(url, statement)
        if statement is MAKE:
            assert len(found) == 60
            found = [notice for notice in found if notice.startswith("ad:1:")]
        assert found == notices, statement
        for notice in found:
            parse(notice)


@pytest.mark.heavy
@pytest.mark.parametrize("count", [100, 101, 5000])
async def test_many_changes_at_once_are_one_notice(url: URL, count: int) -> None:
    many = f"""
        INSERT INTO sessions (user_id, handle_hash, secret_hash, client, expires_at)
        SELECT 1, n::text::bytea, '', '', now() FROM generate_series(10, {count + 9}) n
    """  # noqa: S608
    await noted(url, MAKE, many)
    found = await noted(url, "DELETE FROM sessions WHERE user_id = 1")
    assert len(found) == (count if count <= 100 else 1)
    assert ("session:" in found) == (count > 100)


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not condition():  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.005)


@pytest.fixture
async def listening(url: URL) -> AsyncIterator[Database]:
    database = Database(url, changes=new_bus())
    database.listen()
    async with sequencing(database, event_days=1, counts=SequencerCounts()):
        await wait_until(lambda: database.changes.reliable)
        yield database
    await database.close()


NOTE = "INSERT INTO changes (notice) VALUES ('{}')"


async def run(database: Database, statement: str) -> None:
    async with database.autocommit() as session:
        await session.execute(text(statement))


Act = Callable[[Database], Awaitable[None]]


@pytest.mark.heavy
async def test_a_lost_connection_is_noticed_at_once_and_made_anew(listening: Database) -> None:
    changes = listening.changes
    before = dict(changes.generations)
    await run(
        listening,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name LIKE '%/listener' AND datname = current_database()",
    )
    # Less than a heartbeat later, or the next answer could be a stale one.
    await asyncio.wait_for(wait_until(lambda: not changes.reliable), 0.5)
    assert all(changes.generations[kind] > before[kind] for kind in InvalidationKind)
    # Changes meanwhile are missed, so after reconnecting everything counts as changed.
    await run(listening, NOTE.format("ad:1"))
    meanwhile = dict(changes.generations)
    await wait_until(lambda: changes.reliable)
    assert all(changes.generations[kind] > meanwhile[kind] for kind in InvalidationKind)
    seen: list[Invalidation] = []
    changes.follow(seen.append)
    await run(listening, NOTE.format("ad:1"))
    await wait_until(lambda: bool(seen))
    assert seen == [Invalidation(InvalidationKind.AD, "1")]


@pytest.mark.heavy
async def test_what_is_not_understood_may_be_about_anything(listening: Database) -> None:
    generations = listening.changes.generations
    for payload in ("nonsense", "", "1:2", "1:x:ad:1", "1:2:vote:1", json.dumps({"ad": 1})):
        before = dict(generations)
        await run(listening, f"NOTIFY {CHANNEL}, '{payload}'")
        async with asyncio.timeout(WAIT_SECONDS):
            while not all(generations[kind] > before[kind] for kind in InvalidationKind):  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        assert listening.changes.generations is generations, payload
    await wait_until(lambda: listening.changes.reliable)


@pytest.mark.heavy
async def test_copied_rows_are_announced_too(listening: Database) -> None:
    await run(listening, MAKE.split(";", maxsplit=1)[0])
    seen: list[Invalidation] = []
    listening.changes.follow(seen.append)
    async with listening.transaction() as transaction:
        await BulkRepository(transaction).copy(
            "ads",
            [
                {"author_id": 1, "title": "Oak table", "description": "Solid oak.", "price": 1,
                 "image": f"image{n}"}
                for n in range(100)
            ],
        )  # fmt: skip
    await wait_until(lambda: len(seen) >= 100)
    assert {change.id for change in seen} == {str(number) for number in range(1, 101)}


@pytest.mark.heavy
async def test_another_search_language_is_announced(url: URL, listening: Database) -> None:
    """It changes no row, but what a search finds."""
    seen: list[Invalidation] = []
    listening.changes.follow(seen.append)
    await migrations.upgrade(url, language="german")
    await wait_until(lambda: bool(seen))
    assert seen == [Invalidation(InvalidationKind.AD)]


@pytest.mark.heavy
async def test_other_channels_are_not_listened_to(listening: Database) -> None:
    before = dict(listening.changes.generations)
    await run(listening, "NOTIFY other, '1:1:ad:1'")
    await run(listening, "NOTIFY adsvc, 'ad:1'")
    await run(listening, NOTE.format("user:1"))
    await wait_until(
        lambda: listening.changes.generations[InvalidationKind.USER] > before[InvalidationKind.USER]
    )
    assert listening.changes.generations[InvalidationKind.AD] == before[InvalidationKind.AD]
