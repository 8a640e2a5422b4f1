"""The two most frequent operations have one implementation, which runs before the framework."""

import asyncio
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from conftest import ApiFactory
from support.running.in_process import get_unnormalised
from support.scene.api import Api
from support.scene.listings import insert_ads
from support.scene.warmth import reads, settle


@pytest.mark.heavy
async def test_the_framework_sees_nothing_of_what_they_answer(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    framework: Any = FastAPI.__call__

    async def noting(app: FastAPI, scope: Any, *others: Any) -> None:
        seen.append(scope["path"])
        await framework(app, scope, *others)

    monkeypatch.setattr(FastAPI, "__call__", noting)
    async with start_api(http_basic=True) as api:
        person, path = await api.person(), "/ads/9"
        foreign = {"Authorization": "Bearer of.ill.news"}
        pair = httpx.BasicAuth(person.username, person.password)
        await person.get("/livez")
        assert seen.pop() == "/livez"
        seen.clear()
        for method in ("GET", "HEAD"):
            asked = api.client.request
            answers = {
                "a page": (200, await asked(method, "/ads?limit=3")),
                "no limit": (400, await asked(method, "/ads?limit=0")),
                "no number": (400, await asked(method, "/ads?limit=x&minPrice=-1")),
                "no cursor": (400, await asked(method, "/ads?cursor=x")),
                "nobody": (401, await asked(method, path)),
                "nobody, and no id": (401, await asked(method, "/ads/x")),
                "a stranger": (401, await asked(method, path, headers=foreign)),
                "no ad": (404, await asked(method, path, headers=person.headers)),
                "no ad, by Basic": (404, await asked(method, path, auth=pair)),
                "no id": (400, await asked(method, "/ads/0", headers=person.headers)),
                "a decoded path": (200, await asked(method, "/%61ds")),
            }
            for name, (status, answer) in answers.items():
                assert answer.status_code == status, (method, name)
        faults = (await api.client.get("/ads?limit=x&minPrice=-1")).json()["errors"]
        assert [fault["parameter"] for fault in faults] == ["minPrice", "limit"]
        assert not seen


async def test_the_routes_answer_by_the_same_function(api: Api) -> None:
    person = await api.person()
    await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(3)])
    usual = await api.client.get("/ads")
    # A router takes a line break at the end for the end.
    odd = await get_unnormalised(api.app, "/ads%0A")
    assert (odd.status_code, odd.content) == (200, usual.content)
    assert set(odd.headers) == set(usual.headers)


async def test_ads_requested_at_once_are_fetched_together_and_answered_apart(api: Api) -> None:
    person = await api.person()
    ids = await insert_ads(api, person.id, [{"title": f"Oak chair {n}"} for n in range(5)])
    missing = max(ids) + 1
    # From now on the caller is known.
    await settle(api)
    await person.get(f"/ads/{missing}")
    with reads(api) as counted:
        answers = await asyncio.gather(
            *(person.get(f"/ads/{each}") for each in [*ids, missing, *reversed(ids)])
        )
    assert [answer.status_code for answer in answers] == [200] * 5 + [404] + [200] * 5
    told = [answer.json()["title"] for answer in answers if answer.status_code == 200]
    titles = [f"Oak chair {n}" for n in range(5)]
    assert told == [*titles, *reversed(titles)]
    assert counted.total() < len(answers)
