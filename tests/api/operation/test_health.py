import asyncio
from contextlib import AsyncExitStack

import httpx2
import pytest
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc import migrations
from adsvc.kit import invalidation
from adsvc.migrations.revisions import REPLACED_HEAD
from adsvc.services.readiness import Readiness, disk_reserves
from conftest import ApiFactory, DatabaseFactory
from support.running.in_process import HERE
from support.scene.api import Api
from support.trouble.breaking import gone
from support.trouble.clocks import Clock
from support.trouble.opens import opened

OK = {"status": "ok"}
READY = {"status": "ok", "degraded": []}


async def test_a_service_in_order_is_alive_and_ready(client: httpx2.AsyncClient) -> None:
    for path, told in (("/livez", OK), ("/readyz", READY)):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()) == (200, told)
        assert (await client.head(path)).status_code == 200


@pytest.mark.heavy
async def test_responses_say_whether_a_proxy_is_trusted(start_api: ApiFactory) -> None:
    """`adsvc doctor` uses http too, where nothing else shows it."""
    forwarded = {"X-Forwarded-For": "203.0.113.7"}
    for trusted, told in (((), None), (("10.0.0.1",), None), ((HERE,), "trusted")):
        async with start_api(trusted_proxies=trusted) as api:
            answer = await api.client.get("/livez", headers=forwarded)
            assert answer.headers.get("X-Proxy") == told, trusted
            assert "X-Proxy" not in (await api.client.get("/livez")).headers


async def test_a_pooler_in_transaction_mode_is_named(start_api: ApiFactory) -> None:
    """Behind one a session lacks the plans that it has made before."""
    async with start_api() as api:
        database, store = api.state.database, api.state.store
        pictures, texts = disk_reserves(api.state.settings, store)

        async def fault() -> str:
            looked = Readiness(database, store, pictures=pictures, texts=texts)
            return str((await looked.condition()).fault)

        assert await fault() == "None"
        await database.probe.fetch("DEALLOCATE ALL")
        assert "ADSVC_DATABASE_POOLING=transaction" in await fault()


async def readiness(start_api: ApiFactory, url: URL) -> httpx2.Response:
    secret = SecretStr(url.render_as_string(hide_password=False))
    async with start_api(database_url=secret) as api:
        assert (await api.client.get("/livez")).json() == OK
        return await api.client.get("/readyz")


async def test_a_database_without_tables_is_not_ready(
    start_api: ApiFactory, bare_database: DatabaseFactory
) -> None:
    async with bare_database() as url:
        answer = await readiness(start_api, url)
        assert answer.status_code == 503
        assert "adsvc migrate" in answer.json()["detail"]


@pytest.mark.heavy
async def test_a_schema_of_another_version_is_not_ready(
    start_api: ApiFactory, new_database: DatabaseFactory
) -> None:
    async with new_database() as url:
        assert (await readiness(start_api, url)).status_code == 200
        engine = create_async_engine(url)
        for revision, advice in ((REPLACED_HEAD, "Run: adsvc migrate"), ("0024", "Install 0.3.0")):
            async with engine.begin() as connection:
                await connection.execute(
                    text("UPDATE alembic_version SET version_num = :revision"),
                    {"revision": revision},
                )
            answer = await readiness(start_api, url)
            assert answer.status_code == 503
            assert advice in answer.json()["detail"]
        await engine.dispose()


@pytest.mark.heavy
async def test_a_newer_schema_says_which_versions_work_on_it(
    start_api: ApiFactory, new_database: DatabaseFactory
) -> None:
    head = migrations.head()
    async with new_database() as url:
        engine = create_async_engine(url)
        for revision, oldest, status in (
            ("9999", "0010", 200), ("9999", head, 200), ("9999", "9998", 503), ("0010", "0010", 503)
        ):  # fmt: skip
            async with engine.begin() as connection:
                values = {"revision": revision, "oldest": oldest}
                await connection.execute(
                    text("UPDATE alembic_version SET version_num = :revision"), values
                )
                await connection.execute(
                    text("UPDATE installation SET oldest_head = :oldest"), values
                )
            answer = await readiness(start_api, url)
            assert answer.status_code == status, (revision, oldest)
        await engine.dispose()


