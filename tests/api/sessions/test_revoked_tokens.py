"""A token is worth what its account and session are worth at this moment, for every operation."""

import base64
import time
from collections.abc import Awaitable, Callable
from typing import Any

import jwt
import pytest

from conftest import SECRET
from support.contract.operations import authenticated_operations
from support.scene.api import Api, Person
from support.scene.logins import bearer, log_in, reuse, revoke
from support.scene.snapshots import snapshot

NEW_PASSWORD = "another correct horse"
NESTED = '{"alg":"HS256","typ":"at+jwt","x":' + "[" * 1500 + "]" * 1500 + "}"


async def password_changed(_: Api, person: Person, __: str) -> None:
    change = {"currentPassword": person.password, "newPassword": NEW_PASSWORD}
    assert (await person.post("/users/set_password", json=change)).status_code == 200


async def logged_out(api: Api, _: Person, refresh_token: str) -> None:
    assert (await revoke(api.client, refresh_token)).status_code == 200


async def session_ended(api: Api, person: Person, _: str) -> None:
    elsewhere = await log_in(api, person)
    for session in (await person.get("/users/me/sessions")).json()["results"]:
        headers = bearer(elsewhere["access_token"])
        if session["current"]:
            path = f"/users/me/sessions/{session['id']}"
            assert (await api.client.delete(path, headers=headers)).status_code == 204


async def token_reused(api: Api, _: Person, refresh_token: str) -> None:
    await reuse(api.client, refresh_token)


async def account_deleted(_: Api, person: Person, __: str) -> None:
    confirmation = {"currentPassword": person.password}
    assert (await person.request("DELETE", "/users/me", json=confirmation)).status_code == 204


@pytest.mark.parametrize(
    "end", [password_changed, logged_out, session_ended, token_reused, account_deleted]
)
@pytest.mark.heavy
async def test_an_ended_token_opens_nothing(
    api: Api, end: Callable[[Api, Person, str], Awaitable[None]]
) -> None:
    author, person = await api.person(), await api.person()
    ad = await author.post_ad()
    await author.post(f"/ads/{ad['pk']}/comments", json={"text": "Still there."})
    pair = await log_in(api, person)
    await end(
        api,
        Person(person.id, person.username, pair["access_token"], api.client),
        pair["refresh_token"],
    )
    before = await snapshot(api)
    for operation in authenticated_operations(api):
        answer = await operation.call(api.client, bearer(pair["access_token"]), id=ad["pk"])
        assert answer.status_code == 401, operation
        assert answer.json()["type"] == "/problems#invalid-credentials"
    assert await snapshot(api) == before


def forged(person: Person, *, header: dict[str, Any], key: str = SECRET, **claims: object) -> str:
    """The person's own access token with some claims changed, or removed where None."""
    genuine = jwt.decode(person.token, options={"verify_signature": False})
    changed = {name: value for name, value in {**genuine, **claims}.items() if value is not None}
    algorithm = header.pop("alg", "HS256")
    kind = {"typ": "at+jwt", **header}
    return jwt.encode(changed, "" if algorithm == "none" else key, algorithm, headers=kind)


def bad_tokens(person: Person, other: Person) -> dict[str, str]:
    now = int(time.time())
    sid = jwt.decode(other.token, options={"verify_signature": False})["sid"]
    head, payload, signature = person.token.split(".")
    return {
        "unsigned": forged(person, header={"alg": "none"}),
        "without signature": f"{head}.{payload}.",
        "other algorithm": forged(person, header={"alg": "HS512"}, key=SECRET * 2),
        "other key": forged(person, header={}, key=SECRET[::-1]),
        "expired": forged(person, header={}, exp=now - 1),
        "not yet valid": forged(person, header={}, nbf=now + 3600),
        "no issuer": forged(person, header={}, iss=None),
        "other issuer": forged(person, header={}, iss="somebody"),
        "no audience": forged(person, header={}, aud=None),
        "other audience": forged(person, header={}, aud="somebody"),
        "no expiry": forged(person, header={}, exp=None),
        "no session": forged(person, header={}, sid=None),
        "no subject": forged(person, header={}, sub=None),
        "another's session": forged(person, header={}, sid=sid),
        "another's account": forged(person, header={}, sub=str(other.id)),
        "session of words": forged(person, header={}, sid="one"),
        "other kind": forged(person, header={"typ": "JWT"}),
        "flipped signature": f"{head}.{payload}.{_flip(signature)}",
        "flipped payload": f"{head}.{_flip(payload)}.{signature}",
        "flipped header": f"{_flip(head)}.{payload}.{signature}",
        "60 kB": f"{head}.{'A' * 60_000}.{signature}",
        "nested": f"{_encoded(NESTED)}.{payload}.{signature}",
        "critical extension": forged(person, header={"crit": ["x"], "x": 1}),
        "empty": "",
        "two": f"{person.token} {person.token}",
        "not ASCII": "é.é.é",
    }


def _flip(text: str) -> str:
    return text[:10] + ("A" if text[10] != "A" else "B") + text[11:]


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.heavy
async def test_a_bad_token_opens_nothing(api: Api) -> None:
    person, other = await api.person(), await api.person()
    ad = await person.post_ad()
    before = await snapshot(api)
    operations = authenticated_operations(api)
    for name, token in bad_tokens(person, other).items():
        for operation in operations:
            headers = [(b"Authorization", f"Bearer {token}".encode())]
            answer = await operation.call(api.client, headers, id=ad["pk"])
            assert answer.status_code == 401, f"{name}: {operation}"
            challenge = 'Bearer realm="adsvc", error="invalid_token"'
            assert answer.headers["WWW-Authenticate"] == challenge
    assert await snapshot(api) == before
    assert (await person.get("/users/me")).status_code == 200


@pytest.mark.heavy
@pytest.mark.parametrize(
    "value", ["", "Bearer", "bearer ", "Basic", "Digest x", "token", "Bearer\ttoken", "Bearer  x y"]
)
async def test_other_authorization_headers_open_nothing(api: Api, value: str) -> None:
    for operation in authenticated_operations(api):
        answer = await operation.call(api.client, {"Authorization": value})
        assert answer.status_code == 401, operation


async def test_a_token_in_the_query_opens_nothing(api: Api) -> None:
    person = await api.person()
    for name in ("access_token", "token"):
        answer = await api.client.get("/users/me", params={name: person.token})
        assert answer.status_code == 401


async def test_the_scheme_is_read_without_regard_to_case(api: Api) -> None:
    person = await api.person()
    for scheme in ("bearer", "BEARER", "Bearer "):
        headers = {"Authorization": f"{scheme} {person.token}"}
        assert (await api.client.get("/users/me", headers=headers)).status_code == 200
