import time

import bcrypt
import httpx2
import jwt
import pytest
from pwdlib.hashers.argon2 import Argon2Hasher

from adsvc.repositories.accounts import users as user_rows
from conftest import CURRENT, ApiFactory
from support.scene.api import PASSWORD, Api, in_pieces
from support.trouble.blocking import busy


async def log_in(client: httpx2.AsyncClient, username: object, password: object) -> httpx2.Response:
    return await client.post("/login", json={"username": username, "password": password})


async def store_hash(api: Api, username: str, stored: str) -> None:
    await api.sql(
        "UPDATE users SET password_hash = :stored WHERE username = :username",
        stored=stored,
        username=username,
    )


async def stored_hash(api: Api, username: str) -> str:
    query = "SELECT password_hash FROM users WHERE username = :username"
    (found,) = await api.sql(query, username=username)
    return str(found)


async def test_a_login_is_answered_with_a_token_that_caches_do_not_keep(api: Api) -> None:
    person = await api.person()
    answer = await log_in(api.client, person.username, PASSWORD)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json"
    pair = answer.json()
    assert set(pair) == {"access_token", "refresh_token", "token_type", "expires_in"}
    assert (pair["token_type"], pair["expires_in"]) == ("Bearer", 900)


async def test_a_token_has_issuer_subject_audience_and_lifetime(api: Api) -> None:
    person = await api.person()
    before = int(time.time())
    token = await api.log_in(person.username, PASSWORD)
    secret = api.state.settings.required_jwt_secret()
    found = jwt.decode_complete(token, secret, ["HS256"], audience="adsvc", issuer="adsvc")
    assert found["header"] == {"alg": "HS256", "typ": "at+jwt"}
    claims = found["payload"]
    assert set(claims) == {"iss", "aud", "sub", "sid", "iat", "exp", "jti"}
    assert claims["sub"] == str(person.id)
    assert before <= claims["iat"] <= time.time()
    assert claims["exp"] - claims["iat"] == 900


async def test_two_tokens_of_one_second_differ(api: Api) -> None:
    person = await api.person()
    assert api.state.tokens.issue(person.id, 1) != api.state.tokens.issue(person.id, 1)


async def test_a_login_takes_the_name_in_any_case(api: Api) -> None:
    await api.person("Anna@example.com")
    assert (await log_in(api.client, "aNNA@EXAMPLE.com", PASSWORD)).status_code == 200


async def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(api: Api) -> None:
    person = await api.person()
    wrong = await log_in(api.client, person.username, "not the password")
    unknown = await log_in(api.client, "nobody@example.com", "not the password")
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.headers["WWW-Authenticate"] == 'Bearer realm="adsvc"'

    def told(answer: httpx2.Response) -> tuple[bytes, list[tuple[str, str]]]:
        request_id = answer.headers.pop("X-Request-Id")
        return answer.content.replace(request_id.encode(), b""), answer.headers.multi_items()

    assert told(wrong) == told(unknown)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("username", None),
        ("username", ""),
        ("username", "a" * 255),
        ("username", 7),
        ("password", None),
        ("password", ""),
        ("password", "p" * 129),
        ("password", ["correct horse battery"]),
    ],
)
async def test_a_malformed_login_is_refused_by_name(
    client: httpx2.AsyncClient, member: str, value: object
) -> None:
    sent = {"username": "anna@example.com", "password": PASSWORD, member: value}
    answer = await client.post("/login", json=sent)
    assert answer.status_code == 400
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [f"/{member}"]


@pytest.mark.parametrize("sent", ["{}", "[]", '"text"', "1", "null", "true", "[{}]"])
@pytest.mark.parametrize("path", ["/login", "/register"])
async def test_something_else_than_credentials_is_refused(
    client: httpx2.AsyncClient, path: str, sent: str
) -> None:
    headers = {"Content-Type": "application/json"}
    answer = await client.post(path, content=sent, headers=headers)
    assert answer.status_code == 400


