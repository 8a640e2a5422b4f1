"""The log of events as administrators and their programs follow it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from starlette.types import Message

from adsvc.process.drain import drain
from adsvc.services import events as module
from conftest import ApiFactory
from support.running.in_process import scope_of
from support.scene.api import Api, Person
from support.scene.warmth import PATIENCE_SECONDS, settle


@pytest.fixture
async def admin(api: Api) -> Person:
    return await api.admin()


class Stream:
    """A response that goes on, as a client has it."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.text = ""
        self.ended = False
        self.gone = asyncio.Event()
        self._sent = False
        self._stirred = asyncio.Event()

    async def receive(self) -> Message:
        if not self._sent:
            self._sent = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.text += message.get("body", b"").decode()
            self.ended = not message.get("more_body", False)
        self._stirred.set()

    @property
    def events(self) -> list[dict[str, str]]:
        blocks = [block for block in self.text.split("\n\n") if block.startswith("id:")]
        return [dict(line.split(": ", 1) for line in block.split("\n")) for block in blocks]

    @property
    def types(self) -> list[str]:
        return [event["event"] for event in self.events]

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not condition(self):
                self._stirred.clear()
                await self._stirred.wait()


@asynccontextmanager
async def streaming(
    api: Api, person: Person, query: str = "", **headers: str
) -> AsyncIterator[Stream]:
    stream = Stream()
    sent = [(b"authorization", f"Bearer {person.token}".encode())]
    sent += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = scope_of("GET", "/events/stream", headers=sent)
    # As uvicorn says.
    scope |= {"query_string": query.encode(), "asgi": {"version": "3.0", "spec_version": "2.3"}}
    task = asyncio.create_task(api.app(scope, stream.receive, stream.send))
    try:
        await stream.until(lambda it: it.text or it.ended)
        yield stream
    finally:
        stream.gone.set()
        await asyncio.wait([task])


def busy(api: Api) -> int:
    app: Any = api.app
    found: int = app.fast_path.shedding.busy
    return found


async def listed(person: Person, **query: Any) -> dict[str, Any]:
    answer = await person.get("/events", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def end_of(person: Person) -> str:
    """A cursor behind all that has happened."""
    page = await listed(person)
    while page["results"]:
        page = await listed(person, after=page["next"])
    return str(page["next"])


async def test_the_list_goes_on_from_its_cursor(admin: Person) -> None:
    ad = await admin.post_ad()
    first = await listed(admin, wait=20, type="ad.created")
    [created] = first["results"]
    assert created.keys() == {"id", "type", "at", "ad", "user", "data"}
    assert (created["type"], created["ad"], created["user"]) == ("ad.created", ad["pk"], admin.id)
    assert created["data"] == {"status": "active"}
    await admin.patch(f"/ads/{ad['pk']}", json={"price": 5, "title": "Ash table"})
    second = await listed(admin, after=first["next"], wait=20)
    assert [event["type"] for event in second["results"]] == ["ad.priceChanged", "ad.updated"]
    assert [event["id"] for event in second["results"]] == [created["id"] + 1, created["id"] + 2]
    assert second["results"][0]["data"] == {"from": ad["price"], "to": 5}
    one = await listed(admin, after=first["next"], limit=1)
    assert one["results"] == second["results"][:1]
    rest = await listed(admin, after=one["next"])
    assert rest["results"] == second["results"][1:]
    assert (await listed(admin, after=rest["next"]))["results"] == []


async def test_a_request_waits_for_an_event(api: Api, admin: Person) -> None:
    after = await end_of(admin)
    waiting = asyncio.create_task(listed(admin, after=after, wait=25, type="ad.created"))
    await asyncio.sleep(0.05)
    assert busy(api) == 0
    await admin.post_ad()
    async with asyncio.timeout(PATIENCE_SECONDS):
        [event] = (await waiting)["results"]
    assert event["type"] == "ad.created"


@pytest.mark.guard
async def test_only_administrators_follow_the_log(api: Api) -> None:
    person = await api.person()
    for path in ("/events", "/events/stream"):
        assert (await api.client.get(path)).status_code == 401
        assert (await person.get(path)).status_code == 403


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"type": "message.sent"}, "type"),
        ({"type": ["ad.sold", "ad.bought"]}, "type"),
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"wait": 26}, "wait"),
        ({"wait": "x"}, "wait"),
        ({"after": "x"}, "after"),
    ],
)
async def test_wrong_parameters(admin: Person, query: dict[str, Any], parameter: str) -> None:
    answer = await admin.get("/events", params=query)
    assert answer.status_code == 400
    assert {error["parameter"] for error in answer.json()["errors"]} == {parameter}
    if parameter not in {"limit", "wait"}:
        assert (await admin.get("/events/stream", params=query)).status_code == 400


