"""Connections that PostgreSQL ends, and schemas that change under prepared statements."""

import asyncio
import struct
import threading
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import NotSupportedError

from adsvc.kit.db.faults import SessionEndedError, is_database_fault
from adsvc.kit.db.servers import ServerConnection
from adsvc.settings.groups import Jobs
from conftest import ApiFactory
from support.scene.api import Api, Person, ad_form, image_form

FIELDS = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0"
THE_END = b"E" + struct.pack(">I", len(FIELDS) + 4) + FIELDS


def connections(api: Api) -> Iterator[ServerConnection]:
    """Those at rest in all pools."""
    database = api.state.database
    for pool in (
        database.reader._cached_plans,
        database.reader._new_plans,
        database.writer._cached_plans,
    ):
        for _, connection in pool._idle:
            yield connection
    engine_pool: Any = database.engine.sync_engine.pool
    for record in list(engine_pool._pool._queue._queue):
        yield record.driver_connection


def say_the_end(api: Api) -> None:
    """As when PostgreSQL's last words have been read, and the end of the stream has not."""
    for connection in connections(api):
        connection._protocol.data_received(THE_END)


def end_sessions(api: Api) -> None:
    """Ends them while the event loop stands still: what comes of it has not been read."""
    url = api.state.database.engine.url
    dsn = url.set(drivername="postgresql").render_as_string(hide_password=False)

    async def end() -> None:
        admin = await asyncpg.connect(dsn)
        await admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        await admin.close()

    thread = threading.Thread(target=lambda: asyncio.run(end()))
    thread.start()
    thread.join()


async def uses_all_pools(api: Api, person: Person, price: int) -> dict[str, int]:
    """The statuses of reads and changes, by every way to the database."""
    answers = {
        "list": await api.client.get("/ads", params={"minPrice": price}),
        "search": await api.client.get("/ads", params={"q": f"oak {price}"}),
        "me": await person.get("/users/me"),
        "sessions": await person.get("/users/me/sessions"),
        "change": await person.patch("/ads/1", json={"price": price}),
        "account": await person.patch("/users/me", json={"firstName": f"Anna{price}"}),
        "post": await person.post("/ads", files=ad_form(price=price)),
        "picture": await person.patch("/users/me/image", files=image_form()),
    }
    return {name: answer.status_code for name, answer in answers.items()}


@pytest.mark.heavy
@pytest.mark.parametrize("end", [say_the_end, end_sessions])
async def test_sessions_that_ended_at_rest_cost_no_request_anything(
    start_own_api: ApiFactory, end: Any
) -> None:
    async with start_own_api(database_pool_size=2, jobs=Jobs.OFF) as api:
        person = await api.person()
        await person.post_ad()
        before = await uses_all_pools(api, person, 1)
        assert set(before.values()) <= {200, 201, 204}, before
        for price in range(2, 5):
            end(api)
            assert await uses_all_pools(api, person, price) == before


async def test_a_read_whose_session_ends_is_repeated_and_a_change_is_not(api: Api) -> None:
    database = api.state.database
    ended = "SELECT pg_terminate_backend(pg_backend_pid())"
    done = list[str]()

    async def ends_once(connection: Any) -> Any:
        done.append("again")
        return await connection.fetchval(ended if len(done) == 1 else "SELECT 7")

    assert await database.reader.run(ends_once, keep_plan=True) == 7
    assert len(done) == 2
    with pytest.raises(SessionEndedError) as failed:
        await database.writer.fetch(ended)
    assert not failed.value.without_effect
    # Twice in a row is the database's fault.
    with pytest.raises(SessionEndedError):
        await database.reader.fetch(ended)


async def test_what_the_session_of_a_transaction_ends_in_is_a_database_fault(api: Api) -> None:
    database = api.state.database
    ended = text("SELECT pg_terminate_backend(pg_backend_pid())")
    # Alone it is a read, and repeated once.
    with pytest.raises(Exception, match="terminat") as failed:
        async with database.autocommit() as session:
            await session.scalar(ended)
    assert is_database_fault(failed.value)
    with pytest.raises(Exception, match="terminat") as failed:
        async with database.transaction() as transaction:
            await transaction.execute(ended)
    assert is_database_fault(failed.value)


async def test_a_session_that_says_its_end_in_a_transaction_is_a_database_fault(api: Api) -> None:
    async def work() -> None:
        async with api.state.database.transaction() as transaction:
            raw = await (await transaction.connection()).get_raw_connection()
            connection: Any = raw.driver_connection
            connection._protocol.data_received(THE_END)
            await transaction.execute(text("SELECT 1"))

    with pytest.raises(Exception, match="cannot switch") as failed:
        await work()
    assert is_database_fault(failed.value)


RETYPED = (
    "ALTER TABLE users ALTER COLUMN first_name TYPE varchar(300)",
    "ALTER TABLE comments ALTER COLUMN created_at TYPE timestamptz(6)",
    "ALTER TABLE sessions ALTER COLUMN client TYPE varchar(300)",
    "ALTER TABLE images ALTER COLUMN name TYPE varchar(300)",
)


@pytest.mark.heavy
async def test_columns_that_change_their_type_are_no_error(start_own_api: ApiFactory) -> None:
    async with start_own_api(database_pool_size=2, jobs=Jobs.OFF) as api:
        person = await api.person()
        await person.post_ad()
        for price, statement in enumerate(RETYPED, 1):
            await uses_all_pools(api, person, price)
            await api.sql(statement)
            for name, status in (await uses_all_pools(api, person, 100 + price)).items():
                reads = name in {"list", "search", "me", "sessions"}
                assert status in ({200} if reads else {200, 201, 204, 503}), (statement, name)
            after = await uses_all_pools(api, person, 200 + price)
            assert set(after.values()) <= {200, 201, 204}, after


@pytest.mark.heavy
async def test_a_plan_of_an_older_schema_is_the_connection_s_fault(
    start_own_api: ApiFactory,
) -> None:
    async with start_own_api(database_pool_size=1, jobs=Jobs.OFF) as api:
        database = api.state.database
        await api.sql("CREATE TABLE things AS VALUES (1)")

        async def follow(_row: object, _fetch_row: object) -> None:
            return

        async def change() -> None:
            # A transaction of several statements; PostgreSQL has refused it as a whole.
            await database.writer.followed(follow).fetchrow("SELECT * FROM things")

        async def change_by_session() -> None:
            async with database.transaction() as transaction:
                await transaction.execute(text("SELECT * FROM things"))

        await change()
        await change_by_session()
        await api.sql("ALTER TABLE things ALTER COLUMN column1 TYPE bigint")
        await change()
        with pytest.raises(NotSupportedError, match="cached statement") as failed:
            await change_by_session()
        assert is_database_fault(failed.value)
        await change_by_session()
        # A statement that stands alone goes again.
        await api.sql("ALTER TABLE things ALTER COLUMN column1 TYPE text")
        async with database.autocommit() as session:
            assert await session.fetchval("SELECT * FROM things") == "1"
