"""Only a reader of the account's mail can replace a forgotten password."""

import asyncio

import pytest
from pydantic import SecretStr

from adsvc.repositories.accounts import users as user_rows
from adsvc.services.accounts import users
from conftest import ApiFactory
from support.mail.received import WAIT_SECONDS, sent, statements, subjects, unique, verified
from support.mail.server import Mailbox, receiving, text_of, token_in
from support.running.processes import free_port
from support.scene.api import PASSWORD, Api

NEW = "another horse, another staple"


async def forget(api: Api, username: str, **headers: str) -> None:
    answer = await api.client.post("/password/forgot", json={"username": username}, headers=headers)
    assert (answer.status_code, answer.content) == (202, b"")


async def token_for(api: Api, username: str, address: str) -> str:
    await forget(api, username)
    return token_in((await sent(api, address))[-1])


@pytest.mark.heavy
async def test_who_forgot_the_password_sets_another_by_the_link(api: Api) -> None:
    person, address = await verified(api)
    await forget(api, person.username.upper())
    [mail] = await sent(api, address)
    assert "http://localhost:8080/account/reset#token=" in text_of(mail)
    assert person.username in text_of(mail)
    proof = {"token": token_in(mail), "newPassword": NEW}
    answer = await api.client.post("/password/reset", json=proof)
    assert (answer.status_code, answer.content) == (204, b"")
    await api.log_in(person.username, NEW)
    wrong = {"username": person.username, "password": PASSWORD}
    assert (await api.client.post("/login", json=wrong)).status_code == 401
    # Every session has ended, and the account gets a mail.
    assert (await person.get("/users/me")).status_code == 401
    assert (await subjects(api, address))[-1] == "Your password for adsvc was changed"
    again = await api.client.post("/password/reset", json=proof)
    assert (again.status_code, again.json()["type"]) == (400, "/problems#invalid-token")
    assert again.json()["errors"][0]["pointer"] == "/token"


@pytest.mark.heavy
async def test_unknown_names_and_accounts_without_an_address_are_answered_alike(api: Api) -> None:
    nobody = await api.person()
    person, address = await verified(api)
    answers = [
        await api.client.post("/password/forgot", json={"username": username})
        for username in ("no such name", nobody.username, person.username)
    ]
    told = [
        (answer.status_code, answer.content, {**answer.headers, "x-request-id": ""})
        for answer in answers
    ]
    assert told[0] == told[1] == told[2]
    assert len(await sent(api, address, nobody.username)) == 1


@pytest.mark.heavy
async def test_existing_and_unknown_names_cost_the_same_statements(
    start_api: ApiFactory,
) -> None:
    """With the same statements, timing does not distinguish them."""
    asked: list[list[str]] = []
    async with start_api(rate_limits="on") as api:
        person, _ = await verified(api)
        for username in (person.username, "no such name"):
            with statements(api) as made:
                await forget(api, username)
            asked.append(made)
    assert asked[0] == asked[1]
    assert len(asked[0]) == 3


@pytest.mark.heavy
async def test_an_unverified_address_gets_nothing_but_its_verification(api: Api) -> None:
    person = await api.register(address := unique())
    await forget(api, person.username)
    assert await subjects(api, address) == ["Confirm your mail address for adsvc"] * 2
    token = token_in((await sent(api, address))[-1])
    proof = {"token": token, "newPassword": NEW}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 400
    assert (await api.client.post("/mail/verify", json={"token": token})).status_code == 204
    proof = {"token": await token_for(api, person.username, address), "newPassword": NEW}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204


@pytest.mark.heavy
async def test_of_two_resets_with_one_token_one_wins(api: Api) -> None:
    person, address = await verified(api)
    token = await token_for(api, person.username, address)
    passwords = [f"another horse number {number}" for number in range(4)]
    answers = await asyncio.gather(
        *(
            api.client.post("/password/reset", json={"token": token, "newPassword": password})
            for password in passwords
        )
    )
    assert sorted(answer.status_code for answer in answers) == [204, 400, 400, 400]
    [winner] = [
        password
        for password, answer in zip(passwords, answers, strict=True)
        if answer.status_code == 204
    ]
    await api.log_in(person.username, winner)


