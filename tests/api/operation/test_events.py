"""The log of events as administrators and their programs follow it."""

import asyncio
import json
import time
from contextlib import AsyncExitStack
from typing import Any

import pytest
from sqlalchemy import insert

from adsvc.kit.db.statements import Statements
from adsvc.kit.process.setup import drain
from adsvc.models.following import Notification
from adsvc.repositories import events as event_rows
from adsvc.repositories.events import LogPosition
from adsvc.services import events as module
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.keys import created, holder
from support.scene.streams import PERSONAL, Stream, streaming
from support.scene.warmth import WAIT_SECONDS, settle
from support.trouble.blocking import until_waiting, while_changing


@pytest.fixture
async def admin(api: Api) -> Person:
    return await api.admin()


def busy(api: Api) -> int:
    app: Any = api.app
    found: int = app.fast_path.shedding.places.admitted
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
    async with asyncio.timeout(WAIT_SECONDS):
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
        ({"type": "message.read"}, "type"),
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


@pytest.mark.heavy
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


async def test_a_stream_misses_nothing_that_is_announced_while_it_begins(
    api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one of a process reads where the log ends, and something happens meanwhile."""
    end = event_rows.end
    await settle(api)

    async def end_before_an_event(db: Statements) -> LogPosition:
        position = await end(db)
        await admin.post_ad()
        await settle(api)
        return position

    monkeypatch.setattr(event_rows, "end", end_before_an_event)
    async with streaming(api, admin) as stream:
        await stream.until(lambda it: "ad.created" in it.types)


@pytest.mark.heavy
async def test_a_stream_resumes(api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what is not in memory any more, in several pages."""
    await settle(api)
    monkeypatch.setattr(module, "CHUNK_EVENTS", 2)
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


@pytest.mark.heavy
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
@pytest.mark.parametrize("path", ["/events/stream", PERSONAL])
@pytest.mark.parametrize("how", ["log out", "demote", "suspend", "delete"])
async def test_a_stream_ends_with_its_session(
    api: Api, admin: Person, how: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert module.CHECK_SECONDS + module.TICK_SECONDS < 5
    monkeypatch.setattr(module, "CHECK_SECONDS", 0)
    monkeypatch.setattr(module, "TICK_SECONDS", 0.05)
    change = {
        "log out": "DELETE FROM sessions",
        "demote": "UPDATE users SET role = 'USER'",
        "suspend": "UPDATE users SET suspended_until = 'infinity'",
        "delete": "DELETE FROM users",
    }[how]
    async with streaming(api, admin, path=path) as stream, streaming(api, admin, path=path):
        await api.sql(change)
        if how == "demote" and path == PERSONAL:
            # Any account may.
            await stream_goes_on(api, admin, stream)
        else:
            await stream.until(lambda it: it.ended)


async def stream_goes_on(api: Api, person: Person, stream: Stream) -> None:
    await notify(api, person)
    await stream.until(lambda it: NOTIFICATION in it.types)
    assert not stream.ended


@pytest.mark.guard
@pytest.mark.parametrize("path", ["/events/stream", PERSONAL])
@pytest.mark.parametrize("how", ["delete", "expire"])
async def test_a_stream_ends_with_its_key(
    api: Api, admin: Person, how: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECK_SECONDS", 0)
    monkeypatch.setattr(module, "TICK_SECONDS", 0.05)
    key = await created(admin, scopes=["events:read", "messages:read"])
    program = holder(admin, key)
    async with streaming(api, program, path=path) as stream:
        assert stream.status == 200
        if how == "delete":
            assert (await admin.delete(f"/users/me/keys/{key['id']}")).status_code == 204
        else:
            await api.sql("UPDATE keys SET expires_at = now()")
            api.state.token_cache._known.clear()
        await stream.until(lambda it: it.ended)


@pytest.mark.guard
async def test_a_stream_ends_with_its_token(
    api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the session goes on."""
    monkeypatch.setattr(module, "CHECK_SECONDS", 0)
    monkeypatch.setattr(module, "TICK_SECONDS", 0.05)
    async with streaming(api, admin, path=PERSONAL) as stream:
        now = time.time() + api.state.settings.access_token_seconds + 1
        monkeypatch.setattr(time, "time", lambda: now)
        await stream.until(lambda it: it.ended)


NOTIFICATION = "notification"


async def notify(api: Api, person: Person, identifier: int | None = None) -> int:
    """A new notification, which the processes hear of by the log alone; its id."""
    async with api.state.database.autocommit() as session:
        new = await session.scalars(
            insert(Notification)
            .values(
                user_id=person.id, type="decision", **({"id": identifier} if identifier else {})
            )
            .returning(Notification.id)
        )
        return new.one()


@pytest.mark.heavy
async def test_the_stream_of_an_account_has_its_notifications(api: Api) -> None:
    person, other = await api.person(), await api.person()
    before = await notify(api, person)
    await settle(api)
    async with streaming(api, person, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        assert stream.types == ["unread"]
        assert json.loads(stream.events[0]["data"]) == {"messages": 0, "notifications": 1}
        await notify(api, other)
        new = await notify(api, person)
        await stream.until(lambda it: len(it.events) == 3)
        assert stream.types == ["unread", NOTIFICATION, "unread"]
        listed = (await person.get("/users/me/notifications")).json()["results"]
        assert json.loads(stream.events[1]["data"]) == listed[0]
        assert json.loads(stream.events[2]["data"]) == {"messages": 0, "notifications": 2}
        await person.post("/users/me/notifications/read", json={"upTo": new})
        await stream.until(lambda it: len(it.events) == 4)
        assert json.loads(stream.events[3]["data"]) == {"messages": 0, "notifications": 0}
        first, last = stream.events[0]["id"], stream.events[3]["id"]
    async with streaming(api, person, f"after={first}", path=PERSONAL) as stream:
        await stream.until(lambda it: NOTIFICATION in it.types)
        assert stream.types == ["unread", NOTIFICATION]
        assert json.loads(stream.events[1]["data"])["id"] == new != before
    async with streaming(api, person, path=PERSONAL, last_event_id=last) as stream:
        await stream.until(lambda it: it.events)
        assert stream.types == ["unread"]


@pytest.mark.heavy
async def test_a_notification_that_is_committed_late_is_sent_too(api: Api) -> None:
    """After one with a greater id; and many of them come in portions, each once."""
    person = await api.person()
    async with streaming(api, person, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        last = await notify(api, person, 1000)
        await stream.until(lambda it: NOTIFICATION in it.types)
        await notify(api, person, 999)
        await stream.until(lambda it: it.types.count(NOTIFICATION) == 2)
        async with api.state.database.autocommit() as session:
            rows = [{"id": number, "user_id": person.id} for number in range(1001, 1131)]
            await session.execute(insert(Notification).values(type="decision"), rows)
        await stream.until(lambda it: it.types.count(NOTIFICATION) >= 132)
        ids = [
            json.loads(event["data"])["id"]
            for event in stream.events
            if event["event"] == NOTIFICATION
        ]
        assert ids == [last, 999, *range(1001, 1131)]


@pytest.mark.guard
async def test_a_stream_of_an_account_begins_at_cursors_of_its_own(api: Api, admin: Person) -> None:
    other = await api.person()
    async with streaming(api, other, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        cursor = stream.events[0]["id"]
    for person, after, status in (
        (admin, cursor, 410),
        (other, await end_of(admin), 410),
        (other, "x", 400),
    ):
        answer = await person.get(PERSONAL, params={"after": after})
        assert answer.status_code == status
    await api.sql("UPDATE event_log SET epoch = gen_random_uuid()")
    answer = await other.get(PERSONAL, headers={"Last-Event-ID": cursor})
    assert answer.status_code == 410
    assert answer.json()["type"] == "/problems#cursor-expired"


@pytest.mark.heavy
async def test_streams_and_waiting_requests_end_with_the_process(start_api: ApiFactory) -> None:
    async with start_api() as api:
        person = await api.admin()
        async with streaming(api, person) as stream, streaming(api, person, path=PERSONAL) as mine:
            await settle(api)
            waiting = asyncio.create_task(listed(person, after=await end_of(person), wait=25))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            drain.end_streams()
            await stream.until(lambda it: it.ended)
            await mine.until(lambda it: it.ended)
            async with asyncio.timeout(WAIT_SECONDS):
                assert (await waiting)["results"] == []


async def test_a_process_keeps_connections_for_other_requests(start_api: ApiFactory) -> None:
    async with start_api(connections=2) as api:
        one, other = await api.admin(), await api.person()
        async with streaming(api, one):
            refused = await other.get(PERSONAL)
            assert refused.status_code == 503
            assert refused.json()["type"] == "/problems#overloaded"


@pytest.mark.guard
@pytest.mark.parametrize("path", ["/events/stream", PERSONAL])
async def test_one_stream_too_many_is_refused_before_anything_is_read(
    api: Api, admin: Person, path: str
) -> None:
    async with AsyncExitStack() as opened:
        for _ in range(4):
            await opened.enter_async_context(streaming(api, admin, path=path))
        cursor = "" if path == PERSONAL else f"?after={await end_of(admin)}"
        async with (
            while_changing(api, "LOCK TABLE event_log, messages, notifications"),
            asyncio.timeout(20),
        ):
            refused = await admin.get(path + cursor)
            assert refused.json()["type"] == "/problems#too-many-streams"


@pytest.mark.heavy
@pytest.mark.parametrize("path", ["/events", PERSONAL])
async def test_what_a_stream_reads_at_first_takes_a_place(start_api: ApiFactory, path: str) -> None:
    """Only what waits for events takes none."""
    async with start_api(busy_requests=1, database_timeout_seconds=60) as api:
        admin = await api.admin()
        # So that the caller is known.
        assert (await admin.get("/users/me")).status_code == 200
        async with while_changing(api, "LOCK TABLE event_log"):
            if path == PERSONAL:
                task = asyncio.create_task(opened_once(api, admin))
            else:
                task = asyncio.create_task(answered(admin))
            await until_waiting(api, task)
            assert (await api.client.get("/nowhere")).status_code == 503
        await task
        assert (await api.client.get("/nowhere")).status_code == 404


async def change(api: Api, statement: str) -> None:
    """By another process, which announces nothing itself."""
    async with while_changing(api, statement):
        pass


async def opened_once(api: Api, person: Person) -> None:
    async with streaming(api, person, path=PERSONAL) as stream:
        assert stream.status == 200


async def answered(person: Person) -> None:
    assert (await person.get("/events")).status_code == 200


@pytest.mark.heavy
async def test_a_notice_without_names_wakes_the_accounts_that_it_is_about(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement notifies more accounts than notices name."""
    people = [await api.person() for _ in range(3)]
    concerned, other, reader = people
    await change(
        api,
        """
        INSERT INTO users
            (username, username_key, password_hash, first_name, last_name, phone, role)
        SELECT 'x' || n, 'x' || n, '', '', '', '', 'USER' FROM generate_series(0, 100) AS n
        """,
    )
    to_all = "INSERT INTO notifications (user_id, type) SELECT id, 'favoriteSold' FROM users"
    read: list[int] = []
    feed = api.state.personal
    original = feed.notifications

    async def noted(user_id: int, after: int) -> Any:
        read.append(user_id)
        return await original(user_id, after)

    async with AsyncExitStack() as stack:
        # `Followed` has the function of when its stream began.
        monkeypatch.setattr(feed, "notifications", noted)
        streams = [
            await stack.enter_async_context(streaming(api, person, path=PERSONAL))
            for person in people
        ]
        for number in (1, 2):
            # What the accounts had before the first notice is not known: it wakes them all.
            await change(api, to_all)
            for stream in streams:
                await stream.until(lambda it: it.types.count(NOTIFICATION) == number)  # noqa: B023
        await settle(api)
        read.clear()
        await change(api, f"{to_all} WHERE id <> {other.id}")
        for stream in (streams[0], streams[2]):
            await stream.until(lambda it: it.types.count(NOTIFICATION) == 3)
        await settle(api)
        assert {concerned.id, reader.id} <= set(read)
        assert other.id not in read
        # What was read elsewhere is such a change too.
        await change(api, f"{READ} WHERE user_id <> {other.id}")
        await streams[2].until(lambda it: json.loads(it.events[-1]["data"]) == NONE_UNREAD)
        assert other.id not in read


READ = "UPDATE notifications SET read = TRUE"
NONE_UNREAD = {"messages": 0, "notifications": 0}


async def test_an_account_has_few_streams(api: Api, admin: Person) -> None:
    """Both kinds together, and whatever others have."""
    other = await api.admin()
    async with AsyncExitStack() as opened:
        for path in ("/events/stream", PERSONAL) * 2:
            await opened.enter_async_context(streaming(api, admin, path=path))
            await opened.enter_async_context(streaming(api, other, path=path))
        for path in ("/events/stream", PERSONAL):
            refused = await admin.get(path)
            assert refused.status_code == 429
            assert refused.json()["type"] == "/problems#too-many-streams"
            assert int(refused.headers["retry-after"]) > 0
        third = await api.person()
        async with streaming(api, third, path=PERSONAL) as stream:
            assert stream.status == 200
    assert not api.state.streams._by_account
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
        await settle(api)
        # It still writes what came before.
        following.last_id -= 100
        await admin.patch(f"/ads/{ad['pk']}", json={"price": 3})
        await stream.until(lambda it: it.ended)


@pytest.mark.heavy
async def test_clients_that_read_nothing_keep_little_in_memory(
    api: Api, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All share the recent events, and each has at most one portion that it has not taken."""
    monkeypatch.setattr(module, "RECENT_EVENTS", 20)
    monkeypatch.setattr(module, "CHUNK_EVENTS", 3)
    monkeypatch.setattr(module, "PAGE_EVENTS", 10)
    ad = await admin.post_ad()
    await settle(api)
    async with streaming(api, admin) as one, streaming(api, admin) as other:
        for stream in (one, other):
            stream.taken.clear()
        for price in range(60):
            await admin.patch(f"/ads/{ad['pk']}", json={"price": price})
        await settle(api)
        assert len(api.state.events._events) <= 40
        for stream in (one, other):
            assert len(stream.events) <= 3
            stream.taken.set()
            await stream.until(lambda it: it.ended)
        events = one.events
    # Nothing is lost: it goes on behind what it has.
    async with streaming(api, admin, last_event_id=events[-1]["id"]) as stream:
        await stream.until(lambda it: len(it.events) == 60 - len(events))


@pytest.mark.parametrize("path", ["/events/stream", PERSONAL])
async def test_head_of_a_stream_is_a_head(admin: Person, path: str) -> None:
    answer = await admin.request("HEAD", path)
    assert answer.status_code == 200
    assert answer.content == b""
