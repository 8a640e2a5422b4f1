"""Each state of a message or an ad, at each way by which others learn of it.

The tables are written by hand, from what the interface promises. The worker is the one of `adsvc
worker`, and the state is reached after the event and before the worker has seen it: what waits has
to follow the state too.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from adsvc.services.notifications import in_base64url
from adsvc.settings import Storefront
from adsvc.worker.running import working
from conftest import ApiFactory
from support.mail.server import parsed, text_of
from support.outside.receiver import Receiver, receiving
from support.scene.api import PASSWORD, Api, Person
from support.scene.categories import plant
from support.scene.moderation import TERMS, decide, moderator, only_case, reported
from support.scene.storefront import build
from support.scene.streams import PERSONAL, Stream, streaming
from support.scene.talk import Talk, talk, write
from support.scene.warmth import WAIT_SECONDS, settle

pytestmark = pytest.mark.heavy

WORD = "zebra"
TEXT = f"Hello dear, is the {WORD} available?"
WAYS = ("list", "stream", "marker", "mail", "push", "export", "count", "page", "webhook")
TREE = {"furniture": {"name": "Furniture"}, "animals": {"name": "Animals"}}
SITE = "https://ads.example.com"
WANTED = {"site": True, "mail": True, "push": True}
UNWANTED = dict.fromkeys(WANTED, False)

# Nothing waits for a worker any more.
IDLE = """
    SELECT (SELECT max(last_event_id) FROM event_batches) <= ALL (
            SELECT position FROM consumers UNION ALL SELECT position FROM webhooks
        )
        -- Those in the log are deleted from it some seconds later.
        AND NOT EXISTS (
            SELECT FROM changes WHERE NOT pg_visible_in_snapshot(xid::text::xid8, (
                SELECT snapshot::pg_snapshot FROM event_batches ORDER BY id DESC LIMIT 1
            ))
        )
        AND NOT EXISTS (SELECT FROM outbox)
        AND NOT EXISTS (SELECT FROM push_messages)
        AND NOT EXISTS (SELECT FROM fan_outs WHERE ended_at IS NULL)
        -- Their searches are marked as due afterwards.
        AND NOT EXISTS (SELECT FROM matched_queries)
        AND NOT EXISTS (SELECT FROM saved_searches WHERE due_at <= now())
        AND NOT EXISTS (SELECT FROM conversations WHERE seller_mail_due <= now())
        AND NOT EXISTS (SELECT FROM webhook_deliveries WHERE status = 'pending')
