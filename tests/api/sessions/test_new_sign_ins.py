"""Logins from a network or a device that is new: the mail about them, and its link."""

from collections.abc import Sequence

import httpx2
import pytest

from adsvc.repositories.accounts.sessions import MOST_SIGN_INS
from adsvc.services.accounts.sessions import device_of, network_of
from adsvc.services.retention import clean
from conftest import ApiFactory
from support.mail.received import sent, subjects, verified
from support.mail.server import text_of, token_in
from support.outside.authenticator import Authenticator
from support.scene.api import PASSWORD, Api, Person
from support.scene.factors import added, begun, challenge, complete, kind, with_app
from support.scene.keys import create_key
from support.scene.logins import ask, opens, refresh

NEW = "another horse, another staple"
NEWS = "A new login to adsvc"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PLACES = "SELECT network || ' ' || device FROM sign_ins ORDER BY id"


async def log_in(
    api: Api, person: Person, address: str, *, device: str = "tests", password: str = PASSWORD
) -> httpx2.Response:
    login = {"username": person.username, "password": password}
    headers = {"User-Agent": device}
    return await api.at(address).post("/login", json=login, headers=headers)


async def newcomer(api: Api) -> tuple[Person, str]:
    """An account that has logged in from one place, and its address."""
    person, address = await verified(api)
    await api.sql("DELETE FROM sessions WHERE user_id = :id", id=person.id)
    assert (await log_in(api, person, "203.0.113.1")).status_code == 200
    return person, address


async def news(api: Api, address: str) -> int:
    return (await subjects(api, address)).count(NEWS)


async def reported(api: Api, token: str) -> httpx2.Response:
    return await api.client.post("/login/report", json={"token": token})


@pytest.mark.guard
async def test_a_login_from_elsewhere_is_news_and_one_from_there_is_not(api: Api) -> None:
    person, address = await newcomer(api)
    assert await news(api, address) == 0
    # The same network: a provider changes the last part of an address.
    assert (await log_in(api, person, "203.0.113.200")).status_code == 200
    assert await news(api, address) == 0
    for expected, elsewhere, device in (
        (1, "198.51.100.7", "tests"),
        (1, "198.51.100.8", "tests"),
        (2, "198.51.100.8", FIREFOX),
        (2, "203.0.113.1", FIREFOX.replace("140", "141")),
        (3, "2001:db8:7:1::1", FIREFOX),
        (3, "2001:db8:7:2::9", FIREFOX),
    ):
        assert (await log_in(api, person, elsewhere, device=device)).status_code == 200
        assert await news(api, address) == expected, (elsewhere, device)
    text = text_of((await sent(api, address))[-1])
    assert "Firefox, Linux" in text
    assert "2001:db8:7::/48" in text
    assert "/account/not-me#token=" in text
    assert await api.sql(PLACES) == [
        "203.0.113.0/24 tests", "198.51.100.0/24 tests", "198.51.100.0/24 Firefox, Linux",
        "203.0.113.0/24 Firefox, Linux", "2001:db8:7::/48 Firefox, Linux",
    ]  # fmt: skip


@pytest.mark.guard
async def test_every_login_counts(api: Api) -> None:
    """By `/token`, by a code and by a passkey; a password that is wrong is no login."""
    person, address = await newcomer(api)
    app = await with_app(Person(**{**vars(person), "token": await token_of(api, person)}))
    text = await challenge(api, person)
    assert await news(api, address) == 0
    assert (await complete(api.at("198.51.100.7"), text, app.fresh())).status_code == 200
    assert await news(api, address) == 1
    other, others = await newcomer(api)
    wrong = await log_in(api, other, "198.51.100.7", password=NEW)
    assert wrong.status_code == 401
    assert await news(api, others) == 0
    login = {"username": other.username, "password": PASSWORD}
    assert (await ask(api.at("198.51.100.7"), grant_type="password", **login)).status_code == 200
    assert await news(api, others) == 1
    other.token = await token_of(api, other)
    authenticator = await added(other)
    options = (await api.client.post("/login/passkey/options")).json()
    body = authenticator.login(options)
    assert (await api.at("192.0.2.1").post("/login/passkey", json=body)).status_code == 200
    assert await news(api, others) == 2


