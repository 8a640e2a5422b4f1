"""What the two parties of a conversation get while they are connected."""

import json
from collections.abc import AsyncIterator
from operator import itemgetter
from typing import Any

import pytest

from conftest import ApiFactory
from support.scene.api import Api
from support.scene.keys import create_key
from support.scene.streams import PERSONAL, Stream, streaming
from support.scene.talk import Talk, talk, write
from support.scene.warmth import settle


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """Without workers, which would send notifications too."""
    async with start_own_api(jobs="off") as api:
        yield api


def received(stream: Stream) -> list[tuple[str, Any]]:
    return [(event["event"], json.loads(event["data"])) for event in stream.events]


def in_any_order(stream: Stream, since: int) -> list[tuple[str, Any]]:
    """Those from that one on, by their names: nothing says in which order they come."""
    return sorted(received(stream)[since:], key=itemgetter(0))


def unread(messages: int) -> tuple[str, dict[str, int]]:
    return "unread", {"messages": messages, "notifications": 0}


async def commit(api: Api, found: Talk, identifier: int) -> None:
    """A message of the buyer, with an id that was given out before."""
    await api.sql(
        "WITH made AS (INSERT INTO messages (id, conversation_id, author_id, by, text)"
        " VALUES (:id, :conversation, :author, 'buyer', 'late') RETURNING *)"
        " UPDATE conversations SET seller_last = greatest(seller_last, made.id),"
        " seller_unread = seller_unread + 1 FROM made"
        " WHERE conversations.id = made.conversation_id",
        id=identifier, conversation=found.id, author=found.buyer.id,
    )  # fmt: skip


async def last_message(found: Talk, *, of_seller: bool) -> dict[str, Any]:
    seen = await found.seen_by(found.seller if of_seller else found.buyer)
    last: dict[str, Any] = seen["last"]
    return last


@pytest.mark.guard
async def test_both_parties_get_messages_and_offers_and_what_is_unread(api: Api) -> None:
    found, stranger = await talk(api), await api.person()
    await settle(api)
    async with (
        streaming(api, found.seller, path=PERSONAL) as sellers,
        streaming(api, found.buyer, path=PERSONAL) as buyers,
        streaming(api, stranger, path=PERSONAL) as strangers,
    ):
        await write(found.buyer, found.path, "Hello?")
        await sellers.until(lambda it: len(it.events) == 3)
        in_sellers = await last_message(found, of_seller=True)
        assert received(sellers)[0] == unread(1)
        assert in_any_order(sellers, 1) == [("message", in_sellers), unread(2)]
        assert in_sellers["mine"] is False
        # The other devices of the writer get it too.
        await buyers.until(lambda it: len(it.events) == 2)
        in_buyers = await last_message(found, of_seller=False)
        assert received(buyers) == [unread(0), ("message", in_buyers)]
        read = await found.seller.post(f"{found.path}/read", json={"upTo": in_sellers["id"]})
        assert read.status_code == 204
        await sellers.until(lambda it: len(it.events) == 4)
        assert received(sellers)[-1] == unread(0)
        await buyers.until(lambda it: len(it.events) == 3)
        marker = {"conversation": found.id, "readUpTo": in_sellers["id"]}
        assert received(buyers)[-1] == ("read", marker)
        made = await found.buyer.post(f"{found.path}/offers", json={"price": 7})
        await sellers.until(lambda it: len(it.events) == 6)
        offered = in_any_order(sellers, 4)
        assert offered == [("offer", await last_message(found, of_seller=True)), unread(1)]
        assert offered[0][1]["offer"] == made.json()
        assert (await found.seller.post(f"{found.path}/hide")).status_code == 204
        await sellers.until(lambda it: len(it.events) == 7)
        assert received(sellers)[-1] == unread(0)
        await found.seller.post(f"/offers/{made.json()['id']}/accept")
        await buyers.until(lambda it: len(it.events) == 6)
        (name, accepted), last = in_any_order(buyers, 4)
        assert (name, accepted["kind"], accepted["text"]) == ("offer", "notice", "accepted")
        assert last == unread(1)
        await strangers.until(lambda it: it.events)
        assert received(strangers) == [unread(0)]


@pytest.mark.guard
async def test_a_party_sees_what_the_other_one_reads(api: Api) -> None:
    found = await talk(api)
    other = await talk(api, found.seller)
    await settle(api)
    async with (
        streaming(api, found.buyer, path=PERSONAL) as buyers,
        streaming(api, other.buyer, path=PERSONAL) as others,
    ):
        await buyers.until(lambda it: it.events)
        for up_to in (found.first, found.first, 1):
            body = {"upTo": up_to}
            assert (await found.seller.post(f"{found.path}/read", json=body)).status_code == 204
        # In a conversation that is new to the stream, too.
        begun = await write(found.buyer, other.about)
        path = f"/conversations/{begun['conversation']}"
        await found.seller.post(f"{path}/read", json={"upTo": begun["id"]})
        await buyers.until(lambda it: it.types.count("read") == 2)
        assert [data for name, data in received(buyers) if name == "read"] == [
            {"conversation": found.id, "readUpTo": found.first},
            {"conversation": begun["conversation"], "readUpTo": begun["id"]},
        ]
        assert (await found.seen_by(found.buyer))["readUpTo"] == found.first
        await write(other.buyer, other.path, "Hello?")
        await others.until(lambda it: "message" in it.types)
        assert "read" not in others.types


