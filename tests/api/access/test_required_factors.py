"""Where the operator requires a second factor, and where it must have been proved lately."""

from dataclasses import replace
from typing import Any

import httpx2
import pytest

from adsvc.enums import Role
from adsvc.settings import FactorRequired
from conftest import ApiFactory
from support.contract.operations import authenticated_operations
from support.outside.authenticator import Authenticator
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import (
    added,
    begun,
    challenge,
    complete,
    kind,
    options_to_add,
    with_app,
)
from support.scene.keys import create_key
from support.scene.logins import basic, bearer, log_in
from support.scene.warmth import settle

NEW = "another horse, another staple"
SETTING_UP = {
    ("post", "/users/me/totp"), ("post", "/users/me/totp/confirm"),
    ("post", "/users/me/terms"),
    ("post", "/users/me/passkeys"), ("post", "/users/me/passkeys/options"),
    ("get", "/users/me/passkeys"), ("delete", "/users/me/passkeys/{id}"),
}  # fmt: skip


async def allowed(person: Person) -> bool:
    answer = await person.get("/users/me")
    assert answer.status_code == 200 or kind(answer) == "second-factor-missing"
    return answer.status_code == 200


@pytest.mark.guard
async def test_without_the_factor_nothing_but_setting_it_up_is_possible(
    start_api: ApiFactory,
) -> None:
    async with start_api(second_factor=FactorRequired.ALL) as api:
        admin = await api.admin()
        for operation in authenticated_operations(api):
            answer = await operation.call(api.client, admin.headers)
            where = (operation.method, operation.path)
            if where in SETTING_UP:
                assert answer.status_code in {200, 400, 404, 415}, where
            else:
                assert (answer.status_code, kind(answer)) == (403, "second-factor-missing"), where
        # What anyone may is not concerned.
        assert (await admin.get("/ads")).status_code == 200
        await with_app(admin)
        assert await allowed(admin)


@pytest.mark.guard
async def test_the_operator_says_who_is_concerned(start_api: ApiFactory) -> None:
    for setting, concerned in (
        (FactorRequired.OFF, ()),
        (FactorRequired.MODERATORS, (Role.MODERATOR, Role.ADMIN)),
        (FactorRequired.ALL, tuple(Role)),
    ):
        async with start_api(second_factor=setting) as api:
            for role in Role:
                person = await api.person()
                await api.set_role(person, role)
                assert await allowed(person) is (role not in concerned), (setting, role)


@pytest.mark.guard
async def test_who_becomes_a_moderator_is_concerned_at_once(start_api: ApiFactory) -> None:
    async with start_api(second_factor=FactorRequired.MODERATORS) as api:
        person, author = await api.person(), await api.person()
        path = f"/ads/{(await author.post_ad())['pk']}"
        await settle(api)
        # From the cache of tokens, too.
        for _ in range(2):
            assert (await person.get(path)).status_code == 200
        await api.set_role(person, Role.MODERATOR)
        await settle(api)
        for _ in range(2):
            assert kind(await person.get(path)) == "second-factor-missing"


@pytest.mark.heavy
async def test_other_credentials_are_no_way_around(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True) as before:
        person = await before.person()
        key = (await create_key(person, scopes=["account:read"])).token
    async with start_api(http_basic=True, second_factor=FactorRequired.ALL) as api:
        pair = await log_in(api, person)
        ways = (
            bearer(person.token), bearer(pair["access_token"]), bearer(key),
            basic(person.username, PASSWORD),
        )  # fmt: skip
        for headers in ways:
            for _ in range(2):
                answer = await api.client.get("/users/me", headers=headers)
                assert (answer.status_code, kind(answer)) == (403, "second-factor-missing"), headers
        person.client = api.client
        app = await with_app(person)
        assert (await api.client.get("/users/me", headers=bearer(key))).status_code == 200
        assert await allowed(person)
        # Without the factor again: neither the session nor the key is enough.
        sent = {"currentPassword": PASSWORD, "code": app.codes[0]}
        assert (await person.request("DELETE", "/users/me/totp", json=sent)).status_code == 204
        assert not await allowed(person)
        answer = await api.client.get("/users/me", headers=bearer(key))
        assert kind(answer) == "second-factor-missing"


CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "/users/me", {"firstName": "Anna"}),
    ("PATCH", "/users/me", {"mail": "anna@example.com", "currentPassword": PASSWORD}),
    ("PATCH", "/users/set_password", {"currentPassword": PASSWORD, "newPassword": NEW}),
    ("POST", "/users/set_password", {"currentPassword": PASSWORD, "newPassword": NEW}),
    ("POST", "/users/me/keys", {"name": "A", "scopes": ["ads:read"], "currentPassword": PASSWORD}),
    ("DELETE", "/users/me/keys/1", {}),
    ("DELETE", "/users/me", {"currentPassword": PASSWORD}),
]


async def change(person: Person, method: str, path: str, body: object) -> httpx2.Response:
    return await person.request(method, path, json=body)