@pytest.mark.guard
async def test_a_link_is_void_after_any_change_of_password_or_address(api: Api) -> None:
    person, address = await verified(api)
    change = {"currentPassword": PASSWORD, "newPassword": NEW}
    token = await token_for(api, person.username, address)
    answer = await person.patch("/users/set_password", json=change)
    person.token = answer.json()["access_token"]
    await refuse(api, token)
    token = await token_for(api, person.username, address)
    other = unique()
    change = {"currentPassword": NEW, "mail": other}
    assert (await person.patch("/users/me", json=change)).status_code == 200
    await refuse(api, token)
    token = await token_for(api, person.username, address)
    proof = {"token": token_in((await sent(api, other))[0])}
    assert (await api.client.post("/mail/verify", json=proof)).status_code == 204
    await refuse(api, token)
    first = await token_for(api, person.username, other)
    second = await token_for(api, person.username, other)
    proof = {"token": second, "newPassword": PASSWORD}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204
    await refuse(api, first)


@pytest.mark.guard
async def test_a_link_counts_for_its_own_address_alone(api: Api) -> None:
    """Even where the address was changed past the service, which makes no token void."""
    person, address = await verified(api)
    token = await token_for(api, person.username, address)
    for changed in ("mail = 'another@example.com'", "mail_verified = false"):
        await api.sql(f"UPDATE users SET {changed}")  # noqa: S608
        await refuse(api, token)
        await api.sql("UPDATE users SET mail = :mail, mail_verified = true", mail=address)
    wanted = unique()
    sent_along = {"currentPassword": PASSWORD, "mail": wanted}
    assert (await person.patch("/users/me", json=sent_along)).status_code == 200
    proof = {"token": token_in((await sent(api, wanted))[-1])}
    await api.sql("UPDATE users SET mail_pending = 'another@example.com'")
    answer = await api.client.post("/mail/verify", json=proof)
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems#invalid-token")
    assert await api.sql("SELECT mail FROM users") == [address]


async def refuse(api: Api, token: str) -> None:
    proof = {"token": token, "newPassword": NEW}
    answer = await api.client.post("/password/reset", json=proof)
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems#invalid-token")


async def test_a_link_lasts_an_hour_and_a_token_of_another_kind_is_none(api: Api) -> None:
    person, address = await verified(api)
    token = await token_for(api, person.username, address)
    answer = await api.client.post("/mail/verify", json={"token": token})
    assert (answer.status_code, answer.json()["type"]) == (400, "/problems#invalid-token")
    [left] = await api.sql("SELECT extract(epoch FROM expires_at - now())::int FROM mail_tokens")
    assert 3500 < left <= 3600
    await api.sql("UPDATE mail_tokens SET expires_at = now()")
    await refuse(api, token)


async def test_only_the_digest_of_a_token_is_kept_and_none_stands_in_the_outbox(api: Api) -> None:
    person, address = await verified(api)
    token = await token_for(api, person.username, address)
    assert len(token) == 43
    [kept] = await api.sql("SELECT hash FROM mail_tokens")
    assert token.encode() not in kept
    assert await api.sql("SELECT id FROM outbox") == []


async def test_guessed_and_malformed_tokens_are_refused_before_a_password_is_hashed(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.state.credentials, "hash", None)
    for token in ("x", "A" * 43, "A" * 200, "é" * 43, "%00", "' OR 1=1 --"):
        await refuse(api, token)
    for malformed in ("", "A" * 201, 7, None, "\0"):
        proof = {"token": malformed, "newPassword": NEW}
        answer = await api.client.post("/password/reset", json=proof)
        assert (answer.status_code, answer.json()["type"]) == (400, "/problems#invalid-request")


async def test_a_weak_password_is_refused_and_the_link_stays_good(api: Api) -> None:
    person, address = await verified(api)
    token = await token_for(api, person.username, address)
    for weak in ("password", person.username, "short"):
        proof = {"token": token, "newPassword": weak}
        answer = await api.client.post("/password/reset", json=proof)
        assert answer.status_code == 400, weak
        assert answer.json()["errors"][0]["pointer"] == "/newPassword", weak
    proof = {"token": token, "newPassword": NEW}
    assert (await api.client.post("/password/reset", json=proof)).status_code == 204


