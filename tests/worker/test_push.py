"""Web Push: a browser can read what it is sent, and one that is gone is forgotten."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from typing import Any

import jwt
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from adsvc.repositories import push as push_rows
from adsvc.repositories.push import MOST_PENDING, ClaimedMessage, PushShares
from adsvc.services.notifications import MOST_SUBSCRIPTIONS, encrypted, from_base64url, in_base64url
from adsvc.worker import push as module
from adsvc.worker.push import CIRCUIT, HOPELESS_SECONDS, SHARES
from conftest import ApiFactory
from support.outside.receiver import Receiver, receiving
from support.scene.api import Api, Person
from support.scene.fan_outs import work
from support.scene.talk import talk, write
from support.scene.warmth import settle

PUSH, SITE = "/users/me/push", "https://ads.example.com"
CURVE = ec.SECP256R1()


class Browser:
    """What a browser does with a message (RFC 8291), written down a second time."""

    def __init__(self, private: int | None = None, auth: bytes | None = None) -> None:
        if private is None:
            self.private = ec.generate_private_key(CURVE)
        else:
            self.private = ec.derive_private_key(private, CURVE)
        self.auth = auth or secrets.token_bytes(16)
        self.point = self.private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )

    def subscription(self, endpoint: str) -> dict[str, Any]:
        keys = {"p256dh": in_base64url(self.point), "auth": in_base64url(self.auth)}
        return {"endpoint": endpoint, "expirationTime": None, "keys": keys}

    def read(self, body: bytes) -> bytes:
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        point, sealed = body[21 : 21 + length], body[21 + length :]
        assert len(sealed) <= size
        theirs = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
        shared = self.private.exchange(ec.ECDH(), theirs)

        def derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
            return HKDF(SHA256(), length=length, salt=salt, info=info).derive(secret)

        secret = derive(shared, self.auth, b"WebPush: info\0" + self.point + point, 32)
        key = derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert padded.endswith(b"\2")
        return padded[:-1]


def test_a_message_can_be_read_by_its_browser_alone() -> None:
    browser, other = Browser(), Browser()
    content = "Стол 🪑".encode()
    message = encrypted(content, browser.point, browser.auth)
    assert browser.read(message) == content
    assert message != encrypted(content, browser.point, browser.auth)
    with pytest.raises(InvalidTag):
        other.read(message)
    # The example of RFC 8291 §5 shows that what reads here reads as browsers do.
    example = Browser(
        int.from_bytes(from_base64url("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"), "big"),
        from_base64url("BTBZMqHH6r4Tts7J_aSIgg"),
    )
    body = from_base64url(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6T"
        "lzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4"
        "a-fN"
    )
    assert example.read(body) == b"When I grow up, I want to be a watermelon"


@pytest.fixture
async def api(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_own_api(jobs="on", site_url=SITE, webhook_networks=["127.0.0.0/8"]) as started:
        yield started


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as found:
        yield found


async def kept_by(api: Api, person: Person) -> tuple[Person, str]:
    author = await api.person()
    ad = await author.post_ad(title="Oak table", price=1000)
    assert (await person.put(f"/users/me/favorites/{ad['pk']}")).status_code == 204
    wanted = {"favoriteSold": {"push": True}, "favoriteReserved": {"push": True}}
    await person.patch("/users/me/preferences", json=wanted)
    return author, f"/ads/{ad['pk']}"


@pytest.mark.heavy
async def test_a_notification_reaches_a_browser_until_it_is_gone(
    api: Api, receiver: Receiver
) -> None:
    person, browser = await api.person(), Browser()
    sent = browser.subscription(receiver.url)
    assert (await person.put(PUSH, json=sent)).status_code == 204
    author, path = await kept_by(api, person)
    receiver.statuses = [201, 410]
    await author.post(f"{path}/reserve")
    [message] = await receiver.until_received(1)
    shown = json.loads(browser.read(message.content))
    assert shown == {
        "title": "adsvc", "body": "“Oak table” is reserved", "url": path.replace("ads", "a"),
        "tag": f"ad:{path.rpartition('/')[2]}",
    }  # fmt: skip
    assert message.headers["content-encoding"] == "aes128gcm"
    assert int(message.headers["ttl"]) > 0
    scheme, *parameters = message.headers["authorization"].replace(",", "").split()
    signed = dict(each.split("=", 1) for each in parameters)
    site_key = (await api.client.get("/site")).json()["pushKey"]
    assert (scheme, signed["k"]) == ("vapid", site_key)
    verifying = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, from_base64url(site_key))
    origin = f"http://127.0.0.1:{receiver.port}"
    claims = jwt.decode(signed["t"], verifying, ["ES256"], audience=origin)
    assert claims["sub"] == SITE

    await author.post(f"{path}/sell")
    await receiver.until_received(2)
    # Nothing announces that it was forgotten.
    while await api.sql("SELECT id FROM push_subscriptions"):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert await api.sql("SELECT id FROM push_messages") == []


@pytest.mark.heavy
async def test_a_match_of_a_saved_search_reaches_a_browser(api: Api, receiver: Receiver) -> None:
    person, browser, author = await api.person(), Browser(), await api.person()
    await person.put(PUSH, json=browser.subscription(receiver.url))
    await person.patch("/users/me/preferences", json={"searchMatched": {"push": True}})
    sent = {"query": "q=oak", "name": "Oak", "notify": "instant"}
    search = (await person.post("/users/me/searches", json=sent)).json()["id"]
    await settle(api)
    await author.post_ad(title="Oak table")
    [message] = await receiver.until_received(1)
    assert json.loads(browser.read(message.content)) == {
        "title": "adsvc", "body": "“Oak”: 1 new ad", "url": f"/my/searches/{search}",
        "tag": f"search:{search}",
    }  # fmt: skip
    # The same notification, which has gathered more.
    await author.post_ad(title="Oak chair")
    [_, message] = await receiver.until_received(2)
    assert json.loads(browser.read(message.content)) == {
        "title": "adsvc", "body": "“Oak”: 2 new ads", "url": f"/my/searches/{search}",
        "tag": f"search:{search}", "silent": True,
    }  # fmt: skip


async def add_browsers(person: Person, receiver: Receiver, number: int) -> None:
    for name in range(number):
        sent = Browser().subscription(f"{receiver.url}/{person.id}/{name}")
        assert (await person.put(PUSH, json=sent)).status_code == 204


async def keep(person: Person, path: str) -> None:
    assert (await person.put(path.replace("/ads/", "/users/me/favorites/"))).status_code == 204
    wanted = {"favoriteSold": {"push": True}, "favoriteReserved": {"push": True}}
    await person.patch("/users/me/preferences", json=wanted)


@pytest.mark.guard
async def test_browsers_that_hang_delay_no_other_account(api: Api, receiver: Receiver) -> None:
    author, person, floods = await api.person(), await api.person(), []
    path = f"/ads/{(await author.post_ad(title='Oak table'))['pk']}"
    async with receiving() as hanging:
        hanging.answers.clear()
        for _ in range(2):
            floods.append(await api.person())
            await add_browsers(floods[-1], hanging, 10)
            await keep(floods[-1], path)
        await author.post(f"{path}/reserve")
        await hanging.until(lambda: hanging.under_way == 2 * SHARES.account)
        await add_browsers(person, receiver, 1)
        await keep(person, path)
        await author.post(f"{path}/sell")
        await receiver.until_received(1)
        assert hanging.most_under_way == 2 * SHARES.account
        # The second message about the ad has taken the place of the first.
        waiting = (
            "SELECT count(*) FROM push_messages JOIN push_subscriptions AS browser"
            " ON browser.id = subscription_id WHERE user_id <> :id"
        )
        assert await api.sql(waiting, id=person.id) == [2 * 10]
        hanging.answers.set()


@pytest.mark.heavy
async def test_a_host_that_hangs_leaves_room_for_others(
    api: Api, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARES", PushShares(account=2, host=3))
    author = await api.person()
    path = f"/ads/{(await author.post_ad(title='Oak table'))['pk']}"
    receiver.answers.clear()
    for _ in range(5):
        person = await api.person()
        await add_browsers(person, receiver, 1)
        await keep(person, path)
    await author.post(f"{path}/sell")
    await receiver.until(lambda: receiver.under_way == 3)
    receiver.answers.set()
    await receiver.until_received(5)
    assert receiver.most_under_way == 3


@pytest.mark.heavy
async def test_a_message_wakes_the_lane(
    start_own_api: ApiFactory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one of a conversation comes without a notification."""
    monkeypatch.setattr(module, "POLL_SECONDS", 3600)
    async with start_own_api(jobs="on", site_url=SITE, webhook_networks=["127.0.0.0/8"]) as api:
        seller = await api.person()
        await add_browsers(seller, receiver, 1)
        await seller.patch("/users/me/preferences", json={"message": {"push": True}})
        chat = await talk(api, seller)
        await receiver.until_received(1)
        await write(chat.buyer, chat.path)
        await receiver.until_received(2)