async def token_of(api: Api, person: Person) -> str:
    answer = await log_in(api, person, "203.0.113.1")
    token: str = answer.json()["access_token"]
    return token


@pytest.mark.guard
async def test_a_place_is_known_for_90_days_and_by_sessions_that_go_on(api: Api) -> None:
    person, address = await newcomer(api)
    pair = (await log_in(api, person, "203.0.113.1")).json()
    long_ago = "UPDATE sign_ins SET last_used_at = now() - interval '90 days'"
    await api.sql(long_ago)
    # The device is new again; the network is not, because a session goes on there.
    assert (await log_in(api, person, "203.0.113.1")).status_code == 200
    assert await news(api, address) == 1
    await refresh(api.at("198.51.100.7"), pair["refresh_token"])
    assert (await log_in(api, person, "198.51.100.7")).status_code == 200
    assert await news(api, address) == 1
    await api.sql(long_ago)
    await api.sql("DELETE FROM sessions WHERE user_id = :id", id=person.id)
    await clean(api.state.database, api.state.settings)
    # The latest stays: an account that was away for long is no new one.
    assert await api.sql(PLACES) == ["198.51.100.0/24 tests"]
    assert (await log_in(api, person, "198.51.100.7")).status_code == 200
    assert await news(api, address) == 2


@pytest.mark.heavy
async def test_accounts_from_before_are_known_by_their_sessions(api: Api) -> None:
    person, address = await newcomer(api)
    await api.sql("DELETE FROM sign_ins")
    assert (await log_in(api, person, "203.0.113.1")).status_code == 200
    assert await news(api, address) == 0
    await api.sql("DELETE FROM sign_ins")
    assert (await log_in(api, person, "198.51.100.7")).status_code == 200
    assert await news(api, address) == 1


@pytest.mark.guard
async def test_the_link_ends_everything_and_begins_the_recovery(api: Api) -> None:
    person, address = await newcomer(api)
    thief = (await log_in(api, person, "198.51.100.7")).json()
    token = token_in((await sent(api, address))[-1])
    # The page is opened by programs that scan mails.
    assert (await api.client.get("/account/not-me")).status_code in {200, 404}
    assert await opens(api.client, thief["access_token"])
    # The thief is quicker: another password, and another address that is still to be confirmed.
    bearer = {"Authorization": f"Bearer {thief['access_token']}"}
    change = {"currentPassword": PASSWORD, "newPassword": NEW}
    changed = await api.client.patch("/users/set_password", json=change, headers=bearer)
    thief = changed.json()
    bearer = {"Authorization": f"Bearer {thief['access_token']}"}
    mail = {"mail": "thief@example.com", "currentPassword": NEW}
    assert (await api.client.patch("/users/me", json=mail, headers=bearer)).status_code == 200
    assert (await reported(api, token)).status_code == 204
    assert not await opens(api.client, thief["access_token"])
    assert (await refresh(api.client, thief["refresh_token"])).status_code == 400
    for password in (NEW, PASSWORD):
        answer = await log_in(api, person, "198.51.100.7", password=password)
        assert (answer.status_code, kind(answer)) == (401, "wrong-credentials")
    assert await api.sql("SELECT mail_pending FROM users") == [None]
    last = (await sent(api, address))[-1]
    assert "/account/reset#token=" in text_of(last)
    proof = {"token": token_in(last), "newPassword": "mine alone, at last"}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204
    answer = await log_in(api, person, "203.0.113.1", password=proof["newPassword"])
    assert answer.status_code == 200
    before = await news(api, address)
    # The place of the thief is not known by now.
    again = await log_in(api, person, "198.51.100.7", password=proof["newPassword"])
    assert again.status_code == 200
    assert await news(api, address) == before + 1
    assert kind(await reported(api, token)) == "invalid-token"
    events = "SELECT event FROM audit_events WHERE event = 'login_reported'"
    assert await api.sql(events) == ["login_reported"]


