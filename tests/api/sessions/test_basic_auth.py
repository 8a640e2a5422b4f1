"""HTTP Basic: where it is accepted, and how it is read."""

import base64
from collections.abc import AsyncIterator

import httpx2
import pytest

from conftest import ApiFactory
from support.contract.operations import authenticated_operations
from support.scene.api import PASSWORD, Api
from support.scene.logins import basic, status_with
from support.scene.snapshots import snapshot

CHALLENGES = ['Bearer realm="adsvc"', 'Basic realm="adsvc", charset="UTF-8"']


@pytest.fixture
async def basic_api(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api(http_basic=True) as api:
        yield api


async def test_basic_is_refused_unless_the_operator_allows_it(api: Api) -> None:
    person = await api.person()
    answer = await api.client.get("/users/me", headers=basic(person.username, PASSWORD))
    assert answer.status_code == 401
    assert answer.headers.get_list("WWW-Authenticate") == CHALLENGES[:1]


@pytest.mark.heavy
async def test_a_refusal_names_both_schemes_where_basic_is_allowed(basic_api: Api) -> None:
    for headers in ({}, basic("nobody", PASSWORD)):
        answer = await basic_api.client.get("/users/me", headers=headers)
        assert answer.status_code == 401
        assert answer.headers.get_list("WWW-Authenticate") == CHALLENGES
    answer = await basic_api.client.get("/users/me", headers={"Authorization": "Bearer x"})
    bearer = f'{CHALLENGES[0]}, error="invalid_token"'
    assert answer.headers.get_list("WWW-Authenticate") == [bearer, *CHALLENGES[1:]]


@pytest.mark.heavy
async def test_scripts_and_logins_are_not_challenged_to_basic(basic_api: Api) -> None:
    """A browser would open its own dialogue over the page."""
    client, login = basic_api.client, {"username": "nobody", "password": "not a password"}
    for headers in (
        {"Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Mode": "same-origin", "Sec-Fetch-Dest": "empty"},
    ):
        for sent in ({}, basic("nobody", PASSWORD)):
            answer = await client.get("/users/me", headers={**headers, **sent})
            assert answer.headers.get_list("WWW-Authenticate") == CHALLENGES[:1], headers
    navigation = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = await client.get("/users/me", headers=navigation)
    assert answer.headers.get_list("WWW-Authenticate") == CHALLENGES
    answer = await client.post("/login", json=login)
    assert (answer.status_code, answer.headers.get_list("WWW-Authenticate")) == (
        401,
        CHALLENGES[:1],
    )


@pytest.mark.heavy
async def test_a_foreign_page_cannot_use_the_credentials_that_a_browser_keeps(
    start_api: ApiFactory,
) -> None:
    allowed, foreign = "https://ads.example", "https://evil.example"
    own = "http://testserver"
    async with start_api(http_basic=True, cors_origins=(allowed,)) as api:
        person = await api.person()
        kept = basic(person.username, PASSWORD)
        before = await snapshot(api)

        async def posted(**headers: str) -> httpx2.Response:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            form = {"image": ("photo.jpg", b"none", "image/jpeg")}
            return await api.client.post("/ads", files=form, headers={**kept, **sent})

        for headers in (
            {"Origin": foreign},
            {"Origin": "null"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site"},
            {"Sec_Fetch_Site": "cross-site", "Origin": foreign},
            {"Sec_Fetch_Site": "same-site", "Origin": "http://testserver:1"},
        ):
            answer = await posted(**headers)
            assert answer.status_code == 403, headers
            assert answer.json()["type"] == "/problems#cross-site"
        assert await snapshot(api) == before
        for headers in (
            {},
            {"Origin": allowed},
            {"Origin": own},
            {"Sec_Fetch_Site": "cross-site", "Origin": allowed},
            {"Sec_Fetch_Site": "same-origin", "Origin": own},
            {"Sec_Fetch_Site": "none"},
        ):
            # As far as the body, which is malformed.
            assert (await posted(**headers)).status_code == 400, headers
        for method, path in (("DELETE", "/users/me"), ("PATCH", "/users/me"), ("POST", "/login")):
            answer = await api.client.request(method, path, headers={**kept, "Origin": foreign})
            assert answer.status_code == 403, path
        reading = {**kept, "Origin": foreign, "Sec-Fetch-Site": "cross-site"}
        assert (await api.client.get("/users/me", headers=reading)).status_code == 200
        preflight = {"Origin": foreign, "Access-Control-Request-Method": "POST"}
        assert (await api.client.options("/ads", headers=preflight)).status_code == 204


async def test_where_basic_is_off_origins_decide_on_permissions_alone(api: Api) -> None:
    person = await api.person()
    answer = await person.patch(
        "/users/me", json={"firstName": "A"}, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 200


@pytest.mark.heavy
async def test_credentials_of_an_older_browser_are_read_as_latin_1(basic_api: Api) -> None:
    person = await basic_api.person("jörg@example.com", password="pässwörd §")
    for charset in ("utf-8", "latin-1"):
        raw = f"{person.username}:{person.password}".encode(charset)
        answer = await basic_api.client.get("/users/me", headers={"Authorization": encoded(raw)})
        assert answer.status_code == 200, charset


@pytest.mark.heavy
async def test_wrong_credentials_are_reported_as_wrong(basic_api: Api) -> None:
    await basic_api.person("anna@example.com")
    for value, kind in (
        ("", "unauthenticated"),
        ("Bearer x", "invalid-credentials"),
        ("Digest x", "invalid-credentials"),
        (encoded(b"anna@example.com:not the password"), "wrong-credentials"),
        (encoded(b"anna@example.com:" + b"p" * 129), "wrong-credentials"),
        ("Basic %", "invalid-credentials"),
    ):
        answer = await basic_api.client.get("/users/me", headers={"Authorization": value})
        assert answer.json()["type"] == f"/problems#{kind}", value
        assert ("wrong" in answer.text or "not valid" in answer.text) == (value != "")


@pytest.mark.heavy
async def test_every_authenticated_operation_takes_basic(basic_api: Api) -> None:
    person = await basic_api.person("анна@example.com", password="пароль: 密码")
    ad = await person.post_ad()
    await person.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there?"})
    headers = basic(person.username, person.password)
    seen = []
    for operation in authenticated_operations(basic_api):
        assert operation.schemes == {"bearer", "basic"}
        answer = await operation.call(basic_api.client, headers, id=ad["pk"])
        # What goes too far without a body is refused, but not for lack of credentials.
        assert answer.status_code in {200, 202, 204, 400, 403, 404, 409, 415}, operation
        seen.append(answer.status_code)
    assert seen.count(200) >= 7


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("anna@example.com", "with:colons:in:it"),
        ("anna@example.com", ":begins with one"),
        ("anna@example.com", "ends with one:"),
        ("Grüße", "пароль密码🔑 "),
        ("anna", " " * 8),
    ],
)
async def test_name_and_password_are_taken_letter_for_letter(
    basic_api: Api, username: str, password: str
) -> None:
    await basic_api.person(username, password=password)
    assert await status_with(basic_api.client, username, password) == 200
    for wrong in (password + " ", password.strip(": "), password.upper() + "!"):
        assert wrong == password or await status_with(basic_api.client, username, wrong) == 401


def encoded(raw: bytes) -> str:
    return "Basic " + base64.b64encode(raw).decode()


MALFORMED = [
    "Basic",
    "Basic ",
    "Basic %%%%",
    "Basic YW5uYQ",
    "Basic YW5u\tYTp4",
    "Basic é",
    "Basic " + "A" * 60_001,
    encoded(b""),
    encoded(b":"),
    encoded(b"anna@example.com"),
    encoded(b"anna@example.com:"),
    encoded(b":" + PASSWORD.encode()),
    encoded(b"anna@example.com:" + PASSWORD.encode() + b"\0"),
    encoded(b"anna@example.com\0:" + PASSWORD.encode()),
    encoded(b"anna@example.com:\xff\xfe" + PASSWORD.encode()),
    encoded(b"anna@example.com:" + b"p" * 129),
    encoded(b"a" * 255 + b":" + PASSWORD.encode()),
]


@pytest.mark.heavy
async def test_malformed_credentials_are_refused(basic_api: Api) -> None:
    await basic_api.person("anna@example.com")
    for value in MALFORMED:
        headers = [(b"Authorization", value.encode())]
        answer = await basic_api.client.get("/users/me", headers=headers)
        assert answer.status_code == 401, value[:40]


@pytest.mark.heavy
async def test_an_unknown_name_and_a_wrong_password_look_alike(basic_api: Api) -> None:
    person = await basic_api.person()

    async def told(username: str) -> tuple[bytes, list[tuple[str, str]]]:
        headers = basic(username, "not the password")
        answer = await basic_api.client.get("/users/me", headers=headers)
        request_id = answer.headers.pop("X-Request-Id")
        return answer.content.replace(request_id.encode(), b""), answer.headers.multi_items()

    assert await told(person.username) == await told("nobody@example.com")
