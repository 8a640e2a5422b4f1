"""The pipeline answers all requests; the framework makes the document, and sees none of them."""

import asyncio
import re
from itertools import product
from typing import Any, cast

import httpx2
import pytest
from fastapi import FastAPI
from starlette.routing import Match

from adsvc.api.pipeline.app import Service
from adsvc.api.pipeline.dispatch import RouteIndex
from conftest import ApiFactory
from support.running.in_process import get_unnormalised
from support.scene.api import Api
from support.scene.listings import insert_ads
from support.scene.warmth import reads, settle


@pytest.mark.long
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
        pair = httpx2.BasicAuth(person.username, person.password)
        for other in ("/livez", "/problems", "/openapi.json", "/docs-assets/favicon.png"):
            assert (await person.get(other)).status_code == 200
        assert (await person.get("/nothing")).status_code == 404
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


@pytest.mark.heavy
async def test_the_framework_sees_nothing_of_changes(
    start_api: ApiFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    framework: Any = FastAPI.__call__

    async def noting(app: FastAPI, scope: Any, *others: Any) -> None:
        seen.append(scope["path"])
        await framework(app, scope, *others)

    monkeypatch.setattr(FastAPI, "__call__", noting)
    async with start_api(http_basic=True) as api:
        person = await api.person()
        ad_id = (await (await api.person()).post_ad())["pk"]
        comments = f"/ads/{ad_id}/comments"
        seen.clear()
        ask, own = api.client.request, person.headers
        foreign = {**own, "Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
        cases: dict[str, tuple[int, str, str, dict[str, Any]]] = {
            "a comment": (200, "POST", comments, {"json": {"text": "Still there?"}}),
            "no text": (400, "POST", comments, {"json": {}}),
            "no JSON": (415, "POST", comments, {"content": b"text"}),
            "no ad": (404, "POST", "/ads/999999/comments", {"json": {"text": "x"}}),
            "no id": (400, "POST", "/ads/x/comments", {"json": {"text": "x"}}),
            "a dry run": (204, "POST", f"{comments}?validate=true", {"json": {"text": "x"}}),
            "another's ad": (403, "PATCH", f"/ads/{ad_id}", {"json": {"price": 3}}),
            "nobody": (401, "POST", comments, {"json": {"text": "x"}, "headers": {}}),
            "a foreign page": (403, "POST", comments, {"json": {"text": "x"}, "headers": foreign}),
            "a favourite": (204, "PUT", f"/users/me/favorites/{ad_id}", {}),
        }
        for name, (status, method, path, sent) in cases.items():
            answer = await ask(method, path, **{"headers": own, **sent})
            assert answer.status_code == status, (name, answer.text)
            preferring = {**sent.get("headers", own), "Prefer": "wait=1"}
            again = await ask(method, path, **{**sent, "headers": preferring})
            assert again.status_code == status, name
            assert sorted(again.headers) == sorted(answer.headers), name
        assert not seen


@pytest.mark.heavy
async def test_an_index_finds_the_routes_that_the_router_finds(api: Api) -> None:
    """Of each operation, and of paths that are nearly one."""
    app = cast("Service", api.app)
    index = RouteIndex(app.routes)
    templates = {str(getattr(route, "path_format", "/")) for route in app.routes}
    samples = {re.sub(r"{[^}]*}", value, each) for each in templates for value in ("7", "me")}
    odd = {f"{path}{more}" for path in samples for more in ("", "/", "/x", "\n")}
    found = 0
    for path, method in product(sorted(odd), ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")):
        scope = {"type": "http", "method": method, "path": path, "root_path": "", "headers": []}
        usual = next((r for r in app.routes if r.matches(dict(scope))[0] is Match.FULL), None)
        indexed = index.find(scope)
        assert indexed is None or indexed[0] is usual, (method, path)
        found += indexed is not None
        # A router takes a line break at the end for the end.
        assert usual is None or indexed is not None or path.endswith("\n"), (method, path)
    assert found > len(templates)


async def test_a_path_with_a_line_break_is_another_path(api: Api) -> None:
    odd = await get_unnormalised(api.app, "/ads%0A")
    assert odd.status_code == 404


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
