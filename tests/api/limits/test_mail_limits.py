"""How much mail one client can cause, and what others notice of the limits."""

import pytest

from adsvc.schemas.base import mailbox
from conftest import ApiFactory
from support.mail.received import sent, unique, verified
from support.mail.server import token_in
from support.scene.api import PASSWORD, Api, Person

HOME = "203.0.113.7"
# One person's networks, each as a number of addresses.
WIDE = {
    "a /56": [f"2001:db8:1:{n:x}::1" for n in range(12)],
    "a /48": [f"2001:db8:2:{n:x}00::1" for n in range(12)],
    "a /24": [f"198.51.100.{n}" for n in range(12)],
}


async def name(api: Api, person: Person, mail: str, address: str = HOME) -> int:
    """Says that this is the account's mail address."""
    body = {"mail": mail, "currentPassword": PASSWORD}
    async with api.at(address) as client:
        answer = await client.patch("/users/me", json=body, headers=person.headers)
    assert answer.status_code != 200 or answer.json()["mail"] == mail
    return answer.status_code


async def ask_for_proof(api: Api, person: Person, address: str = HOME) -> int:
    async with api.at(address) as client:
        answer = await client.post("/users/me/mail/verification", headers=person.headers)
    return answer.status_code


async def forget(api: Api, username: str, address: str = HOME) -> int:
    async with api.at(address) as client:
        answer = await client.post("/password/forgot", json={"username": username})
    return answer.status_code


@pytest.mark.heavy
@pytest.mark.parametrize("around", WIDE)
async def test_the_networks_around_an_address_count_too(start_api: ApiFactory, around: str) -> None:
    """Requests for links, guesses at tokens, and requests of accounts are counted together."""
    async with start_api(rate_limits="on", mails_per_address=1) as api:
        person = await api.person()
        bodies = {
            "/password/forgot": {"username": "nobody"},
            "/mail/verify": {"token": "x"},
            "/password/reset": {"token": "x", "newPassword": PASSWORD},
            "/users/me/mail/verification": None,
        }
        found = []
        for number, address in enumerate(WIDE[around]):
            path = list(bodies)[number % len(bodies)]
            async with api.at(address) as client:
                answer = await client.post(path, json=bodies[path], headers=person.headers)
            found.append(answer.status_code)
        assert found == [202, 400, 400, 202] + [429] * 8
        assert await forget(api, "nobody", "192.0.2.77") == 202


@pytest.mark.heavy
async def test_registrations_send_no_more_mail_than_an_address_may_have_sent(
    start_api: ApiFactory,
) -> None:
    async with start_api(
        rate_limits="on", mails_per_address=2, registrations_per_address=100
    ) as api:
        names = [unique() for _ in range(4)]
        for username in names:
            # Made all the same, and answered alike.
            answer = await api.client.post(
                "/register", json={"username": username, "password": PASSWORD}
            )
            assert (answer.status_code, answer.json()["mail"]) == (201, username)
        assert len(await sent(api, *names)) == 2
        # What a registration sends counts for what follows.
        answer = await api.client.post("/password/forgot", json={"username": "nobody"})
        assert answer.status_code == 429


def test_a_mailbox_is_counted_however_it_is_spelt() -> None:
    for spellings in (
        ("victim@example.com", "Victim+tag@EXAMPLE.com"),
        ("victim@gmail.com", "v.ic.tim@gmail.com", "V.ictim+x.y@googlemail.com"),
    ):
        assert len({mailbox(address) for address in spellings}) == 1, spellings
    # Most providers tell dots apart.
    assert mailbox("v.ictim@example.com") != mailbox("victim@example.com")
    assert mailbox("victim@gmail.com.example") != mailbox("vic.tim@gmail.com.example")


