"""A seller and a buyer, from registering to the end of an ad, over a line that fails them."""

import time
from pathlib import Path

import httpx2
import pytest

from adsvc_client import AdNotFoundError, AdsvcClient, AsyncAdsvcClient, PreconditionFailedError
from bad_line import BadLine

PASSWORD = "correct horse battery"
DESCRIPTION = "Solid oak, oiled, 180 by 90 cm."


def expire(client: AdsvcClient | AsyncAdsvcClient, address: str) -> None:
    """Until the service does not take the access token any more, which the client is not told."""
    tokens = client._session.tokens
    assert tokens is not None
    object.__setattr__(tokens, "lasts_until", float("inf"))
    headers = {"Authorization": f"Bearer {tokens.access}"}
    while httpx2.get(f"{address}/users/me", headers=headers).status_code != 401:
        time.sleep(0.05)


def test_a_seller_and_a_buyer(line: BadLine, service: str, photo: Path, name: str) -> None:
    with AdsvcClient(line.address) as seller, AdsvcClient(line.address) as buyer:
        for client, who in ((seller, f"seller-{name}"), (buyer, f"buyer-{name}")):
            client.register(username=who, password=PASSWORD, first_name="Anna")
            client.login(username=who, password=PASSWORD)
        line.lose_answer("POST", "/ads")
        oak = seller.create_ad(
            title="Oak table, seats six", price=150, description=DESCRIPTION, images=[photo, photo]
        )
        assert [ad.pk for ad in seller.my_ads()] == [oak.pk]
        for price in (10, 20):
            seller.create_ad(
                title="A chair of oak",
                price=price,
                description=DESCRIPTION,
                price_type="negotiable",
                images=[photo.read_bytes()],
            )

        cheap = list(buyer.ads(limit=1, q="oak", author=oak.author, sort="price"))
        assert [ad.price for ad in cheap] == [10, 20, 150]
        expire(buyer, service)
        read = buyer.get_ad(oak.pk)
        assert (read.title, len(read.images)) == ("Oak table, seats six", 2)
        comment = buyer.create_comment(oak.pk, text="Is it still there?")
        assert [one.pk for one in seller.comments(oak.pk)] == [comment.pk]

        line.refuse("PATCH", f"/ads/{oak.pk}", 503, retry_after=0)
        before = seller.get_ad(oak.pk)
        changed = seller.update_ad(oak.pk, title="Oak table, oiled", if_match=before)
        assert (changed.title, changed.price) == ("Oak table, oiled", 150)
        with pytest.raises(PreconditionFailedError) as refused:
            seller.update_ad(oak.pk, price=1, if_match=before)
        assert refused.value.status == 412
        assert seller.reserve_ad(oak.pk).status == "reserved"
        assert seller.sell_ad(oak.pk, price=140).status == "sold"
        line.lose_answer("DELETE", f"/ads/{oak.pk}")
        seller.delete_ad(oak.pk)
        with pytest.raises(AdNotFoundError) as gone:
            buyer.get_ad(oak.pk)
        assert (gone.value.status, gone.value.type) == (404, "/problems#ad-not-found")
        seller.logout()
        assert not seller.logged_in
        assert line.faults == []