"""
# The two minutes for which a message may be unread are over.
LATER = "UPDATE conversations SET seller_mail_due = seller_mail_due - interval '121 s'"


@dataclass
class Site:
    """A service without workers, a receiver of its webhooks and pushes, and its moderator."""

    api: Api
    receiver: Receiver
    admin: Person
    # Events that the webhook got before the state.
    before: list[str] = field(default_factory=list)

    async def reachable(self, *types: str) -> Person:
        """An account with a verified address and a browser that wants all of these types."""
        person = await self.api.person()
        await self.api.sql(
            "UPDATE users SET mail = username, mail_verified = true,"
            " created_at = now() - interval '2 weeks' WHERE id = :id",
            id=person.id,
        )
        point = ec.generate_private_key(ec.SECP256R1()).public_key()
        raw = point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": in_base64url(raw), "auth": in_base64url(bytes(16))}
        endpoint = f"http://127.0.0.1:{self.receiver.port}/push/{person.id}"
        sent = {"endpoint": endpoint, "expirationTime": None, "keys": keys}
        assert (await person.put("/users/me/push", json=sent)).status_code == 204
        wanted = dict.fromkeys(types, WANTED)
        assert (await person.patch("/users/me/preferences", json=wanted)).status_code == 200
        return person

    async def work(self) -> None:
        """Runs a worker until nothing waits."""
        state = self.api.state
        await settle(self.api)
        await self.api.sql(LATER)
        async with working(state.settings, state.database, state.store, state.work_counts):
            async with asyncio.timeout(WAIT_SECONDS):
                while await self.api.sql(IDLE) != [True]:  # noqa: ASYNC110 - of several lanes
                    await asyncio.sleep(0.05)

    def pushes(self, person: Person) -> int:
        line = f"POST /push/{person.id} HTTP/1.1"
        return sum(received.head == line for received in self.receiver.received)

    def mails(self, person: Person) -> list[str]:
        """The texts of mails about notices, not of those about the account."""
        files = sorted(self.api.state.settings.mail_dir.glob("*.eml"))
        mails = [parsed(path.read_bytes()) for path in files]
        return [
            text_of(mail)
            for mail in mails
            if mail["To"] == person.username and "List-Unsubscribe" in mail
        ]

    def events(self, ad: int) -> tuple[str, ...]:
        """The types that the webhook has got about the ad, each once, in order of the log."""
        got = {
            received.event["id"]: received.event
            for received in self.receiver.received
            if received.head.startswith("POST /hook ")
        }
        found = [event["type"] for _, event in sorted(got.items()) if event["ad"] == ad]
        return tuple(found)


@pytest.fixture
async def site(start_own_api: ApiFactory, tmp_path: Path) -> AsyncIterator[Site]:
    changes = {
        "jobs": "off",
        "site_url": SITE,
        "webhook_networks": ["127.0.0.0/8"],
        "reports_to_hide": 2,
        "storefront": Storefront.ON,
        "storefront_dir": build(tmp_path / "web"),
    }
    async with start_own_api(**changes) as api, receiving() as receiver:
        await plant(api, **TREE)
        admin = await api.admin()
        types = [
            *("ad.created", "ad.published", "ad.updated", "ad.priceChanged", "ad.hidden"),
            *("ad.shown", "ad.deleted", "user.suspended", "user.deleted", "message.sent"),
        ]
        hook = {"url": receiver.url, "types": types, "description": "All"}
        assert (await admin.post("/webhooks", json=hook)).status_code == 201
        yield Site(api, receiver, admin)


def streamed(stream: Stream, event: str) -> list[dict[str, Any]]:
    return [json.loads(one["data"]) for one in stream.events if one["event"] == event]


@asynccontextmanager
async def resumed(api: Api, person: Person, cursor: str) -> AsyncIterator[Stream]:
    query = f"after={cursor}" if cursor else ""
    async with streaming(api, person, query, path=PERSONAL) as stream:
        yield stream


async def cursor_of(api: Api, person: Person) -> str:
    await settle(api)
    async with streaming(api, person, path=PERSONAL) as stream:
        await stream.until(lambda it: it.events)
        cursor: str = stream.events[0]["id"]
        return cursor


# Messages: what the seller learns of one that the buyer has written. ------------------------------

TALK_TYPES = ("message", "offer")


@dataclass
class Letter:
    site: Site
    talk: Talk
    # Conversations in which a last message shows that a stream has sent all before it.
    seller_s_end: Talk
    buyer_s_end: Talk
    cursor: str = ""
    id: int = 0

    @property
    def seller(self) -> Person:
        return self.talk.seller

    @property
    def buyer(self) -> Person:
        return self.talk.buyer


async def letter(site: Site, state: str) -> Letter:
    api = site.api
    seller, buyer = await site.reachable(*TALK_TYPES), await api.person()
    found = await talk(api, seller, buyer)
    ends = await talk(api, seller), await talk(api, buyer)
    for one, reader in ((found, seller), (ends[0], seller)):
        body = {"upTo": one.first}
        assert (await reader.post(f"{one.path}/read", json=body)).status_code == 204
    if state == "held":
        # The same text to ten other sellers.
        for _ in range(10):
            ad = (await (await api.person()).post_ad())["pk"]
            await write(buyer, f"/ads/{ad}", TEXT)
    made = Letter(site, found, *ends, cursor=await cursor_of(api, seller))
    made.id = (await write(buyer, found.path, TEXT))["id"]
    return made


async def block_writer(it: Letter) -> None:
    blocked = await it.seller.put(f"/users/me/blocks/{it.buyer.id}")
    assert blocked.status_code == 204


async def hide_conversation(it: Letter) -> None:
    assert (await it.seller.post(f"{it.talk.path}/hide")).status_code == 204


async def remove_message(it: Letter) -> None:
    path = f"{it.talk.path}/messages/{it.id}/reports"
    report = {"reason": "scam", "text": "Wants money in advance."}
    assert (await it.seller.post(path, json=report)).status_code == 201
    judge = await moderator(it.site.api)
    await decide(judge, (await only_case(judge))["id"], "removeMessage")


async def suspend_writer(it: Letter) -> None:
    await suspend(it.site, it.buyer)


async def suspend(site: Site, person: Person) -> None:
    answer = await site.admin.post(f"/users/{person.id}/suspend", json={**TERMS, "days": 3})
    assert answer.status_code == 200, answer.text


async def silence_messages(it: Letter) -> None:
    changed = dict.fromkeys(TALK_TYPES, UNWANTED)
    assert (await it.seller.patch("/users/me/preferences", json=changed)).status_code == 200


async def delete_writer(it: Letter) -> None:
    sent = {"currentPassword": PASSWORD}
    assert (await it.buyer.request("DELETE", "/users/me", json=sent)).status_code == 204


async def move_ad_of_talk(it: Letter) -> None:
    await move(it.seller, it.talk.ad)


async def move(author: Person, ad: int) -> None:
    changed = await author.patch(f"/ads/{ad}", json={"category": "animals"})
    assert changed.status_code == 200, changed.text


async def nothing(_: object) -> None:
    pass


LETTER_STATES: dict[str, Callable[[Letter], Awaitable[None]]] = {
    "sent": nothing,
    "blocked": block_writer,
    "hidden": hide_conversation,
    "held": nothing,
    "removed": remove_message,
    "suspended": suspend_writer,
    "silenced": silence_messages,
    "deleted": delete_writer,
    "moved": move_ad_of_talk,
}

# Whether the text is in the inbox; in a stream that goes on; the writer learns that it was read;
# the text is in a mail; there is a push; the text is in the export; how many are unread; the text
# is in the conversation; there is a `message.sent`.
#              list   stream marker mail   push   export count page   webhook
LETTERS: dict[str, tuple[bool | int, ...]] = {
    "sent":      (True,  True,  True,  True,  True,  True,  1, True,  True),
    "blocked":   (True,  False, False, False, False, True,  1, True,  True),
    "hidden":    (False, False, True,  False, False, True,  0, True,  True),
    "held":      (False, False, False, False, False, False, 0, False, False),
    "removed":   (False, False, True,  False, False, False, 1, False, True),
    "suspended": (True,  True,  False, True,  True,  True,  1, True,  True),
    "silenced":  (True,  True,  True,  False, False, True,  1, True,  True),
    "deleted":   (True,  True,  False, True,  True,  True,  1, True,  True),
    "moved":     (True,  True,  True,  True,  True,  True,  1, True,  True),
}  # fmt: skip


async def learned(it: Letter) -> dict[str, bool | int]:
    seller, path = it.seller, it.talk.path
    inbox = (await seller.get("/conversations")).json()["results"]
    mine = [one for one in inbox if one["id"] == it.talk.id]
    shown = await seller.get(path), await seller.get(f"{path}/messages")
    found: dict[str, bool | int] = {
        "list": any(WORD in str(one["last"]["text"]) for one in mine),
        "mail": any(WORD in mail for mail in it.site.mails(seller)),
        "push": it.site.pushes(seller) > 0,
        "export": WORD in str((await seller.get("/users/me/export")).json()["messages"]),
        "count": sum(one["unread"] for one in mine),
        "page": any(WORD in one.text for one in shown),
        "webhook": it.site.events(it.talk.ad).count("message.sent") == 2,
    }
    # As the first event of a stream says, which counts all conversations.
    await write(it.seller_s_end.buyer, it.seller_s_end.path, "The end")
    async with resumed(it.site.api, seller, it.cursor) as stream:
        await stream.until(lambda it: "The end" in it.text)
        found["stream"] = WORD in str(streamed(stream, "message"))
        assert streamed(stream, "unread")[0]["messages"] == found["count"] + 1
    found["marker"] = await is_read_seen(it)
    return found


async def is_read_seen(it: Letter) -> bool:
    """The seller reads on. Whether the buyer learns of it, by the conversation and the stream."""
    async with resumed(it.site.api, it.buyer, "") as stream:
        await it.seller.post(f"{it.talk.path}/read", json={"upTo": it.id})
        conversation = await it.buyer.get(it.talk.path)
        if conversation.status_code == 401:
            assert stream.status == 401
            return False
        await write(it.buyer_s_end.buyer, it.buyer_s_end.path, "The end")
        await stream.until(lambda it: "The end" in it.text)
        by_stream = [one["readUpTo"] for one in streamed(stream, "read")]
        assert conversation.status_code == 200
        is_seen: bool = conversation.json()["readUpTo"] == it.id
        assert (by_stream == [it.id]) == is_seen
        return is_seen


@pytest.mark.parametrize("state", LETTER_STATES)
async def test_what_a_receiver_learns_of_a_message(site: Site, state: str) -> None:
    it = await letter(site, state)
    await LETTER_STATES[state](it)
    await site.work()
    assert await learned(it) == dict(zip(WAYS, LETTERS[state], strict=True))


# Ads: what an account that keeps an ad and searches for its words learns of it. -------------------

AD_TYPES = ("searchMatched", "priceDropped")


@dataclass
class Offered:
    site: Site
    author: Person
    watcher: Person
    search: int
    cursor: str = ""
    ad: int = 0


async def offered(site: Site, state: str) -> Offered:
    """The ad matches the search, and its price has dropped; a draft is neither."""
    api = site.api
    author, watcher = await api.person(), await site.reachable(*AD_TYPES)
    sent = {"query": f"q={WORD}", "name": "Animals", "notify": "instant"}
    search = (await watcher.post("/users/me/searches", json=sent)).json()["id"]
    made = Offered(site, author, watcher, search, cursor=await cursor_of(api, watcher))
    status = "draft" if state == "held" else "active"
    posted: dict[str, Any] = {
        "title": f"Oak {WORD}",
        "price": 1500,
        "category": "furniture",
        "status": status,
    }
    made.ad = (await author.post_ad(**posted))["pk"]
    if status == "active":
        kept = await watcher.put(f"/users/me/favorites/{made.ad}")
        assert kept.status_code == 204, kept.text
    assert (await author.patch(f"/ads/{made.ad}", json={"price": 900})).status_code == 200
    return made


async def block_author(it: Offered) -> None:
    blocked = await it.watcher.put(f"/users/me/blocks/{it.author.id}")
    assert blocked.status_code == 204


async def hide_by_reports(it: Offered) -> None:
    await reported(it.site.api, f"/ads/{it.ad}", by=2)


async def remove_ad(it: Offered) -> None:
    await reported(it.site.api, f"/ads/{it.ad}")
    judge = await moderator(it.site.api)
    await decide(judge, (await only_case(judge))["id"], "removeAd")


async def suspend_author(it: Offered) -> None:
    await suspend(it.site, it.author)


async def silence_alerts(it: Offered) -> None:
    never = await it.watcher.patch(f"/users/me/searches/{it.search}", json={"notify": "never"})
    assert never.status_code == 200
    changed = {"priceDropped": UNWANTED}
    assert (await it.watcher.patch("/users/me/preferences", json=changed)).status_code == 200


async def delete_ad(it: Offered) -> None:
    assert (await it.author.delete(f"/ads/{it.ad}")).status_code == 204


async def move_ad(it: Offered) -> None:
    await move(it.author, it.ad)


AD_STATES: dict[str, Callable[[Offered], Awaitable[None]]] = {
    "shown": nothing,
    "blocked": block_author,
    "hidden": hide_by_reports,
    # What waits for its author.
    "held": nothing,
    "removed": remove_ad,
    "suspended": suspend_author,
    "silenced": silence_alerts,
    "deleted": delete_ad,
    "moved": move_ad,
}

CREATED = ("ad.created", "ad.priceChanged")

# Whether the list has it; the types of notifications in the stream; whether the favorite still has
# its ad; there is a mail; a push; the author's export has it; how many ads the search has found
# new; whether its page shows it; the types of events at the webhook.
BOTH = ("priceDropped", "searchMatched")
NONE: tuple[str, ...] = ()
ADS: dict[str, tuple[object, ...]] = {
    "shown":     (True,  BOTH, True,  True,  True,  True,  1, True,  CREATED),
    "blocked":   (True,  NONE, True,  False, False, True,  0, True,  CREATED),
    "hidden":    (False, NONE, False, False, False, True,  0, False, (*CREATED, "ad.hidden")),
    "held":      (False, NONE, False, False, False, True,  0, False, CREATED),
    "removed":   (False, NONE, False, False, False, True,  0, False, (*CREATED, "ad.hidden")),
    "suspended": (False, NONE, False, False, False, False, 0, False, (*CREATED, "ad.hidden")),
    "silenced":  (True,  NONE, True,  False, False, True,  1, True,  CREATED),
    "deleted":   (False, NONE, False, False, False, False, 0, False, (*CREATED, "ad.deleted")),
    "moved":     (True,  BOTH, True,  True,  True,  True,  1, True,  (*CREATED, "ad.updated")),
}  # fmt: skip


async def observed(it: Offered) -> dict[str, object]:
    api, watcher = it.site.api, it.watcher
    listing = (await watcher.get("/ads", params={"q": WORD})).json()
    favorites = (await watcher.get("/users/me/favorites")).json()["results"]
    export = await it.author.get("/users/me/export")
    searches = (await watcher.get("/users/me/searches")).json()["results"]
    page = await api.client.get(f"/a/{it.ad}", follow_redirects=True)
    details = await api.client.get(f"/ads/{it.ad}/details")
    assert (details.status_code == 200) == (WORD in page.text)
    found: dict[str, object] = {
        "list": [one["pk"] for one in listing["results"]] == [it.ad],
        "marker": any(one["ad"] is not None for one in favorites),
        "mail": any(WORD in mail for mail in it.site.mails(watcher)),
        "push": it.site.pushes(watcher) > 0,
        "export": export.status_code == 200 and WORD in str(export.json()["ads"]),
        "count": searches[0]["newCount"],
        "page": WORD in page.text,
        "webhook": it.site.events(it.ad),
    }
    assert listing["count"] == int(bool(found["list"]))
    # The list on the site, and the stream that goes on, have the same.
    listed = (await watcher.get("/users/me/notifications")).json()["results"]
    end = await talk(api, watcher)
    async with resumed(api, watcher, it.cursor) as stream:
        await stream.until(lambda it: "message" in it.types)
        sent = {one["type"] for one in streamed(stream, "notification")}
    found["stream"] = tuple(sorted(sent))
    assert {one["type"] for one in listed} == sent
    assert end.first
    return found


@pytest.mark.parametrize("state", AD_STATES)
async def test_what_an_account_that_follows_an_ad_learns_of_it(site: Site, state: str) -> None:
    it = await offered(site, state)
    await AD_STATES[state](it)
    await site.work()
    assert await observed(it) == dict(zip(WAYS, ADS[state], strict=True))
