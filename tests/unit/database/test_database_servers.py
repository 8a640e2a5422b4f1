"""Several servers of one database, of which one at a time accepts writes."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.db import servers as servers_module
from adsvc.kit.db.database import Database
from adsvc.kit.db.servers import Servers, addresses
from adsvc.settings import async_database_url
from support.trouble.databases import postgres_that, refusing, stay_silent

NOBODY = "127.0.0.1:1"
READ_ONLY = "SET default_transaction_read_only = on"


def with_hosts(url: URL, *others: str, **query: str) -> URL:
    """The same database, with other hosts before the one that is there."""
    host = url.query.get("host") or f"{url.host}:{url.port or 5432}"
    return url.set(host="", query={"host": (*others, str(host)), "ssl": "disable", **query})


@pytest.fixture
async def silent() -> AsyncIterator[str]:
    async with postgres_that(stay_silent) as secret:
        url = make_url(secret.get_secret_value())
        yield f"{url.host}:{url.port}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgresql://db/a", [("db", None)]),
        ("postgresql://db:5433/a", [("db", 5433)]),
        ("postgresql:///a", [(None, None)]),
        ("postgresql:///a?host=/run/pg&port=5433", [("/run/pg", 5433)]),
        ("postgresql://u:p@one:1,two/a", [("one", 1), ("two", None)]),
        ("postgresql://u:p@one,two:2/a?sslmode=require", [("one", None), ("two", 2)]),
        ("postgresql://u:a,b%40c@[::1]:1,[::2]/a", [("::1", 1), ("::2", None)]),
        ("postgresql:///a?host=one:1&host=/run/pg", [("one", 1), ("/run/pg", None)]),
    ],
)
def test_servers_are_named_as_libpq_has_them(
    text: str, expected: list[tuple[str | None, int | None]]
) -> None:
    url = async_database_url(text)
    assert addresses(url) == expected
    assert url.database == "a"
    # It survives being written and read again.
    again = url.render_as_string(hide_password=False)
    assert addresses(async_database_url(again)) == expected


@pytest.mark.heavy
async def test_the_servers_that_do_not_answer_leave_time_to_the_others(
    database_url: URL, silent: str
) -> None:
    servers = Servers(with_hosts(database_url, silent, NOBODY))
    connection = await servers.connect(timeout=6)
    # Who has found it asks it first: to wait for the silent one would take a third of the time.
    async with asyncio.timeout(20):
        again = await servers.connect(timeout=90)
    for one in (connection, again):
        assert servers.is_current(one)
        # Another server has been found meanwhile.
        one.address = ("another", 5432)
        assert not servers.is_current(one)
        assert await one.fetchval("SELECT 1") == 1
        one.terminate()


async def test_a_starting_server_is_skipped_and_a_wrong_password_is_reported(
    database_url: URL,
) -> None:
    async with postgres_that(refusing("57P03")) as starting:
        host = make_url(starting.get_secret_value())
        servers = Servers(with_hosts(database_url, f"{host.host}:{host.port}"))
        (await servers.connect()).terminate()
    async with postgres_that(refusing("28P01")) as strict:
        host = make_url(strict.get_secret_value())
        servers = Servers(with_hosts(database_url, f"{host.host}:{host.port}"))
        with pytest.raises(asyncpg.InvalidPasswordError):
            await servers.connect()


async def test_none_of_several_is_unavailable(database_url: URL) -> None:
    url = database_url.set(host="", query={"host": (NOBODY, "127.0.0.1:2")})
    with pytest.raises(DatabaseUnavailableError):
        await Servers(url).connect(timeout=1)


@pytest.mark.parametrize("wanted", ["standby", "read-only"])
async def test_a_primary_is_no_standby(database_url: URL, wanted: str) -> None:
    servers = Servers(with_hosts(database_url, target_session_attrs=wanted))
    with pytest.raises(asyncpg.CannotConnectNowError, match=f"not {wanted}"):
        await servers.connect()


async def test_of_several_servers_the_one_that_takes_writes_is_wanted(
    database_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = Servers(with_hosts(database_url, NOBODY))
    connection, other = await servers.connect(), await servers.connect()
    await servers.confirm(connection)
    await connection.execute(READ_ONLY)
    with pytest.raises(asyncpg.CannotConnectNowError, match="not read-write"):
        await servers.confirm(connection)
    servers.invalidate_connections()
    # Nor are the others from before believed.
    assert not servers.is_current(other)
    fresh = await servers.connect()
    assert servers.is_current(fresh)
    # Whoever makes writes fail does not make all connections anew each time.
    servers.invalidate_connections()
    assert servers.is_current(fresh)
    monkeypatch.setattr(servers_module, "INVALIDATION_SECONDS", 0)
    servers.invalidate_connections()
    assert not servers.is_current(fresh)
    for one in (connection, other, fresh):
        one.terminate()


async def test_connections_to_a_server_that_is_doubted_are_given_up(database_url: URL) -> None:
    """It may be a standby by now that answers all reads, only later and later."""
    database = Database(with_hosts(database_url, NOBODY))
    statement = "SELECT pg_backend_pid() AS pid"

    async def pids() -> list[object]:
        [row] = await database.reader.fetch(statement, keep_plan=True)
        async with database.autocommit() as session:
            connection = await session.connection()
            raw = await connection.get_raw_connection()
            # One that is new is not doubted.
            assert raw.driver_connection is not None
            raw.driver_connection.made_at -= 1
            return [row["pid"], await session.scalar(text(statement))]

    before = await pids()
    assert await pids() == before
    database.reader._cached_plans._servers.invalidate_connections()
    after = await pids()
    assert not set(before) & set(after)
    await database.close()


async def test_a_server_that_takes_no_writes_stands_in_for_reads_until_one_that_does_is_found(
    database_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers_module, "FALLBACK_SECONDS", 60)
    monkeypatch.setattr(servers_module, "PROBE_SECONDS", 0)
    # As the only server of a fleet that is up, which is a standby.
    servers = Servers(with_hosts(database_url, NOBODY, target_session_attrs="standby"))
    with pytest.raises(asyncpg.CannotConnectNowError):
        await servers.connect()
    one = await servers.connect(fallback=True)
    other = await servers.connect(fallback=True, server_settings={"work_mem": "5MB"})
    assert servers.is_current(one)
    assert await other.fetchval("SHOW work_mem") == "5MB"
    # It becomes the primary, and another caller finds it.
    servers._check = ""
    wanted = await servers.connect()
    assert servers.is_current(wanted)
    assert not servers.is_current(one)
    monkeypatch.setattr(servers, "_found_at", float("-inf"))
    assert servers.is_current(other)
    monkeypatch.setattr(servers_module, "FALLBACK_SECONDS", 0)
    assert not servers.is_current(other)
    for connection in (one, other, wanted):
        connection.terminate()


async def test_only_reads_are_let_stand_in(database_url: URL) -> None:
    database = Database(with_hosts(database_url, NOBODY, target_session_attrs="standby"))
    [row] = await database.reader.fetch("SELECT 1 AS one")
    assert row["one"] == 1
    with pytest.raises(asyncpg.CannotConnectNowError):
        await database.writer.fetch("SELECT 1")
    with pytest.raises(DBAPIError, match="not standby"):
        async with database.autocommit() as session:
            await session.scalar(text("SELECT 1"))
    await database.close()


@pytest.mark.heavy
async def test_a_stand_in_is_not_looked_for_by_each_connection(
    database_url: URL, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine that is lost answers nothing, and each look at it takes its part of the time."""
    monkeypatch.setattr(servers_module, "FALLBACK_SECONDS", 60)
    servers = Servers(with_hosts(database_url, silent, target_session_attrs="standby"))
    # The silent machine takes a third of it.
    first = await servers.connect(timeout=6, fallback=True)
    looks: list[object] = []
    monkeypatch.setattr(servers, "_connect_wanted", looks.append)
    second = await servers.connect(timeout=6, fallback=True)
    assert second.address == first.address
    assert servers.is_current(second)
    assert not looks
    for connection in (first, second):
        connection.terminate()


async def test_while_no_server_is_right_one_caller_looks_for_it_and_others_are_refused(
    database_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[object]()

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(writer)
        await refusing("57P03")(reader, writer)

    async with postgres_that(refuse) as url:
        starting = make_url(url.get_secret_value())
        servers = Servers(starting.set(drivername="postgresql+asyncpg", query={"ssl": "disable"}))
        for _ in range(20):
            with pytest.raises(asyncpg.CannotConnectNowError):
                await servers.connect(timeout=5)
        assert len(asked) == 1
        monkeypatch.setattr(servers, "_probe_at", 0)
        together = (servers.connect(timeout=5) for _ in range(20))
        errors = await asyncio.gather(*together, return_exceptions=True)
        assert {type(error) for error in errors} == {asyncpg.CannotConnectNowError}
        assert len(asked) == 2
    # One that finds a server lets all others in.
    servers._order = addresses(database_url)
    servers._options = Servers(database_url)._options
    monkeypatch.setattr(servers, "_probe_at", 0)
    for _ in range(2):
        (await servers.connect(timeout=5)).terminate()