async def test_a_database_that_refuses_is_not_ready(start_api: ApiFactory) -> None:
    url = URL.create("postgresql", "adsvc", "x", "127.0.0.1", 1, "adsvc")
    answer = await readiness(start_api, url)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"


async def test_without_its_image_store_the_service_is_ready_for_reads(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start_api() as api:
        clock = Clock.of(invalidation, monkeypatch)
        with gone(api.state.settings.image_dir):
            answer = await api.client.get("/readyz")
            assert (answer.status_code, answer.json()["degraded"]) == (200, ["pictures"])
            assert (await api.client.get("/livez")).json() == OK
            required = await api.client.get("/readyz?require=writes&require=pictures")
            assert required.status_code == 503
            assert required.json()["type"] == "/problems#image-store-unavailable"
            assert (await api.client.get("/readyz?require=writes")).status_code == 200
        assert (await api.client.get("/readyz?require=everything")).status_code == 400
        clock.now += 2
        assert (await api.client.get("/readyz?require=pictures")).json() == READY


@pytest.mark.heavy
async def test_looking_leaves_nothing_behind(start_api: ApiFactory) -> None:
    async with start_api() as api:
        answers = await asyncio.gather(*(api.client.get("/readyz") for _ in range(20)))
        assert {answer.status_code for answer in answers} == {200}
        assert api.files() == {}


@pytest.mark.heavy
async def test_what_was_found_counts_for_two_seconds_and_a_fault_for_half_of_one(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start_api() as api:
        clock = Clock.of(invalidation, monkeypatch)
        directory = api.state.settings.image_dir

        async def found(after: float) -> list[int]:
            clock.now += after
            path = "/readyz?require=pictures"
            answers = await asyncio.gather(*(api.client.get(path) for _ in range(100)))
            return [*{answer.status_code for answer in answers}]

        with opened(directory) as looks:
            assert await found(after=0) == [200]
        # One look is one file, and its directory, for a hundred who ask.
        assert len([path for path in looks if ".check." in path.name]) == 1
        with gone(directory):
            assert await found(after=1.9) == [200]
            assert await found(after=0.1) == [503]
        assert await found(after=0.4) == [503]
        assert await found(after=0.1) == [200]


async def test_who_goes_away_leaves_the_look_to_the_others(start_api: ApiFactory) -> None:
    async with start_api() as api:
        first = asyncio.create_task(api.client.get("/readyz"))
        second = asyncio.create_task(api.client.get("/readyz"))
        while not api.state.readiness.looking:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0)
        first.cancel()
        assert (await second).status_code == 200
        assert first.cancelled()


@pytest.mark.heavy
async def test_a_flood_of_ordinary_work_leaves_readiness_alone(start_own_api: ApiFactory) -> None:
    """Neither a place is needed for it, nor a connection that others take."""
    async with (
        start_own_api(busy_requests=4, database_pool_size=2, database_timeout_seconds=30) as api,
        AsyncExitStack() as stack,
    ):
        person = await api.person()
        begun = api.state.database.engine.begin()
        connection = await stack.enter_async_context(begun)
        await connection.execute(text("LOCK TABLE ads, users"))
        flood = [
            asyncio.create_task(api.client.get(f"/ads?minPrice={price}")) for price in range(4)
        ] + [asyncio.create_task(person.get("/users/me")) for _ in range(4)]
        await until_refused(api)
        assert (await api.client.get("/readyz")).json() == READY
        await connection.rollback()
        await asyncio.wait(flood)


async def until_refused(api: Api) -> None:
    async with asyncio.timeout(20):
        while (await api.client.get("/nowhere")).status_code != 503:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.01)
