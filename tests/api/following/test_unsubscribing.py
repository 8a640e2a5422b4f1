"""Mails about notifications, and links that end them."""

import asyncio
import base64
import secrets
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from adsvc.kit.security.tokens import Purpose, SignedLinks
from adsvc.services.installation import signed_links
from conftest import ApiFactory
from support.mail.received import sent, verified
from support.mail.server import receiving, text_of
from support.scene.api import Api, Person

PREFERENCES = "/users/me/preferences"


SITE = "https://ads.example.com"


@pytest.fixture
async def api(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api(site_url=SITE) as started:
        yield started


async def note(api: Api, person: Person, kind: str, ad: int) -> None:
    """Queues it, about an ad that the account keeps if it is there."""
    await person.put(f"/users/me/favorites/{ad}")
    await api.sql(
        "INSERT INTO outbox (kind, payload) VALUES ('notice', jsonb_build_object("
        "'type', CAST(:kind AS text), 'user_id', CAST(:user AS bigint),"
        " 'ad_id', CAST(:ad AS bigint), 'data', CAST(:data AS jsonb)))",
        kind=kind, user=person.id, ad=ad, data='{"from": 1500, "to": 1200}',
    )  # fmt: skip


@pytest.mark.heavy
async def test_a_notice_by_mail_can_be_ended_by_its_link(api: Api) -> None:
    author, (person, address) = await api.person(), await verified(api)
    await api.sql("UPDATE users SET language = 'de' WHERE id = :id", id=person.id)
    ad = await author.post_ad(title="Eichentisch", price=1200)
    await note(api, person, "priceDropped", ad["pk"])
    [mail] = await sent(api, address)
    assert mail["Subject"] == "„Eichentisch“ kostet jetzt weniger: 1.200 € statt 1.500 €"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = mail["List-Unsubscribe"].strip(" <>")
    assert link.startswith(f"{SITE}/unsubscribe?token=")
    assert f"{SITE}/a/{ad['pk']}" in text_of(mail)
    assert link in text_of(mail)

    path = link.removeprefix(SITE)
    # A scanner opens it.
    for method in ("GET", "HEAD"):
        await api.client.request(method, path)
    assert (await person.get(PREFERENCES)).json()["priceDropped"]["mail"] is True
    # As RFC 8058 has it, with nothing, and again.
    form = {"List-Unsubscribe": "One-Click"}
    for options in ({"data": form}, {"files": {"List-Unsubscribe": (None, "One-Click")}}, {}):
        answer = await api.client.post(path, **options)
        assert (answer.status_code, answer.content) == (204, b"")
    preferences = (await person.get(PREFERENCES)).json()
    assert preferences["priceDropped"] == {"site": True, "mail": False, "push": False}
    assert preferences["message"]["mail"] is True
    await note(api, person, "priceDropped", ad["pk"])
    assert len(await sent(api, address)) == 1


@pytest.mark.heavy
async def test_what_is_no_longer_wanted_or_to_be_seen_is_not_mailed(api: Api) -> None:
    author = await api.person()
    ad, gone = [(await author.post_ad(price=1200))["pk"] for _ in range(2)]
    await author.delete(f"/ads/{gone}")
    people = [await verified(api) for _ in range(3)]
    (unverified, _), (suspended, _), (wanting, _) = people
    await api.sql("UPDATE users SET mail_verified = false WHERE id = :id", id=unverified.id)
    await api.sql("UPDATE users SET suspended_until = 'infinity' WHERE id = :id", id=suspended.id)
    for person in (unverified, suspended):
        await note(api, person, "priceDropped", ad)
    # Mail is not the usual way of this kind.
    await note(api, wanting, "favoriteSold", ad)
    await note(api, wanting, "priceDropped", gone)
    assert await sent(api, *(address for _, address in people)) == []


def forged_tokens(links: SignedLinks, person: Person, count: int) -> list[str]:
    """Each made of a good one, and random ones."""
    good = links.token(person.id, "priceDropped")
    raw = base64.urlsafe_b64decode(good + "=" * (-len(good) % 4))
    flipped = [
        raw[:at] + bytes([raw[at] ^ 1 << bit]) + raw[at + 1 :]
        for at in range(len(raw))
        for bit in range(8)
    ]
    macs = [secrets.token_bytes(16) + raw[16:] for _ in range(count // 3)]
    last = "A" if good[-1] != "A" else "B"
    found = [
        "", "x", good[:-1] + last, good[1:], good + "A", good + "=" * 9, "%00", "é", "A" * 5000,
        SignedLinks(bytes(32), Purpose.UNSUBSCRIBE).token(person.id, "priceDropped"),
        good.swapcase(),
        links.token(person.id + 999, "priceDropped"), links.token(person.id, "everything"),
        links.token(person.id, "search:999999"),
        *(base64.urlsafe_b64encode(each).rstrip(b"=").decode() for each in (*flipped, *macs)),
    ]  # fmt: skip
    return found + [secrets.token_urlsafe(len(raw)) for _ in range(count - len(found))]


async def links_of(api: Api) -> SignedLinks:
    async with api.state.database.transaction() as transaction:
        return await signed_links(transaction, Purpose.UNSUBSCRIBE)


async def forge(api: Api, count: int) -> None:
    person = await api.person()
    links = await links_of(api)
    good = links.token(person.id, "priceDropped")
    answers = set()
    for token in forged_tokens(links, person, count):
        answer = await api.client.post("/unsubscribe", params={"token": token})
        answers.add((answer.status_code, answer.content))
    assert answers == {(204, b"")}
    assert await api.sql("SELECT ways FROM preferences") == []
    assert (await api.client.post("/unsubscribe")).status_code == 204
    assert (await api.client.post("/unsubscribe", params={"token": good})).status_code == 204
    assert await api.sql("SELECT ways FROM preferences") == [{"priceDropped": {"mail": False}}]


@pytest.mark.heavy
async def test_forged_tokens_change_nothing(api: Api) -> None:
    await forge(api, 600)


@pytest.mark.large
async def test_ten_thousand_forged_tokens_change_nothing(api: Api) -> None:
    await forge(api, 10_000)


@pytest.mark.heavy
async def test_an_address_that_does_not_exist_gets_no_more_notices(start_api: ApiFactory) -> None:
    async with receiving() as mailbox:
        url = SecretStr(f"smtp://127.0.0.1:{mailbox.port}?tls=off")
        settings = {"smtp_url": url, "mail_from": "ads@example.com", "site_url": SITE}
        async with start_api(jobs="on", **settings) as api:
            author, (gone, _), (other, address) = [
                await api.person(), await verified(api), await verified(api)
            ]  # fmt: skip
            ad = (await author.post_ad(price=1200))["pk"]
            # A relay that refuses everything says nothing about the address.
            for refusal, counts in (("550 5.7.1 relaying denied", False), ("550 5.1.1 no", True)):
                mailbox.refuses_recipient = refusal
                await note(api, gone, "priceDropped", ad)
                dead = "SELECT id FROM outbox WHERE dead_at IS NOT NULL"
                while not await api.sql(dead):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                await api.sql("DELETE FROM outbox")
                user = (await gone.get("/users/me")).json()
                assert user["mailVerified"] is not counts
            mailbox.refuses_recipient = None
            for person in (gone, other):
                await note(api, person, "priceDropped", ad)
            [mail] = await mailbox.until(1)
            assert mail["To"] == address


@pytest.mark.heavy
async def test_a_suspended_account_and_one_that_is_gone_may_unsubscribe(api: Api) -> None:
    suspended, gone = await api.person(), await api.person()
    await api.sql("UPDATE users SET suspended_until = 'infinity' WHERE id = :id", id=suspended.id)
    await api.sql("DELETE FROM users WHERE id = :id", id=gone.id)
    links = await links_of(api)
    for person in (suspended, gone):
        token = links.token(person.id, "message")
        answer = await api.client.post("/unsubscribe", params={"token": token})
        assert answer.status_code == 204
    assert await api.sql("SELECT user_id FROM preferences") == [suspended.id]
