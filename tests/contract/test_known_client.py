"""The single-page client of this interface, replayed header by header against a real server.

What it sends and what it needs of the responses is fixed: it is not changed together with the
service. A browser stands between the two and enforces CORS, as docs/interface.md describes.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from adsvc.settings import Settings
from support.pictures import samples as pictures
from support.running.processes import serving
from support.scene.logins import basic

ORIGIN = "http://localhost:3000"
JSON = "application/json"
BROWSER = {
    "Accept": "*/*",
    "Accept-Language": "de-DE,de;q=0.9",
    "Referer": f"{ORIGIN}/",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "same-site",
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0",
}


@dataclass
class Page:
    """A page at `ORIGIN` in a browser, and what it holds after login."""

    http: httpx2.AsyncClient
    credentials: dict[str, str] = field(default_factory=dict)

    async def fetch(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """Preflight and request, each of them checked as the browser does."""
        headers = {**self.credentials, **options.pop("headers", {})}
        await self._preflight(method, path, {"content-type", *map(str.lower, headers)})
        request = self.http.build_request(
            method, path, headers={**BROWSER, "Origin": ORIGIN, **headers}, **options
        )
        answer = await self.http.send(request)
        assert_readable(answer)
        return answer

    async def _preflight(self, method: str, path: str, names: set[str]) -> None:
        answer = await self.http.options(
            path,
            headers={
                **BROWSER,
                "Origin": ORIGIN,
                "Access-Control-Request-Method": method,
                "Access-Control-Request-Headers": ",".join(sorted(names)),
            },
        )
        assert answer.is_success
        assert_readable(answer)
        methods = answer.headers["Access-Control-Allow-Methods"].split(", ")
        assert method in methods
        allowed = answer.headers["Access-Control-Allow-Headers"].lower().split(", ")
        assert names <= set(allowed)

    async def json(self, method: str, path: str, record: object) -> httpx2.Response:
        body = json.dumps(record, ensure_ascii=False).encode()
        return await self.fetch(method, path, content=body, headers={"Content-Type": JSON})

    async def load(self) -> tuple[Any, Any, Any]:
        """What the page asks for after login and after each reload, all at once."""
        headers = {"Content-Type": JSON}
        answers = await asyncio.gather(
            *(self.fetch("GET", path, headers=headers) for path in ("/ads/me", "/users/me", "/ads"))
        )
        assert [answer.status_code for answer in answers] == [200, 200, 200]
        mine, me, everything = (answer.json() for answer in answers)
        return mine, me, everything

    async def img(self, path: str) -> httpx2.Response:
        """An <img>: no credentials, no preflight, no CORS."""
        assert path.startswith("/")
        headers = {**BROWSER, "Accept": "image/*", "Sec-Fetch-Mode": "no-cors"}
        answer = await self.http.get(path, headers=headers)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("image/")
        return answer


def assert_readable(answer: httpx2.Response) -> None:
    """The browser gives the page this answer."""
    assert answer.headers.get_list("Access-Control-Allow-Origin") == [ORIGIN]
    assert answer.headers.get_list("Access-Control-Allow-Credentials") == ["true"]
    assert "Origin" in answer.headers["Vary"]


@pytest.fixture
async def page(settings: Settings) -> AsyncIterator[Page]:
    with serving(settings.model_copy(update={"http_basic": True})) as server:
        # The client knows the service as localhost.
        base_url = server.url.replace("127.0.0.1", "localhost")
        async with httpx2.AsyncClient(base_url=base_url, timeout=30) as http:
            yield Page(http)


async def register_and_log_in(page: Page, username: str, password: str) -> None:
    record = {
        "username": username, "password": password, "firstName": "Анна", "lastName": "Берг",
        "phone": "+7 (900) 123-45-67", "role": "USER",
    }  # fmt: skip
    assert (await page.json("POST", "/register", record)).status_code == 201
    wrong = {"username": username, "password": password + "!"}
    assert (await page.json("POST", "/login", wrong)).status_code == 401
    login = {"username": username, "password": password}
    assert (await page.json("POST", "/login", login)).status_code == 200
    # It reads the status only, and from now on sends what was typed.
    page.credentials = basic(username, password)


async def post_ad(page: Page) -> dict[str, Any]:
    properties = {"title": "Диван", "price": "1500", "description": "Почти как новый."}
    blob = json.dumps(properties, ensure_ascii=False).encode()
    parts = [
        ("image", ("фото.jpg", pictures.jpeg(), "image/jpeg")),
        ("properties", ("blob", blob, JSON)),
    ]
    answer = await page.fetch("POST", "/ads", files=parts, headers={"type": JSON})
    assert answer.status_code == 201
    ad: dict[str, Any] = answer.json()
    assert (ad["title"], ad["price"]) == ("Диван", 1500)
    return ad


async def change_ad(page: Page, ad: dict[str, Any]) -> None:
    changes = {"title": "Большой диван", "price": "1400", "description": "Почти как новый."}
    answer = await page.json("PATCH", f"/ads/{ad['pk']}", changes)
    assert answer.status_code == 200
    told = answer.json()
    assert {name: told[name] for name in ("pk", "author", "image", "title", "price")} == {
        "pk": ad["pk"], "author": ad["author"], "image": ad["image"],
        "title": "Большой диван", "price": 1400,
    }  # fmt: skip
    answer = await page.fetch(
        "PATCH", f"/ads/{ad['pk']}/image", files={"image": ("b.png", pictures.png(), "image/png")}
    )
    assert answer.status_code == 200
    _, _, everything = await page.load()
    (changed,) = everything["results"]
    assert changed["image"] != ad["image"]
    assert (await page.img(changed["image"])).content == answer.content


async def change_profile(page: Page, me: dict[str, Any]) -> None:
    changes = {"firstName": "Аня", "lastName": "Берг", "phone": "+7 900 7654321"}
    answer = await page.json("PATCH", "/users/me", changes)
    assert answer.status_code == 200
    told = answer.json()
    assert {name: told[name] for name in changes} == changes
    answer = await page.fetch(
        "PATCH", "/users/me/image", files={"image": ("я.png", pictures.png(), "image/png")}
    )
    assert answer.status_code == 200
    _, me, _ = await page.load()
    # The page fetches the avatar itself, with an unneeded header, and shows it in an <img>.
    avatar = await page.fetch("GET", me["image"], headers={"method": "GET", "Content-Type": JSON})
    assert avatar.status_code == 200
    assert (await page.img(me["image"])).content == avatar.content


async def comment(page: Page, ad: dict[str, Any]) -> None:
    path = f"/ads/{ad['pk']}/comments"
    created = await page.json("POST", path, {"text": "Ещё продаётся?"})
    assert created.status_code == 200
    one = f"{path}/{created.json()['pk']}"
    changed = await page.json("PATCH", one, {"text": "Уже продан."})
    assert changed.status_code == 200
    listed = await page.fetch("GET", path, headers={"Content-Type": JSON})
    assert listed.json()["count"] == 1
    assert listed.json()["results"] == [changed.json()]
    assert listed.json()["results"][0]["text"] == "Уже продан."
    shown = await page.fetch("GET", one, headers={"Content-Type": JSON})
    assert shown.json() == changed.json()
    assert (await page.fetch("DELETE", one)).status_code == 204
    listed = await page.fetch("GET", path, headers={"Content-Type": JSON})
    assert listed.json()["results"] == []


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("Anna.Berg@Example.com", "correct horse: battery"),
        ("анна@пример.рф", "пароль: 密码 🔑"),
    ],
)
async def test_the_known_client_works_from_registration_to_the_last_comment(
    page: Page, username: str, password: str
) -> None:
    await register_and_log_in(page, username, password)
    mine, me, everything = await page.load()
    assert mine["results"] == everything["results"] == []
    assert me["email"] == username
    # It merges the profile over the credentials it holds.
    assert not {"username", "password"} & me.keys()

    ad = await post_ad(page)
    assert ad["author"] == me["id"]
    mine, me, everything = await page.load()
    assert everything["results"] == [ad]
    # Authors also see until when the ad is shown, and how many accounts keep it.
    assert mine["results"] == [
        {
            **ad,
            "expiresAt": None,
            "favoriteCount": 0,
            "phoneCount": 0,
            "externalId": None,
            "viewCount": 0,
            "conversationCount": 0,
        }
    ]
    assert mine["count"] == 1

    shown = await page.fetch("GET", f"/ads/{ad['pk']}", headers={"Content-Type": JSON})
    # Letter for letter what was typed: only then it shows the buttons to edit.
    assert shown.json()["email"] == username
    await page.img(ad["image"])
    await change_ad(page, ad)
    await change_profile(page, me)
    await comment(page, ad)

    new = {"currentPassword": password, "newPassword": f"{password} 2"}
    assert (await page.json("PATCH", "/users/set_password", new)).is_success
    assert (await page.fetch("GET", "/users/me")).status_code == 401
    page.credentials = basic(username, f"{password} 2")
    _, me, _ = await page.load()
    assert me["firstName"] == "Аня"
    assert (await page.fetch("DELETE", f"/ads/{ad['pk']}")).status_code == 204
    mine, _, everything = await page.load()
    assert mine["results"] == everything["results"] == []
