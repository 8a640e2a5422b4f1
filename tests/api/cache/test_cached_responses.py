"""Cached responses differ from fresh ones only in speed."""

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.listings import insert_ads
from support.scene.warmth import reads, settle, warmed

Headers = Sequence[tuple[str, str]]

HEADERS: dict[str, Headers] = {
    "none": (),
    "an allowed origin": (("Origin", "http://localhost:3000"),),
    "a foreign origin": (("Origin", "https://elsewhere.example"),),
    "the null origin": (("Origin", "null"),),
    "an empty origin": (("Origin", ""),),
    "no coding": (("Accept-Encoding", "identity"),),
    "gzip excluded": (("Accept-Encoding", "gzip;q=0"),),
    "a validator": (("If-None-Match", '"x"'),),
    "any validator": (("If-None-Match", "*"), ("Origin", "http://localhost:3000")),
    "two validators": (("If-None-Match", '"x"'), ("If-None-Match", "*")),
    "two validators, reversed": (("If-None-Match", "*"), ("If-None-Match", '"x"')),
    "two codings": (("Accept-Encoding", "identity"), ("Accept-Encoding", "gzip")),
    "two origins": (("Origin", "http://localhost:3000"), ("Origin", "https://elsewhere.example")),
    "a range": (("Range", "bytes=0-9"),),
    "other conditions": (("If-Modified-Since", "Sat, 01 Jan 2050 00:00:00 GMT"),
                         ("If-Match", '"x"')),
    "what others trust": (("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "evil.example"),
                          ("X-Original-URL", "/ads/1"), ("Host", "evil.example")),
    "a method to be": (("X-HTTP-Method-Override", "DELETE"),),
}  # fmt: skip


def parts(answer: httpx2.Response) -> tuple[int, dict[str, str], bytes]:
    """All of it but the id; what one header says in two lines is what it says in one."""
    names = [name for name in answer.headers if name != "x-request-id"]
    assert len(answer.headers["x-request-id"]) == 36
    for name in set(names) - {"vary"}:
        assert len(answer.headers.get_list(name)) == 1, name
    headers = {name: answer.headers[name] for name in names}
    headers["vary"] = ", ".join(sorted(answer.headers["vary"].split(", ")))
    return answer.status_code, headers, answer.content


async def keepable(api: Api, person: Person) -> list[str]:
    ad = await person.post_ad(title="Oak chair")
    await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(30)])
    one = f"/ads/{ad['pk']}"
    return ["/ads", "/ads?q=oak&limit=3", one, ad["image"], f"{one}/details"]


async def send(
    client: httpx2.AsyncClient, method: str, path: str, headers: Headers
) -> httpx2.Response:
    return await client.request(method, path, headers=list(headers))


@pytest.mark.heavy
async def test_what_was_kept_is_what_was_made(start_api: ApiFactory) -> None:
    async with start_api() as api:
        person = await api.person()
        paths = await keepable(api, person)
        made = {}
        async with start_api(answers_max_bytes=0) as unremembering:
            for path in paths:
                for name, headers in HEADERS.items():
                    for method in ("GET", "HEAD"):
                        sent = [*headers, ("Authorization", f"Bearer {person.token}")]
                        answer = await send(unremembering.client, method, path, sent)
                        made[path, name, method] = parts(answer)
        ids = set()
        for path in paths:
            await warmed(api, path, person.headers)
            for name, headers in HEADERS.items():
                for method in ("GET", "HEAD"):
                    sent = [*headers, ("Authorization", f"Bearer {person.token}")]
                    with reads(api) as counted:
                        answer = await send(api.client, method, path, sent)
                    hot = counted.total() == 0
                    assert hot or (name == "a range" and path.startswith("/images"))
                    assert parts(answer) == made[path, name, method], (path, name, method)
                    ids.add(answer.headers["x-request-id"])
        assert len(ids) == len(made)


@pytest.mark.heavy
async def test_behind_https_hsts_is_sent_too(start_api: ApiFactory) -> None:
    async with start_api(trusted_proxies=("192.0.2.0/24",)) as api:
        person = await api.person()
        for path in await keepable(api, person):
            headers = {**person.headers, "X-Forwarded-Proto": "https"}
            cold, hot = await warmed(api, path, headers)
            assert parts(cold) == parts(hot)
            assert "strict-transport-security" in hot.headers


@pytest.mark.heavy
async def test_without_memory_every_answer_is_made(start_api: ApiFactory) -> None:
    async with start_api(answers_max_bytes=0) as api:
        person = await api.person()
        for path in await keepable(api, person):
            for _ in range(3):
                with reads(api) as counted:
                    assert (await person.get(path)).status_code == 200
                    assert counted.total() > 0


