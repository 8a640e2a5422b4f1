"""Frequent changes take two statements: one for the limit, one for all the rest."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from sqlalchemy import event

from adsvc.errors import DatabaseUnavailableError
from adsvc.kit import invalidation
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.listings import listed
from support.scene.moderation import TERMS
from support.scene.snapshots import snapshot
from support.scene.talk import Talk, talk, write
from support.scene.warmth import settle, warmed

NONSENSE: dict[str, Any] = {"content": b"\xff", "headers": {"Content-Type": "application/json"}}
LIMIT = 3


@pytest.fixture
async def limited(start_api: ApiFactory) -> AsyncIterator[Api]:
    # Jobs would send statements meanwhile.
    async with start_api(rate_limits="on", writes_per_user=LIMIT, jobs="off") as api:
        yield api


@contextmanager
def statements(api: Api) -> Iterator[list[str]]:
    """What is sent to the database meanwhile, by whatever pool; BEGIN and COMMIT too."""
    sent: list[str] = []
    database = api.state.database
    # Every other method sends its statement by this one.
    wrapped = [(pool, "fetch") for pool in (database.reader, database.writer)]

    def noting(function: Any) -> Any:
        async def call(statement: str, *values: object, **options: Any) -> Any:
            sent.append(statement)
            return await function(statement, *values, **options)

        return call

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    def note_end(_connection: object) -> None:
        sent.append("COMMIT")

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", note_end)
    for owner, name in wrapped:
        setattr(owner, name, noting(getattr(owner, name)))
    try:
        yield sent
    finally:
        for owner, name in wrapped:
            delattr(owner, name)
        event.remove(engine, "before_cursor_execute", note)
        event.remove(engine, "commit", note_end)


def remaining(answer: httpx2.Response) -> int:
    return int(answer.headers["RateLimit"].split("r=")[1].split(";")[0])


async def changes_of(person: Person, path: str) -> AsyncIterator[httpx2.Response]:
    yield await person.patch(path, json={"price": 7})
    yield await person.post(f"{path}/comments", json={"text": "Still there?"})


@pytest.mark.heavy
async def test_a_change_takes_two_statements(limited: Api) -> None:
    person = await limited.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    await settle(limited)
    assert (await person.get(path)).status_code == 200
    with statements(limited) as sent:
        async for answer in changes_of(person, path):
            assert answer.status_code == 200
            assert len(sent) == 2, sent
            sent.clear()


def reads_of(found: Talk) -> list[str]:
    return ["/conversations", found.path, f"{found.path}/messages"]


@pytest.mark.heavy
async def test_a_message_takes_two_statements_and_reading_conversations_one(limited: Api) -> None:
    found = await talk(limited)
    await settle(limited)
    assert (await found.seller.get(found.about)).status_code == 200
    with statements(limited) as sent:
        await write(found.seller, found.path)
        assert len(sent) == 2, sent
        for path in reads_of(found):
            sent.clear()
            assert (await found.seller.get(path)).status_code == 200
            assert len(sent) == 1, sent


@pytest.mark.heavy
async def test_a_decision_about_many_ads_takes_no_more_statements(start_api: ApiFactory) -> None:
    async with start_api(jobs="off") as api:
        admin, author = await api.admin(), await api.person()
        ads = [(await author.post_ad())["pk"] for _ in range(5)]
        await settle(api)
        counts = []
        for chosen in (ads[:1], ads[1:]):
            decision = {"action": "suspendAd", "ads": chosen, **TERMS}
            with statements(api) as sent:
                answer = await admin.post("/admin/ads/decisions", json=decision)
                assert answer.json()["changed"] == len(chosen)
                counts.append(len(sent))
        assert counts[0] == counts[1]


@pytest.mark.heavy
async def test_a_missing_right_is_reported_before_limit_and_body(limited: Api) -> None:
    author, stranger = await limited.person(), await limited.person()
    path = f"/ads/{(await author.post_ad())['pk']}"
    own = f"/ads/{(await stranger.post_ad())['pk']}"
    before = await snapshot(limited)
    for sent in ({"json": {"price": 7}}, NONSENSE):
        # More often than anybody may: what comes to nothing does not count.
        for _ in range(LIMIT + 1):
            assert (await stranger.patch(path, **sent)).status_code == 403
            assert (await stranger.patch("/ads/99", **sent)).status_code == 404
    assert (await snapshot(limited)).rows["ads"] == before.rows["ads"]
    for left in (2, 1, 0):
        assert remaining(await stranger.patch(own, json={"price": 7})) == left
    assert (await stranger.patch(own, json={"price": 7})).status_code == 429
    assert (await stranger.patch(own, **NONSENSE)).status_code == 429
    for sent in ({"json": {"price": 7}}, NONSENSE):
        assert (await stranger.patch(path, **sent)).status_code == 403
        assert (await stranger.patch("/ads/99", **sent)).status_code == 404
    await limited.sql("DELETE FROM sessions WHERE user_id = :id", id=stranger.id)
    assert (await stranger.patch(own, **NONSENSE)).status_code == 401


@pytest.mark.heavy
async def test_a_body_that_is_not_valid_counts(limited: Api) -> None:
    person = await limited.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    for _ in range(LIMIT):
        assert (await person.patch(path, **NONSENSE)).status_code == 400
    assert (await person.patch(path, json={"price": 7})).status_code == 429


@pytest.mark.heavy
async def test_a_session_that_ended_unheard_changes_and_reads_nothing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine signs of life may come late, and the process drops what it has in memory.
    monkeypatch.setattr(invalidation, "CONFIDENCE_SECONDS", float("inf"))
    found = await talk(api)
    person, path = found.seller, found.about
    await warmed(api, path, person.headers)
    async with api.state.database.engine.begin() as connection:
        await connection.exec_driver_sql(
            "ALTER TABLE sessions DISABLE TRIGGER tell_sessions_delete"
        )
        await connection.exec_driver_sql("DELETE FROM sessions")
        await connection.exec_driver_sql("ALTER TABLE sessions ENABLE TRIGGER tell_sessions_delete")
    # The process still takes the token for a good one.
    assert api.state.token_cache.get(f"Bearer {person.token}") is not None
    assert (await person.patch(path, json={"price": 7})).status_code == 401
    assert await api.sql("SELECT price FROM ads") == [1500]
    for read in reads_of(found):
        assert (await person.get(read)).status_code == 401


@pytest.mark.heavy
async def test_a_change_whose_outcome_is_unknown_is_not_hidden_by_what_was_kept(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = await api.person()
    path = f"/ads/{(await person.post_ad())['pk']}"
    writer = api.state.database.writer
    fetch = writer.fetch

    async def break_off(*arguments: Any, **options: Any) -> Any:
        await fetch(*arguments, **options)
        raise DatabaseUnavailableError

    # Only the process itself can know of it.
    await api.sql("ALTER TABLE ads DISABLE TRIGGER tell_ads_update")
    try:
        await warmed(api, "/ads")
        await warmed(api, path, person.headers)
        with monkeypatch.context() as patch:
            patch.setattr(writer, "fetch", break_off)
            assert (await person.patch(path, json={"price": 7})).status_code == 503
        assert (await listed(api.client))["results"][0]["price"] == 7
        assert (await person.get(path)).json()["price"] == 7
    finally:
        await api.sql("ALTER TABLE ads ENABLE TRIGGER tell_ads_update")
