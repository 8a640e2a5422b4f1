from itertools import product
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr, ValidationError

from adsvc.errors import ConfigurationError
from adsvc.settings import Settings, load_settings
from conftest import ApiFactory
from support.scene.api import Api, ad_form

ORIGIN = "http://localhost:3000"
FOREIGN = "https://evil.example"
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
REQUEST_HEADERS = {
    "authorization", "content-type", "type", "method", "if-match", "if-none-match",
    "idempotency-key", "prefer",
}  # fmt: skip
EXPOSED = {
    "location", "link", "etag", "x-request-id", "retry-after", "www-authenticate",
    "content-location", "deprecation", "sunset", "ratelimit", "ratelimit-policy",
    "idempotent-replayed",
}  # fmt: skip
UNREACHABLE = "postgresql://adsvc@127.0.0.1:1/adsvc"


def listed(answer: httpx2.Response, name: str) -> set[str]:
    return {item.strip().lower() for item in answer.headers.get(name, "").split(",")}


async def preflight(
    client: httpx2.AsyncClient, path: str, method: str, headers: str = "", origin: str = ORIGIN
) -> httpx2.Response:
    sent = {"Origin": origin, "Access-Control-Request-Method": method}
    if headers:
        sent["Access-Control-Request-Headers"] = headers
    return await client.options(path, headers=sent)


def assert_permitted(answer: httpx2.Response, origin: str = ORIGIN) -> None:
    assert answer.headers.get_list("Access-Control-Allow-Origin") == [origin]
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert "origin" in listed(answer, "Vary")


def assert_not_permitted(answer: httpx2.Response) -> None:
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert "origin" in listed(answer, "Vary")


async def test_a_preflight_needs_neither_credentials_nor_database(start_api: ApiFactory) -> None:
    paths = ("/ads", "/ads/1", "/users/me", "/login", "/unknown", "/images/x")
    async with start_api(database_url=SecretStr(UNREACHABLE)) as api:
        for path, method in product(paths, sorted(METHODS)):
            answer = await preflight(api.client, path, method, "authorization,content-type")
            assert answer.is_success
            assert answer.content == b""
            assert_permitted(answer)
            assert listed(answer, "Access-Control-Allow-Methods") >= set(map(str.lower, METHODS))
            assert listed(answer, "Access-Control-Allow-Headers") >= REQUEST_HEADERS
            assert int(answer.headers["Access-Control-Max-Age"]) > 0
            assert "X-Request-Id" in answer.headers


async def test_a_permission_names_each_header_and_method_once(api: Api) -> None:
    answer = await preflight(api.client, "/ads/1", "PUT", "authorization")
    for name in ("Allow-Headers", "Allow-Methods"):
        names = [
            item.strip().lower() for item in answer.headers[f"Access-Control-{name}"].split(",")
        ]
        assert len(names) == len(set(names)), names
    assert_permitted(answer)


@pytest.mark.parametrize("name", sorted(REQUEST_HEADERS))
async def test_each_header_of_the_contract_may_be_sent(api: Api, name: str) -> None:
    answer = await preflight(api.client, "/ads/1", "PATCH", name)
    assert name in listed(answer, "Access-Control-Allow-Headers")
    assert_permitted(answer)


async def test_an_unneeded_header_or_method_is_not_permitted(api: Api) -> None:
    answer = await preflight(api.client, "/ads", "TRACE", "x-evil")
    assert "x-evil" not in listed(answer, "Access-Control-Allow-Headers")
    assert "trace" not in listed(answer, "Access-Control-Allow-Methods")


@pytest.mark.parametrize(
    "origin",
    [FOREIGN, "null", "http://localhost:3001", "https://localhost:3000", "http://localhost:30000",
     "http://localhost:3000.evil.example", "http://evil.example/http://localhost:3000",
     "HTTP://LOCALHOST:3000", "http://localhost:3000/", "*", ""],
)  # fmt: skip
async def test_a_foreign_origin_gets_no_permission(api: Api, origin: str) -> None:
    assert_not_permitted(await preflight(api.client, "/ads", "GET", origin=origin))
    for path in ("/ads", "/users/me", "/unknown"):
        assert_not_permitted(await api.client.get(path, headers={"Origin": origin}))


async def test_every_answer_varies_by_origin_also_without_one(api: Api) -> None:
    # Without it, a cache gives the answer that an <img> got to a page that needs the permission.
    person = await api.person()
    ad = await person.post_ad()
    for path in (ad["image"], "/ads", "/unknown"):
        assert_not_permitted(await api.client.get(path))
        assert_permitted(await api.client.get(path, headers={"Origin": ORIGIN}))


async def test_answers_show_the_page_the_headers_it_needs(api: Api) -> None:
    person = await api.person()
    answer = await person.post("/ads", files=ad_form(), headers={"Origin": ORIGIN})
    assert answer.status_code == 201
    assert_permitted(answer)
    assert listed(answer, "Access-Control-Expose-Headers") >= EXPOSED


