"""Passkeys: adding, logging in, listing and removing them, and what is refused."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx2
import pytest

from adsvc.kit.security import factors as security
from adsvc.services.accounts.passkeys import MOST_PASSKEYS
from adsvc.settings import FactorRequired
from conftest import ApiFactory
from support.mail.received import subjects, verified
from support.outside.authenticator import (
    BACKED_UP,
    BACKUP_ELIGIBLE,
    PRESENT,
    VERIFIED,
    Authenticator,
    decoded,
    encoded,
)
from support.scene.api import PASSWORD, Api
from support.scene.factors import added, kind, options_to_add, with_app
from support.scene.logins import log_in, opens

OWN, LOGIN = "/users/me/passkeys", "/login/passkey"


async def options_of(client: httpx2.AsyncClient) -> dict[str, Any]:
    answer = await client.post(f"{LOGIN}/options")
    assert answer.status_code == 200
    options: dict[str, Any] = answer.json()
    return options


async def entered(client: httpx2.AsyncClient, authenticator: Authenticator) -> httpx2.Response:
    return await client.post(LOGIN, json=authenticator.login(await options_of(client)))


@pytest.mark.guard
async def test_a_passkey_is_added_used_and_removed(api: Api) -> None:
    person, address = await verified(api)
    before = await log_in(api, person)
    authenticator = Authenticator()
    options = await options_to_add(person)
    assert (options["rp"], options["user"]["name"]) == (
        {"id": "localhost", "name": "adsvc"}, person.username,
    )  # fmt: skip
    selection = options["authenticatorSelection"]
    assert (selection["residentKey"], selection["userVerification"]) == ("required", "required")
    answer = await person.post(OWN, json=authenticator.registration(options, " Anna's phone "))
    made = answer.json()
    assert (answer.status_code, made["name"], made["lastUsedAt"]) == (201, "Anna's phone", None)
    # Sessions that began before have ended, but for the one that added it.
    assert not await opens(api.client, before["access_token"])
    assert (await person.get(OWN)).json() == {"results": [made]}
    assert (await person.get("/users/me/export")).json()["passkeys"] == [made]
    listed = (await options_to_add(person))["excludeCredentials"]
    assert [decoded(one["id"]) for one in listed] == [authenticator.credential_id]
    for _ in range(2):
        answer = await entered(api.client, authenticator)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
    assert await opens(api.client, answer.json()["access_token"])
    # The password alone logs in as before.
    await api.log_in(person.username, PASSWORD)
    [used] = (await person.get(OWN)).json()["results"]
    assert used["lastUsedAt"] is not None
    assert (await person.delete(f"{OWN}/{made['id']}")).status_code == 204
    assert kind(await person.delete(f"{OWN}/{made['id']}")) == "passkey-not-found"
    assert kind(await entered(api.client, authenticator)) == "wrong-factor"
    assert await api.sql("SELECT has_passkey FROM users") == [False]
    assert (await subjects(api, address)).count("Signing in to adsvc: something was changed") == 2


@pytest.mark.heavy
async def test_counter_and_backup_flags_are_kept(api: Api) -> None:
    person = await api.person()
    authenticator = await added(
        person, Authenticator(count=7, flags=PRESENT | VERIFIED | BACKUP_ELIGIBLE)
    )
    kept = "SELECT ARRAY[sign_count::text, backup_eligible::text, backed_up::text] FROM passkeys"
    assert await api.sql(kept) == [["7", "true", "false"]]
    authenticator.flags |= BACKED_UP
    assert (await entered(api.client, authenticator)).status_code == 200
    assert await api.sql(kept) == [["8", "true", "true"]]
    silent = await added(await api.person(), Authenticator(counts=False))
    for _ in range(2):
        assert (await entered(api.client, silent)).status_code == 200


Change = Callable[[Authenticator], Authenticator]
LIES: dict[str, Change] = {
    "origin": lambda a: replace(a, origin="https://evil.example"),
    "origin of another port": lambda a: replace(a, origin="http://localhost:8081"),
    "site": lambda a: replace(a, rp_id="evil.example"),
    "no user verification": lambda a: replace(a, flags=PRESENT),
    "no presence": lambda a: replace(a, flags=VERIFIED),
    "key": lambda a: replace(a, key=Authenticator().key),
    "counter that falls": lambda a: replace(a, count=3),
    "counter that stays": lambda a: replace(a, count=9),
    "counter that stops": lambda a: replace(a, count=0, counts=False),
    "handle of another": lambda a: replace(a, handle=bytes(7) + b"\xff"),
    "credential": lambda a: replace(a, credential_id=b"unknown"),
    "no credential": lambda a: replace(a, credential_id=b""),
}


@pytest.mark.guard
async def test_an_assertion_that_lies_is_refused(api: Api) -> None:
    person = await api.person()
    good = await added(person, Authenticator(count=10))
    for name, lie in LIES.items():
        answer = await entered(api.client, lie(good))
        assert (answer.status_code, kind(answer)) == (401, "wrong-factor"), name
    assert (await entered(api.client, good)).status_code == 200


@pytest.mark.guard
async def test_a_challenge_counts_once_and_for_its_purpose(api: Api) -> None:
    person, other = await api.person(), await api.person()
    good, others = await added(person), await added(other)
    sent = good.login(await options_of(api.client))
    answers = await asyncio.gather(*(api.client.post(LOGIN, json=sent) for _ in range(8)))
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [200, *[401] * 7]
    registration = await options_to_add(person)
    app = await with_app(other)
    login = {"username": other.username, "password": PASSWORD}
    code = (await api.client.post("/login", json=login)).json()["challenge"]
    del app
    for challenge in (
        *(registration["challenge"], encoded(code.encode()), encoded(person.token.encode())),
        *("", "x", encoded(b"\xff"), encoded(b"a.b.c")),
    ):
        answer = await api.client.post(LOGIN, json=good.login({"challenge": challenge}))
        assert (answer.status_code, kind(answer)) == (401, "invalid-challenge"), challenge
    # One passkey does not answer for another.
    mixed = {**good.login(await options_of(api.client))}
    theirs = others.login(await options_of(api.client))
    mixed |= {"id": theirs["id"], "rawId": theirs["rawId"]}
    assert kind(await api.client.post(LOGIN, json=mixed)) == "wrong-factor"


@pytest.mark.parametrize(
    "tries", [pytest.param(6, marks=pytest.mark.guard), pytest.param(50, marks=pytest.mark.heavy)]
)
async def test_of_one_answer_sent_to_two_applications_one_logs_in(
    start_api: ApiFactory, tries: int
) -> None:
    async with start_api() as api, start_api() as other:
        authenticator = await added(await api.person())
        sent = authenticator.login(await options_of(api.client))
        answers = await asyncio.gather(
            *(each.client.post(LOGIN, json=sent) for each in [api, other] * (tries // 2))
        )
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses == [200, *[401] * (tries - 1)]
        for each in (api, other):
            assert (await entered(each.client, authenticator)).status_code == 200


@pytest.mark.heavy
async def test_a_challenge_that_has_expired_is_refused(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    authenticator = await added(await api.person())
    monkeypatch.setattr(security, "CHALLENGE_SECONDS", -1)
    answer = await entered(api.client, authenticator)
    assert (answer.status_code, kind(answer)) == (401, "invalid-challenge")
    person = await api.person()
    late = Authenticator().registration(await options_to_add(person))
    monkeypatch.undo()
    assert kind(await person.post(OWN, json=late)) == "invalid-passkey"
    assert (await entered(api.client, authenticator)).status_code == 200


@pytest.mark.guard
async def test_attempts_are_limited_by_address(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts_per_address=3) as api:
        authenticator = await added(await api.person())
        liar = replace(authenticator, origin="https://evil.example")
        for _ in range(3):
            assert (await entered(api.client, liar)).status_code == 401
        answer = await entered(api.client, authenticator)
        assert (answer.status_code, kind(answer)) == (429, "rate-limited")
        assert int(answer.headers["Retry-After"]) > 0
        assert (await entered(api.at("203.0.113.9"), authenticator)).status_code == 200


@pytest.mark.heavy
async def test_a_suspended_account_does_not_log_in(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    authenticator = await added(person)
    statement = {"ground": "terms", "explanation": "No such thing."}
    answer = await admin.post(f"/users/{person.id}/suspend", json=statement)
    assert answer.status_code == 200, answer.text
    answer = await entered(api.client, authenticator)
    assert (answer.status_code, kind(answer)) == (403, "suspended")
    assert await api.sql("SELECT count(*) FROM sessions WHERE user_id = :id", id=person.id) == [0]


@pytest.mark.heavy
async def test_an_account_has_so_many_passkeys(api: Api) -> None:
    person = await api.person()
    for _ in range(MOST_PASSKEYS - 1):
        await added(person)
    last, surplus = [Authenticator().registration(await options_to_add(person)) for _ in range(2)]
    answers = await asyncio.gather(*(person.post(OWN, json=sent) for sent in (last, surplus)))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    [refused] = [answer for answer in answers if answer.status_code == 409]
    assert kind(refused) == "too-many"
    assert await api.sql("SELECT count(*) FROM passkeys") == [MOST_PASSKEYS]


@pytest.mark.guard
async def test_a_registration_that_lies_is_refused(api: Api) -> None:
    person, other = await api.person(), await api.person()
    known = await added(other)
    for name in ("origin", "origin of another port", "site", "no user verification", "no presence"):
        sent = LIES[name](Authenticator()).registration(await options_to_add(person))
        answer = await person.post(OWN, json=sent)
        assert (answer.status_code, kind(answer)) == (400, "invalid-passkey"), name
    options = await options_to_add(person)
    for who, sent in (
        (other, Authenticator().registration(options)),
        (person, Authenticator().registration(await options_of_login(api))),
        (person, replace(known).registration(await options_to_add(person))),
    ):
        answer = await who.post(OWN, json=sent)
        assert (answer.status_code, kind(answer)) == (400, "invalid-passkey")
    sent = Authenticator().registration(options)
    assert (await person.post(OWN, json=sent)).status_code == 201
    again = Authenticator().registration(options)
    assert kind(await person.post(OWN, json=again)) == "invalid-passkey"
    for junk in ("", "AAAA", encoded(b"\xa1" * 3000), encoded(b"\xbf\xff"), "é"):
        sent = Authenticator().registration(await options_to_add(person))
        sent["response"]["attestationObject"] = junk
        assert kind(await person.post(OWN, json=sent)) == "invalid-passkey", junk


async def options_of_login(api: Api) -> dict[str, Any]:
    return {**await options_of(api.client), "user": {"id": encoded(bytes(8))}}


async def test_a_session_of_long_ago_needs_the_password(api: Api) -> None:
    person = await api.person()
    await api.sql("UPDATE sessions SET began_at = began_at - interval '301 s'")
    assert kind(await person.post(f"{OWN}/options")) == "wrong-password"
    wrong = {"currentPassword": "not the password"}
    assert kind(await person.post(f"{OWN}/options", json=wrong)) == "wrong-password"
    right = {"currentPassword": PASSWORD}
    assert (await person.post(f"{OWN}/options", json=right)).status_code == 200


@pytest.mark.guard
async def test_an_account_with_passkeys_alone_is_changed_by_them_alone(api: Api) -> None:
    person = await api.person()
    authenticator = await added(person)
    thief = replace(person, token=await api.log_in(person.username, PASSWORD))
    passkey = (await person.get(OWN)).json()["results"][0]["id"]
    change = {"firstName": "Anna"}
    for answer in (
        await thief.patch("/users/me", json=change),
        await thief.post(f"{OWN}/options", json={"currentPassword": PASSWORD}),
        await thief.delete(f"{OWN}/{passkey}"),
    ):
        assert (answer.status_code, kind(answer)) == (403, "second-factor-required")
        assert "challenge" not in answer.json()
    person.token = (await entered(api.client, authenticator)).json()["access_token"]
    assert (await person.patch("/users/me", json=change)).status_code == 200


@pytest.mark.guard
async def test_a_passkey_counts_where_a_factor_is_required(start_api: ApiFactory) -> None:
    async with start_api(second_factor=FactorRequired.ALL) as api:
        person = await api.person()
        authenticator = await added(person)
        assert (await person.get("/users/me")).status_code == 200
        # The password alone does not, although the account has a factor.
        token = await api.log_in(person.username, PASSWORD)
        answer = await replace(person, token=token).get("/users/me")
        assert kind(answer) == "second-factor-missing"
        answer = await entered(api.client, authenticator)
        person.token = answer.json()["access_token"]
        assert (await person.get("/users/me")).status_code == 200
        [passkey] = (await person.get(OWN)).json()["results"]
        assert (await person.delete(f"{OWN}/{passkey['id']}")).status_code == 204
        assert kind(await person.get("/users/me")) == "second-factor-missing"


async def test_options_say_nothing_of_accounts(api: Api) -> None:
    await added(await api.person())
    first, second = [await options_of(api.client) for _ in range(2)]
    assert first.pop("challenge") != second.pop("challenge")
    assert first == second
    assert await api.sql("SELECT count(*) FROM used_challenges") == [1]
