"""The matches of a saved search as a list and as a stream, for programs."""

import json
import time

import pytest

from adsvc.api.input.parameters import encode_search_cursor
from adsvc.services import personal_stream
from adsvc.services.personal_stream import SearchPosition
from support.scene.api import Api, Person
from support.scene.searches import Matching, save
from support.scene.streams import streaming


async def search_of(api: Api, person: Person, query: str = "q=table") -> str:
    """Its path."""
    await save(api, person, query)
    [newest, *_] = (await person.get("/users/me/searches")).json()["results"]
    return f"/users/me/searches/{newest['id']}/ads"


async def page(person: Person, path: str, **query: object) -> tuple[list[int], str]:
    answer = await person.get(path, params=query)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return [ad["pk"] for ad in answer.json()["results"]], answer.json()["next"]


@pytest.mark.guard
async def test_each_match_comes_once_and_nothing_that_the_account_does_not_see(api: Api) -> None:
    person, author, blocked = await api.person(), await api.person(), await api.person()
    matching = Matching(api)
    await matching.begin()
    path = await search_of(api, person)
    assert (await page(person, path))[0] == []
    ads = [(await author.post_ad(title="Oak table"))["pk"] for _ in range(3)]
    await person.post_ad(title="My table")
    await blocked.post_ad(title="Their table")
    await blocked.post(f"/ads/{ads[0]}/comments", json={"text": "Nice"})
    await person.put(f"/users/me/blocks/{blocked.id}")
    await matching.step()
    seen, cursor = await page(person, path, limit=2)
    assert seen == ads[:2]
    seen, cursor = await page(person, path, after=cursor, limit=2)
    assert seen == ads[2:]
    assert (await page(person, path, after=cursor))[0] == []
    # An ad that comes to match again comes again.
    await author.patch(f"/ads/{ads[1]}", json={"title": "Chair"})
    await matching.step()
    await author.patch(f"/ads/{ads[1]}", json={"title": "Table again"})
    await author.post(f"/ads/{ads[2]}/withdraw")
    await matching.step()
    seen, _ = await page(person, path, after=cursor)
    assert seen == [ads[1]]
    assert (await page(person, path))[0] == [ads[0], ads[1]]
    assert (await author.get(path)).status_code == 404
    assert (await author.get(f"{path}/stream")).status_code == 404


@pytest.mark.heavy
async def test_a_cursor_that_may_have_missed_something_has_expired(api: Api) -> None:
    person = await api.person()
    path, other = await search_of(api, person), await search_of(api, person, "q=chair")
    _, cursor = await page(person, path)
    assert (await person.get(other, params={"after": cursor})).status_code == 410
    epoch, search_id = "00000000-0000-0000-0000-000000000000", int(path.split("/")[-2])
    [own] = await api.sql("SELECT epoch::text FROM event_log")
    old = int(time.time()) - 90 * 86_400 - 60
    for position in (SearchPosition(epoch, 0, int(time.time())), SearchPosition(own, 0, old)):
        after = encode_search_cursor(api.state.cursors, search_id, position)
        for place in (path, f"{path}/stream"):
            answer = await person.get(place, params={"after": after})
            assert answer.json()["type"] == "/problems#cursor-expired"
    wrong = await person.get(path, params={"after": "x", "limit": 101})
    assert [each["parameter"] for each in wrong.json()["errors"]] == ["limit", "after"]


@pytest.mark.heavy
async def test_a_stream_goes_on_behind_the_list_and_ends_with_its_search(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal_stream, "POLL_SECONDS", 0.02)
    person, author = await api.person(), await api.person()
    matching = Matching(api)
    await matching.begin()
    path = await search_of(api, person)
    first = (await author.post_ad(title="Oak table"))["pk"]
    await matching.step()
    _, cursor = await page(person, path)
    second = (await author.post_ad(title="Ash table"))["pk"]
    await matching.step()
    stream_path = f"{path}/stream"
    async with (
        streaming(api, person, f"after={cursor}", stream_path) as late,
        streaming(api, person, path=stream_path) as new,
    ):
        await late.until(lambda it: it.events)
        third = (await author.post_ad(title="Elm table"))["pk"]
        await matching.step()
        for stream, ads in ((late, [second, third]), (new, [third])):
            await stream.until(lambda it, ads=ads: len(it.events) == len(ads))
            assert [json.loads(event["data"])["pk"] for event in stream.events] == ads
        # A cursor of the stream is one of the list.
        assert (await page(person, path, after=late.events[0]["id"]))[0] == [third]
        assert first not in (second, third)
        await person.delete(path.removesuffix("/ads"))
        for stream in (late, new):
            await stream.until(lambda it: it.ended)
