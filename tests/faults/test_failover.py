"""The primary is killed under writes, and its synchronous standby promoted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import pytest
from sqlalchemy.engine import URL

from faults.conftest import SECRET
from faults.ledger import Ledger, Writers, audit
from faults.postgres import Postgres, running_postgres
from faults.scale import measured, times
from faults.served import Service
from support.running.standby import Standby

pytestmark = pytest.mark.drill

# Writes that were answered, before and after.
ENOUGH = times(150, short=40)
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
        while not await primary.ask(SYNCHRONOUS):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def _written(ledger: Ledger, number: int) -> float:
    """How long it took until so many more writes were answered."""
    goal, loop = ledger.kept + number, asyncio.get_running_loop()
    began = loop.time()
    async with asyncio.timeout(SECONDS):
        while ledger.kept < goal:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
    return loop.time() - began


def _both(one: URL, other: URL, name: str) -> str:
    hosts = f"host={one.query['host']}&host={other.query['host']}"
    return f"postgresql://adsvc@/{name}?{hosts}&port=5432"


@pytest.mark.alone
async def test_row_40_nothing_is_lost_when_the_standby_takes_over(
    primary: Postgres, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        # The database goes with its server.
        name = await primary._create(await primary._migrated())
        directory = stack.enter_context(TemporaryDirectory(prefix="adsvc-"))
        standby = stack.enter_context(Standby(primary.url, Path(directory), options={}))
        await _make_synchronous(primary)
        address = _both(primary.url, standby.url, name)
        service = Service(tmp_path, database_url=address, jwt_secret=SECRET, rate_limits="off")
        stack.callback(service.end)
        await service.start()
        ledger = Ledger()
        writers = Writers(service, ledger)
        await writers.start()
        await _written(ledger, ENOUGH)
        await asyncio.to_thread(primary.kill)
        await asyncio.to_thread(standby.promote)
        # Nobody tells the service.
        took = await _written(ledger, 1)
        measured("row 40: first write after the standby was promoted", took)
        await _written(ledger, ENOUGH)
        await writers.stop()
        await service.answering("/readyz?require=writes")
        await audit(service, ledger)
        assert ledger.unknown > 0
        connection = await asyncpg.connect(
            host=str(standby.url.query["host"]), user="adsvc", database=name
        )
        assert not await connection.fetchval("SELECT pg_is_in_recovery()")
        await connection.close()