@pytest.mark.guard
async def test_a_stream_goes_on_with_the_messages_that_came_meanwhile(api: Api) -> None:
    found = await talk(api)
    async with streaming(api, found.seller, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        first = stream.events[0]["id"]
        await write(found.buyer, found.path, "1")
        await stream.until(lambda it: len(it.events) == 3)
        second = next(each["id"] for each in stream.events if each["event"] == "message")
    for number in range(2, 62):
        await write(found.buyer, found.path, str(number))
    for cursor, expected in ((first, range(1, 62)), (second, range(2, 62))):
        path, query = PERSONAL, f"after={cursor}"
        async with streaming(api, found.seller, query, path=path) as stream:
            await stream.until(lambda it: it.types.count("message") >= len(expected))  # noqa: B023
            texts = [data["text"] for name, data in received(stream) if name == "message"]
            assert texts == [str(number) for number in expected]
            assert (stream.types[0], received(stream)[0]) == ("unread", unread(62))


@pytest.mark.heavy
async def test_a_message_that_is_committed_late_is_sent_too(api: Api) -> None:
    """After one of another conversation that has a greater id, and whether or not the stream broke
    off in between.
    """
    found = await talk(api)
    other = await talk(api, found.seller)
    [late] = await api.sql("SELECT nextval('messages_id_seq')")
    async with streaming(api, found.seller, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        await write(found.buyer, found.path, "early")
        await stream.until(lambda it: "message" in it.types)
        cursor = stream.events[-1]["id"]
        await commit(api, other, late)
        await stream.until(lambda it: it.types.count("message") == 2)
        assert [data["text"] for name, data in received(stream) if name == "message"] == [
            "early", "late"
        ]  # fmt: skip
    async with streaming(api, found.seller, f"after={cursor}", path=PERSONAL) as stream:
        await stream.until(lambda it: "message" in it.types)
        [(_, message)] = [one for one in received(stream) if one[0] == "message"]
        assert message["text"] == "late"


@pytest.mark.guard
async def test_nothing_of_a_blocked_account_arrives(api: Api) -> None:
    """Neither what it sends now, nor what is let through later."""
    found = await talk(api)
    await found.seller.request("PUT", f"/users/me/blocks/{found.buyer.id}")
    other = await talk(api, found.seller)
    await settle(api)
    async with streaming(api, found.seller, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        refused = await found.buyer.post(f"{found.path}/messages", json={"text": "x"})
        assert refused.status_code == 403
        # As one that a moderator lets through.
        [late] = await api.sql("SELECT nextval('messages_id_seq')")
        await commit(api, found, late)
        await write(other.buyer, other.path, "seen")
        await stream.until(lambda it: "message" in it.types)
        assert [data["text"] for name, data in received(stream) if name == "message"] == ["seen"]


@pytest.mark.heavy
async def test_a_hidden_conversation_is_not_sent_again(api: Api) -> None:
    found = await talk(api)
    await found.seller.post(f"{found.path}/hide")
    await settle(api)
    async with streaming(api, found.seller, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        await write(found.buyer, found.path, "new")
        await stream.until(lambda it: "message" in it.types)
        assert [data["text"] for name, data in received(stream) if name == "message"] == ["new"]


@pytest.mark.heavy
async def test_a_key_gets_notifications_only_with_the_scope_to_read_the_account(api: Api) -> None:
    found = await talk(api)
    narrow = await create_key(found.seller, scopes=["messages:read"])
    wide = await create_key(found.seller, scopes=["messages:read", "account:read"])
    notified = (
        f"INSERT INTO notifications (user_id, type) VALUES ({found.seller.id}, 'alertsPaused')"  # noqa: S608
        " RETURNING id"
    )
    await api.sql(notified)
    await settle(api)
    async with (
        streaming(api, narrow, path=PERSONAL) as without,
        streaming(api, wide, path=PERSONAL) as with_all,
    ):
        for stream in (with_all, without):
            await stream.until(lambda it: it.events)
        assert received(with_all) == [("unread", {"messages": 1, "notifications": 1})]
        assert received(without) == [unread(1)]
        await api.sql(notified)
        await with_all.until(lambda it: "notification" in it.types)
        await write(found.buyer, found.path, "Hello?")
        # What comes after it has come, and it has not.
        await without.until(lambda it: "message" in it.types)
        await without.until(lambda it: received(it)[-1] == unread(2))
        assert "notification" not in without.types