@pytest.mark.guard
async def test_what_a_thief_has_added_goes_and_what_was_there_stays(api: Api) -> None:
    """With a passkey or a key a thief would stay; an app would keep the owner from the link."""
    person, address = await newcomer(api)
    person.token = await token_of(api, person)
    own = await added(person, Authenticator())
    kept = await create_key(person, scopes=["account:read"])
    for table, column in (("passkeys", "created_at"), ("keys", "created_at")):
        await api.sql(f"UPDATE {table} SET {column} = now() - interval '1 h'")  # noqa: S608 - a table
    options = (await api.client.post("/login/passkey/options")).json()
    # A phished proof: the thief's session may do everything.
    answer = await api.at("198.51.100.7").post("/login/passkey", json=own.login(options))
    thief = Person(**{**vars(person), "token": answer.json()["access_token"]})
    token = token_in((await sent(api, address))[-1])
    theirs = await added(thief)
    key = await create_key(thief, scopes=["account:read"])
    await with_app(thief)
    assert (await key.get("/users/me")).status_code == 200
    assert (await reported(api, token)).status_code == 204
    assert (await key.get("/users/me")).status_code == 401
    assert (await kept.get("/users/me")).status_code == 200
    for authenticator, status in ((theirs, 401), (own, 200)):
        options = (await api.client.post("/login/passkey/options")).json()
        answer = await api.client.post("/login/passkey", json=authenticator.login(options))
        assert answer.status_code == status
    flags = "SELECT ARRAY[has_totp, has_passkey] FROM users WHERE id = :id"
    assert await api.sql(flags, id=person.id) == [[False, True]]
    assert await api.sql("SELECT count(*) FROM recovery_codes") == [0]
    # Each of them is in the trail, and in a mail of its own.
    removed = "SELECT event FROM audit_events WHERE event ~ '_removed|key_deleted' ORDER BY id"
    assert await api.sql(removed) == ["totp_removed", "passkey_removed", "key_deleted"]
    mails = await sent(api, address)
    texts = [" ".join(text_of(mail).split()) for mail in mails]
    for removed in ("authenticator app of your account", "passkey of your account"):
        assert sum(f"{removed} at adsvc was removed" in text for text in texts) == 1, removed
    [link] = [mail for mail in mails if "/account/reset#token=" in text_of(mail)]
    proof = {"token": token_in(link), "newPassword": NEW}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204


@pytest.mark.guard
async def test_what_an_earlier_session_added_after_that_login_stays(api: Api) -> None:
    """Who reads the mailbox must not take away what the owner has just set up."""
    person, address = await newcomer(api)
    person.token = await token_of(api, person)
    await api.sql("UPDATE sessions SET began_at = now() - interval '1 min'")
    await log_in(api, person, "198.51.100.7")
    token = token_in((await sent(api, address))[-1])
    kept = await create_key(person, scopes=["account:read"], currentPassword=PASSWORD)
    own = await added(person, Authenticator())
    await with_app(person)
    assert (await reported(api, token)).status_code == 204
    assert await api.sql("SELECT ARRAY[has_totp, has_passkey] FROM users") == [[True, True]]
    assert (await kept.get("/users/me")).status_code == 200
    options = (await api.client.post("/login/passkey/options")).json()
    answer = await api.client.post("/login/passkey", json=own.login(options))
    assert answer.status_code == 200
    # The link in the mailbox alone does not set a password.
    link = token_in((await sent(api, address))[-1])
    proof = {"token": link, "newPassword": NEW}
    answer = await api.client.post("/password/reset", json=proof)
    assert kind(answer) == "second-factor-required"


@pytest.mark.guard
async def test_a_report_and_a_reset_end_all_keys_if_they_shall(api: Api) -> None:
    person, address = await newcomer(api)
    person.token = await token_of(api, person)
    await api.sql("UPDATE sessions SET began_at = now() - interval '1 min'")
    for ends in (False, True):
        key = await create_key(person, scopes=["account:read"], currentPassword=PASSWORD)
        await api.client.post("/password/forgot", json={"username": person.username})
        link = token_in((await sent(api, address))[-1])
        proof = {"token": link, "newPassword": PASSWORD, "endKeys": ends}
        assert (await api.client.post("/password/reset", json=proof)).status_code == 204
        assert (await key.get("/users/me")).status_code == (401 if ends else 200)
        person.token = await token_of(api, person)
    key = await create_key(person, scopes=["account:read"])
    await log_in(api, person, "198.51.100.7")
    token = token_in((await sent(api, address))[-1])
    answer = await api.client.post("/login/report", json={"token": token, "endKeys": True})
    assert answer.status_code == 204
    assert (await key.get("/users/me")).status_code == 401
    assert await api.sql("SELECT count(*) FROM keys") == [0]


