"""How the receiver of a message hears of it: on the site, by Web Push, by mail."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from adsvc.repositories import notices
from adsvc.services import conversations
from adsvc.worker.consumers import following
from conftest import ApiFactory
from support.mail.delivered import deliver
from support.mail.server import text_of
from support.scene.api import Api, Person
from support.scene.moderation import decide, moderator, only_case
from support.scene.talk import Talk, talk, write
from support.scene.warmth import settle

SELLER, BUYER = "sara.private@example.com", "boris.private@example.com"


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """No other process works on its database."""
    async with start_own_api(jobs="off") as api:
        yield api


async def two(api: Api) -> Talk:
    seller = await api.person(SELLER, phone="+49 30 1110001", lastName="Lastseller")
    buyer = await api.person(BUYER, phone="+49 30 2220002", lastName="Lastbuyer")
    await api.sql("UPDATE users SET mail = username, mail_verified = TRUE")
    return await talk(api, seller, buyer)


async def notified(api: Api, person: Person) -> list[tuple[str, int]]:
    await settle(api)
    step = following(api.state.database, conversations.CONSUMER, notices.notify_receivers)
    while await step():
        pass
    listed = (await person.get("/users/me/notifications", params={"unread": "true"})).json()
    return [(one["type"], one["conversation"]) for one in listed["results"]]


async def mailed(api: Api, *, later: bool = True) -> list[Any]:
    """The mails that are sent when all that is unread has been so for two minutes."""
    if later:
        await api.sql(
            "UPDATE conversations SET buyer_mail_due = buyer_mail_due - interval '121 s',"
            " seller_mail_due = seller_mail_due - interval '121 s'"
        )
    await conversations.queue_mails(api.state.database)
    return await deliver(api)


@pytest.mark.heavy
async def test_of_a_conversation_one_notification_is_unread(api: Api) -> None:
    found = await two(api)
    other = await talk(api, found.seller)
    await write(found.buyer, found.path)
    assert await notified(api, found.seller) == [("message", other.id), ("message", found.id)]
    made = (await found.buyer.post(f"{found.path}/offers", json={"price": 5})).json()
    await write(found.buyer, found.path)
    assert await notified(api, found.seller) == [
        ("offer", found.id), ("message", other.id), ("message", found.id)
    ]  # fmt: skip
    assert await notified(api, found.buyer) == []
    last = (await found.seen_by(found.seller))["last"]["id"]
    await found.seller.post(f"{found.path}/read", json={"upTo": last - 1})
    assert len(await notified(api, found.seller)) == 3
    await found.seller.post(f"{found.path}/read", json={"upTo": last})
    assert await notified(api, found.seller) == [("message", other.id)]
    await found.seller.post(f"/offers/{made['id']}/decline")
    assert await notified(api, found.buyer) == [("offer", found.id)]


@pytest.mark.heavy
async def test_what_is_not_wanted_read_or_blocked_is_no_notification(api: Api) -> None:
    found, read, blocked = await two(api), await talk(api), await talk(api)
    await found.seller.patch("/users/me/preferences", json={"message": {"site": False}})
    await read.seller.post(f"{read.path}/read", json={"upTo": read.first})
    await blocked.seller.request("PUT", f"/users/me/blocks/{blocked.buyer.id}")
    for one in (found, read, blocked):
        assert await notified(api, one.seller) == []
    await found.buyer.post(f"{found.path}/offers", json={"price": 5})
    assert await notified(api, found.seller) == [("offer", found.id)]


@pytest.mark.heavy
async def test_browsers_get_each_message_that_is_wanted_by_push(api: Api) -> None:
    found = await two(api)
    await api.sql(
        "INSERT INTO push_subscriptions (user_id, session_id, endpoint, public_key, auth)"
        " SELECT user_id, id, 'https://push.example.com/' || id, '', '' FROM sessions RETURNING id"
    )
    await notified(api, found.seller)
    assert await api.sql("SELECT id FROM push_messages") == []
    await found.seller.patch("/users/me/preferences", json={"message": {"push": True}})
    one = [{"type": "message", "conversation": found.id}]
    for _ in range(2):
        await write(found.buyer, found.path)
        await notified(api, found.seller)
        assert await api.sql("SELECT payload FROM push_messages") == one
        await api.sql("DELETE FROM push_messages")
    # Of those that wait, one is sent.
    for _ in range(2):
        await write(found.buyer, found.path)
        await notified(api, found.seller)
    assert await api.sql("SELECT payload FROM push_messages") == one


@pytest.mark.guard
async def test_a_mail_is_sent_once_until_all_is_read(api: Api) -> None:
    found = await two(api)
    await write(found.buyer, found.path, "Line one\nLine   two <b>bold</b>")
    assert await mailed(api, later=False) == []
    [mail] = await mailed(api)
    assert mail["To"] == SELLER
    assert mail["Subject"] == "A new message about “Oak table”"
    assert "/unsubscribe?token=" in mail["List-Unsubscribe"]
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    text = text_of(mail)
    assert "“Is it still there?”" in text
    assert "“Line one Line two <b>bold</b>”" in text
    assert f"/messages/{found.id}" in text
    whole = mail.as_string() + text
    for private in (BUYER, "Lastbuyer", "+49 30 2220002"):
        assert private not in whole
    # It is not read: no further mail.
    await write(found.buyer, found.path)
    assert await mailed(api) == []
    last = (await found.seen_by(found.seller))["last"]["id"]
    await found.seller.post(f"{found.path}/read", json={"upTo": last})
    assert await mailed(api) == []
    await write(found.buyer, found.path, "Again")
    [again] = await mailed(api)
    assert "“Again”" in text_of(again)
    assert "Is it still there?" not in text_of(again)
    # The other way round.
    await write(found.seller, found.path, "Yes")
    [answer] = await mailed(api)
    assert answer["To"] == BUYER
    for private in (SELLER, "Lastseller", "+49 30 1110001"):
        assert private not in answer.as_string() + text_of(answer)


@pytest.mark.guard
@pytest.mark.parametrize("is_mailed", [False, True])
async def test_a_message_that_shows_a_hidden_conversation_again_is_mailed(
    api: Api,
    is_mailed: bool,  # noqa: FBT001 - pytest names it
) -> None:
    found = await two(api)
    assert len(await mailed(api, later=is_mailed)) == is_mailed
    await found.seller.post(f"{found.path}/hide")
    assert await mailed(api) == []
    await write(found.buyer, found.path, "Again")
    assert await mailed(api, later=False) == []
    [mail] = await mailed(api)
    assert "“Again”" in text_of(mail)
    await write(found.buyer, found.path, "And again")
    assert await mailed(api) == []


async def write_held(api: Api, found: Talk) -> dict[str, Any]:
    """A message of the buyer that waits for a moderator."""
    held = await write(found.buyer, found.path, "Held for a while")
    await api.sql(
        "UPDATE messages SET held = TRUE, digest = 'x' WHERE id = :id RETURNING id", id=held["id"]
    )
    return held


async def let_through(api: Api, found: Talk, message: int) -> None:
    await api.sql(
        "INSERT INTO cases (kind, target_id, ad_id, author_id, snapshot)"
        " VALUES ('message', :id, :ad, :author, '{}')",
        id=message, ad=found.ad, author=found.buyer.id,
    )  # fmt: skip
    judge = await moderator(api)
    await decide(judge, (await only_case(judge))["id"], "dismiss")


@pytest.mark.guard
async def test_what_is_let_through_after_a_later_message_was_read_is_noticed(api: Api) -> None:
    found = await two(api)
    held = await write_held(api, found)
    later = await write(found.buyer, found.path, "Read at once")
    await api.sql(
        "DELETE FROM changes WHERE (data->>'message')::int = :id RETURNING id", id=held["id"]
    )
    await found.seller.post(f"{found.path}/read", json={"upTo": later["id"]})
    assert (await notified(api, found.seller), await mailed(api)) == ([], [])
    await let_through(api, found, held["id"])
    assert await notified(api, found.seller) == [("message", found.id)]
    [mail] = await mailed(api)
    assert mail["Subject"] == "A new message about “Oak table”"
    # It was read long ago.
    assert "Read at once" not in text_of(mail)


@pytest.mark.guard
async def test_what_is_let_through_to_who_has_not_read_the_mailed_is_not_mailed(api: Api) -> None:
    found = await two(api)
    held = await write_held(api, found)
    assert len(await mailed(api)) == 1
    await let_through(api, found, held["id"])
    assert await found.texts_for(found.seller) == ["Is it still there?", "Held for a while"]
    assert await mailed(api) == []


CHANGES = {
    "read": lambda it: it.seller.post(f"{it.path}/read", json={"upTo": it.first}),
    "hide": lambda it: it.seller.post(f"{it.path}/hide"),
    "block": lambda it: it.seller.request("PUT", f"/users/me/blocks/{it.buyer.id}"),
    "be blocked": lambda it: it.buyer.request("PUT", f"/users/me/blocks/{it.seller.id}"),
    "no mail": lambda it: it.seller.patch(
        "/users/me/preferences", json={"message": {"mail": False}}
    ),
    "delete": lambda it: it.seller.request(
        "DELETE", "/users/me", json={"currentPassword": it.seller.password}
    ),
}
SQL_CHANGES = {
    "no address": "UPDATE users SET mail_verified = FALSE",
    "suspend": "UPDATE users SET suspended_until = 'infinity'",
}


@pytest.mark.guard
@pytest.mark.parametrize("change", [*CHANGES, *SQL_CHANGES])
async def test_no_mail_where_none_is_wanted_by_then(api: Api, change: str) -> None:
    """Neither if it changes before the mail is queued, nor before it is sent."""
    for queued in (False, True):
        seller = await api.person()
        await api.sql("UPDATE users SET mail = 'a' || id || '@x.example', mail_verified = TRUE")
        found = await talk(api, seller)
        if queued:
            await api.sql(
                "UPDATE conversations SET seller_mail_due = now() - interval '1 s' WHERE id = :id",
                id=found.id,
            )
            assert await conversations.queue_mails(api.state.database) == 1
        if change in CHANGES:
            assert (await CHANGES[change](found)).status_code in {200, 204}
        else:
            await api.sql(SQL_CHANGES[change])
        assert await mailed(api) == [], queued
        await api.sql("UPDATE users SET suspended_until = NULL")


@pytest.mark.heavy
async def test_a_mail_has_the_text_only_if_wanted_and_without_hints(api: Api) -> None:
    found = await two(api)
    await write(found.buyer, found.path, "Pay at https://evil.example.com first")
    [mail] = await mailed(api)
    assert "evil" not in mail.as_string() + text_of(mail)
    assert "“Is it still there?”" in text_of(mail)
    chosen = await found.seller.patch("/users/me/preferences", json={"message": {"text": False}})
    ways = {"site": True, "mail": True, "push": False}
    assert chosen.json()["message"] == {**ways, "text": False}
    assert chosen.json()["offer"] == ways
    other = await talk(api, found.seller)
    [mail] = await mailed(api)
    assert "Is it still there?" not in text_of(mail)
    assert f"/messages/{other.id}" in text_of(mail)


@pytest.mark.heavy
async def test_a_mail_about_an_offer_obeys_the_preference_for_offers(api: Api) -> None:
    found = await two(api)
    await found.seller.patch("/users/me/preferences", json={"message": {"mail": False}})
    await found.buyer.post(f"{found.path}/offers", json={"price": 5})
    [mail] = await mailed(api)
    assert mail["Subject"] == "An offer for “Oak table”"
    other = await talk(api, found.seller)
    await found.seller.patch("/users/me/preferences", json={"offer": {"mail": False}})
    await other.buyer.post(f"{other.path}/offers", json={"price": 5})
    assert await mailed(api) == []
