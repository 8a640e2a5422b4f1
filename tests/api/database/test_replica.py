"""Lists from a real standby, which show what this process knows to have happened."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.kit.db import replica
from conftest import ApiFactory
from support.running.metrics import metrics_listener
from support.running.standby import Standby
from support.scene.api import Api
from support.trouble.databases import without_connections

SECONDS = 20
# Prices above that of any ad here: each question is a new one, so that memory has no answer to it.
PRICES = count(1000)

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("replica")]


@pytest.fixture(scope="module")
def standby(server_url: URL) -> Iterator[Standby]:
    if "host" not in server_url.query:
        pytest.skip("the server is not ours")
    with TemporaryDirectory(prefix="adsvc-") as directory:
        Path(directory).chmod(0o755)
        with Standby(server_url, Path(directory)) as made:
            yield made


@pytest.fixture
async def replicated(
    start_api: ApiFactory, database_url: URL, standby: Standby
) -> AsyncIterator[Api]:
    url = standby.url.set(database=database_url.database)
    address = SecretStr(url.render_as_string(hide_password=False))
    async with start_api(database_replica_url=address) as api:
        await until(api, at_standby=True)
        yield api


async def asks_standby(api: Api) -> bool:
    """Which of the two answers what lists ask."""
    [row] = await api.state.database.list_reader.fetch("SELECT pg_is_in_recovery() AS it")
    return bool(row["it"])


async def until(api: Api, *, at_standby: bool) -> None:
    async with asyncio.timeout(SECONDS):
        while await asks_standby(api) is not at_standby:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.01)


@asynccontextmanager
async def paused(standby: Standby) -> AsyncIterator[None]:
    """It receives what happens, and shows none of it."""
    engine = create_async_engine(standby.url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text("SELECT pg_wal_replay_pause()"))
        state = "SELECT pg_get_wal_replay_pause_state()"
        async with asyncio.timeout(SECONDS):
            while await connection.scalar(text(state)) != "paused":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        try:
            yield
        finally:
            await connection.execute(text("SELECT pg_wal_replay_resume()"))
    await engine.dispose()


async def titles(api: Api) -> list[str]:
    answer = await api.client.get("/ads", params={"q": "oak", "maxPrice": next(PRICES)})
    assert answer.status_code == 200, answer.text
    return [ad["title"] for ad in answer.json()["results"]]


async def test_who_writes_sees_it_at_once_at_every_process(
    replicated: Api, start_api: ApiFactory
) -> None:
    url = replicated.state.settings.database_replica_url
    async with start_api(database_replica_url=url) as other:
        person = await replicated.person()
        await until(other, at_standby=True)
        for number in range(10):
            title = f"Oak table {number}"
            await person.post_ad(title=title, price=100)
            answered = time.monotonic()
            assert title in await titles(replicated)
            while title not in await titles(other):
                assert time.monotonic() - answered < SECONDS
            facets = (await replicated.client.get("/ads/facets", params={"q": "oak"})).json()
            assert facets["count"] == number + 1
        await until(replicated, at_standby=True)


async def test_a_replica_that_lags_is_not_believed(replicated: Api, standby: Standby) -> None:
    person = await replicated.person()
    async with paused(standby):
        await person.post_ad(title="Oak table", price=100)
        assert await titles(replicated) == ["Oak table"]
        assert not await asks_standby(replicated)
        # It has a rest, so that not everybody waits for it.
        assert await titles(replicated) == ["Oak table"]
        assert replicated.state.database.replica_reads["primary"] >= 3
    await until(replicated, at_standby=True)
    assert await titles(replicated) == ["Oak table"]


async def test_a_replica_that_is_gone_costs_no_request(
    replicated: Api, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replica, "RETRY_SECONDS", 0.05)
    await asyncio.to_thread(standby.stop)
    try:
        assert await titles(replicated) == []
        assert not await asks_standby(replicated)
        assert (await replicated.client.get("/categories")).status_code == 200
    finally:
        await asyncio.to_thread(standby.start)
    await until(replicated, at_standby=True)


async def test_a_replica_whose_clock_is_slow_is_not_used(
    replicated: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ad would expire later there."""
    monkeypatch.setattr(replica, "CLOCK_TOLERANCE", -60)
    monkeypatch.setattr(replica, "CLOCK_SECONDS", 0)
    assert not await asks_standby(replicated)


async def test_without_the_primary_a_replica_shows_what_was_known(
    replicated: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await replicated.person()
    await person.post_ad(title="Oak table", price=100)
    await until(replicated, at_standby=True)
    reader = replicated.state.database.list_reader
    assert isinstance(reader, replica.ReplicaStatements)
    monkeypatch.setattr(replica, "POSITION_SECONDS", 0)
    # The one connection that reads the primary's position.
    async with without_connections(reader._positions._primary._cached_plans):
        assert await titles(replicated) == ["Oak table"]
        assert await asks_standby(replicated)
        # A change whose position is unknown.
        replicated.state.database.changes.apply_unknown()
        assert not await asks_standby(replicated)
    await until(replicated, at_standby=True)


async def test_a_replica_with_a_history_of_its_own_is_not_believed(
    replicated: Api, server_url: URL, standby: Standby, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one is that was ahead of a standby which became the primary: its log is the longer one."""
    monkeypatch.setattr(replica, "POSITION_SECONDS", 0)
    monkeypatch.setattr(replica, "PAUSE_SECONDS", 0)
    person = await replicated.person()
    await asyncio.to_thread(standby.promote)
    try:
        engine = create_async_engine(standby.url)
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE lost AS SELECT generate_series(1, 99999)"))
        await engine.dispose()
        # Its position is read, and then the primary is used.
        await replicated.state.database.list_reader.fetch("SELECT")
        for number in range(5):
            await person.post_ad(title=f"Oak table {number}", price=100)
            assert len(await titles(replicated)) == number + 1
        reads = replicated.state.database.replica_reads
        answered = reads["replica"]
        assert await titles(replicated)
        assert reads["replica"] == answered
    finally:
        await asyncio.to_thread(standby.rebuild, server_url)
    await until(replicated, at_standby=True)
    assert len(await titles(replicated)) == 5


async def test_metrics_show_the_lag_of_each_replica_and_who_answers(
    replicated: Api, database_url: URL, standby: Standby
) -> None:
    await titles(replicated)
    assert replicated.state.database.replica_reads["replica"] > 0
    assert replicated.state.database.pools["replica_reads"].size > 0
    # A second one, where no server is.
    hosts = (str(standby.url.query["host"]), "127.0.0.1:1")
    query = {"host": hosts, "target_session_attrs": "standby"}
    several = standby.url.set(database=database_url.database, query=query)
    person = await replicated.person()
    async with paused(standby):
        await person.post_ad()
        with metrics_listener(database_url, several) as listener:
            scrape = await listener.scrape()
    assert scrape.labels("adsvc_replica_up", "server") == set(hosts)
    assert scrape.value("adsvc_replica_up", server=hosts[0]) == 1
    assert scrape.value("adsvc_replica_up", server=hosts[1]) == 0
    assert scrape.value("adsvc_replica_lag_bytes", server=hosts[0]) > 0
    assert scrape.labels("adsvc_replica_lag_bytes", "server") == {hosts[0]}