async def webhook(person: Person, name: str) -> str:
    """The path of a new one."""
    sent_ = {"url": f"https://{name}.example/hooks", "types": ["message.sent"]}
    answer = await person.post("/users/me/webhooks", json=sent_)
    assert answer.status_code == 201, answer.text
    return f"/users/me/webhooks/{answer.json()['id']}"


@pytest.mark.guard
async def test_what_a_thief_lets_a_webhook_send_ends_with_the_report(api: Api) -> None:
    """With one of its own, with another address of the owner's, or knowing that one's secret."""
    person, address = await newcomer(api)
    person.token = await token_of(api, person)
    before = [await webhook(person, f"own{number}") for number in range(3)]
    await api.sql("UPDATE audit_events SET at = now() - interval '1 h'")
    answer = await log_in(api, person, "198.51.100.7")
    thief = Person(**{**vars(person), "token": answer.json()["access_token"]})
    token = token_in((await sent(api, address))[-1])
    theirs = await webhook(thief, "thief")
    assert (await thief.post(f"{theirs}/test")).status_code == 202
    assert (await thief.patch(before[0], json={"url": "https://thief.example"})).is_success
    assert (await thief.post(f"{before[1]}/rotate")).is_success
    assert (await reported(api, token)).status_code == 204
    enabled = "SELECT ARRAY_AGG(enabled ORDER BY id) FROM webhooks"
    assert await api.sql(enabled) == [[False, False, True, False]]
    pending = "SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'"
    assert await api.sql(pending) == [0]
    # With `endKeys` all of them.
    link = token_in((await sent(api, address))[-1])
    proof = {"token": link, "newPassword": NEW, "endKeys": True}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204
    assert await api.sql(enabled) == [[False] * 4]


@pytest.mark.guard
async def test_the_link_leaves_an_account_no_less_than_it_had(api: Api) -> None:
    """Who reads the mailbox would have had the account, once its owner had replaced the app."""
    person, address = await newcomer(api)
    person.token = await token_of(api, person)
    app = await with_app(person)
    await api.sql("UPDATE totps SET set_at = now() - interval '1 h'")
    text = await challenge(api, person)
    answer = await complete(api.at("198.51.100.7"), text, app.codes[0])
    person.token = answer.json()["access_token"]
    token = token_in((await sent(api, address))[-1])
    newer = await begun(person, code=app.codes[1])
    confirmed = await person.post("/users/me/totp/confirm", json={"code": newer.code()})
    assert confirmed.status_code == 200
    # Added since, but not what the account had.
    await added(person)
    assert (await reported(api, token)).status_code == 204
    assert await api.sql("SELECT ARRAY[has_totp, has_passkey] FROM users") == [[True, False]]
    await api.client.post("/password/forgot", json={"username": person.username})
    proof = {"token": token_in((await sent(api, address))[-1]), "newPassword": NEW}
    answer = await api.client.post("/password/reset", json=proof)
    assert kind(answer) == "second-factor-required"
    proof["code"] = confirmed.json()["recoveryCodes"][0]
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204


