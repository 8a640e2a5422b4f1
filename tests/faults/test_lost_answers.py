"""Responses that are lost because the process is killed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import asyncpg
import httpx2
import pytest
from sqlalchemy.engine import URL

from faults.conftest import NewService
from faults.postgres import Postgres
from faults.scale import times
from faults.served import Service, register
from support.scene.api import PASSWORD, Person, ad_form, image_form

pytestmark = pytest.mark.drill

# A commit that makes a change waits for the holder of the lock.
WAIT = """
CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(38);
    RETURN NULL;
END $$
"""
WAITS = """
CREATE CONSTRAINT TRIGGER wait_at_commit AFTER INSERT ON {table}
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_at_commit()
"""
WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event = 'advisory'
"""
TABLES = ("ads", "ad_images", "comments", "ad_events", "users", "messages")


async def until(connection: asyncpg.Connection, statement: str, count: int) -> None:
    async with asyncio.timeout(20):
        while await connection.fetchval(statement) != count:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.01)


@asynccontextmanager
async def commits_held(connection: asyncpg.Connection) -> AsyncIterator[None]:
    await connection.execute("SELECT pg_advisory_lock(38)")
    try:
        yield
    finally:
        await connection.execute("SELECT pg_advisory_unlock(38)")


@dataclass(frozen=True)
class Sent:
    """One request with its key, sent again and again."""

    person: Person
    where: str
    options: dict[str, Any]
    # Has one row more when it has happened.
    table: str

    async def rows(self, connection: asyncpg.Connection) -> int:
        return len(await connection.fetch(f"TABLE {self.table}"))

    async def to(self, service: Service) -> httpx2.Response:
        async with service.client() as client:
            return await replace(self.person, client=client).post(self.where, **self.options)


async def lose_answer(service: Service, connection: asyncpg.Connection, sent: Sent) -> None:
    """Kills the service when PostgreSQL has the commit, and no response has been sent."""
    request = asyncio.create_task(sent.to(service))
    await until(connection, WAITING, 1)
    await service.kill()
    await asyncio.wait([request])
    assert isinstance(request.exception(), httpx2.TransportError)


@pytest.mark.alone
async def test_row_38_a_lost_answer_comes_again_and_the_effect_does_not(
    new_service: NewService, postgres: Postgres, database: URL
) -> None:
    service = new_service(database_timeout_seconds=20)
    await service.start()
    connection = await postgres.connect(str(database.database))
    await connection.execute(WAIT)
    for table in TABLES:
        await connection.execute(WAITS.format(table=table))
    async with service.client() as client:
        person, buyer = await register(client), await register(client)
    for number in range(times(4, short=1)):
        for sent in _requests(person, buyer, number):
            await _lose_and_ask_again(service, connection, sent)
    await connection.close()


def _requests(person: Person, buyer: Person, number: int) -> Iterator[Sent]:
    ad = f"/ads/{number + 1}"
    record = {"username": f"new{number}@example.com", "password": PASSWORD}
    # The first message begins the conversation with the seller, and the next ones go on with it.
    for sender, where, table, options in (
        (person, "/ads", "ads", {"files": ad_form()}),
        (person, f"{ad}/images", "ad_images", {"files": image_form()}),
        (person, f"{ad}/comments", "comments", {"json": {"text": "Hello"}}),
        (buyer, f"{ad}/messages", "messages", {"json": {"text": "Hello"}}),
        (buyer, f"/conversations/{number + 1}/messages", "messages", {"json": {"text": "Hello"}}),
        (person, f"{ad}/sell", "ad_events", {"json": {"price": 7}}),
        (person, "/register", "users", {"json": record}),
    ):
        headers = {"Idempotency-Key": f"{number} {where}"}
        yield Sent(sender, where, {**options, "headers": headers}, table)


async def _lose_and_ask_again(service: Service, connection: asyncpg.Connection, sent: Sent) -> None:
    before = await sent.rows(connection)
    async with commits_held(connection):
        await lose_answer(service, connection, sent)
        await service.start()
        # PostgreSQL has noticed nothing, and will commit.
        assert await sent.rows(connection) == before
        early = asyncio.create_task(sent.to(service))
        await asyncio.wait([early], timeout=0.5)
    answers = [await early, *[await sent.to(service) for _ in range(3)]]
    if answers[0].status_code == httpx2.codes.CONFLICT:
        # It has not waited for the commit.
        assert answers.pop(0).headers["Retry-After"] == "1"
    for answer in answers:
        assert answer.is_success, answer.text
        assert answer.headers["Idempotent-Replayed"] == "true"
        assert answer.content == answers[0].content
    assert await sent.rows(connection) == before + 1, sent.where
