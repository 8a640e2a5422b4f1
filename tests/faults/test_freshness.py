"""What one worker writes the others show, even when connections between them break."""

import asyncio
import os
import signal
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import asyncpg
import httpx2
import pytest
from sqlalchemy.engine import URL

from adsvc.enums import AdvisoryLock
from faults.conftest import NewService
from faults.postgres import Postgres
from faults.scale import measured, times
from faults.served import Service, log_in, register
from support.scene.api import Person, image_form
from support.scene.logins import revoke
from support.scene.market import Market

pytestmark = pytest.mark.drill

# The promise is 100 ms; a machine that does other things besides may take longer.
PROMPT_SECONDS = 1.0
# Without the database nothing is answered from memory for longer.
CONFIDENCE_SECONDS = 5.0
LISTENERS = (
    "FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()"
    " AND application_name LIKE 'adsvc/%/listener'"
)


@asynccontextmanager
async def connected(service: Service, count: int = 1) -> AsyncIterator[list[httpx2.AsyncClient]]:
    """Clients with a connection each, which stays with the worker that took it."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(service.client()) for _ in range(count)]
        await asyncio.gather(*(client.get("/livez") for client in clients))
        yield clients


async def until(check: Callable[[], Awaitable[bool]], *, within: float) -> float:
    """How long it took until that was so."""
    began = time.monotonic()
    while not await check():
        assert time.monotonic() - began < within
    return time.monotonic() - began


async def price_of(client: httpx2.AsyncClient) -> int:
    answer = await client.get("/ads")
    assert answer.status_code == 200, answer.text
    price: int = answer.json()["results"][0]["price"]
    return price


async def delay_of(person: Person, ad: str, price: int, readers: list[httpx2.AsyncClient]) -> float:
    """From the answer to the write until the slowest reader has seen it, and goes on seeing it."""
    for _ in range(3):
        # It is ready everywhere.
        await asyncio.gather(*(price_of(reader) for reader in readers))
    assert (await person.patch(ad, json={"price": price})).status_code == 200

    async def seen_by(reader: httpx2.AsyncClient) -> float:
        async def seen() -> bool:
            return await price_of(reader) == price

        took = await until(seen, within=CONFIDENCE_SECONDS)
        assert [await price_of(reader) for _ in range(3)] == [price] * 3
        return took

    return max(await asyncio.gather(*(seen_by(reader) for reader in readers)))


def report(what: str, delays: list[float]) -> None:
    delays = sorted(delays)
    measured(f"{what}, median of {len(delays)}", statistics.median(delays) * 1000, "ms")
    measured(f"{what}, slowest", delays[-1] * 1000, "ms")


@asynccontextmanager
async def two_services(new_service: NewService) -> AsyncIterator[tuple[Service, Service]]:
    one, other = new_service(), new_service()
    await one.start()
    await other.start()
    yield one, other


@pytest.mark.alone
async def test_a_write_is_seen_by_the_other_server(new_service: NewService) -> None:
    async with (
        two_services(new_service) as (one, other),
        connected(one) as (client,),
        connected(other, 2) as readers,
    ):
        person = await register(client)
        ad = f"/ads/{(await person.post_ad())['pk']}"
        delays = [
            await delay_of(person, ad, price, readers)
            for price in range(1, times(200, short=15) + 1)
        ]
    report("a write seen by the other server", delays)
    assert delays[-1] < PROMPT_SECONDS


@pytest.mark.alone
async def test_a_write_is_seen_by_the_other_worker(new_service: NewService) -> None:
    """Of sixteen connections some are with each of the two."""
    service = new_service(workers=2)
    await service.start()
    async with connected(service, 16) as clients:
        person = await register(clients[0])
        ad = f"/ads/{(await person.post_ad())['pk']}"
        delays = [
            await delay_of(person, ad, price, clients) for price in range(1, times(60, short=6) + 1)
        ]
    report("a write seen through sixteen connections", delays)
    assert delays[-1] < PROMPT_SECONDS


@pytest.mark.alone
async def test_everything_else_is_seen_by_the_other_server(new_service: NewService) -> None:
    """Ads and their pictures, names, ended sessions and accounts."""
    async with (
        two_services(new_service) as (one, other),
        connected(one) as (client,),
        connected(other) as (elsewhere,),
    ):
        person, reader = await register(client), await register(client)
        there = Person(reader.id, reader.username, reader.token, elsewhere)

        async def becomes(path: str, status: int, words: str = "") -> float:
            async def so() -> bool:
                answer = await there.get(path)
                return answer.status_code == status and words in answer.text

            return await until(so, within=PROMPT_SECONDS)

        delays = []
        for number in range(times(10, short=2)):
            ad = await person.post_ad(title=f"Oak table {number}")
            path = f"/ads/{ad['pk']}"
            delays.append(await becomes("/ads", 200, f"Oak table {number}"))
            for warm in (path, path, ad["image"], ad["image"]):
                assert (await there.get(warm)).status_code == 200
            await person.patch(path, json={"description": f"Number {number}."})
            delays.append(await becomes(path, 200, f"Number {number}."))
            await person.patch("/users/me", json={"lastName": f"Name{number}"})
            delays.append(await becomes(path, 200, f"Name{number}"))
            await person.patch(f"{path}/image", files=image_form())
            delays.append(await becomes(ad["image"], 404))
            assert (await there.get(path)).json()["image"] != ad["image"]
            await person.delete(path)
            delays.append(await becomes(path, 404))
        ad = await person.post_ad()
        path = f"/ads/{ad['pk']}"
        delays += [await becomes(path, 200), await becomes(ad["image"], 200)]
        await revoke(client, reader.token)
        delays.append(await becomes(path, 401))
        there.token = await log_in(there)
        delays.append(await becomes(path, 200))
        confirmation = {"currentPassword": person.password}
        await person.request("DELETE", "/users/me", json=confirmation)
        delays += [await becomes(path, 404), await becomes(ad["image"], 404)]
        delays.append(await becomes("/ads", 200, '"results":[]'))
    report("other changes seen by the other server", delays)


async def test_random_changes_leave_no_stale_list(
    new_service: NewService, postgres: Postgres, database: URL
) -> None:
    """The model test across processes. The sequencer is killed in the middle, and none follows."""
    first, second = (new_service(node_name=name) for name in ("first", "second"))
    without = new_service(node_name="without", answers_max_bytes=0)
    async with AsyncExitStack() as stack:
        clients = []
        for service in (first, second, without):
            await service.start()
            clients += await stack.enter_async_context(connected(service))
        one, other, fresh = clients
        connection = await postgres.connect(str(database.database))
        stack.push_async_callback(connection.close)
        assert await connection.fetchval(SEQUENCERS) == "adsvc/first/sequencer"
        authors = [await register(fresh) for _ in range(4)]
        admin = await register(fresh)
        await connection.execute("UPDATE users SET role = 'ADMIN' WHERE id = $1", admin.id)
        market = Market(Random(7), authors, admin)
        await market.open(15)

        for _ in range(times(150, short=12)):
            await _change_and_read(market, one, other, fresh)

        # Waits for the lock, and then holds it as a session that works.
        blocking = await postgres.connect(str(database.database))
        stack.push_async_callback(blocking.close)
        gap = times(20, short=7)
        block = f"SELECT pg_advisory_lock({AdvisoryLock.SEQUENCER}), pg_sleep({gap})"
        blocked = asyncio.create_task(blocking.execute(block))
        await until(lambda: _waiting(connection), within=10)
        await first.kill()
        killed, changes = time.monotonic(), 0
        while not blocked.done():
            done = await market.change(fresh)
            paths = market.paths(6, 1)
            relied_on = time.monotonic() - killed < CONFIDENCE_SECONDS
            found = await market.stale(paths, other, fresh)
            assert relied_on or not found, f"{done}: {found[0]}"
            changes += not relied_on
        assert changes > 0
        measured("changes while no process was the sequencer, each seen at once", changes, "")
        await blocking.close()
        await first.start()
        async with first.client() as again:
            for _ in range(times(50, short=6)):
                await _change_and_read(market, again, other, fresh)


SEQUENCERS = """
    SELECT string_agg(application_name, ' ') FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'adsvc/%/sequencer'
        AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)