@pytest.mark.guard
async def test_a_report_needs_the_token_of_that_mail(api: Api) -> None:
    person, address = await newcomer(api)
    await log_in(api, person, "198.51.100.7")
    token = token_in((await sent(api, address))[-1])
    await api.client.post("/password/forgot", json={"username": person.username})
    of_reset = token_in((await sent(api, address))[-1])
    for wrong in ("x", token[:-1], token.swapcase(), of_reset, person.token):
        answer = await reported(api, wrong)
        assert (answer.status_code, kind(answer)) in {
            (400, "invalid-token"),
            (400, "invalid-request"),
        }
    proof = {"token": token, "newPassword": NEW}
    assert kind(await api.client.post("/password/reset", json=proof)) == "invalid-token"
    await api.sql("UPDATE users SET mail = 'other@example.com' WHERE id = :id", id=person.id)
    assert kind(await reported(api, token)) == "invalid-token"
    await api.sql("UPDATE users SET mail = :mail WHERE id = :id", mail=address, id=person.id)
    days = "SELECT extract(day FROM expires_at - now()) FROM mail_tokens WHERE purpose = 'report'"
    assert await api.sql(days) == [6]
    await api.sql("UPDATE mail_tokens SET expires_at = now() WHERE purpose = 'report'")
    assert kind(await reported(api, token)) == "invalid-token"
    assert (await log_in(api, person, "203.0.113.1")).status_code == 200


@pytest.mark.guard
async def test_who_knows_the_password_cannot_fill_the_mailbox(start_own_api: ApiFactory) -> None:
    async with start_own_api(
        rate_limits="on", mails_per_target=3, login_attempts_in_all=100
    ) as api:
        person, address = await newcomer(api)
        for number in range(8):
            assert (await log_in(api, person, f"198.51.{number}.1")).status_code == 200
        assert await news(api, address) == 3
        # The links by which the owner gets back in are not among them.
        await api.client.post("/password/forgot", json={"username": person.username})
        assert "/account/reset" in text_of((await sent(api, address))[-1])


@pytest.mark.heavy
async def test_an_address_that_is_not_confirmed_gets_nothing(api: Api) -> None:
    person = await api.person()
    await log_in(api, person, "203.0.113.1")
    await log_in(api, person, "198.51.100.7")
    assert await news(api, person.username) == 0
    assert await api.sql("SELECT count(*) FROM mail_tokens WHERE purpose = 'report'") == [0]


@pytest.mark.heavy
async def test_places_are_exported_bounded_and_deleted_with_the_account(api: Api) -> None:
    person, _ = await newcomer(api)
    person.token = await token_of(api, person)
    export = (await person.get("/users/me/export")).json()["signIns"]
    assert [(one["network"], one["device"]) for one in export] == [("203.0.113.0/24", "tests")]
    many = "INSERT INTO sign_ins (user_id, network, device, last_used_at) SELECT :id, n::text, '', "
    many += "now() - n * interval '1 hour' FROM generate_series(1, 150) AS n RETURNING id"
    await api.sql(many, id=person.id)
    await log_in(api, person, "192.0.2.1")
    assert await api.sql("SELECT count(*) FROM sign_ins") == [MOST_SIGN_INS]
    stays = "SELECT count(*) FROM sign_ins WHERE network IN ('192.0.2.0/24', '203.0.113.0/24')"
    assert await api.sql(stays) == [2]
    gone = await person.request("DELETE", "/users/me", json={"currentPassword": PASSWORD})
    assert gone.status_code == 204
    assert await api.sql("SELECT count(*) FROM sign_ins") == [0]


def test_devices_and_networks_are_named_as_people_know_them() -> None:
    chrome = (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/"
    )
    named: Sequence[tuple[str, str]] = (
        (FIREFOX, "Firefox, Linux"),
        (f"{chrome}140.0.0.0 Safari/537.36", "Chrome, Windows"),
        (f"{chrome}140.0.0.0 Safari/537.36 Edg/140.0.1", "Edge, Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) Version/18 Safari/605.1", "Safari, macOS"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_1) Version/18 Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (Linux; Android 15) Chrome/140 Safari/1", "Chrome, Android"),
        ("python-httpx2/0.28.1", "python-httpx2"),
        ("Firefox/1", "Firefox"),
        ("", ""),
        ("\x00\n" + "x" * 500, "x" * 60),
    )
    assert [device_of(agent) for agent, _ in named] == [device for _, device in named]
    for address, network in (
        ("203.0.113.9", "203.0.113.0/24"), ("2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ("unknown", "unknown"),
    ):  # fmt: skip
        assert network_of(address) == network
