import asyncio

import httpx
from pydantic import SecretStr
from sqlalchemy.engine import URL

from adsvc import migrations
from breaking import gone
from conftest import ApiFactory, DatabaseFactory

OK = {"status": "ok"}


async def test_a_service_in_order_is_alive_and_ready(client: httpx.AsyncClient) -> None:
    for path in ("/livez", "/readyz"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()) == (200, OK)
        assert (await client.head(path)).status_code == 200


async def readiness(start_api: ApiFactory, url: URL) -> httpx.Response:
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


async def test_a_schema_of_another_version_is_not_ready(
    start_api: ApiFactory, new_database: DatabaseFactory
) -> None:
    async with new_database() as url:
        assert (await readiness(start_api, url)).status_code == 200
        await migrations.downgrade(url, "base")
        answer = await readiness(start_api, url)
        assert answer.status_code == 503
        assert "adsvc migrate" in answer.json()["detail"]


async def test_a_database_that_refuses_is_not_ready(start_api: ApiFactory) -> None:
    url = URL.create("postgresql", "adsvc", "x", "127.0.0.1", 1, "adsvc")
    answer = await readiness(start_api, url)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "1"


async def test_a_store_that_cannot_be_written_is_not_ready(start_api: ApiFactory) -> None:
    async with start_api() as api:
        with gone(api.resources.settings.image_dir):
            answer = await api.client.get("/readyz")
            assert answer.status_code == 503
            assert answer.json()["type"] == "/problems#image-store-unavailable"
            assert (await api.client.get("/livez")).json() == OK
        assert (await api.client.get("/readyz")).json() == OK


async def test_looking_leaves_nothing_behind(start_api: ApiFactory) -> None:
    async with start_api() as api:
        answers = await asyncio.gather(*(api.client.get("/readyz") for _ in range(20)))
        assert {answer.status_code for answer in answers} == {200}
        assert api.files() == {}