REFUSALS: list[tuple[int, str, str, dict[str, Any]]] = [
    (400, "GET", "/ads?limit=0", {}),
    (401, "GET", "/users/me", {}),
    (401, "POST", "/login", {"json": {"username": "nobody", "password": "not a password"}}),
    (404, "GET", "/unknown", {}),
    (404, "GET", "/images/x.jpg", {}),
    (405, "PUT", "/ads", {}),
    (405, "OPTIONS", "/ads", {}),
    (413, "POST", "/login", {"json": {"username": "a" * 70_000}}),
    (415, "POST", "/login", {"content": b"x"}),
    (400, "POST", "/token", {"data": {"grant_type": "password"}}),
]


@pytest.mark.parametrize(
    ("status", "method", "path", "sent"),
    REFUSALS,
    ids=[f"{status} {method} {path}" for status, method, path, _ in REFUSALS],
)
async def test_refusals_of_every_kind_carry_the_permission(
    api: Api, status: int, method: str, path: str, sent: dict[str, Any]
) -> None:
    headers = {"Origin": ORIGIN}
    answer = await api.client.request(method, path, headers=headers, **sent)
    assert answer.status_code == status
    assert_permitted(answer)
    assert listed(answer, "Access-Control-Expose-Headers") >= EXPOSED


async def test_a_refusal_for_a_missing_right_carries_the_permission(api: Api) -> None:
    author, stranger = await api.person(), await api.person()
    ad = await author.post_ad()
    answer = await stranger.delete(f"/ads/{ad['pk']}", headers={"Origin": ORIGIN})
    assert answer.status_code == 403
    assert_permitted(answer)


@pytest.mark.heavy
async def test_a_failure_of_the_service_carries_the_permission(
    start_own_api: ApiFactory,
) -> None:
    async with start_own_api() as api:
        person = await api.person()
        await api.sql("DROP TABLE comments")
        ad = await person.post_ad()
        path = f"/ads/{ad['pk']}/comments"
        answer = await person.get(path, headers={"Origin": ORIGIN})
        assert answer.status_code == 500
        assert_permitted(answer)


async def test_a_database_outage_is_reported_with_the_cors_permission(
    start_api: ApiFactory,
) -> None:
    async with start_api(database_url=SecretStr(UNREACHABLE)) as api:
        answer = await api.client.get("/ads", headers={"Origin": ORIGIN})
        assert answer.status_code == 503
        assert_permitted(answer)
        assert "Retry-After" in answer.headers


@pytest.mark.heavy
async def test_limited_attempts_are_refused_with_the_cors_permission(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=1) as api:
        record = {"username": "anna", "password": "not the password"}
        answers = [
            await api.client.post("/login", json=record, headers={"Origin": ORIGIN})
            for _ in range(2)
        ]
        assert [answer.status_code for answer in answers] == [401, 429]
        assert_permitted(answers[1])


async def test_several_origins_are_allowed_one_by_one(start_api: ApiFactory) -> None:
    origins = ("https://ads.example", "http://[::1]:3000")
    async with start_api(cors_origins=origins) as api:
        for origin in origins:
            assert_permitted(await preflight(api.client, "/ads", "GET", origin=origin), origin)
            assert_permitted(await api.client.get("/ads", headers={"Origin": origin}), origin)
        assert_not_permitted(await api.client.get("/ads", headers={"Origin": ORIGIN}))


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("https://ads.example", ("https://ads.example",)),
        (
            " https://a.example , http://b.example:8080/ ,",
            ("https://a.example", "http://b.example:8080"),
        ),
        ("http://127.0.0.1:3000,http://[::1]:3000", ("http://127.0.0.1:3000", "http://[::1]:3000")),
        ("capacitor://localhost", ("capacitor://localhost",)),
        (",", ()),
        ("", (ORIGIN,)),
    ],
)
def test_origins_are_read_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, text: str, origins: tuple[str, ...]
) -> None:
    monkeypatch.setenv("ADSVC_CORS_ORIGINS", text)
    settings = load_settings()
    assert settings.cors_origins == origins
    # Worker processes read the same.
    monkeypatch.setenv("ADSVC_CORS_ORIGINS", settings.to_environment()["ADSVC_CORS_ORIGINS"])
    assert load_settings().cors_origins == origins


@pytest.mark.parametrize(
    "text",
    ["*", "https://*.example", "https://a.example,*", "null", "ads.example", "https://",
     "https://a.example/path", "https://a.example?x", "https://user@a.example",
     "https://a.example:port", "https://a.example https://b.example", "//a.example"],
)  # fmt: skip
def test_what_is_no_origin_is_refused_at_start(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("ADSVC_CORS_ORIGINS", text)
    with pytest.raises(ConfigurationError, match="ADSVC_CORS_ORIGINS"):
        load_settings()


@pytest.mark.parametrize("origins", [("*",), ["*"], ("https://a.example", "*")])
def test_the_asterisk_is_refused_in_every_form(origins: object) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate({"cors_origins": origins})
