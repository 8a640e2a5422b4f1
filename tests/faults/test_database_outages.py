"""PostgreSQL killed, frozen and used up, while the service writes."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import httpx2
import pytest
from sqlalchemy.engine import URL

from faults.conftest import SECRET, NewService
from faults.ledger import Ledger, Losses, Writers, audit
from faults.postgres import Postgres, running_postgres
from faults.scale import measured, times
from faults.served import Service, register
from faults.wire import Wire, request_head
from support.scene.api import Person

pytestmark = pytest.mark.drill

# Writes that were answered, of which none may be lost.
ENOUGH = 50
UNAVAILABLE = httpx2.codes.SERVICE_UNAVAILABLE


async def _first(
    person: Person, status: int, *, within: float, only: frozenset[int] = frozenset()
) -> float:
    """How long until a write is answered so; until then, no other status than `only`."""
    began = time.monotonic()
    while True:
        answer = await person.patch("/users/me", json={"firstName": "Anna"})
        took = time.monotonic() - began
        if answer.status_code == status:
            if status == UNAVAILABLE:
                assert int(answer.headers["retry-after"]) >= 1
                assert answer.headers["content-type"] == "application/problem+json"
            return took
        assert answer.status_code in only | {200, UNAVAILABLE}, answer.text
        assert took < within
        await asyncio.sleep(0.02)


@pytest.mark.alone
async def test_row_24_nothing_is_lost_when_postgres_is_killed(
    service: Service, postgres: Postgres
) -> None:
    random = Random(24)
    ledger = Ledger()
    writers = Writers(service, ledger)
    async with service.client() as client:
        person = await register(client)
        await writers.start()
        for _ in range(times(6, short=2)):
            await asyncio.sleep(random.uniform(1, 2))
            await asyncio.to_thread(postgres.kill)
            assert await _first(person, UNAVAILABLE, within=1) < 1
            await asyncio.to_thread(postgres.start)
            assert await _first(person, 200, within=3) < 3
        # Enough of them, however slow the machine.
        async with asyncio.timeout(20):
            while ledger.kept <= ENOUGH:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        await writers.stop()
    await audit(service, ledger)
    assert ledger.unknown > 0


@pytest.mark.alone
async def test_row_24_the_audit_finds_what_is_lost(tmp_path: Path) -> None:
    """With `synchronous_commit` off PostgreSQL promises what it does not keep."""
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(TemporaryDirectory(prefix="adsvc-"))
        careless = {"synchronous_commit": "off", "wal_writer_delay": "10s"}
        postgres = await stack.enter_async_context(running_postgres(Path(directory), careless))
        url = await stack.enter_async_context(postgres.new_database())
        service = Service(tmp_path, database_url=_text(url), jwt_secret=SECRET, rate_limits="off")
        stack.callback(service.end)
        await service.start()
        for _ in range(5):
            ledger = Ledger()
            writers = Writers(service, ledger)
            await writers.start()
            await asyncio.sleep(2)
            await writers.stop()
            await asyncio.to_thread(postgres.kill)
            await asyncio.to_thread(postgres.start)
            await service.answering("/readyz")
            try:
                await audit(service, ledger)
            except Losses:
                return
    pytest.fail("The audit found nothing, though something was lost.")


def _text(url: URL) -> str:
    return url.render_as_string(hide_password=False)


@pytest.mark.alone
async def test_row_25_a_frozen_database_costs_no_more_than_six_seconds(
    service: Service, postgres: Postgres
) -> None:
    async with service.client() as client:
        people = [await register(client) for _ in range(3)]
        ad = await people[0].post_ad()
        await asyncio.to_thread(postgres.freeze)
        try:
            # Many at once, so that they also wait for connections.
            writes = [
                _timed(person.post(f"/ads/{ad['pk']}/comments", json={"text": "Hello"}))
                for person in people * 20
            ]
            reads = [_timed(client.get(f"/ads?minPrice={price}")) for price in range(30)]
            probes = [_timed(client.get("/readyz"))]
            results = await asyncio.gather(*writes, *reads, *probes)
            assert {status for status, _ in results} == {UNAVAILABLE}
            assert max(took for _, took in results) < 6
            measured("row 25: slowest refusal", max(took for _, took in results))
            # What needs no database goes on.
            assert (await client.get("/livez")).status_code == 200
        finally:
            await asyncio.to_thread(postgres.thaw)
        assert await _first(people[0], 200, within=5) < 5
        results = await asyncio.gather(
            *(_timed(person.get(f"/ads/{ad['pk']}")) for person in people * 10)
        )
        assert {status for status, _ in results} == {200}


async def _timed(request: Awaitable[httpx2.Response]) -> tuple[int, float]:
    began = time.monotonic()
    answer = await request
    return answer.status_code, time.monotonic() - began


async def _connections(postgres: Postgres, database: URL, state: str = "%") -> int:
    found = await postgres.ask(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'adsvc/%' "  # noqa: S608
        f"AND datname = '{database.database}' AND state LIKE '{state}'"
    )
    assert isinstance(found, int)
    return found


async def test_row_26_an_exhausted_pool_is_a_refusal(
    new_service: NewService, postgres: Postgres, database: URL
) -> None:
    service = new_service(database_pool_size=2)
    await service.start()
    async with service.client() as client:
        person = await register(client)
        connection = await postgres.connect(str(database.database))
        async with connection.transaction():
            await connection.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
            asking = [
                asyncio.create_task(_timed(person.patch("/users/me", json={"firstName": "Anna"})))
                for _ in range(40)
            ]
            most = 0
            while not all(task.done() for task in asking):
                most = max(most, await _connections(postgres, database))
            results = await asyncio.gather(*asking)
            assert {status for status, _ in results} == {UNAVAILABLE}
            assert max(took for _, took in results) < 6.5
            # Two pools, one for reads, and a listener.
            assert most <= 5
        await connection.close()
        assert await _first(person, 200, within=5) < 5
        results = await asyncio.gather(*(_timed(person.get("/users/me")) for _ in range(40)))
        assert {status for status, _ in results} == {200}


async def test_row_26_clients_that_go_away_leave_no_connection_behind(
    service: Service, postgres: Postgres, database: URL
) -> None:
    async with service.client() as client:
        person = await register(client)
    head = request_head(
        *("PATCH", "/users/me", f"Authorization: Bearer {person.token}"),
        *("Content-Type: application/json", "Content-Length: 20"),
    )
    connection = await postgres.connect(str(database.database))
    async with connection.transaction():
        await connection.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
        for _ in range(times(100, short=20)):
            wire = await Wire.open(service.port)
            await wire.send(head + b'{"firstName":"Anna"}')
            await asyncio.sleep(0.01)
            await wire.close()
        assert await _connections(postgres, database) < 25
    await connection.close()
    async with service.client() as client:
        person.client = client
        await _first(person, 200, within=10)
        await asyncio.sleep(4)
        assert await _connections(postgres, database, "active") <= 1
        assert await _connections(postgres, database, "idle in transaction%") == 0
        # As many at once as there are places; all of them are free.
        results = await asyncio.gather(
            *(_timed(person.patch("/users/me", json={"phone": ""})) for _ in range(60))
        )
        assert {status for status, _ in results} == {200}
        assert await _connections(postgres, database) < 25


@asynccontextmanager
async def _readers(service: Service, seen: Counter[int]) -> AsyncIterator[None]:
    """During the block, reads by all ways to the database, each of which has its connections."""
    paths = ("/ads?minPrice=1", "/ads?q=oak", "/users/me", "/users/me/sessions", "/ads/me")
    stop = asyncio.Event()

    async def read(person: Person) -> None:
        while not stop.is_set():
            for path in paths:
                seen[(await person.get(path)).status_code] += 1
                await asyncio.sleep(0.01)

    async with service.client() as client:
        people = [await register(client) for _ in range(3)]
        reading = [asyncio.create_task(read(person)) for person in people]
        try:
            yield
        finally:
            stop.set()
            await asyncio.gather(*reading)


END_SESSIONS = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


@pytest.mark.alone
async def test_row_45_sessions_that_postgres_ends_cost_reads_nothing_and_changes_a_503(
    service: Service, postgres: Postgres
) -> None:
    ledger, seen = Ledger(), Counter[int]()
    writers = Writers(service, ledger)
    await writers.start()
    async with _readers(service, seen):
        for _ in range(times(28, short=10)):
            await asyncio.sleep(0.6)
            await postgres.ask(END_SESSIONS)
        async with asyncio.timeout(20):
            while ledger.kept <= ENOUGH:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    await writers.stop()
    await audit(service, ledger)
    refused = _statuses(service)
    measured("row 45: requests answered", sum(refused.values()), "")
    measured("row 45: refused with 503", refused[UNAVAILABLE], "")
    assert not [status for status in refused if status >= 500 and status != UNAVAILABLE], refused
    # What ends again while it is repeated is refused after all.
    assert seen[UNAVAILABLE] <= 0.01 * seen.total(), seen
    assert seen[200] > ENOUGH
    # The service hears of changes again.
    await service.answering("/readyz")


def _statuses(service: Service) -> Counter[int]:
    return Counter(entry["status"] for entry in service.entries("adsvc.access"))


RETYPED = {
    "comments": ("text", "varchar(9000)", "text"),
    "users": ("first_name", "varchar(300)", "text"),
    "sessions": ("client", "varchar(300)", "text"),
    "images": ("name", "varchar(300)", "text"),
}


@pytest.mark.alone
async def test_row_45_a_column_whose_type_changes_under_load_is_no_500(
    service: Service, postgres: Postgres, database: URL
) -> None:
    ledger, seen = Ledger(), Counter[int]()
    writers = Writers(service, ledger)
    await writers.start()
    connection = await postgres.connect(str(database.database))
    async with _readers(service, seen):
        for number in range(times(4, short=2)):
            for table, (column, *types) in RETYPED.items():
                await asyncio.sleep(0.3)
                await connection.execute(
                    f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {types[number % 2]}"
                )
    await connection.close()
    await writers.stop()
    await audit(service, ledger)
    statuses = _statuses(service)
    measured("row 45: refused while types changed", statuses[UNAVAILABLE], "")
    assert not [status for status in statuses if status >= 500 and status != UNAVAILABLE], statuses
    assert seen[200] > ENOUGH