async def test_the_same_awaited(line: BadLine, service: str, photo: Path, name: str) -> None:
    async with AsyncAdsvcClient(line.address) as seller, AsyncAdsvcClient(line.address) as buyer:
        for client, who in ((seller, f"seller-{name}"), (buyer, f"buyer-{name}")):
            await client.register(username=who, password=PASSWORD, first_name="Anna")
            await client.login(username=who, password=PASSWORD)
        line.lose_answer("POST", "/ads")
        oak = await seller.create_ad(
            title="Oak table, seats six", price=150, description=DESCRIPTION, images=[photo, photo]
        )
        assert [ad.pk async for ad in seller.my_ads()] == [oak.pk]
        for price in (10, 20):
            await seller.create_ad(
                title="A chair of oak",
                price=price,
                description=DESCRIPTION,
                price_type="negotiable",
                images=[photo],
            )

        cheap = [ad async for ad in buyer.ads(limit=1, q="oak", author=oak.author, sort="price")]
        assert [ad.price for ad in cheap] == [10, 20, 150]
        expire(buyer, service)
        read = await buyer.get_ad(oak.pk)
        assert (read.title, len(read.images)) == ("Oak table, seats six", 2)
        comment = await buyer.create_comment(oak.pk, text="Is it still there?")
        assert [one.pk async for one in seller.comments(oak.pk)] == [comment.pk]

        line.refuse("PATCH", f"/ads/{oak.pk}", 503, retry_after=0)
        before = await seller.get_ad(oak.pk)
        changed = await seller.update_ad(oak.pk, title="Oak table, oiled", if_match=before)
        assert (changed.title, changed.price) == ("Oak table, oiled", 150)
        with pytest.raises(PreconditionFailedError) as refused:
            await seller.update_ad(oak.pk, price=1, if_match=before)
        assert refused.value.status == 412
        assert (await seller.reserve_ad(oak.pk)).status == "reserved"
        assert (await seller.sell_ad(oak.pk, price=140)).status == "sold"
        line.lose_answer("DELETE", f"/ads/{oak.pk}")
        await seller.delete_ad(oak.pk)
        with pytest.raises(AdNotFoundError) as gone:
            await buyer.get_ad(oak.pk)
        assert (gone.value.status, gone.value.type) == (404, "/problems#ad-not-found")
        await seller.logout()
        assert not seller.logged_in
        assert line.faults == []


def test_a_buyer_follows_an_ad_and_talks_about_it(service: str, photo: Path, name: str) -> None:
    with AdsvcClient(service) as seller, AdsvcClient(service) as buyer:
        for client, who in ((seller, f"seller-{name}"), (buyer, f"buyer-{name}")):
            client.register(username=who, password=PASSWORD, first_name="Anna")
            client.login(username=who, password=PASSWORD)
        lamp = seller.create_ad(
            title="Lamp", price=50, description=DESCRIPTION, images=[photo.read_bytes()]
        )
        buyer.add_favorite(lamp.pk)
        assert [kept.pk for kept in buyer.my_favorites(limit=1)] == [lamp.pk]
        buyer.remove_favorite(lamp.pk)
        assert list(buyer.my_favorites()) == []
        search = buyer.save_search(query="q=lamp&max_price=60", name="Lamps", notify="daily")
        assert [one.name for one in buyer.list_my_searches().results] == ["Lamps"]
        buyer.mark_search_seen(search.id)
        assert buyer.update_search(search.id, notify="never").notify == "never"
        buyer.delete_search(search.id)

        first = buyer.write_about_ad(lamp.pk, text="Is it still there?")
        [mine] = seller.conversations(unread=True)
        assert (mine.id, mine.role, mine.last.text) == (
            first.conversation, "seller", "Is it still there?"
        )  # fmt: skip
        seller.read_messages(mine.id, up_to=first.id)
        answer = seller.send_message(mine.id, text="Yes")
        read = list(buyer.messages(mine.id, limit=1))
        assert [one.id for one in read] == [answer.id, first.id]
        assert [(one.mine, one.removed) for one in read] == [(False, False), (True, False)]
        offer = buyer.make_offer(mine.id, price=40)
        assert seller.accept_offer(offer.id).status == "accepted"
        assert buyer.get_ad(lamp.pk).status == "reserved"


async def test_the_same_talk_awaited(service: str, photo: Path, name: str) -> None:
    async with AsyncAdsvcClient(service) as seller, AsyncAdsvcClient(service) as buyer:
        for client, who in ((seller, f"seller-{name}"), (buyer, f"buyer-{name}")):
            await client.register(username=who, password=PASSWORD, first_name="Anna")
            await client.login(username=who, password=PASSWORD)
        lamp = await seller.create_ad(
            title="Lamp", price=50, description=DESCRIPTION, images=[photo]
        )
        await buyer.add_favorite(lamp.pk)
        assert [kept.pk async for kept in buyer.my_favorites(limit=1)] == [lamp.pk]
        first = await buyer.write_about_ad(lamp.pk, text="Is it still there?")
        [mine] = [one async for one in seller.conversations(unread=True)]
        answer = await seller.send_message(mine.id, text="Yes")
        read = [one.id async for one in buyer.messages(mine.id, limit=1)]
        assert read == [answer.id, first.id]
