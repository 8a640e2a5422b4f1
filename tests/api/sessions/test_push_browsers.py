"""A browser that gets notifications belongs to the session that added it, and ends with it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from adsvc.services.notifications import in_base64url
from adsvc.services.retention import clean
from conftest import ApiFactory
from support.mail.received import sent, verified
from support.mail.server import token_in
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import kind, with_app
from support.scene.logins import log_in

PUSH, NEW = "/users/me/push", "another horse, another staple"
# The key of the example in RFC 8291 §5.
POINT = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"


def subscription(name: str) -> dict[str, Any]:
    keys = {"p256dh": POINT, "auth": in_base64url(b"1" * 16)}
    return {"endpoint": f"https://push.example.com:8443/{name}", "keys": keys}


async def other_session(api: Api, person: Person) -> Person:
    pair = await log_in(api, person)
    return Person(person.id, person.username, pair["access_token"], api.client, person.password)


async def session_of(person: Person) -> int:
    found = (await person.get("/users/me/sessions")).json()["results"]
    number: int = next(one["id"] for one in found if one["current"])
    return number


async def browsers(api: Api) -> list[str]:
    return await api.sql("SELECT right(endpoint, 4) FROM push_subscriptions ORDER BY id")


async def it_is_ended(_: Api, person: Person, lost: Person) -> None:
    ended = await session_of(lost)
    assert (await person.delete(f"/users/me/sessions/{ended}")).status_code == 204


async def it_logs_out(api: Api, _: Person, lost: Person) -> None:
    assert (await api.client.post("/revoke", data={"token": lost.token})).status_code == 200


async def the_password_is_changed(_: Api, person: Person, __: Person) -> None:
    body = {"currentPassword": PASSWORD, "newPassword": NEW}
    assert (await person.post("/users/set_password", json=body)).status_code == 200


async def the_password_is_reset(api: Api, person: Person, _: Person) -> None:
    await api.client.post("/password/forgot", json={"username": person.username})
    [address] = await api.sql("SELECT mail FROM users WHERE id = :id", id=person.id)
    proof = {"token": token_in((await sent(api, address))[-1]), "newPassword": NEW}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204


async def the_login_is_reported(api: Api, person: Person, _: Person) -> None:
    login = {"username": person.username, "password": PASSWORD}
    assert (await api.at("198.51.100.7").post("/login", json=login)).status_code == 200
    [address] = await api.sql("SELECT mail FROM users WHERE id = :id", id=person.id)
    token = token_in((await sent(api, address))[-1])
    assert (await api.client.post("/login/report", json={"token": token})).status_code == 204


async def an_app_is_set_up(_: Api, person: Person, __: Person) -> None:
    await with_app(person)


async def it_expires(api: Api, person: Person, lost: Person) -> None:
    number = await session_of(lost)
    await api.sql("UPDATE sessions SET expires_at = now() WHERE id = :id", id=number)
    listed = (await person.get(PUSH)).json()["results"]
    assert [one["current"] for one in listed] == [True]
    await clean(api.state.database, api.state.settings)


End = Callable[[Api, Person, Person], Awaitable[None]]
ONE: list[End] = [it_is_ended, it_logs_out, an_app_is_set_up, it_expires]
ALL: list[End] = [the_password_is_changed, the_password_is_reset, the_login_is_reported]


@pytest.mark.guard
@pytest.mark.parametrize("end", [*ONE, *ALL])
async def test_a_browser_ends_with_its_session(api: Api, end: End) -> None:
    person, _ = await verified(api)
    # The first login of an account is no news.
    lost = await other_session(api, person)
    assert (await person.put(PUSH, json=subscription("kept"))).status_code == 204
    assert (await lost.put(PUSH, json=subscription("lost"))).status_code == 204
    await end(api, person, lost)
    assert await browsers(api) == (["kept"] if end in ONE else [])


@pytest.mark.heavy
async def test_an_account_sees_and_removes_its_browsers(api: Api) -> None:
    person, stranger = await api.person(), await api.person()
    other = await other_session(api, person)
    await person.put(PUSH, json=subscription("desk"))
    await other.put(PUSH, json=subscription("hand"))
    await stranger.put(PUSH, json=subscription("reed"))
    listed = (await person.get(PUSH)).json()["results"]
    assert [(one["host"], one["current"]) for one in listed] == [
        ("push.example.com", False), ("push.example.com", True),
    ]  # fmt: skip
    assert [one["session"] for one in listed] == [await session_of(other), await session_of(person)]
    assert "hand" not in str(listed)
    path = f"{PUSH}/{listed[0]['id']}"
    refused = await stranger.delete(path)
    assert (refused.status_code, kind(refused)) == (404, "push-not-found")
    assert (await person.delete(path)).status_code == 204
    assert (await person.delete(path)).status_code == 404
    assert await browsers(api) == ["desk", "reed"]


@pytest.mark.guard
async def test_adding_a_browser_and_the_export_need_a_fresh_factor(api: Api) -> None:
    person, _ = await verified(api)
    await with_app(person)
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("PUT", PUSH, {"json": subscription("read")}), ("GET", "/users/me/export", {}),
    ]  # fmt: skip
    for method, path, options in requests:
        answer = await person.request(method, path, **options)
        assert answer.is_success, path
    await api.sql("UPDATE sessions SET factor_at = now() - interval '301 seconds'")
    for method, path, options in requests:
        answer = await person.request(method, path, **options)
        assert (answer.status_code, kind(answer)) == (403, "second-factor-required"), path
    # What takes away needs none.
    assert (await person.request("DELETE", PUSH, json=subscription("read"))).status_code == 204


@pytest.mark.heavy
async def test_a_caller_without_a_session_adds_no_browser(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True) as api:
        person = await api.person()
        answer = await api.client.put(
            PUSH, json=subscription("none"), auth=(person.username, person.password)
        )
        assert (answer.status_code, kind(answer)) == (403, "session-required")
        assert await browsers(api) == []


@pytest.mark.heavy
async def test_a_browser_of_before_gets_nothing_and_is_deleted(api: Api) -> None:
    """The version before records no session."""
    person = await api.person()
    await person.put(PUSH, json=subscription("kept"))
    await api.sql(
        "INSERT INTO push_subscriptions (user_id, endpoint, public_key, auth)"
        " VALUES (:id, 'https://push.example.com/old', '', '') RETURNING id",
        id=person.id,
    )
    assert len((await person.get(PUSH)).json()["results"]) == 1
    await clean(api.state.database, api.state.settings)
    assert await browsers(api) == ["kept"]
