"""More requests than a process accepts: here one, which waits for a lock on a table."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack

import pytest

from adsvc.api.pipeline import app
from adsvc.errors import TooManyAtOnceError
from adsvc.kit.bulkheads import pools
from adsvc.kit.bulkheads.admission import Client
from adsvc.settings import LogFormat
from conftest import ApiFactory
from support.scene.api import Api, ad_form, image_form
from support.scene.warmth import settle
from support.trouble.blocking import busy, one_at_work, until_waiting, while_changing
from support.trouble.half_uploads import half_way

ORIGIN = {"Origin": "http://localhost:3000"}
UPLOADS = (("POST", "/ads"), ("PATCH", "/ads/1/image"), ("PATCH", "/users/me/image"))


@pytest.fixture
async def narrow(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api(busy_requests=1, database_timeout_seconds=60) as api:
        yield api


async def test_what_exceeds_capacity_is_refused_at_once(narrow: Api) -> None:
    async with one_at_work(narrow):
        for method, path in (("GET", "/ads?minPrice=2"), ("POST", "/login"), ("GET", "/nowhere")):
            refused = await narrow.client.request(method, path, headers=ORIGIN)
            assert refused.status_code == 503
            assert refused.json()["type"] == "/problems#overloaded"
            assert refused.headers["Retry-After"] == "1"
            # A page can read it, and nothing is missing that other answers have.
            assert refused.headers["Access-Control-Allow-Origin"] == ORIGIN["Origin"]
            assert refused.headers["X-Content-Type-Options"] == "nosniff"
    assert (await narrow.client.get("/ads?minPrice=2")).status_code == 200


async def test_one_client_has_half_of_the_places(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", busy_requests=2, database_timeout_seconds=60) as api:
        async with one_at_work(api), api.at("198.51.100.7") as elsewhere:
            assert (await api.client.get("/users/me")).status_code == 503
            assert (await elsewhere.get("/users/me")).status_code == 401
            assert (await api.client.get("/livez")).status_code == 200
        assert (await api.client.get("/users/me")).status_code == 401


@pytest.mark.heavy
@pytest.mark.parametrize("address", ["203.0.113.{}", "2001:db8:1:{}00::1"], ids=["/24", "/48"])
async def test_networks_around_a_client_leave_a_place_to_others(
    start_api: ApiFactory, address: str
) -> None:
    """Any of them, also where none within it has its share."""
    room = {"busy_requests": 4, "search_workers": 3, "database_timeout_seconds": 60}
    async with (
        start_api(rate_limits="on", **room) as api,
        AsyncExitStack() as stack,
    ):
        near = [await stack.enter_async_context(api.at(address.format(n))) for n in (1, 1, 2, 3)]
        far = await stack.enter_async_context(api.at("198.51.100.7"))
        async with while_changing(api, "LOCK TABLE ads"):
            waiting = []
            for number, client in enumerate(near[:3]):
                waiting.append(asyncio.create_task(client.get(f"/ads?minPrice={number}")))
                await until_waiting(api, *waiting)
            assert (await near[3].get("/users/me")).status_code == 503
            assert (await far.get("/users/me")).status_code == 401
        assert [(await task).status_code for task in waiting] == [200, 200, 200]
        assert (await near[3].get("/users/me")).status_code == 401


async def test_a_network_has_only_a_part_of_each_pool(start_api: ApiFactory) -> None:
    """By docs/operations/capacity.md: 4/5 of the places for pictures, half of the others."""
    sizes = {
        f"{pool}_{part}": places
        for pool in ("image", "search", "password")
        for part, places in (("workers", 2), ("queue", 18))
    }
    async with start_api(rate_limits="on", passwords_per_network=20, **sizes) as api:
        state = api.state
        for places, share in (
            (state.image_pool.admission, 16),
            (state.searches.admission, 10),
            (state.password_pool.admission, 10),
        ):
            people = [
                Client(number, (f"203.0.113.{number}", "203.0.113.0/24")) for number in range(17)
            ]
            for person in people[:share]:
                places.enter(person)
            with pytest.raises(TooManyAtOnceError) as caught:
                places.enter(people[share])
            assert caught.value.limit == share
            places.enter(Client(99, ("198.51.100.7", "198.51.100.0/24")))


@pytest.mark.heavy
async def test_the_refusal_is_that_of_the_rest_of_the_service(narrow: Api) -> None:
    """Though it is made elsewhere: the same headers as an error that comes past everything."""
    other = await narrow.client.get("/nowhere", headers=ORIGIN)
    async with one_at_work(narrow):
        refused = await narrow.client.get("/nowhere", headers=ORIGIN)
        head = await narrow.client.head("/nowhere", headers=ORIGIN)
    assert set(refused.headers) == {*other.headers, "retry-after"}
    assert refused.json().keys() == other.json().keys()
    assert head.content == b""
    assert set(head.headers) == set(refused.headers)


@pytest.mark.heavy
async def test_what_costs_nothing_is_answered_all_the_same(narrow: Api) -> None:
    await settle(narrow)
    await narrow.client.get("/ads")
    async with one_at_work(narrow):
        assert (await narrow.client.get("/livez")).status_code == 200
        assert (await narrow.client.get("/ads")).status_code == 200
        asked = {**ORIGIN, "Access-Control-Request-Method": "GET"}
        assert (await narrow.client.options("/ads", headers=asked)).status_code == 204


@pytest.mark.heavy
async def test_what_needs_a_full_pool_is_refused_before_anything_else(api: Api) -> None:
    """Even what would be refused anyway: to find that out costs more."""
    person = await api.person()
    await person.post_ad()
    with busy(api.state.image_pool):
        for method, path in UPLOADS:
            answer = await api.client.request(method, path, content=b"nothing")
            assert answer.json()["type"] == "/problems#overloaded"
        assert (await api.client.post("/login", content=b"nothing")).status_code == 415
        assert (await person.patch("/ads/1", json={"price": 5})).status_code == 200
    with busy(api.state.password_pool):
        for path in ("/login", "/register"):
            answer = await api.client.post(path, content=b"nothing")
            assert answer.json()["type"] == "/problems#overloaded"
        assert (await person.patch("/ads/1/image", files=image_form())).status_code == 200
        assert (await api.client.patch("/login")).status_code == 405


async def test_all_operations_that_take_a_picture_are_known_at_the_door(api: Api) -> None:
    operations = {
        (method.upper(), path)
        for path, methods in api.app.openapi()["paths"].items()
        for method, operation in methods.items()
        if "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
    }
    assert operations == app.UPLOADS


async def test_the_log_says_which_pool_was_full(
    start_api: ApiFactory, capfd: pytest.CaptureFixture[str]
) -> None:
    async with start_api(log_format=LogFormat.JSON) as api:
        with busy(api.state.image_pool), busy(api.state.password_pool):
            for method, path in (*UPLOADS, ("POST", "/login")):
                await api.client.request(method, path)
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line[:1] == "{"]
    routes = [line["route"] for line in lines if line.get("status") == 503]
    assert routes == ["/ads", "/ads/{id}/image", "/users/me/image", "/login"]


@pytest.mark.heavy
async def test_who_waits_for_a_client_takes_no_place(narrow: Api) -> None:
    person = await narrow.person()
    async with half_way(person, 1) as [slow]:
        for _ in range(3):
            assert (await narrow.client.get("/ads?minPrice=2")).status_code == 200
    assert slow.result().status_code == 201


@pytest.fixture
async def small(start_api: ApiFactory) -> AsyncIterator[Api]:
    """Two pictures at a time."""
    async with start_api(image_workers=1, image_queue=1) as api:
        yield api


@pytest.mark.heavy
async def test_room_is_kept_for_a_picture_that_comes_in(small: Api) -> None:
    person = await small.person()
    async with half_way(person, 2) as uploads:
        assert (await person.post("/ads", files=ad_form())).status_code == 503
    assert [upload.result().status_code for upload in uploads] == [201, 201]
    assert (await person.post("/ads", files=ad_form())).status_code == 201


@pytest.mark.heavy
async def test_room_is_not_kept_for_long(small: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "RESERVED_SECONDS", 0)
    person, pool = await small.person(), small.state.image_pool
    for there_is_room in (True, False):
        with ExitStack() as stack:
            async with half_way(person, 2) as uploads:
                async with asyncio.timeout(5):
                    while pool.is_full:  # noqa: ASYNC110 - there is no event
                        await asyncio.sleep(0)
                assert (await person.post("/ads", files=ad_form())).status_code == 201
                if not there_is_room:
                    stack.enter_context(busy(pool))
            statuses = {upload.result().status_code for upload in uploads}
            assert statuses == {201 if there_is_room else 503}
    assert pool.admission.admitted == 0
