"""The log of events, while sequencers are killed and a transaction stays open."""

import asyncio
import json
import random
import signal
import statistics
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import httpx2
import pytest
from sqlalchemy.engine import URL

from adsvc.enums import AdvisoryLock
from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import Service
from faults.test_outbox import Worker, connected
from support.scene.api import PASSWORD

pytestmark = [pytest.mark.drill, pytest.mark.alone]

# The node that has a server; the others are workers.
SERVER = "server"
WRITERS = 16
ADS = 50
KILLS = times(20, short=3)
# So long does a transaction stay open.
SECONDS = times(60, short=10)
# After it ends, or after the last commit.
SETTLED_SECONDS = 30
# On a machine on which 16 writers and three workers share two cores.
START_SECONDS = 60
# A killed process is replaced within this time; events then take longer by one move at most.
TAKE_OVER_SECONDS = 2.0
LATE_SECONDS = 4.0

MAKE = """
    INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, role)
        VALUES ('anna', 'anna', '', '', '', '', 'USER');
    INSERT INTO ads (author_id, title, description, price, image)
        SELECT 1, 'Oak', 'Oak.', 1, 'image' || n FROM generate_series(0, $ADS) n;
""".replace("$ADS", str(ADS))
RAISE = "UPDATE ads SET price = price + 1 WHERE id = $1 RETURNING price"
READ = """
    SELECT id, type, ad_id, data FROM events WHERE id > $1 ORDER BY id LIMIT 1000
"""
# The name of its connection has that of its node.
SEQUENCER = f"""
    SELECT split_part(application_name, '/', 2) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode = 'ExclusiveLock'
        AND (classid::bigint << 32) + objid::bigint = {AdvisoryLock.SEQUENCER}
        AND datname = current_database()
"""  # noqa: S608 - no input