@pytest.mark.guard
async def test_a_factor_of_long_ago_is_not_enough_to_change_the_account(api: Api) -> None:
    person = await api.person()
    app = await with_app(person)
    await api.sql("UPDATE sessions SET factor_at = factor_at - interval '299 s'")
    assert (await change(person, *CHANGES[0])).status_code == 200
    await api.sql("UPDATE sessions SET factor_at = factor_at - interval '2 s'")
    for method, path, body in CHANGES:
        answer = await change(person, method, path, body)
        assert (answer.status_code, kind(answer)) == (403, "second-factor-required"), path
    # It reads, and does all else.
    assert (await person.get("/users/me")).status_code == 200
    await person.post_ad()
    answer = await complete(api.client, answer.json()["challenge"], app.codes[0])
    person.token = answer.json()["access_token"]
    assert (await change(person, *CHANGES[0])).status_code == 200
    # Nor does a refresh prove anything.
    login = await complete(api.client, await challenge(api, person), app.codes[1])
    await api.sql("UPDATE sessions SET factor_at = factor_at - interval '1 h'")
    form = {"grant_type": "refresh_token", "refresh_token": login.json()["refresh_token"]}
    person.token = (await api.client.post("/token", data=form)).json()["access_token"]
    assert (await change(person, *CHANGES[0])).status_code == 403


async def test_without_a_factor_all_is_as_before(api: Api) -> None:
    person = await api.person()
    await api.sql("UPDATE sessions SET began_at = began_at - interval '10 d'")
    for method, path, body in (CHANGES[0], CHANGES[1], CHANGES[4], CHANGES[6]):
        assert (await change(person, method, path, body)).is_success, path


@pytest.mark.guard
async def test_what_administrators_alone_may_do_needs_a_factor_of_now(api: Api) -> None:
    admin, person = await api.admin(), await api.person()
    app = await with_app(admin)
    statement = {"ground": "terms", "explanation": "No such thing."}
    definition = {"parent": None, "name": "Boats"}
    acts: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", f"/users/{person.id}/suspend", statement),
        ("POST", f"/users/{person.id}/restore", statement),
        ("PUT", "/categories/boats", definition),
        ("DELETE", "/categories/boats", {}),
        ("POST", "/webhooks", {"url": "https://shop.example.com/", "events": ["ad.created"]}),
        ("DELETE", "/webhooks/1", {}),
    ]
    await api.sql("UPDATE sessions SET factor_at = factor_at - interval '301 s'")
    for act in acts:
        answer = await change(admin, *act)
        assert (answer.status_code, kind(answer)) == (403, "second-factor-required"), act
    # What they read, and what moderators may do, is as before.
    assert (await admin.get("/users")).status_code == 200
    assert (await admin.get("/moderation/cases")).status_code == 200
    # Strangers to the role learn nothing of it.
    answer = await change(person, *acts[2])
    assert (answer.status_code, kind(answer)) == (403, "forbidden")
    text = (await change(admin, *acts[2])).json()["challenge"]
    answer = await complete(api.client, text, app.codes[0])
    admin.token = answer.json()["access_token"]
    assert (await change(admin, *acts[2])).status_code in {200, 201}
    assert (await change(admin, *acts[0])).status_code == 200
    # A program has a key, which was made with a factor.
    key = await create_key(admin, scopes=["admin"])
    await api.sql("UPDATE sessions SET factor_at = factor_at - interval '301 s'")
    assert (await change(key, *acts[3])).status_code == 204


@pytest.mark.guard
async def test_an_account_with_passkeys_alone_gets_no_app_from_a_thief(api: Api) -> None:
    """Who knows the password would have proved a factor of their own, and put the owner out."""
    person = await api.person()
    thief = replace(person, token=await api.log_in(person.username, PASSWORD))
    # Begun before there was a passkey.
    early = await begun(thief)
    await added(person)
    thief.token = await api.log_in(person.username, PASSWORD)
    for path, body in (
        ("/users/me/totp", {"currentPassword": PASSWORD}),
        ("/users/me/totp/confirm", {"code": early.code()}),
    ):
        answer = await thief.post(path, json=body)
        assert (answer.status_code, kind(answer)) == (403, "second-factor-required"), path
        assert "challenge" not in answer.json()
    assert await api.sql("SELECT has_totp FROM users") == [False]
    await with_app(person)


@pytest.mark.guard
async def test_an_account_with_passkeys_alone_gets_no_passkey_from_a_thief(api: Api) -> None:
    """By the options of before the owner had a factor: they are for the account and its password.

    The thief would have put the owner out, and would have had a factor of their own.
    """
    person = await api.person()
    thief = replace(person, token=await api.log_in(person.username, PASSWORD))
    early = await options_to_add(thief)
    await added(person)
    thief.token = await api.log_in(person.username, PASSWORD)
    theirs = Authenticator().registration(early)
    answer = await thief.post("/users/me/passkeys", json=theirs)
    assert (answer.status_code, kind(answer)) == (403, "second-factor-required")
    assert len((await person.get("/users/me/passkeys")).json()["results"]) == 1
    # The owner, who has proved it, uses options of before.
    assert (await person.post("/users/me/passkeys", json=theirs)).status_code == 201