async def queued(api: Api) -> list[tuple[str, int]]:
    """The tags and attempts."""
    rows = await api.sql("SELECT tag || ' ' || attempts FROM push_messages ORDER BY id")
    return [(row.split()[0], int(row.split()[1])) for row in rows]


@pytest.fixture
async def idle(start_own_api: ApiFactory) -> AsyncIterator[Api]:
    """One that sends nothing."""
    async with start_own_api(jobs="off", webhook_networks=["127.0.0.0/8"]) as started:
        yield started


async def with_message(api: Api, receiver: Receiver, browsers: int = 1) -> tuple[Person, str]:
    """An author and the path of an ad, of which a message to another account's browser waits."""
    person = await api.person()
    await add_browsers(person, receiver, browsers)
    author = await api.person()
    path = f"/ads/{(await author.post_ad(title='Oak table'))['pk']}"
    await keep(person, path)
    await author.post(f"{path}/reserve")
    await work(api)
    return author, path


async def claim(api: Api, *, oldest_seconds: float = 60) -> Sequence[ClaimedMessage]:
    return await push_rows.claim(
        api.state.database.writer, 10, SHARES, seconds=60, oldest_seconds=oldest_seconds
    )


@pytest.mark.heavy
async def test_a_later_message_takes_the_place_of_an_earlier_one(
    idle: Api, receiver: Receiver
) -> None:
    author, path = await with_message(idle, receiver)
    [first] = await claim(idle)
    assert await claim(idle) == []
    await author.post(f"{path}/sell")
    await work(idle)
    # Not while the first one is under way, whose end does not end the second.
    assert await claim(idle) == []
    await push_rows.done(idle.state.database.writer, first, delivered=True)
    [second] = await claim(idle)
    assert (first.payload["type"], second.payload["type"]) == ("favoriteReserved", "favoriteSold")
    await push_rows.done(idle.state.database.writer, second, delivered=True)
    assert await queued(idle) == []


