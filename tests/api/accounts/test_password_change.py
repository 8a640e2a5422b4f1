from typing import Any

import pytest

from adsvc.repositories.accounts import users as user_rows
from adsvc.services.accounts import users
from conftest import ApiFactory
from support.running.in_process import HERE
from support.scene.api import PASSWORD, Api, Person
from support.scene.logins import bearer, log_in, opens, refresh
from support.scene.snapshots import snapshot
from support.scene.warmth import settle

NEW_PASSWORD = "another correct horse"


def change(current: object = PASSWORD, new: object = NEW_PASSWORD) -> dict[str, object]:
    return {"currentPassword": current, "newPassword": new}


async def can_log_in(api: Api, person: Person, password: str) -> bool:
    record = {"username": person.username, "password": password}
    answer = await api.client.post("/login", json=record)
    assert answer.status_code in {200, 401}
    return answer.status_code == 200


@pytest.mark.heavy
@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_a_new_password_ends_every_session_and_begins_one(api: Api, method: str) -> None:
    person, other = await api.person(), await api.person()
    before = [await log_in(api, person) for _ in range(2)]
    answer = await person.request(method, "/users/set_password", json=change())
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    pair = answer.json()
    assert pair.keys() == {"access_token", "token_type", "expires_in", "refresh_token"}
    for token in (person.token, *(old["access_token"] for old in before)):
        assert not await opens(api.client, token)
    for old in before:
        assert (await refresh(api.client, old["refresh_token"])).status_code == 400
    assert await opens(api.client, pair["access_token"])
    assert await opens(api.client, other.token)
    headers = bearer(pair["access_token"])
    sessions = (await api.client.get("/users/me/sessions", headers=headers)).json()["results"]
    assert [session["current"] for session in sessions] == [True]
    assert (await refresh(api.client, pair["refresh_token"])).status_code == 200
    assert not await can_log_in(api, person, PASSWORD)
    assert await can_log_in(api, person, NEW_PASSWORD)


async def test_a_password_that_an_operator_sets_ends_every_session(api: Api) -> None:
    person, other = await api.person(), await api.person()
    before = await log_in(api, person)
    async with api.state.database.transaction() as transaction:
        user = await user_rows.get_by_username(transaction, person.username)
        assert user is not None
        hashed = await api.state.credentials.hash(
            NEW_PASSWORD, username=person.username, address=HERE
        )
        await users.overwrite_password(transaction, user, hashed, actor="operator")
    await settle(api)
    for token in (person.token, before["access_token"]):
        assert not await opens(api.client, token)
    assert (await refresh(api.client, before["refresh_token"])).status_code == 400
    assert await opens(api.client, other.token)
    assert await can_log_in(api, person, NEW_PASSWORD)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("current", ["not the password", PASSWORD + " ", PASSWORD.upper(), "x"])
async def test_a_wrong_current_password_changes_nothing(
    api: Api, method: str, current: str
) -> None:
    person = await api.person()
    before = await snapshot(api)
    answer = await person.request(method, "/users/set_password", json=change(current))
    assert answer.status_code == 403
    assert answer.json()["type"] == "/problems#wrong-password"
    assert await snapshot(api) == before
    assert await opens(api.client, person.token)


@pytest.mark.parametrize(
    ("record", "pointers"),
    [
        ({}, ["/currentPassword", "/newPassword"]),
        ({"currentPassword": PASSWORD}, ["/newPassword"]),
        (change(new="7 chars"), ["/newPassword"]),
        (change(new="p" * 129), ["/newPassword"]),
        (change(new=None), ["/newPassword"]),
        (change(new=12345678), ["/newPassword"]),
        (change(current=""), ["/currentPassword"]),
        (change(current="p" * 129), ["/currentPassword"]),
        ({"current_password": PASSWORD, "new_password": NEW_PASSWORD},
         ["/currentPassword", "/newPassword"]),
        ([], [""]),
    ],
)  # fmt: skip
async def test_a_malformed_change_is_refused_by_name(
    api: Api, record: Any, pointers: list[str]
) -> None:
    person = await api.person()
    before = await snapshot(api)
    answer = await person.post("/users/set_password", json=record)
    assert answer.status_code == 400
    assert [fault.get("pointer", "") for fault in answer.json()["errors"]] == pointers
    assert PASSWORD not in answer.text
    assert await snapshot(api) == before


async def test_any_characters_make_a_password(api: Api) -> None:
    person = await api.person()
    password = " пароль: 密码🔑\t\n"
    answer = await person.patch("/users/set_password", json=change(new=password))
    assert answer.status_code == 200
    assert await can_log_in(api, person, password)
    assert not await can_log_in(api, person, password.strip())


async def test_the_same_password_again_still_ends_other_sessions(api: Api) -> None:
    person = await api.person()
    answer = await person.post("/users/set_password", json=change(new=PASSWORD))
    assert answer.status_code == 200
    assert not await opens(api.client, person.token)


@pytest.mark.heavy
async def test_a_stolen_token_does_not_let_anyone_guess_on_and_on(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts=3) as api:
        person = await api.person()
        for _ in range(3):
            answer = await person.post("/users/set_password", json=change("a guess at it"))
            assert answer.status_code == 403
        for method, path, record in (
            ("POST", "/users/set_password", change()),
            ("PATCH", "/users/set_password", change()),
            ("DELETE", "/users/me", {"currentPassword": PASSWORD}),
        ):
            answer = await person.request(method, path, json=record)
            assert answer.status_code == 429
            assert int(answer.headers["Retry-After"]) >= 1
        assert (await person.get("/users/me")).status_code == 200