@pytest.mark.heavy
async def test_the_link_names_the_site_and_never_the_host_of_a_request(
    start_api: ApiFactory,
) -> None:
    async with start_api(site_url="https://ads.example.com") as api:
        person, address = await verified(api)
        await forget(
            api, person.username, Host="evil.example",
            **{"X-Forwarded-Host": "evil.example", "Origin": "https://evil.example"},
        )  # fmt: skip
        [mail] = await sent(api, address)
        assert "https://ads.example.com/account/reset#token=" in text_of(mail)
        assert "evil" not in mail.as_string()


@pytest.mark.heavy
async def test_the_mail_is_in_the_requested_language(api: Api) -> None:
    person, address = await verified(api)
    for accepted, subject in (
        ("de-AT,de;q=0.9,en;q=0.8", "Ein neues Passwort für adsvc"),
        ("fr, ru;q=0.5, en;q=0.1", "Новый пароль для adsvc"),
        ("fr", "A new password for adsvc"),
    ):
        await forget(api, person.username, **{"Accept-Language": accepted})
        assert (await subjects(api, address))[-1] == subject


@pytest.mark.heavy
async def test_one_address_may_ask_so_often_and_one_name_gets_so_many(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", mails_per_address=4, mails_per_target=2) as api:
        person, address = await verified(api)
        for _ in range(4):
            await forget(api, person.username)
        answer = await api.client.post("/password/forgot", json={"username": "another"})
        assert answer.status_code == 429
        assert "retry-after" in answer.headers
        # From elsewhere it is answered as ever, and no more mail comes.
        async with api.at("198.51.100.7") as elsewhere:
            asked = await elsewhere.post("/password/forgot", json={"username": person.username})
        assert asked.status_code == 202
        assert len(await sent(api, address)) == 2


@pytest.mark.heavy
async def test_a_mailbox_that_many_accounts_name_gets_so_many_mails(
    start_api: ApiFactory,
) -> None:
    """Nobody has verified any of the addresses, which all lead to one person."""
    async with start_api(
        rate_limits="on", mails_per_target=3, registrations_per_address=100
    ) as api:
        local, _, domain = unique().partition("@")
        addresses = [f"{local}+{number}@{domain}" for number in range(5)]
        people = [await api.person(address) for address in addresses]
        for person in people:
            await api.sql("UPDATE users SET mail = username WHERE id = :id", id=person.id)
            await forget(api, person.username)
        assert len(await sent(api, *addresses)) == 3


@pytest.mark.heavy
async def test_a_mail_that_waits_for_the_mail_server_counts_once(
    start_api: ApiFactory,
) -> None:
    port = free_port()
    async with start_api(
        jobs="on",
        rate_limits="on",
        mails_per_target=1,
        smtp_url=SecretStr(f"smtp://127.0.0.1:{port}?tls=off"),
        mail_from="noreply@ads.example.com",
        site_url="https://ads.example.com",
    ) as api:
        person = await api.person(address := unique())
        await api.sql("UPDATE users SET mail = username WHERE id = :id", id=person.id)
        await forget(api, person.username)
        async with asyncio.timeout(WAIT_SECONDS):
            while await api.sql("SELECT error FROM outbox") in ([], [None]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        async with receiving(Mailbox(), port=port) as mailbox:
            [mail] = await mailbox.until(1)
            assert mail["To"] == address


@pytest.mark.heavy
async def test_tokens_are_tried_so_often(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", mails_per_address=2) as api:
        for path, body in (
            ("/password/reset", {"token": "x", "newPassword": NEW}),
            ("/mail/verify", {"token": "x"}),
            ("/mail/verify", {"token": "x"}),
        ):
            last = await api.client.post(path, json=body)
        assert last.status_code == 429


@pytest.mark.heavy
async def test_a_password_set_by_an_operator_is_mailed_about(api: Api) -> None:
    person, address = await verified(api)
    token = await token_for(api, person.username, address)
    async with api.state.database.transaction() as transaction:
        user = await user_rows.get(transaction, person.id)
        assert user is not None
        await users.overwrite_password(transaction, user, "x", actor="operator")
    assert (await subjects(api, address))[-1] == "Your password for adsvc was changed"
    await refuse(api, token)