@pytest.mark.heavy
async def test_a_browser_that_fails_is_paused_and_forgotten_after_days(
    idle: Api, receiver: Receiver
) -> None:
    async def fail(message: ClaimedMessage) -> bool:
        return await push_rows.failed(
            idle.state.database.writer,
            message,
            CIRCUIT,
            given_up=False,
            hopeless_seconds=HOPELESS_SECONDS,
        )

    author, _ = await with_message(idle, receiver)
    pause = "SELECT round(extract(epoch FROM paused_until - now()) / 60)::int"
    for expected in (1, 2, 4, 8, 16, 32, 64, 128, 240, 240):
        await idle.sql("UPDATE push_messages SET not_before = now()")
        [message] = await claim(idle)
        assert not await fail(message)
        assert await idle.sql(f"{pause} FROM push_subscriptions") == [expected]
        # What comes meanwhile waits too.
        other = f"/ads/{(await author.post_ad())['pk']}"
        [person] = await idle.sql("SELECT user_id FROM push_subscriptions")
        await idle.sql(
            "INSERT INTO favorites (user_id, ad_id, price) VALUES (:person, :ad, 1) RETURNING id",
            person=person, ad=int(other.rpartition("/")[2]),
        )  # fmt: skip
        await author.post(f"{other}/sell")
        await work(idle)
        assert await claim(idle) == []
    waiting = len(await queued(idle))
    await idle.sql(
        "UPDATE push_subscriptions SET failing_since = now() - interval '3 days' RETURNING id"
    )
    await idle.sql("UPDATE push_messages SET not_before = now() WHERE tag = :tag RETURNING id",
                   tag=message.tag)  # fmt: skip
    [message] = await claim(idle)
    assert await fail(message)
    await push_rows.forget(idle.state.database.writer, message)
    assert waiting > 1
    assert await queued(idle) == []


@pytest.mark.heavy
async def test_a_browser_that_answers_again_gets_what_has_waited(
    idle: Api, receiver: Receiver
) -> None:
    author, _ = await with_message(idle, receiver, browsers=2)
    first, second = await claim(idle)
    await push_rows.failed(
        idle.state.database.writer, first, CIRCUIT, given_up=True, hopeless_seconds=HOPELESS_SECONDS
    )
    await push_rows.done(idle.state.database.writer, second, delivered=True)
    assert await queued(idle) == []
    # Of an account with a browser that fails, one message is under way.
    await idle.sql("UPDATE push_subscriptions SET paused_until = now() RETURNING id")
    [person] = await idle.sql("SELECT DISTINCT user_id FROM push_subscriptions")
    for _ in range(2):
        ad = (await author.post_ad())["pk"]
        await idle.sql(
            "INSERT INTO favorites (user_id, ad_id, price) VALUES (:person, :ad, 1) RETURNING id",
            person=person, ad=ad,
        )  # fmt: skip
        await author.post(f"/ads/{ad}/sell")
    await work(idle)
    assert len(await queued(idle)) == 4
    [tried] = await claim(idle)
    await push_rows.done(idle.state.database.writer, tried, delivered=True)
    while found := await claim(idle):
        for message in found:
            await push_rows.done(idle.state.database.writer, message, delivered=True)
    assert await queued(idle) == []
    assert await idle.sql("SELECT count(*) FROM push_subscriptions WHERE failures > 0") == [0]