@pytest.mark.heavy
async def test_lower_bounds_do_not_lock_out_older_accounts(api: Api) -> None:
    person = await api.person()
    await api.sql("UPDATE users SET username = 'bob', username_key = 'bob'")
    await store_hash(api, "bob", Argon2Hasher().hash("short"))
    assert (await log_in(api.client, "bob", "short")).status_code == 200
    assert await stored_hash(api, "bob") != person.password


async def test_a_login_over_the_body_limit_is_refused(client: httpx2.AsyncClient) -> None:
    headers = {"Content-Type": "application/json"}
    body = b'{"username": "' + b"a" * 64 * 1024 + b'"}'
    for content in (body, in_pieces(body, 1000)):
        answer = await client.post("/login", content=content, headers=headers)
        assert answer.status_code == 413


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("password", "salt"),
    [
        (PASSWORD, b"$2b$12$eIXyCPuRlmNOVHEQ2Ci/Me"),
        (PASSWORD, b"$2a$05$eIXyCPuRlmNOVHEQ2Ci/Me"),
        # passlib ignored what lies beyond 72 bytes; here the cut goes through a character.
        ("é" * 35 + "abc" + "é" * 60, b"$2b$05$eIXyCPuRlmNOVHEQ2Ci/Me"),
    ],
)
async def test_a_bcrypt_hash_logs_in_and_is_upgraded(api: Api, password: str, salt: bytes) -> None:
    person = await api.person()
    old = bcrypt.hashpw(password.encode()[:72], salt).decode()
    await store_hash(api, person.username, old)
    assert (await log_in(api.client, person.username, "not the password")).status_code == 401
    assert await stored_hash(api, person.username) == old
    assert (await log_in(api.client, person.username, password)).status_code == 200
    upgraded = await stored_hash(api, person.username)
    assert upgraded.startswith(CURRENT)
    # From now on the whole password counts.
    assert (await log_in(api.client, person.username, password)).status_code == 200
    assert (await log_in(api.client, person.username, password + "x")).status_code == 401
    assert await stored_hash(api, person.username) == upgraded


async def test_other_argon2_parameters_are_upgraded(api: Api) -> None:
    person = await api.person()
    weaker = Argon2Hasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    await store_hash(api, person.username, weaker)
    assert (await log_in(api.client, person.username, PASSWORD)).status_code == 200
    assert (await stored_hash(api, person.username)).startswith(CURRENT)


@pytest.mark.heavy
@pytest.mark.parametrize(
    "stored",
    [
        "",
        "!",
        "plain text",
        "$2b$12$" + "x" * 53,
        "$2b$99$" + "a" * 53,
        "$2b$12$eIXyCPuRlmNOVHEQ2Ci/MeCUT",
        "$argon2id$v=19$m=19456,t=2,p=1$broken",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAA$",
        "{SSHA}c29tZXRoaW5n",
    ],
)
async def test_a_stored_hash_of_no_use_is_a_wrong_password(api: Api, stored: str) -> None:
    person = await api.person()
    await store_hash(api, person.username, stored)
    answer = await log_in(api.client, person.username, PASSWORD)
    assert answer.status_code == 401
    assert await stored_hash(api, person.username) == stored


async def test_a_login_that_was_overtaken_leaves_the_newer_hash(api: Api) -> None:
    person = await api.person()
    newer = await stored_hash(api, person.username)
    async with api.state.database.transaction() as transaction:
        await user_rows.replace_password_hash(
            transaction, person.id, "an older hash", "an upgrade of it"
        )
    assert await stored_hash(api, person.username) == newer


@pytest.mark.heavy
@pytest.mark.parametrize("path", ["/login", "/register"])
async def test_more_hashing_than_the_service_can_do_is_refused_at_once(
    start_api: ApiFactory, path: str
) -> None:
    async with start_api(password_workers=1, password_queue=1) as api:
        person = await api.person()
        sent = {"username": "new" + person.username, "password": PASSWORD}
        with busy(api.state.password_pool):
            answer = await api.client.post(path, json=sent)
            assert answer.status_code == 503
            assert answer.json()["type"] == "/problems#overloaded"
            assert int(answer.headers["Retry-After"]) >= 1
        assert (await log_in(api.client, person.username, PASSWORD)).status_code == 200
        assert await api.sql("SELECT username FROM users") == [person.username]
