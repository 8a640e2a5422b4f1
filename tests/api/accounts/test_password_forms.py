"""Passwords that are equal to the eye are equal (RFC 8265 §4.2, OpaqueString)."""

import unicodedata

import bcrypt
import pytest
from pwdlib.hashers.argon2 import Argon2Hasher

from support.scene.api import Api

COMPOSED = "p\xe4ssword caf\xe9 horse"
DECOMPOSED = "pa\u0308ssword cafe\u0301 horse"
SPACED = "p\xe4ssword\xa0caf\xe9\u3000horse"
FORMS = [COMPOSED, DECOMPOSED, SPACED]
QUICK = Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1)


async def logs_in(api: Api, password: str, name: str = "anna") -> bool:
    record = {"username": name, "password": password}
    answer = await api.client.post("/login", json=record)
    assert answer.status_code in {200, 401}
    return answer.status_code == 200


@pytest.mark.parametrize("chosen", FORMS)
async def test_a_password_is_one_however_it_is_typed(api: Api, chosen: str) -> None:
    record = {"username": "anna", "password": chosen}
    assert (await api.client.post("/register", json=record)).status_code == 201
    for typed in FORMS:
        assert await logs_in(api, typed), typed
    assert not await logs_in(api, COMPOSED.replace("\xe4", "a"))


@pytest.mark.parametrize("changed", FORMS)
async def test_a_changed_password_is_one_too(api: Api, changed: str) -> None:
    person = await api.person()
    body = {"currentPassword": person.password, "newPassword": changed}
    assert (await person.post("/users/set_password", json=body)).status_code == 200
    for typed in FORMS:
        assert await logs_in(api, typed, person.username), typed


@pytest.mark.parametrize("stored", FORMS)
@pytest.mark.parametrize("scheme", ["argon2", "bcrypt"])
async def test_a_hash_of_the_bytes_that_were_typed_goes_on(
    api: Api, stored: str, scheme: str
) -> None:
    await api.person("anna")
    hashed = (
        QUICK.hash(stored)
        if scheme == "argon2"
        else bcrypt.hashpw(stored.encode(), bcrypt.gensalt(4)).decode()
    )
    await api.sql("UPDATE users SET password_hash = :hashed", hashed=hashed)
    assert not await logs_in(api, "another password")
    assert await logs_in(api, stored)
    # The login has replaced the hash.
    for typed in FORMS:
        assert await logs_in(api, typed), typed


@pytest.mark.guard
async def test_the_bounds_are_those_of_the_form_that_is_hashed(api: Api) -> None:
    composed = "caf\xe9 horse " * 11 + "\xe9" * 7
    typed = unicodedata.normalize("NFD", composed)
    assert (len(composed), len(typed)) == (128, 146)
    record = {"username": "anna", "password": typed}
    assert (await api.client.post("/register", json=record)).status_code == 201
    for password in (typed, composed):
        assert await logs_in(api, password), len(password)
    form = {"grant_type": "password", **record}
    answer = await api.client.post("/token", data=form)
    assert answer.status_code == 200, answer.text
    headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}
    change = {"currentPassword": typed, "newPassword": typed + "x"}
    answer = await api.client.post("/users/set_password", json=change, headers=headers)
    faults = [(fault["pointer"], fault["code"]) for fault in answer.json()["errors"]]
    assert faults == [("/newPassword", "wrong-length")]
    answer = await api.client.post("/login", json={**record, "password": typed + "x"})
    assert answer.status_code == 400
    sent = {"currentPassword": typed}
    answer = await api.client.request("DELETE", "/users/me", json=sent, headers=headers)
    assert answer.status_code == 204, answer.text
