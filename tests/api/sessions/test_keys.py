"""API keys: making, using, listing and deleting them, and what ends them."""

import asyncio
import re
import time
from typing import Any

import pytest

from adsvc.enums import KeyScope
from adsvc.kit.security.tokens import KEY_LENGTH, KeySecret
from adsvc.services.accounts.keys import MOST_KEYS
from conftest import ApiFactory
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import added, with_app
from support.scene.keys import create_key, created, holder
from support.scene.logins import basic, bearer, opens, refresh, revoke
from support.scene.warmth import reads, settle
from support.trouble.blocking import meanwhile

# Of the beginning of the run, which may take longer than clocks may differ.
NOW = time.time() * 1000
YEAR = 365 * 86_400 * 1000


def kind(answer: Any) -> str:
    told: str = answer.json()["type"]
    return told.removeprefix("/problems#")


async def listed(person: Person) -> list[dict[str, Any]]:
    answer = await person.get("/users/me/keys")
    assert answer.status_code == 200
    keys: list[dict[str, Any]] = answer.json()["results"]
    return keys


async def test_a_key_is_made_used_and_deleted(api: Api) -> None:
    person = await api.person()
    expires_at = int(NOW) + YEAR
    sent = {"name": " Import ", "scopes": ["ads:write", "account:read"], "expiresAt": expires_at}
    answer = await person.post("/users/me/keys", json=sent)
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    key = answer.json()
    secret = key.pop("secret")
    assert secret.startswith(key["prefix"])
    assert len(key["prefix"]) == len("adsvc_") + 6
    assert (key["name"], key["expiresAt"], key["lastUsedAt"]) == ("Import", expires_at, None)
    assert key["scopes"] == ["ads:write", "account:read"]
    assert abs(key["createdAt"] - time.time() * 1000) < 600_000
    assert await listed(person) == [key]
    me = await api.client.get("/users/me", headers=bearer(secret))
    assert me.json()["email"] == person.username
    [used] = await listed(person)
    assert abs(used["lastUsedAt"] - time.time() * 1000) < 600_000
    assert (await person.delete(f"/users/me/keys/{key['id']}")).status_code == 204
    gone = await api.client.get("/users/me", headers=bearer(secret))
    assert (gone.status_code, kind(gone)) == (401, "invalid-credentials")
    assert 'error="invalid_token"' in gone.headers["WWW-Authenticate"]
    assert await listed(person) == []


@pytest.mark.guard
async def test_a_key_is_made_with_the_password_or_after_a_login_of_five_minutes(api: Api) -> None:
    """It outlives the session: a stolen access token must not be enough."""
    person = await api.person()
    sent: dict[str, Any] = {"name": "A", "scopes": ["ads:read"]}
    age = "UPDATE sessions SET began_at = now() - interval '{} s'"
    await api.sql(age.format(290))
    assert (await person.post("/users/me/keys", json=sent)).status_code == 201
    await api.sql(age.format(301))
    refused = await person.post("/users/me/keys", json=sent)
    assert (refused.status_code, kind(refused)) == (403, "login-required")
    wrong = await person.post("/users/me/keys", json={**sent, "currentPassword": "wrong one"})
    assert (wrong.status_code, kind(wrong)) == (403, "wrong-password")
    right = await person.post("/users/me/keys", json={**sent, "currentPassword": PASSWORD})
    assert right.status_code == 201
    assert len(await listed(person)) == 2


async def test_a_new_key_must_be_right(api: Api) -> None:
    person = await api.person()
    good: dict[str, Any] = {"name": "A", "scopes": ["ads:read"]}
    for member, value, code in (
        ("name", None, "wrong-type"),
        ("name", "", "wrong-length"),
        ("name", "  ", "blank"),
        ("name", "a" * 101, "wrong-length"),
        ("scopes", None, "wrong-type"),
        ("scopes", [], "wrong-count"),
        ("scopes", "ads:read", "wrong-type"),
        ("scopes", ["ads"], "not-an-option"),
        ("scopes", ["ads:read", "session"], "not-an-option"),
        ("expiresAt", 0, "out-of-range"),
        ("expiresAt", int(NOW) - 1, "out-of-range"),
        ("expiresAt", 2**63, "out-of-range"),
        ("expiresAt", 10**400, "out-of-range"),
        ("expiresAt", 1e300, "wrong-type"),
        ("expiresAt", "2030-01-01", "wrong-type"),
    ):
        answer = await person.post("/users/me/keys", json={**good, member: value})
        assert answer.status_code == 400, (member, value)
        [*_, fault] = answer.json()["errors"]
        assert fault["code"] == code, (member, value, fault)
        assert fault["pointer"].startswith(f"/{member}"), (member, value)
    for member in good:
        rest = {name: value for name, value in good.items() if name != member}
        answer = await person.post("/users/me/keys", json=rest)
        assert answer.json()["errors"][0]["code"] == "missing", member
    assert await listed(person) == []
    twice = await created(person, scopes=["messages:read", "ads:read", "ads:read"])
    assert twice["scopes"] == ["ads:read", "messages:read"]


