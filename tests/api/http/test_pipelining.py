"""Over a socket some responses are sent before the application is called, with no difference."""

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from adsvc.settings import Jobs, Settings
from faults.here import Here, serving
from faults.wire import Answer, Wire, request_head
from support.scene.api import Person
from support.scene.listings import insert_ads
from support.scene.warmth import reads, settle, warmed
from support.trouble.blocking import one_at_work

# Of the server, or of the one request.
OWN = {"date", "x-request-id", "connection"}
ORIGIN = "Origin: http://localhost:3000"
HEADERS = {
    "none": (),
    "an origin": (ORIGIN,),
    "a foreign origin": ("Origin: https://elsewhere.example",),
    "a validator": ('If-None-Match: "x"',),
    "any validator": ("If-None-Match: *", ORIGIN),
    "gzip": ("Accept-Encoding: gzip",),
    "a range": ("Range: bytes=0-9",),
    "what others trust": ("X-Forwarded-Proto: https",),
}


@pytest.fixture
async def here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Here]:
    changed = settings.model_copy(
        update={
            "busy_requests": 1,
            "keep_alive_seconds": 1,
            "database_timeout_seconds": 60,
            "trusted_proxies": ("192.0.2.0/24",),
            # They wait for locks too, and `one_at_work` would take them for its request.
            "jobs": Jobs.OFF,
        }
    )
    async with serving(changed, monkeypatch) as here:
        yield here


async def hot_paths(here: Here, person: Person) -> list[str]:
    ad = await person.post_ad(title="Oak chair")
    await insert_ads(here.api, person.id, [{"title": f"Oak chair {n}"} for n in range(30)])
    paths = ["/ads", "/ads?q=oak&limit=3", f"/ads/{ad['pk']}", ad["image"]]
    for path in paths:
        await warmed(here.api, path, person.headers)
    # The notice that `settle` sends drops the cached listings.
    for path in paths:
        await person.get(path)
    return paths


async def ask(wire: Wire, method: str, path: str, *headers: str) -> Answer:
    await wire.send(request_head(method, path, *headers))
    return await wire.answer(without_body=method == "HEAD")


def said(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    headers = {name: text for name, text in answer.headers.items() if name not in OWN}
    headers["vary"] = ", ".join(sorted(headers["vary"].split(", ")))
    return answer.status, headers, answer.body


@pytest.mark.heavy
async def test_what_is_sent_at_once_is_what_would_be_made(
    here: Here, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await here.api.person()
    bearer = f"Authorization: Bearer {person.token}"
    asked = [
        (method, path, sent)
        for path in await hot_paths(here, person)
        for sent in HEADERS.values()
        for method in ("GET", "HEAD")
    ]
    async with await Wire.open(here.port) as wire:
        with reads(here.api) as counted:
            immediate_response = [
                await ask(wire, *request[:2], bearer, *request[2]) for request in asked
            ]
    # But for ranges, of one picture.
    assert counted == {"open": 2}
    forgetful = settings.model_copy(update={"answers_max_bytes": 0})
    async with serving(forgetful, monkeypatch) as other, await Wire.open(other.port) as wire:
        for request, answer in zip(asked, immediate_response, strict=True):
            made = await ask(wire, *request[:2], bearer, *request[2])
            assert said(answer) == said(made), request
    assert len({answer.headers["x-request-id"] for answer in immediate_response}) == len(asked)


@pytest.mark.heavy
async def test_requests_leave_nothing_for_garbage_collection(here: Here) -> None:
    """Their objects would pile up, and a collection holds up everybody."""
    person = await here.api.person()
    ads = await insert_ads(here.api, person.id, [{"title": f"Oak chair {n}"} for n in range(5)])
    bearer = f"Authorization: Bearer {person.token}"
    gc.collect()
    gc.disable()
    try:
        async with await Wire.open(here.port) as wire:
            for path in [*(f"/ads/{each}" for each in ads), "/ads?limit=2", "/ads/me", "/nowhere"]:
                await ask(wire, "GET", path, bearer)
            left = [each for each in gc.get_objects() if isinstance(each, RequestResponseCycle)]
    finally:
        gc.enable()
    # The connection knows the one it had last.
    assert len(left) == 1


@pytest.mark.heavy
async def test_answers_come_in_the_order_of_the_requests(here: Here) -> None:
    person = await here.api.person()
    await hot_paths(here, person)
    asked = ["/ads?limit=1", "/ads", "/nowhere", "/ads?limit=2", "/ads", "/%61ds", "/ads?limit=3"]
    async with await Wire.open(here.port) as wire:
        for _ in range(2):
            await wire.send(b"".join(request_head("GET", path) for path in asked))
            answers = [await wire.answer() for _ in asked]
            found = [len(answer.json().get("results", ())) for answer in answers]
            assert found == [1, 31, 0, 2, 31, 31, 3]


@pytest.mark.heavy
async def test_a_connection_is_kept_and_closed_as_the_client_wants(here: Here) -> None:
    await settle(here.api)
    await here.api.client.get("/ads")
    requests = {
        request_head("GET", "/ads", "Connection: close"): True,
        b"GET /ads HTTP/1.0\r\nHost: adsvc\r\n\r\n": True,
        request_head("GET", "/ads"): False,
    }
    for request, closes in requests.items():
        async with await Wire.open(here.port) as wire:
            await wire.send(request)
            answer = await wire.answer()
            assert answer.status == 200
            assert (answer.headers.get("connection") == "close") is closes
            if not closes:
                await wire.send(request)
                assert (await wire.answer()).status == 200
            # At once, or after a second of silence.
            assert await wire.rest(10) == b""


@pytest.mark.heavy
async def test_a_refusal_does_not_take_the_body_for_a_request(here: Here) -> None:
    body = request_head("GET", "/nowhere") * 3
    form = (f"Content-Length: {len(body)}", "Content-Type: application/json")
    async with await Wire.open(here.port) as wire:
        async with one_at_work(here.api):
            await wire.send(request_head("POST", "/login", *form))
            refused = await wire.answer()
            assert (refused.status, refused.problem()["type"]) == (503, "/problems#overloaded")
            assert refused.headers["retry-after"] == "1"
            await wire.send(body[:50])
            await asyncio.sleep(0)
            await wire.send(body[50:] + request_head("GET", "/livez"))
            assert (await wire.answer()).status == 200
        # The last of it was a body; the silence after it is one between requests all the same.
        await wire.send(request_head("POST", "/ads", "Content-Length: 1"))
        assert (await wire.answer()).status == 401
        await wire.send(b"x")
        assert await wire.rest(10) == b""
