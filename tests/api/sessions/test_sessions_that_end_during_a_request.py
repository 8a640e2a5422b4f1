"""Callers whose session ends, or whose account gets a factor, while their body arrives."""

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from conftest import ApiFactory
from support.outside.authenticator import Authenticator
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import added, begun, challenge, complete, kind, options_to_add, with_app
from support.scene.logins import basic

NEW = "another horse, another staple"
KEY = {"name": "Theirs", "scopes": ["account:write"]}

Prepare = Callable[[Person], Coroutine[Any, Any, dict[str, Any]]]


async def held_back(
    person: Person, method: str, path: str, sent: object, first: Coroutine[Any, Any, object],
    headers: dict[str, str] | None = None,
) -> httpx2.Response:  # fmt: skip
    """The answer to whose body comes only once something else has happened."""

    async def body() -> AsyncIterator[bytes]:
        await first
        yield json.dumps(sent).encode()

    headers = {"Content-Type": "application/json", **(headers or {})}
    return await person.request(method, path, content=body(), headers=headers)


async def passkey_of(thief: Person) -> dict[str, Any]:
    return Authenticator().registration(await options_to_add(thief))


async def code_of(thief: Person) -> dict[str, Any]:
    return {"code": (await begun(thief)).code()}


def always(**sent: object) -> Prepare:
    async def prepared(_: Person) -> dict[str, Any]:
        return sent

    return prepared


PASSWORD_CHANGE = always(currentPassword=PASSWORD, newPassword=NEW)
MAIL_CHANGE = always(currentPassword=PASSWORD, mail="thief@example.com")
ACTS: list[tuple[str, str, Prepare]] = [
    ("PATCH", "/users/set_password", PASSWORD_CHANGE),
    ("POST", "/users/set_password", PASSWORD_CHANGE),
    ("PATCH", "/users/me", MAIL_CHANGE),
    ("DELETE", "/users/me", always(currentPassword=PASSWORD)),
    ("POST", "/users/me/keys", always(**KEY)),
    ("POST", "/users/me/passkeys", passkey_of),
    ("POST", "/users/me/totp", always(currentPassword=PASSWORD)),
    ("POST", "/users/me/totp/confirm", code_of),
]

KEPT = """
SELECT ARRAY[
    password_hash, mail_pending, has_totp::text,
    (SELECT count(*)::text FROM keys), (SELECT count(*)::text FROM passkeys),
    (SELECT count(*)::text FROM sessions), (SELECT count(secret)::text FROM totps)
] FROM users
"""


@pytest.mark.guard
@pytest.mark.parametrize(("method", "path", "prepare"), ACTS)
async def test_a_session_that_a_factor_has_ended_does_nothing_any_more(
    api: Api, method: str, path: str, prepare: Prepare
) -> None:
    """Who knows the password would have held a body back until the owner had set a factor up."""
    person = await api.person()
    thief = replace(person, token=await api.log_in(person.username, PASSWORD))
    sent = await prepare(thief)
    [before] = await api.sql(KEPT)
    answer = await held_back(thief, method, path, sent, added(person))
    assert (answer.status_code, kind(answer)) == (401, "invalid-credentials")
    [after] = await api.sql(KEPT)
    assert after == [*before[:4], "1", "1", "0"]
    assert (await person.get("/users/me")).status_code == 200


@pytest.mark.guard
@pytest.mark.parametrize("add", [with_app, added], ids=["app", "passkey"])
async def test_a_password_of_before_the_factor_does_nothing_any_more(
    start_api: ApiFactory, add: Callable[[Person], Coroutine[Any, Any, object]]
) -> None:
    async with start_api(http_basic=True) as api:
        for method, path, prepare in ACTS[:5]:
            person = await api.person()
            pair = basic(person.username, PASSWORD)
            sent = await prepare(person)
            answer = await held_back(person, method, path, sent, add(person), pair)
            assert (answer.status_code, kind(answer)) == (401, "invalid-credentials"), path
            account = (await person.get("/users/me")).json()
            assert account["totp"] is (add is with_app)
        assert await api.sql("SELECT count(*) FROM keys") == [0]
        passkeys = 0 if add is with_app else 5
        assert await api.sql("SELECT count(*) FROM passkeys") == [passkeys]


@pytest.mark.guard
@pytest.mark.parametrize("method", ["POST", "DELETE"])
async def test_a_session_that_has_ended_uses_up_no_code(api: Api, method: str) -> None:
    person = await api.person()
    app = await with_app(person)
    sent = {"currentPassword": PASSWORD, "code": app.codes[0]}
    [session] = (await person.get("/users/me/sessions")).json()["results"]
    end = person.delete(f"/users/me/sessions/{session['id']}")
    answer = await held_back(person, method, "/users/me/totp", sent, end)
    assert (answer.status_code, kind(answer)) == (401, "invalid-credentials")
    assert await api.sql("SELECT count(*) FROM recovery_codes") == [10]
    text = await challenge(api, person)
    assert (await complete(api.client, text, app.codes[0])).status_code == 200