async def test_keys_of_others_are_not_there(api: Api) -> None:
    person, stranger = await api.person(), await api.person()
    key = await created(person)
    for who, path in ((stranger, key["id"]), (person, key["id"] + 1)):
        answer = await who.delete(f"/users/me/keys/{path}")
        assert (answer.status_code, kind(answer)) == (404, "key-not-found")
    assert await listed(stranger) == []
    assert (await holder(person, key).get("/ads/me")).status_code == 200


@pytest.mark.heavy
async def test_the_limit_holds_against_many_at_once(api: Api) -> None:
    person = await api.person()
    for _ in range(MOST_KEYS - 2):
        await created(person)
    sent = {"name": "One more", "scopes": ["ads:read"]}
    answers = await asyncio.gather(*(person.post("/users/me/keys", json=sent) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 409, 409, 409, 409]
    assert {kind(answer) for answer in answers if answer.is_error} == {"too-many"}
    keys = await listed(person)
    assert len(keys) == MOST_KEYS
    # One that has expired takes room too, until it is deleted.
    await api.sql("UPDATE keys SET expires_at = now() - interval '1 day'")
    assert (await person.post("/users/me/keys", json=sent)).status_code == 409
    await person.delete(f"/users/me/keys/{keys[0]['id']}")
    assert (await person.post("/users/me/keys", json=sent)).status_code == 201
    assert (await (await api.person()).post("/users/me/keys", json=sent)).status_code == 201


@pytest.mark.guard
async def test_two_keys_at_once_are_counted_one_after_the_other(api: Api) -> None:
    person = await api.person()
    for _ in range(MOST_KEYS - 1):
        await created(person)
    sent = {"name": "One more", "scopes": ["ads:read"]}
    # As another request does it.
    answer = await (
        await meanwhile(
            api,
            person.post("/users/me/keys", json=sent),
            "SELECT id FROM users FOR NO KEY UPDATE",
            "INSERT INTO keys (user_id, name, prefix, hash, scopes)"
            " SELECT id, 'Another', 'adsvc_', 'hash', '{ads:read}' FROM users",
        )
    )
    assert (answer.status_code, kind(answer)) == (409, "too-many")


@pytest.mark.heavy
async def test_the_secret_is_stored_nowhere(api: Api, capfd: pytest.CaptureFixture[str]) -> None:
    person = await api.person()
    key = await created(person)
    secret = key["secret"]
    rest = secret.removeprefix(key["prefix"])
    client = api.client
    for path in (f"/ads/{secret}", f"/users/me?access_token={secret}", f"/ads?q={secret}"):
        answer = await client.get(path)
        assert rest not in answer.text, path
    assert (await client.get(f"/users/me?access_token={secret}")).status_code == 401
    # Nor kept under an idempotency key.
    headers = {"Idempotency-Key": "once"}
    sent = {"name": "Again", "scopes": ["ads:read"]}
    first, second = [
        await person.post("/users/me/keys", json=sent, headers=headers) for _ in range(2)
    ]
    assert first.json()["secret"] != second.json()["secret"]
    await holder(person, key).get("/ads/me")
    for table in await api.sql("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"):
        rows = await api.sql(f'SELECT t::text FROM "{table}" AS t')  # noqa: S608 - a name of a table
        assert not any(rest in row for row in rows), table
    logged = capfd.readouterr()
    assert rest not in logged.out + logged.err
    assert "/users/me/keys" in logged.err


async def test_a_mistyped_key_costs_no_statement_and_an_unknown_one_costs_one(api: Api) -> None:
    person = await api.person()
    secret = (await created(person, scopes=["account:read"]))["secret"]
    wrong = "0" if secret[-1] != "0" else "1"
    unknown = KeySecret.new().text
    client = api.client
    with reads(api) as counted:
        for text in (
            *(secret[:-1] + wrong, secret[:-1], secret + "0", "adsvc_", "adsvc_" + "0" * 36),
            *("ADSVC_" + secret[6:], secret.swapcase(), "adsvc_" + "é" * 36),
        ):
            headers = [(b"Authorization", b"Bearer " + text.encode())]
            answer = await client.get("/users/me", headers=headers)
            assert answer.status_code == 401, text
        assert counted.total() == 0
        for _ in range(3):
            assert not await opens(client, unknown)
        assert counted.total() == 1


@pytest.mark.heavy
async def test_who_guesses_keys_waits_and_who_is_known_does_not(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", login_attempts_per_address=5) as api:
        person = await api.person()
        known = await create_key(person, scopes=["account:read"])
        await settle(api)
        assert (await known.get("/users/me")).status_code == 200
        guesses = [KeySecret.new().text for _ in range(7)]
        for text in guesses[:5]:
            assert not await opens(api.client, text)
        with reads(api) as counted:
            answer = await api.client.get("/users/me", headers=bearer(guesses[5]))
            assert (answer.status_code, kind(answer)) == (429, "rate-limited")
            assert int(answer.headers["Retry-After"]) > 0
            # What was wrong before is wrong, and those who are known are let in.
            assert not await opens(api.client, guesses[0])
            assert (await known.get("/users/me")).status_code == 200
            # The account, and the bytes of its pictures.
            assert counted["fetch"] <= 2
        elsewhere = api.at("203.0.113.9")
        assert not await opens(elsewhere, guesses[6])
        assert (await person.get("/users/me")).status_code == 200


@pytest.mark.heavy
async def test_a_deleted_key_is_void_on_every_process(api: Api, start_api: ApiFactory) -> None:
    person = await api.person()
    async with start_api(jobs="off") as other:
        ad = await person.post_ad()
        keys = [await created(person, scopes=["ads:write"]) for _ in range(2)]
        gone, kept = (holder(person, key) for key in keys)
        gone.client = kept.client = other.client
        path = f"/ads/{ad['pk']}"
        await settle(other)
        for key in (gone, kept):
            assert (await key.get(path)).status_code == 200
        with reads(other) as counted:
            assert (await gone.get(path)).status_code == 200
            assert counted.total() == 0
        await person.delete(f"/users/me/keys/{keys[0]['id']}")
        await settle(other)
        for method, sent in (("GET", {}), ("PATCH", {"json": {"price": 1}}), ("DELETE", {})):
            assert (await gone.request(method, path, **sent)).status_code == 401, method
        with reads(other) as counted:
            # The deletion of one does not make others be looked up again.
            assert (await kept.get(path)).status_code == 200
            assert counted.total() == 0


@pytest.mark.guard
async def test_a_key_ends_when_it_expires(api: Api) -> None:
    person = await api.person()
    key = await created(person, scopes=["account:read"], expiresAt=int(time.time() * 1000) + 600)
    who = holder(person, key)
    await settle(api)
    assert (await who.get("/users/me")).status_code == 200
    async with asyncio.timeout(20):
        # No event says so.
        while (await who.get("/users/me")).status_code == 200:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert time.time() * 1000 >= key["expiresAt"]
    assert [each["id"] for each in await listed(person)] == [key["id"]]


@pytest.mark.heavy
async def test_its_use_is_written_down_rarely(api: Api) -> None:
    person = await api.person()
    who = await create_key(person, scopes=["account:read"])
    await settle(api)
    await who.get("/users/me")
    [first] = await listed(person)
    versions = [await api.sql("SELECT xmin::text FROM keys")]
    for _ in range(3):
        # Forgotten by all, and looked up again.
        api.state.database.changes.apply_all()
        assert (await who.get("/users/me")).status_code == 200
    versions.append(await api.sql("SELECT xmin::text FROM keys"))
    assert versions[0] == versions[1]
    await api.sql("UPDATE keys SET last_used_at = now() - interval '6 minutes'")
    await settle(api)
    assert (await who.get("/users/me")).status_code == 200
    [again] = await listed(person)
    assert again["lastUsedAt"] >= first["lastUsedAt"]


@pytest.mark.heavy
async def test_a_suspended_account_s_keys_rest_until_it_is_restored(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    who = await create_key(person, scopes=["account:read"])
    await settle(api)
    assert (await who.get("/users/me")).status_code == 200
    reasons = {"ground": "terms", "explanation": "Offers of things that do not exist."}
    path = f"/users/{person.id}"
    assert (await admin.post(f"{path}/suspend", json=reasons)).status_code == 200
    for _ in range(2):
        assert not await opens(api.client, who.token)
    assert (await admin.post(f"{path}/restore")).status_code == 200
    assert (await who.get("/users/me")).status_code == 200


@pytest.mark.heavy
async def test_a_key_goes_with_its_account_and_outlives_a_password(api: Api) -> None:
    person = await api.person()
    who = await create_key(person, scopes=["account:read", "account:write"])
    change = {"currentPassword": PASSWORD, "newPassword": "another horse, another staple"}
    answer = await person.patch("/users/set_password", json=change)
    assert answer.status_code == 200
    person.token = answer.json()["access_token"]
    assert (await who.get("/users/me")).status_code == 200
    confirmation = {"currentPassword": change["newPassword"]}
    assert (await who.request("DELETE", "/users/me", json=confirmation)).status_code == 403
    assert (await person.request("DELETE", "/users/me", json=confirmation)).status_code == 204
    assert not await opens(api.client, who.token)
    assert await api.sql("SELECT count(*) FROM keys") == [0]


@pytest.mark.heavy
async def test_a_key_is_no_way_to_a_session(start_api: ApiFactory) -> None:
    async with start_api(http_basic=True) as api:
        person = await api.person()
        key = await created(person, scopes=list(KeyScope))
        secret, client = key["secret"], api.client
        for username in (person.username, "", secret):
            answer = await client.get("/users/me", headers=basic(username, secret))
            assert answer.status_code == 401, username
        assert (await refresh(client, secret)).json()["error"] == "invalid_grant"
        login = {"username": person.username, "password": secret}
        assert (await client.post("/login", json=login)).status_code == 401
        assert (await revoke(client, secret)).status_code == 200
        assert await opens(client, secret)
        for method, path in (
            ("POST", "/users/me/keys"),
            ("GET", "/users/me/keys"),
            ("DELETE", f"/users/me/keys/{key['id']}"),
            ("GET", "/users/me/sessions"),
            ("DELETE", "/users/me/sessions/1"),
            ("GET", "/users/me/export"),
            ("DELETE", "/users/me"),
            ("PATCH", "/users/set_password"),
            ("POST", "/users/set_password"),
        ):
            sent = {"currentPassword": PASSWORD, "newPassword": "another horse, another staple"}
            answer = await client.request(method, path, headers=bearer(secret), json=sent)
            assert (answer.status_code, kind(answer)) == (403, "session-required"), path
        # Who has the password may do everything.
        answer = await client.get("/users/me/keys", headers=basic(person.username, PASSWORD))
        assert answer.status_code == 200


@pytest.mark.guard
async def test_a_key_changes_no_mail_address_of_an_account_with_a_factor(api: Api) -> None:
    """The key may be older than the factor, and the password is what the factor does not trust."""
    with_totp, with_passkey, other = [await api.person() for _ in range(3)]
    keys = [
        await create_key(each, scopes=["account:write"])
        for each in (with_totp, with_passkey, other)
    ]
    await with_app(with_totp)
    await added(with_passkey)
    change = {"mail": "elsewhere@example.com", "currentPassword": PASSWORD}
    for key in keys[:2]:
        for path in ("/users/me", "/users/me?validate=true"):
            answer = await key.patch(path, json=change)
            assert (answer.status_code, kind(answer)) == (403, "session-required"), path
        assert (await key.patch("/users/me", json={"firstName": "Anna"})).status_code == 200
    assert await api.sql("SELECT count(*) FROM users WHERE mail ~ 'elsewhere'") == [0]
    assert (await with_totp.patch("/users/me", json=change)).status_code == 200
    assert (await keys[2].patch("/users/me", json=change)).status_code == 200


@pytest.mark.heavy
async def test_role_and_limits_of_the_account_hold_for_its_keys(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", writes_per_user=3) as api:
        person = await api.person()
        who = await create_key(person, scopes=["account:write"])
        statuses = [
            (await each.patch("/users/me", json={"firstName": "A"})).status_code
            for each in (who, person, who, person)
        ]
        assert statuses == [200, 200, 429, 429]


@pytest.mark.heavy
async def test_the_export_has_the_keys_without_their_secrets(api: Api) -> None:
    person = await api.person()
    key = await created(person)
    exported = (await person.get("/users/me/export")).json()
    secret = key.pop("secret")
    assert exported["keys"] == [key]
    assert secret not in str(exported)
    assert KeySecret(secret).hash.hex() not in str(exported)


async def test_what_a_newer_version_stored_is_ignored(api: Api) -> None:
    """A rollback finds scopes that it does not know."""
    person = await api.person()
    who = await create_key(person, scopes=["account:read"])
    await api.sql("UPDATE keys SET scopes = scopes || '{parcels:write}'")
    assert (await who.get("/users/me")).status_code == 200
    assert (await who.get("/ads/me")).status_code == 403


def test_the_format_is_the_documented_one() -> None:
    """As scanners for secrets look for it."""
    made = [KeySecret.new() for _ in range(200)]
    for secret in made:
        assert re.fullmatch(r"adsvc_[0-9A-Za-z]{36}", secret.text)
        assert KeySecret.parse(secret.text) == secret
        assert len(secret.text) == KEY_LENGTH
    assert len({secret.text for secret in made}) == len({secret.hash for secret in made}) == 200
    # By hand: zlib.crc32(b"adsvc_" + b"0" * 30) in base 62.
    zeros = "adsvc_" + "0" * 30
    assert KeySecret.parse(f"{zeros}0mRaAX") == KeySecret(f"{zeros}0mRaAX")
    assert KeySecret.parse(f"{zeros}0mRaAY") is None
