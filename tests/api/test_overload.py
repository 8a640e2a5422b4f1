"""More requests than a process takes on: here one, which waits for a lock on a table."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from sqlalchemy import text

from blocking import until_waiting
from conftest import ApiFactory
from factories import Api, Person, ad_form
from warmth import settle

ORIGIN = {"Origin": "http://localhost:3000"}


@pytest.fixture
async def narrow(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api(busy_requests=1, database_timeout_seconds=60) as api:
        yield api


@asynccontextmanager
async def busy(api: Api) -> AsyncIterator[None]:
    """One request has the only place for the length of the block, and is answered after it."""
    async with api.resources.database.engine.begin() as connection:
        await connection.execute(text("LOCK TABLE ads"))
        waiting = asyncio.create_task(api.client.get("/ads?minPrice=1"))
        await until_waiting(api, waiting)
        yield
    assert (await waiting).status_code == 200


async def test_what_exceeds_capacity_is_refused_at_once(narrow: Api) -> None:
    async with busy(narrow):
        for method, path in (("GET", "/ads?minPrice=2"), ("POST", "/login"), ("GET", "/nowhere")):
            refused = await narrow.client.request(method, path, headers=ORIGIN)
            assert refused.status_code == 503
            assert refused.json()["type"] == "/problems#overloaded"
            assert refused.headers["Retry-After"] == "1"
            # A page can read it, and nothing is missing that other answers have.
            assert refused.headers["Access-Control-Allow-Origin"] == ORIGIN["Origin"]
            assert refused.headers["X-Content-Type-Options"] == "nosniff"
    assert (await narrow.client.get("/ads?minPrice=2")).status_code == 200


async def test_the_refusal_is_that_of_the_rest_of_the_service(narrow: Api) -> None:
    """Though it is made elsewhere: the same headers as an error that comes past everything."""
    other = await narrow.client.get("/nowhere", headers=ORIGIN)
    async with busy(narrow):
        refused = await narrow.client.get("/nowhere", headers=ORIGIN)
        head = await narrow.client.head("/nowhere", headers=ORIGIN)
    assert set(refused.headers) == {*other.headers, "retry-after"}
    assert refused.json().keys() == other.json().keys()
    assert head.content == b""
    assert set(head.headers) == set(refused.headers)


async def test_what_costs_nothing_is_answered_all_the_same(narrow: Api) -> None:
    await settle(narrow)
    await narrow.client.get("/ads")
    async with busy(narrow):
        assert (await narrow.client.get("/livez")).status_code == 200
        assert (await narrow.client.get("/ads")).status_code == 200
        asked = {**ORIGIN, "Access-Control-Request-Method": "GET"}
        assert (await narrow.client.options("/ads", headers=asked)).status_code == 204


async def test_who_waits_for_a_client_takes_no_place(narrow: Api) -> None:
    person = await narrow.person()
    reading, going_on = asyncio.Event(), asyncio.Event()
    request = httpx.Request("POST", "http://x", files=ad_form())

    async def body() -> AsyncIterator[bytes]:
        reading.set()
        await going_on.wait()
        yield request.read()

    async def upload(person: Person) -> httpx.Response:
        return await person.post(
            "/ads", content=body(), headers={"Content-Type": request.headers["Content-Type"]}
        )

    slow = asyncio.create_task(upload(person))
    await reading.wait()
    for _ in range(3):
        assert (await narrow.client.get("/ads?minPrice=2")).status_code == 200
    going_on.set()
    assert (await slow).status_code == 201
