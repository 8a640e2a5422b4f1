"""The service below a prefix, as behind a proxy that gives it one part of a site."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast
from urllib.parse import urljoin

import httpx2
import pytest
from fastapi import Request, Response

from adsvc.api.pipeline.app import Service
from adsvc.kit.http.protocol import PROTOCOL_PROBLEMS
from adsvc.settings import Settings, Storefront
from conftest import ApiFactory
from support.pictures import samples
from support.running.in_process import add_route
from support.scene.api import Api, ad_form
from support.scene.storefront import build

SITE = "https://example.org"
PREFIX = "/shop/api"
PROBLEMS = f"{SITE}{PREFIX}/problems"
# In HTML, in the script of Swagger UI, in Markdown.
LINK = r"""(?:(?:src|href|spec-url)=["']|url: '|]\()([^"'#)]+)"""
# For whatever of the site is not the service's.
ELSEWHERE = 599


class PrefixProxy(httpx2.AsyncBaseTransport):
    """Passes on what is below the prefix, without it, as nginx does with `proxy_pass …/`."""

    def __init__(self, service: httpx2.AsyncClient) -> None:
        self.service = service

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        target = request.url.raw_path.decode()
        if not target.startswith(f"{PREFIX}/"):
            return httpx2.Response(ELSEWHERE)
        path, body = target.removeprefix(PREFIX), await request.aread()
        return await self.service.request(
            request.method, path, headers=request.headers, content=body
        )


@asynccontextmanager
async def below_prefix(start_api: ApiFactory, **changes: object) -> AsyncIterator[Api]:
    """A client of the whole site; paths of the service begin with the prefix."""
    async with start_api(root_path=PREFIX, **changes) as api:
        # The tests' checks of every answer know no prefix.
        api.client.event_hooks = {"response": []}
        async with httpx2.AsyncClient(transport=PrefixProxy(api.client), base_url=SITE) as client:
            yield Api(client, api.app)


async def follow(client: httpx2.AsyncClient, answer: httpx2.Response, to: str) -> httpx2.Response:
    """Resolves the reference as RFC 3986 says, and asks with the same credentials."""
    sent = answer.request.headers
    headers = {name: sent[name] for name in ("Authorization",) if name in sent}
    return await client.get(urljoin(str(answer.request.url), to), headers=headers)


@pytest.mark.heavy
async def test_every_kind_of_refusal_leads_to_the_page_of_problems(start_api: ApiFactory) -> None:
    async def fail(_: Request) -> Response:
        raise RuntimeError

    async with below_prefix(start_api) as api:
        add_route(api.app, "/fail", fail)
        client, person = api.client, await api.person()
        answers = {
            "invalid-request": await client.get(f"{PREFIX}/ads?limit=0"),
            "ad-not-found": await client.get(f"{PREFIX}/ads/1/details"),
            "unauthenticated": await client.get(f"{PREFIX}/ads/me"),
            "not-found": await client.get(f"{PREFIX}/nothing"),
            "method-not-allowed": await client.put(f"{PREFIX}/ads"),
            "unsupported-media-type": await person.patch(f"{PREFIX}/users/me", content=b"?"),
            "internal-error": await client.get(f"{PREFIX}/fail"),
        }
        # Parameters that the framework reads.
        faults = await client.get(f"{PREFIX}/readyz?require=nothing")
        shedding = cast("Service", api.app).fast_path.shedding
        shedding.places.admitted = shedding.places.capacity
        answers["overloaded"] = await client.get(f"{PREFIX}/categories")
        shedding.places.admitted = 0
        page = await client.get(f"{PREFIX}/problems")
    for slug, answer in (*answers.items(), ("invalid-request", faults)):
        kind = urljoin(str(answer.request.url), answer.json()["type"])
        assert kind == f"{PROBLEMS}#{slug}"
        assert f'<dt id="{slug}">' in page.text


def test_refusals_of_the_protocol_lead_there_too() -> None:
    for problem in PROTOCOL_PROBLEMS:
        answer = problem.answer("id", PREFIX)
        assert f'"type": "{PREFIX}/problems#{problem.slug}"'.encode() in answer


@pytest.mark.heavy
async def test_locations_and_links_lead_back_below_the_prefix(start_api: ApiFactory) -> None:
    async with below_prefix(start_api) as api:
        client, person = api.client, await api.person()
        for _ in range(3):
            posted = await person.post(f"{PREFIX}/ads", files=ad_form())
            found = await follow(client, posted, posted.headers["Location"])
            assert found.json()["pk"] == posted.json()["pk"]
        image = {"image": samples.jpeg()}
        replaced = await person.patch(f"{PREFIX}/ads/3/image", files=image)
        picture = await follow(client, replaced, replaced.headers["Content-Location"])
        assert picture.content == replaced.content
        for path in ("/ads", "/ads/me"):
            # The second `/ads` comes from memory.
            for _ in range(2):
                page = await person.get(f"{PREFIX}{path}?limit=2")
                [reference] = re.findall(r'^<(.+)>; rel="next"$', page.headers["Link"])
                following = await follow(client, page, reference)
                assert [ad["pk"] for ad in following.json()["results"]] == [1], path


@pytest.mark.heavy
async def test_pages_and_documents_lead_to_each_other(
    start_api: ApiFactory, settings: Settings
) -> None:
    front = {"storefront": Storefront.ON, "storefront_dir": build(settings.data_dir / "web")}
    async with below_prefix(start_api, **front) as api:
        client = api.client
        # The storefront needs the root of a host: the small page stands in its place.
        assert (await client.get(f"{PREFIX}/search")).status_code == 404
        for path in ("/", "/docs", "/redoc", "/docs/interface", "/llms.txt"):
            page = await client.get(PREFIX + path)
            found = re.findall(LINK, page.text)
            links = {link for link in found if not link.startswith("https://")}
            assert links, path
            for link in links:
                assert (await follow(client, page, link)).status_code == 200, (path, link)
        document = (await client.get(f"{PREFIX}/openapi.json")).json()
        assert [server["url"] for server in document["servers"]] == [PREFIX]
        tried = (await client.get(f"{PREFIX}/docs/openapi.json")).json()
        [flow] = tried["components"]["securitySchemes"]["oauth2"]["flows"].values()
        assert flow["tokenUrl"] == flow["refreshUrl"] == f"{PREFIX}/token"
        catalog = await client.get(f"{PREFIX}/.well-known/api-catalog")
        _, interface = catalog.json()["linkset"]
        for relation in ("service-desc", "service-doc", "status"):
            [target] = interface[relation]
            assert (await follow(client, catalog, target["href"])).status_code == 200


@pytest.mark.heavy
def test_what_is_no_prefix_is_refused() -> None:
    for given, kept in (("/api", "/api"), ("/a/b.c~d_e-f/", "/a/b.c~d_e-f"), ("/", ""), ("", "")):
        assert Settings(root_path=given).root_path == kept
    for wrong in ("api", "//api", "/a//b", "/../api", "/.", "/a b", "/a?b", "/a#b", '/"', "/%2e"):
        with pytest.raises(ValueError, match="must be a path such as /api"):
            Settings(root_path=wrong)