@pytest.mark.heavy
async def test_dots_are_no_other_mailbox_where_the_provider_ignores_them(
    start_api: ApiFactory,
) -> None:
    async with start_api(
        rate_limits="on", mails_per_target=2, registrations_per_address=100
    ) as api:
        local = unique().partition("@")[0]
        spellings = [f"{local[:n]}.{local[n:]}@gmail.com" for n in range(1, 4)]
        spellings.append(f"{local}@googlemail.com")
        for username in spellings:
            await api.register(username)
        assert len(await sent(api, *spellings)) == 2


@pytest.mark.heavy
async def test_the_limit_of_a_mailbox_reveals_nothing(start_api: ApiFactory) -> None:
    """Whether mail was sent there for others; the response does not reveal it."""
    async with start_api(rate_limits="on", mails_per_target=2) as api:
        owner, stranger, control = [await api.person() for _ in range(3)]
        address = unique()
        await api.sql("UPDATE users SET mail = :mail WHERE id = :id", mail=address, id=owner.id)
        for number in range(4):
            assert await forget(api, owner.username, f"192.0.2.{number}") == 202
        assert len(await sent(api, address)) == 2
        answers = []
        for person, mail in ((stranger, address), (control, unique())):
            statuses = [await name(api, person, mail), await ask_for_proof(api, person)]
            record = (await person.get("/users/me")).json()
            answers.append((statuses, record["mail"] == mail, record["mailVerified"]))
        assert answers[0] == answers[1] == ([200, 202], True, False)


@pytest.mark.heavy
async def test_strangers_cannot_keep_the_owner_of_a_mailbox_from_confirming_it(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", mails_per_target=2) as api:
        address, owner = unique(), await api.person()
        assert await name(api, owner, address) == 200
        strangers = [await api.person() for _ in range(3)]
        for number, stranger in enumerate(strangers):
            elsewhere = f"192.0.2.{number}"
            assert await name(api, stranger, address, elsewhere) == 200
            assert await forget(api, owner.username, elsewhere) == 202
        before = len(await sent(api, address))
        assert await ask_for_proof(api, owner) == 202
        mails = await sent(api, address)
        assert len(mails) == before + 1
        proof = {"token": token_in(mails[-1])}
        assert (await api.client.post("/mail/verify", json=proof)).status_code == 204
        record = (await owner.get("/users/me")).json()
        assert (record["mail"], record["mailVerified"]) == (address, True)


@pytest.mark.heavy
async def test_many_accounts_do_not_fill_a_mailbox_either(start_api: ApiFactory) -> None:
    """Two that anybody may have sent there, and beyond them two by way of each address."""
    async with start_api(rate_limits="on", mails_per_target=2) as api:
        address = unique()
        for number in range(6):
            person = await api.person()
            assert await name(api, person, address) == 200, number
            assert await ask_for_proof(api, person) == 202, number
        assert len(await sent(api, address)) == 4
        assert await name(api, await api.person(), address, "192.0.2.9") == 200
        assert len(await sent(api, address)) == 5


@pytest.mark.heavy
async def test_an_account_sends_a_mailbox_so_many_mails(start_api: ApiFactory) -> None:
    async with start_api(
        rate_limits="on", mails_per_account=6, mails_per_target=2, mails_per_address=100
    ) as api:
        person, address = await api.person(), unique()
        assert [await name(api, person, address) for _ in range(5)] == [200] * 5
        assert len(await sent(api, address)) == 3
        # Whoever registers it learns nothing of that, and nothing is sent.
        assert (await api.register(address)).username == address
        assert len(await sent(api, address)) == 3
        assert [await ask_for_proof(api, person) for _ in range(2)] == [202, 429]


@pytest.mark.heavy
async def test_only_what_is_sent_counts_for_a_mailbox(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", mails_per_target=1) as api:
        address = unique()
        person, (proved, own) = await api.person(), await verified(api)
        wrong = {"mail": address, "currentPassword": "not the password"}
        assert (await person.patch("/users/me", json=wrong)).status_code == 403
        assert await name(api, proved, own) == 200
        assert await name(api, person, address) == 200
        assert len(await sent(api, address)) == 1
        assert await sent(api, own) == []