async def test_a_cursor_of_another_log_has_expired(api: Api, admin: Person) -> None:
    await admin.post_ad()
    after = (await listed(admin, wait=20, type="ad.created"))["next"]
    headers = {"Last-Event-ID": after}
    for change, undo in (
        # A restored backup; a log that went on otherwise after a point in time; an event too old.
        (
            "UPDATE event_log SET epoch = gen_random_uuid()",
            "UPDATE event_log SET epoch = gen_random_uuid()",
        ),
        ("UPDATE events SET at = at + interval '1 s'", "SELECT 1"),
        ("DELETE FROM events", "SELECT 1"),
    ):
        await listed(admin, after=after)
        await api.sql(change)
        if change.startswith("DELETE"):
            # Something came after it.
            await admin.post_ad()
            await listed(admin, wait=20, type="ad.created")
        for answer in (
            await admin.get("/events", params={"after": after}),
            await admin.get("/events/stream", headers=headers),
        ):
            assert answer.status_code == 410
            assert answer.json()["type"] == "/problems#cursor-expired"
        await api.sql(undo)
        after = (await listed(admin, wait=20, type="ad.created"))["next"]
        headers = {"Last-Event-ID": after}


async def test_a_stream_has_what_happens_from_now_on(api: Api, admin: Person) -> None:
    await admin.post_ad()
    await settle(api)
    async with streaming(api, admin) as stream:
        assert stream.status == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store"
        assert stream.headers["x-accel-buffering"] == "no"
        # An idle stream takes no place.
        assert busy(api) == 0
        ad = await admin.post_ad()
        await stream.until(lambda it: "ad.created" in it.types)
        event = stream.events[-1]
        record = json.loads(event["data"])
        assert record["ad"] == ad["pk"]
        # Cursors of both are of one kind.
        assert (await listed(admin, after=event["id"]))["results"] == []
    async with streaming(api, admin, f"after={event['id']}&type=ad.sold") as stream:
        await admin.patch(f"/ads/{ad['pk']}", json={"price": 7})
        await admin.post(f"/ads/{ad['pk']}/sell")
        await stream.until(lambda it: it.types)
        assert stream.types == ["ad.sold"]


async def test_a_stream_resumes(api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what is not in memory any more, in several pages."""
    await settle(api)
    monkeypatch.setattr(module, "PAGE_EVENTS", 2)
    start = await end_of(admin)
    ad = await admin.post_ad()
    for price in range(5):
        await admin.patch(f"/ads/{ad['pk']}", json={"price": price})
    await settle(api)
    async with streaming(api, admin, "after=x-ignored", last_event_id=start) as stream:
        await stream.until(lambda it: len(it.events) >= 6)
        await admin.patch(f"/ads/{ad['pk']}", json={"price": 99})
        await stream.until(lambda it: len(it.events) >= 7)
        ids = [json.loads(event["data"])["id"] for event in stream.events]
        assert ids == [*range(ids[0], ids[0] + 7)]


async def test_a_comment_keeps_an_idle_stream_open(
    api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert module.COMMENT_SECONDS == 15
    monkeypatch.setattr(module, "COMMENT_SECONDS", 0.1)
    await settle(api)
    async with streaming(api, admin) as stream:
        await stream.until(lambda it: it.text.count(":") >= 2)
        assert stream.events == []


@pytest.mark.guard
@pytest.mark.parametrize("how", ["log out", "demote", "delete"])
async def test_a_stream_ends_with_its_session(
    api: Api, admin: Person, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert module.CHECK_SECONDS + module.TICK_SECONDS < 5
    monkeypatch.setattr(module, "CHECK_SECONDS", 0)
    async with streaming(api, admin) as stream:
        if how == "log out":
            await api.sql("DELETE FROM sessions")
        elif how == "demote":
            await api.sql("UPDATE users SET role = 'USER'")
        else:
            await api.sql("DELETE FROM users")
        await stream.until(lambda it: it.ended)


async def test_streams_end_with_the_process(start_api: ApiFactory) -> None:
    async with start_api() as api:
        person = await api.admin()
        async with streaming(api, person) as stream:
            waiting = asyncio.create_task(listed(person, after=await end_of(person), wait=25))
            await asyncio.sleep(0.05)
            drain.end_streams()
            await stream.until(lambda it: it.ended)
            assert not waiting.done()
            waiting.cancel()


async def test_an_account_has_few_streams(api: Api, admin: Person) -> None:
    async with AsyncExitStack() as streams:
        for _ in range(4):
            await streams.enter_async_context(streaming(api, admin))
        refused = await admin.get("/events/stream")
        assert refused.status_code == 429
        assert refused.json()["type"] == "/problems#too-many-streams"
        assert int(refused.headers["retry-after"]) > 0
    async with streaming(api, admin) as stream:
        assert stream.status == 200


async def test_a_reader_that_is_too_slow_is_dropped(
    api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECENT_EVENTS", 2)
    ad = await admin.post_ad()
    await settle(api)
    async with streaming(api, admin) as stream:
        [following] = api.state.events._streams
        # It still writes what came before.
        following.last_id -= 100
        await admin.patch(f"/ads/{ad['pk']}", json={"price": 3})
        await stream.until(lambda it: it.ended)


async def test_head_of_a_stream_is_a_head(admin: Person) -> None:
    answer = await admin.request("HEAD", "/events/stream")
    assert answer.status_code == 200
    assert answer.content == b""