@pytest.mark.heavy
async def test_other_spellings_of_a_query_are_other_queries(api: Api) -> None:
    person = await api.person()
    await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(9)])
    answers: dict[str, tuple[Any, ...]] = {}
    spelled = (
        "", "?", "?limit=2", "?limit=3", "?limit=2&limit=3", "?limit=3&limit=2", "?limit=%32",
        "?LIMIT=2", "?limit=2&", "?limit=2;limit=3", "?limit=2#limit=3", "?limit=2%26limit=3",
        "?limit=2%00", "?q=oak&limit=2", "?q=oak+chair", "?q=oak%20chair", "?q=oak%2Bchair",
        "?cursor", "?cursor=", "?limit=2&utm=1",
    )  # fmt: skip
    for _ in range(3):
        await settle(api)
        for query in (*spelled, *reversed(spelled)):
            answer = await api.client.get(f"/ads{query}")
            link = answer.headers.get("link")
            said = (
                answer.status_code,
                link,
                answer.json().get("results"),
                answer.json().get("next"),
            )
            assert answers.setdefault(query, said) == said, query
    sizes = {query: len(said[2] or ()) for query, said in answers.items() if said[0] == 200}
    # Of a parameter sent twice the last one counts, whatever was kept before.
    assert (sizes["?limit=2&limit=3"], sizes["?limit=3&limit=2"]) == (3, 2)
    assert answers["?limit=2"][2] == answers["?limit=%32"][2]
    assert answers["?limit=2%26limit=3"][0] == answers["?limit=2%00"][0] == 400


@pytest.mark.heavy
async def test_other_spellings_of_an_id_are_no_ids(api: Api) -> None:
    person = await api.person()
    path = (await keepable(api, person))[2]
    await warmed(api, path, person.headers)
    number = path.rsplit("/", 1)[1]
    spelled = {f"/ads/0{number}": 400, f"/ads/+{number}": 400, f"/ads/{number}.0": 400,
               f"/ads/{number}/": 404, f"/ads//{number}": 404, f"/ads/{number}%00": 400,
               f"/ADS/{number}": 404, f"/ads/%3{number}": 200, f"/ads/{number}?x=1": 200,
               "/ads/": 404, "/ads/me": 200, "/ads/facets": 200}  # fmt: skip
    assert len(number) == 1
    for spelling, status in spelled.items():
        assert (await person.get(spelling)).status_code == status, spelling


@pytest.mark.heavy
async def test_many_requests_at_once_are_one_query(api: Api) -> None:
    person = await api.person()
    await keepable(api, person)
    await settle(api)
    # The first search reads the statistics, which are kept for a while.
    await api.client.get("/ads?q=oak&limit=4")
    with reads(api) as alone:
        await api.client.get("/ads?q=oak&limit=5")
    with reads(api) as counted:
        answers = await asyncio.gather(*(api.client.get("/ads?q=oak") for _ in range(30)))
    assert len({answer.content for answer in answers}) == 1
    assert len({answer.headers["x-request-id"] for answer in answers}) == 30
    assert counted == alone
    assert counted.total() > 0


async def test_who_goes_away_leaves_the_answer_to_the_others(api: Api) -> None:
    person = await api.person()
    await keepable(api, person)
    await settle(api)
    asked = [asyncio.create_task(api.client.get("/ads?q=oak")) for _ in range(4)]
    while not api.state.responses.making:  # noqa: ASYNC110 - there is no event
        await asyncio.sleep(0)
    asked[0].cancel()
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert [a.status_code for a in answers if isinstance(a, httpx2.Response)] == [200] * 3
    assert not api.state.responses.making


async def test_a_refusal_is_shared_and_forgotten(api: Api) -> None:
    await settle(api)
    asked = [asyncio.create_task(api.client.get("/ads?cursor=x")) for _ in range(5)]
    answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in answers} == {400}
    assert not api.state.responses.making
    assert api.state.responses.listing(b"cursor=x") is None


@pytest.mark.heavy
@pytest.mark.parametrize("capacity", [1, 3_000, 100_000])
async def test_the_memory_has_a_bound(start_api: ApiFactory, capacity: int) -> None:
    async with start_api(answers_max_bytes=capacity) as api:
        person = await api.person()
        ids = await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(60)])
        await settle(api)
        for number, ad_id in enumerate(ids):
            await api.client.get(f"/ads?limit={number + 1}")
            await person.get(f"/ads/{ad_id}")
        answers = api.state.responses
        for memory in (answers._listings, answers._ads, answers._pictures):
            kept = [answer for _, answer in memory.items()]
            assert sum(answer.size for answer in kept) == memory.size <= capacity // 3
            packed = [(a, a._in_gzip()) for a in kept if a.compressible]
            assert all(len(a.body) + len(gzipped.body) < a.size for a, gzipped in packed)
        assert (await api.client.get("/ads?limit=60")).json()["count"] == 60


async def test_unusual_queries_are_not_cached(api: Api) -> None:
    await settle(api)
    junk = "x=" + "j" * 60_000
    assert (await api.client.get(f"/ads?{junk}")).status_code == 200
    assert api.state.responses.listing(junk.encode()) is None
