"""The primary is killed under writes, and its synchronous standby promoted."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import httpx2
import pytest
from sqlalchemy.engine import URL

from faults.conftest import SECRET
from faults.ledger import Ledger, Writers, audit
from faults.postgres import Postgres, running_postgres
from faults.scale import measured, times
from faults.served import Service
from support.running.embedded import TRUSTING
from support.running.pooler import PGBOUNCER, pooled
from support.running.standby import Standby

pytestmark = pytest.mark.drill

# Writes that were answered, before and after.
ENOUGH = times(150, short=40)
# Writes that end in 503 before the standby takes over: long enough to look for the server often.
REFUSED = times(600, short=150)
# How long no read may be answered.
LONGEST_SILENCE = 10
SECONDS = 60
SYNCHRONOUS = "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"


@pytest.fixture
async def primary() -> AsyncIterator[Postgres]:
    """One of its own, which ends here."""
    with TemporaryDirectory(prefix="adsvc-") as directory:
        async with running_postgres(Path(directory)) as started:
            yield started


async def _make_synchronous(primary: Postgres) -> None:
    await primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await primary.ask("SELECT pg_reload_conf()")
    async with asyncio.timeout(SECONDS):
        while not await primary.ask(SYNCHRONOUS):  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.05)


async def _written(ledger: Ledger, number: int) -> float:
    """How long it took until so many more writes were answered."""
    return await _grown(lambda: ledger.kept, number)


async def _grown(count: Callable[[], int], number: int) -> float:
    goal, loop = count() + number, asyncio.get_running_loop()
    began = loop.time()
    async with asyncio.timeout(SECONDS):
        while count() < goal:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.02)
    return loop.time() - began


async def _read(service: Service, gaps: list[float]) -> None:
    """Reads until it is cancelled, and lists the times between reads that were answered."""
    last = time.monotonic()
    async with service.client() as client:
        while True:
            answer = await client.get("/ads", params={"limit": 1})
            if answer.status_code == httpx2.codes.OK:
                gaps.append(time.monotonic() - last)
                last = time.monotonic()
            else:
                assert answer.status_code == httpx2.codes.SERVICE_UNAVAILABLE, answer.text
            await asyncio.sleep(0.02)


def _both(one: URL, other: URL, name: str) -> str:
    hosts = f"host={one.query['host']}&host={other.query['host']}"
    return f"postgresql://adsvc@/{name}?{hosts}&port=5432"


POOLED = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")


@pytest.mark.alone
@pytest.mark.parametrize("by_poolers", [False, pytest.param(True, marks=POOLED)])
async def test_row_40_nothing_is_lost_when_the_standby_takes_over(
    primary: Postgres, tmp_path: Path, *, by_poolers: bool
) -> None:
    """By poolers there is one before each server, and the primary's lives on."""
    async with AsyncExitStack() as stack:
        # The database goes with its server.
        name = await primary._create(await primary._migrated())
        directory = stack.enter_context(TemporaryDirectory(prefix="adsvc-"))
        standby = stack.enter_context(Standby(primary.url, Path(directory), options=TRUSTING))
        await _make_synchronous(primary)
        settings = {"database_url": _both(primary.url, standby.url, name)}
        if by_poolers:
            one, other = (
                stack.enter_context(pooled(server.url, "transaction", size=40)).port
                for server in (primary, standby)
            )
            settings = {
                "database_url": f"postgresql://adsvc@127.0.0.1:{one},127.0.0.1:{other}/{name}",
                "database_listen_url": settings["database_url"],
                "database_pooling": "transaction",
            }
        service = Service(tmp_path, jwt_secret=SECRET, rate_limits="off", **settings)
        stack.callback(service.end)
        await service.start()
        ledger = Ledger()
        writers = Writers(service, ledger)
        await writers.start()
        await _written(ledger, ENOUGH)
        gaps: list[float] = []
        reading = asyncio.create_task(_read(service, gaps))
        await asyncio.to_thread(primary.kill)
        await _grown(lambda: ledger.unknown, REFUSED)
        await asyncio.to_thread(standby.promote)
        # The service gets no notice.
        took = await _written(ledger, 1)
        by = ", by poolers" if by_poolers else ""
        measured(f"row 40{by}: first write after the standby was promoted", took)
        await _written(ledger, ENOUGH)
        await writers.stop()
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
        measured(f"row 40{by}: longest time without a read", max(gaps))
        assert max(gaps) < LONGEST_SILENCE
        await service.answering("/readyz?require=writes")
        await audit(service, ledger)
        assert ledger.unknown > 0
        connection = await asyncpg.connect(
            host=str(standby.url.query["host"]), user="adsvc", database=name
        )
        assert not await connection.fetchval("SELECT pg_is_in_recovery()")
        await connection.close()