"""


async def _waiting(connection: asyncpg.Connection) -> bool:
    waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
    return bool(await connection.fetchval(waiting))


async def _change_and_read(
    market: Market, one: httpx2.AsyncClient, other: httpx2.AsyncClient, fresh: httpx2.AsyncClient
) -> None:
    """Some lists are as new ones at once where the change was made, and soon in the other one."""
    paths = market.paths(10, 2)
    changed, elsewhere = market.random.sample((one, other), 2)
    done = await market.change(changed)
    found = await market.stale(paths, changed, fresh)
    assert not found, f"{done}: {found[0]}"

    async def so() -> bool:
        return not await market.stale(paths, elsewhere, fresh)

    await until(so, within=CONFIDENCE_SECONDS)
    found = await market.stale(paths, elsewhere, fresh)
    assert not found, f"{done}: {found[0]}"


async def test_a_killed_listener_leaves_no_stale_answer(
    new_service: NewService, postgres: Postgres, database: URL
) -> None:
    listeners = LISTENERS.format(database.database)
    async with (
        two_services(new_service) as (one, other),
        connected(one) as (client,),
        connected(other, 2) as readers,
    ):
        person = await register(client)
        ad = f"/ads/{(await person.post_ad())['pk']}"
        delays = []
        for price in range(1, times(20, short=3) + 1):
            await until(lambda: _listening(postgres, listeners, 2), within=10)
            # Long enough for heartbeats, so that answers come from memory again.
            await asyncio.sleep(1.2)
            for _ in range(3):
                await asyncio.gather(*(price_of(reader) for reader in readers))
            killed = await postgres.ask(f"SELECT count(pg_terminate_backend(pid)) {listeners}")
            assert killed == 2
            delays.append(await delay_of(person, ad, price, readers))
    report("a write just after the listeners were killed", delays)
    # Less than a heartbeat, after which anybody would notice.
    assert max(delays) < PROMPT_SECONDS / 2
    assert "Not listening for changes" in other.log()


async def _listening(postgres: Postgres, listeners: str, count: int) -> bool:
    return await postgres.ask(f"SELECT count(*) {listeners}") == count


async def test_a_listener_that_hears_nothing_is_not_relied_on_for_long(
    new_service: NewService, postgres: Postgres, database: URL
) -> None:
    """As when the network between swallows everything: no end of the connection, only silence."""
    service = new_service()
    await service.start()
    listeners = LISTENERS.format(database.database)
    async with connected(service, 2) as clients:
        person = await register(clients[0])
        path = f"/ads/{(await person.post_ad())['pk']}"
        await until(lambda: _listening(postgres, listeners, 1), within=10)
        pid = await postgres.ask(f"SELECT pid {listeners}")
        assert isinstance(pid, int)
        connection = await postgres.connect(str(database.database))
        delays = []
        for price in range(1, times(4, short=1) + 1):
            await asyncio.sleep(1.5)
            for _ in range(3):
                await price_of(clients[1])
            os.kill(pid, signal.SIGSTOP)
            try:
                # Not through the service, which would know of its own.
                await connection.execute("UPDATE ads SET price = $1", price)
                began = time.monotonic()
                while await price_of(clients[1]) != price:
                    assert time.monotonic() - began < CONFIDENCE_SECONDS
                delays.append(time.monotonic() - began)
            finally:
                os.kill(pid, signal.SIGCONT)
            await until(lambda: _listening(postgres, listeners, 1), within=20)
            pid = await postgres.ask(f"SELECT pid {listeners}")
            assert isinstance(pid, int)
        await connection.close()
        assert (await person.get(path)).status_code == 200
    report("a write while the listener hears nothing", delays)


@pytest.mark.parametrize("how", ["freeze", "kill"])
async def test_without_the_database_memory_answers_for_five_seconds_at_most(
    new_service: NewService, postgres: Postgres, how: str
) -> None:
    service = new_service()
    await service.start()
    async with connected(service) as (client,):
        person = await register(client)
        ad = await person.post_ad()
        paths = ("/ads", f"/ads/{ad['pk']}", ad["image"])
        await asyncio.sleep(1.5)
        for path in paths * 3:
            assert (await person.get(path)).status_code == 200
        stop, start = {
            "freeze": (postgres.freeze, postgres.thaw),
            "kill": (postgres.kill, postgres.start),
        }[how]
        stopping = time.monotonic()
        await asyncio.to_thread(stop)
        try:
            last = await _last_answer(person, paths[:2], stopping)
            measured(f"last answer from memory after a {how}", last)
            assert last < CONFIDENCE_SECONDS
            # A picture needs no database.
            assert (await client.get(paths[2])).status_code == 200
        finally:
            await asyncio.to_thread(start)

        async def back() -> bool:
            return {(await person.get(path)).status_code for path in paths} == {200}

        measured(f"answers again after a {how}", await until(back, within=10))
        assert (await person.patch(paths[1], json={"price": 99})).status_code == 200
        assert await price_of(client) == 99


async def _last_answer(person: Person, paths: tuple[str, ...], since: float) -> float:
    """How long after that moment one of them was last answered, watched for longer than allowed."""
    last = 0.0
    while time.monotonic() - since < CONFIDENCE_SECONDS + times(3, short=1):
        began = time.monotonic()
        statuses = [
            answer.status_code
            for answer in await asyncio.gather(*(person.get(path) for path in paths))
        ]
        assert set(statuses) <= {200, 503}
        if 200 in statuses:
            last = began - since
        await asyncio.sleep(0.02)
    return last