@pytest.mark.heavy
async def test_what_waits_for_a_browser_is_bounded_and_not_sent_late(
    idle: Api, receiver: Receiver
) -> None:
    author, _ = await with_message(idle, receiver)
    [person] = await idle.sql("SELECT user_id FROM push_subscriptions")
    for _ in range(MOST_PENDING + 1):
        ad = (await author.post_ad())["pk"]
        await idle.sql(
            "INSERT INTO favorites (user_id, ad_id, price) VALUES (:person, :ad, 1) RETURNING id",
            person=person, ad=ad,
        )  # fmt: skip
        await author.post(f"/ads/{ad}/sell")
        await work(idle)
    assert len(await queued(idle)) == MOST_PENDING
    await idle.sql("UPDATE push_messages SET created_at = now() - interval '61 s' RETURNING id")
    [late] = await claim(idle)
    assert late.is_void


@pytest.mark.heavy
async def test_a_session_that_has_expired_gets_nothing(idle: Api, receiver: Receiver) -> None:
    await with_message(idle, receiver)
    await idle.sql("UPDATE sessions SET expires_at = now() RETURNING id")
    [message] = await claim(idle)
    assert message.is_void


@pytest.mark.heavy
async def test_a_browser_is_one_account_s(api: Api) -> None:
    first, second, browser = await api.person(), await api.person(), Browser()
    sent = browser.subscription("https://push.example.com/one")
    for person in (first, second, second):
        assert (await person.put(PUSH, json=sent)).status_code == 204
    assert await api.sql("SELECT user_id FROM push_subscriptions") == [second.id]
    assert (await first.request("DELETE", PUSH, json=sent)).status_code == 204
    assert await api.sql("SELECT user_id FROM push_subscriptions") == [second.id]
    for _ in range(2):
        forgotten = {"endpoint": sent["endpoint"]}
        assert (await second.request("DELETE", PUSH, json=forgotten)).status_code == 204
    assert await api.sql("SELECT id FROM push_subscriptions") == []
    for number in range(MOST_SUBSCRIPTIONS + 2):
        await first.put(PUSH, json=browser.subscription(f"https://push.example.com/{number}"))
    kept = await api.sql("SELECT endpoint FROM push_subscriptions ORDER BY id")
    assert len(kept) == MOST_SUBSCRIPTIONS
    assert kept[0] == "https://push.example.com/2"


@pytest.mark.heavy
async def test_who_knows_only_the_endpoint_of_a_browser_does_not_take_it_over(api: Api) -> None:
    owner, thief, browser = await api.person(), await api.person(), Browser()
    endpoint = "https://push.example.com/one"
    assert (await owner.put(PUSH, json=browser.subscription(endpoint))).status_code == 204
    for other in (Browser(), Browser(auth=browser.auth)):
        answer = await thief.put(PUSH, json=other.subscription(endpoint))
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["pointer"] == "/keys"
    rows = "SELECT user_id || ' ' || encode(public_key, 'hex') FROM push_subscriptions"
    assert await api.sql(rows) == [f"{owner.id} {browser.point.hex()}"]
    # The account itself has it with new keys.
    renewed = Browser()
    assert (await owner.put(PUSH, json=renewed.subscription(endpoint))).status_code == 204
    assert await api.sql(rows) == [f"{owner.id} {renewed.point.hex()}"]


@pytest.mark.heavy
async def test_what_is_no_subscription_is_refused(api: Api) -> None:
    person, browser = await api.person(), Browser()
    good = browser.subscription("https://push.example.com/one")

    def keys(**changed: str) -> dict[str, Any]:
        return {**good, "keys": {**good["keys"], **changed}}

    bad: list[tuple[dict[str, Any], str]] = [
        ({**good, "endpoint": "https://10.0.0.1/"}, "/endpoint"),
        ({**good, "endpoint": "http://push.example.com:0/"}, "/endpoint"),
        ({**good, "endpoint": "https://a:b@push.example.com/"}, "/endpoint"),
        ({**good, "endpoint": "file:///etc/passwd"}, "/endpoint"),
        ({**good, "endpoint": "https://e.com/" + "a" * 2048}, "/endpoint"),
        (keys(p256dh="AAAA"), "/keys/p256dh"),
        (keys(p256dh=in_base64url(b"\4" + b"\1" * 64)), "/keys/p256dh"),
        (keys(p256dh="é"), "/keys/p256dh"),
        (keys(auth="AAAA"), "/keys/auth"),
        ({"endpoint": good["endpoint"]}, "/keys"),
        ({**good, "keys": None}, "/keys"),
    ]
    for sent, pointer in bad:
        answer = await person.put(PUSH, json=sent)
        assert answer.status_code == 400, sent
        assert answer.json()["errors"][0]["pointer"] == pointer, sent
    assert await api.sql("SELECT id FROM push_subscriptions") == []
    assert (await api.client.put(PUSH, json=good)).status_code == 401