PROCESSES = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'adsvc/%/listener'
"""


def now() -> float:
    return asyncio.get_running_loop().time()


@dataclass
class Seen:
    """What a reader by cursor has got: events in their order, and when."""

    ids: list[int] = field(default_factory=list)
    prices: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    times: dict[tuple[int, int], float] = field(default_factory=dict)

    async def read(self, connection: asyncpg.Connection) -> None:
        for row in await connection.fetch(READ, self.ids[-1] if self.ids else 0):
            self.add(row["id"], row["type"], row["ad_id"], json.loads(row["data"]))

    def add(self, identifier: int, kind: str, ad: int, data: dict[str, Any]) -> None:
        self.ids.append(identifier)
        if kind == "ad.priceChanged":
            self.prices[ad].append((data["from"], data["to"]))
            self.times[ad, data["to"]] = now()


@asynccontextmanager
async def reading(database: URL) -> AsyncIterator[Seen]:
    """One that reads until the end of the block."""
    seen = Seen()

    async def read() -> None:
        async with connected(database) as connection:
            while True:
                await seen.read(connection)
                await asyncio.sleep(0.01)

    task = asyncio.create_task(read())
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def following(service: Service, token: str) -> AsyncIterator[Seen]:
    """As `reading`, by `GET /events` of a process that is killed now and then."""
    seen = Seen()

    async def follow() -> None:
        query: dict[str, str | int] = {"wait": 1, "limit": 1000}
        async with service.client(headers={"Authorization": f"Bearer {token}"}) as client:
            while True:
                try:
                    answer = await client.get("/events", params=query)
                except httpx2.TransportError:
                    await asyncio.sleep(0.05)
                    continue
                # While it begins, or the database does.
                if answer.status_code != 503:
                    page = answer.raise_for_status().json()
                    for event in page["results"]:
                        seen.add(event["id"], event["type"], event["ad"], event["data"])
                    query["after"] = page["next"]

    task = asyncio.create_task(follow())
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.wait([task])


async def administrator(service: Service, connection: asyncpg.Connection) -> str:
    """Its token."""
    account = {"username": "admin@example.com", "password": PASSWORD}
    async with service.client() as client:
        assert (await client.post("/register", json=account)).is_success
        await connection.execute("UPDATE users SET role = 'ADMIN'")
        token: str = (await client.post("/login", json=account)).json()["access_token"]
    return token


Committed = dict[tuple[int, int], float]


async def write(database: URL, enough: asyncio.Event, committed: Committed) -> None:
    """Raises prices by transactions that pause before some commits, and notes when each ended."""
    async with connected(database) as connection:
        while not enough.is_set():
            first = random.randint(2, ADS + 1)
            # In one order, so that none waits for another that waits for it.
            ads = [first, random.randint(first, ADS + 1)] if random.random() < 0.5 else [first]
            raised = []
            async with connection.transaction():
                for ad in ads:
                    raised.append((ad, await connection.fetchval(RAISE, ad)))
                    if random.random() < 0.3:
                        await asyncio.sleep(random.random() * 0.05)
            committed |= dict.fromkeys(raised, now())


async def compare(connection: asyncpg.Connection, seen: Seen) -> None:
    events = await connection.fetchval("SELECT count(*) FROM events")
    assert seen.ids == [*range(1, events + 1)]
    for row in await connection.fetch("SELECT id, price FROM ads"):
        # From each price to the next, so in the order of the commits.
        assert seen.prices[row["id"]] == [(n, n + 1) for n in range(1, row["price"])], row["id"]


async def sequencer(connection: asyncpg.Connection, *, besides: str = "") -> str:
    """The node that is it, as soon as one is that is not that one."""
    async with asyncio.timeout(START_SECONDS):
        while (node := await connection.fetchval(SEQUENCER)) in {None, besides}:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    name: str = node
    return name


async def until_processes(connection: asyncpg.Connection, number: int) -> None:
    async with asyncio.timeout(START_SECONDS):
        while await connection.fetchval(PROCESSES) < number:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(SETTLED_SECONDS):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_the_log_has_each_event_once_and_in_order_whatever_is_killed(
    new_service: NewService, database: URL
) -> None:
    """A transaction that stays open delays its own event, and no other.

    A reader by SQL measures, and one by HTTP gets the same, also when its server was killed.
    """
    service = new_service(node_name=SERVER)
    workers = {f"node{n}": Worker(new_service(node_name=f"node{n}")) for n in range(2)}
    committed: Committed = {}
    taken_over = []
    await service.start()
    async with connected(database) as connection, connected(database) as holding:
        token = await administrator(service, connection)
        for worker in workers.values():
            worker.start()
        try:
            await sequencer(connection)
            # The store has none of their pictures, so it has to be the database's by now.
            await connection.execute(MAKE)
            async with reading(database) as seen, following(service, token) as by_http:
                held = holding.transaction()
                await held.start()
                await holding.execute(RAISE, 1)
                end = now() + SECONDS
                enough = asyncio.Event()
                writers = [
                    asyncio.create_task(write(database, enough, committed)) for _ in range(WRITERS)
                ]
                for _ in range(KILLS):
                    # One that can take over.
                    await until_processes(connection, 2)
                    await asyncio.sleep(random.random())
                    node = await sequencer(connection)
                    began = now()
                    await (service.kill() if node == SERVER else workers[node].end(signal.SIGKILL))
                    await sequencer(connection, besides=node)
                    taken_over.append(now() - began)
                    if node == SERVER:
                        service.launch()
                    else:
                        workers[node].start()
                await asyncio.sleep(end - now())
                enough.set()
                await asyncio.gather(*writers)
                await until(lambda: committed.keys() <= seen.times.keys())
                assert 1 not in seen.prices
                await held.commit()
                began = now()
                await until(lambda: 1 in seen.prices)
                measured("the event of the transaction that was held", now() - began)
                await until(lambda: by_http.ids[-1:] == seen.ids[-1:])
        finally:
            for worker in workers.values():
                await worker.end(signal.SIGTERM)
        await compare(connection, seen)
    assert (by_http.ids, by_http.prices) == (seen.ids, seen.prices)
    assess([seen.times[key] - at for key, at in committed.items()], taken_over)


def assess(delays: list[float], taken_over: list[float]) -> None:
    measured("events of 16 writers", len(delays), "events")
    measured("from commit to reader, without wake-ups, median", statistics.median(delays))
    measured("the longest, across kills", max(delays))
    measured("the longest take-over", max(taken_over))
    assert max(taken_over) < TAKE_OVER_SECONDS
    assert max(delays) < LATE_SECONDS
