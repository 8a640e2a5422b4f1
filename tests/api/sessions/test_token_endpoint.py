from urllib.parse import quote

import httpx2
import pytest

from conftest import ApiFactory
from support.scene.api import PASSWORD, Api
from support.scene.logins import ask, log_in, opens, refresh

TOKEN_PAIR = {"access_token", "token_type", "expires_in", "refresh_token"}
FORM = "application/x-www-form-urlencoded"


async def send(client: httpx2.AsyncClient, form: str | bytes) -> httpx2.Response:
    return await client.post("/token", content=form, headers={"Content-Type": FORM})


def assert_not_cached(answer: httpx2.Response) -> None:
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Pragma"] == "no-cache"


def assert_refused(answer: httpx2.Response, error: str) -> None:
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/json"
    assert_not_cached(answer)
    assert answer.json().keys() == {"error", "error_description"}
    assert answer.json()["error"] == error


async def test_the_password_grant_gives_a_token_pair(api: Api) -> None:
    person = await api.person()
    answer = await ask(
        api.client, grant_type="password", username=person.username, password=PASSWORD
    )
    assert answer.status_code == 200
    assert_not_cached(answer)
    pair = answer.json()
    assert pair.keys() == TOKEN_PAIR
    assert (pair["token_type"], pair["expires_in"]) == ("Bearer", 15 * 60)
    assert await opens(api.client, pair["access_token"])


async def test_the_refresh_grant_gives_the_next_token_pair(api: Api) -> None:
    pair = await log_in(api, await api.person())
    answer = await refresh(api.client, pair["refresh_token"])
    assert answer.status_code == 200
    assert_not_cached(answer)
    following = answer.json()
    assert following.keys() == TOKEN_PAIR
    assert following["refresh_token"] != pair["refresh_token"]
    assert await opens(api.client, following["access_token"])
    # The session goes on, so the access token given out before stays good for its time.
    assert await opens(api.client, pair["access_token"])


async def test_parameters_that_swagger_ui_adds_do_no_harm(api: Api) -> None:
    person = await api.person("äöü@example.com", password="пароль: 密码 &=%+")
    form = (
        f"grant_type=password&username={quote(person.username)}&password={quote(person.password)}"
        "&scope=&client_id=&client_secret=&unknown=1"
    )
    headers = {"Content-Type": f"{FORM}; charset=utf-8", "Authorization": "Basic Og=="}
    answer = await api.client.post("/token", content=form, headers=headers)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "form",
    [
        "",
        "grant_type=",
        "grant_type",
        "username=anna&password=secret12",
        "grant_type=password",
        "grant_type=password&username=anna",
        "grant_type=password&password=secret12",
        "grant_type=password&username=&password=secret12",
        "grant_type=password&username=anna&password=",
        "grant_type=refresh_token",
        "grant_type=refresh_token&refresh_token=",
        "grant_type=password&grant_type=password&username=anna&password=secret12",
        "grant_type=password&username=anna&username=anna&password=secret12",
        "grant_type=password&username=anna&password=secret12&scope=a&scope=b",
        "grant_type=password&username=an%00na&password=secret12",
        "grant_type=password&username=%FF&password=secret12",
        b"grant_type=password&username=\xff&password=secret12",
        "grant_type=password" + "".join(f"&extra{number}=1" for number in range(40)),
    ],
)
async def test_a_malformed_token_request_is_an_invalid_request(
    client: httpx2.AsyncClient, form: str | bytes
) -> None:
    assert_refused(await send(client, form), "invalid_request")


@pytest.mark.parametrize(
    "grant", ["client_credentials", "authorization_code", "PASSWORD", "password ", "ü", "\r\n"]
)
async def test_other_grants_are_not_supported(client: httpx2.AsyncClient, grant: str) -> None:
    answer = await ask(client, grant_type=grant, username="anna", password=PASSWORD)
    assert_refused(answer, "unsupported_grant_type")


@pytest.mark.parametrize(
    ("username", "password"),
    [
        ("nobody@example.com", PASSWORD),
        ("anna@example.com", "not the password"),
        ("anna@example.com", "p" * 129),
        ("a" * 255, PASSWORD),
    ],
)
async def test_wrong_credentials_are_an_invalid_grant(
    api: Api, username: str, password: str
) -> None:
    await api.person("anna@example.com")
    sessions = await api.sql("SELECT id FROM sessions")
    answer = await ask(api.client, grant_type="password", username=username, password=password)
    assert_refused(answer, "invalid_grant")
    assert await api.sql("SELECT id FROM sessions") == sessions


async def test_an_unknown_name_and_a_wrong_password_get_the_same_token_error(api: Api) -> None:
    person = await api.person()

    async def told(username: str) -> tuple[bytes, list[tuple[str, str]]]:
        answer = await ask(
            api.client, grant_type="password", username=username, password="not the password"
        )
        del answer.headers["X-Request-Id"]
        return answer.content, answer.headers.multi_items()

    assert await told(person.username) == await told("nobody@example.com")


@pytest.mark.parametrize(
    "token",
    [
        "not a token",
        "A" * 64,
        "A" * 63 + "=",
        "A" * 65,
        "A" * 60_000,
        "é" * 64,
        "-_+/" * 16,
        "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
    ],
)
async def test_what_was_never_a_refresh_token_is_an_invalid_grant(api: Api, token: str) -> None:
    person = await api.person()
    answer = await refresh(api.client, token)
    assert_refused(answer, "invalid_grant")
    assert token not in answer.text
    assert await opens(api.client, person.token)


async def test_the_token_endpoint_takes_forms_only(client: httpx2.AsyncClient) -> None:
    record = {"grant_type": "password", "username": "anna", "password": PASSWORD}
    for path in ("/token", "/revoke"):
        assert (await client.post(path, json=record)).status_code == 415
        assert (await client.post(path)).status_code == 415


async def test_a_form_over_the_limit_is_refused(client: httpx2.AsyncClient) -> None:
    form = f"grant_type=password&username={'a' * 64 * 1024}"
    for path in ("/token", "/revoke"):
        answer = await client.post(path, content=form, headers={"Content-Type": FORM})
        assert answer.status_code == 413


@pytest.mark.heavy
async def test_guesses_here_and_at_login_count_together(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=2) as api:
        wrong = {"username": "anna", "password": "not the password"}
        assert (await api.client.post("/login", json=wrong)).status_code == 401
        assert (await ask(api.client, grant_type="password", **wrong)).status_code == 400
        answer = await ask(api.client, grant_type="password", **wrong)
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) >= 1


@pytest.mark.heavy
async def test_lifetimes_are_settings(start_api: ApiFactory) -> None:
    async with start_api(access_token_seconds=60, refresh_token_seconds=3600) as api:
        pair = await log_in(api, await api.person())
        assert pair["expires_in"] == 60
        lifetimes = await api.sql("SELECT extract(epoch FROM expires_at - began_at) FROM sessions")
        assert set(map(int, lifetimes)) == {3600}
