"""Sales to an account that has talked about the ad."""

import asyncio
from typing import Any

import pytest

from support.scene.api import Api, Person
from support.scene.talk import Talk, talk, write


async def sell(person: Person, found: Talk, buyer: object, **more: Any) -> Any:
    return await person.post(f"{found.about}/sell", json={"buyer": buyer}, **more)


async def statuses(found: Talk) -> tuple[str, list[str]]:
    seen = await found.seen_by(found.seller)
    return seen["ad"]["status"], await found.texts_for(found.buyer)


@pytest.mark.heavy
async def test_the_buyer_is_told_in_the_conversation(api: Api) -> None:
    found, admin = await talk(api), await api.admin()
    other = await api.person()
    beside = await write(other, found.about)
    sold = await found.seller.post(
        f"{found.about}/sell", json={"buyer": found.buyer.id, "price": 12}
    )
    assert (sold.status_code, sold.json()["status"], sold.json()["price"]) == (200, "sold", 12)
    seen = await found.seen_by(found.buyer)
    assert (seen["last"]["kind"], seen["last"]["text"], seen["last"]["mine"]) == (
        "notice", "sold", False
    )  # fmt: skip
    assert (seen["unread"], seen["ad"]["status"], seen["last"]["offer"]) == (1, "sold", None)
    assert (await other.get(f"/conversations/{beside['conversation']}")).json()["unread"] == 0
    assert await api.sql("SELECT count(*) FROM conversations WHERE sold_at IS NOT NULL") == [1]
    events = await api.sql(
        "SELECT type FROM (SELECT type, data FROM changes UNION SELECT type, data FROM events)"
        " AS happened WHERE data->>'to' = :buyer",
        buyer=str(found.buyer.id),
    )
    assert events == ["message.sent"]
    # An administrator sells on behalf of the author.
    again = await talk(api)
    assert (await sell(admin, again, again.buyer.id)).status_code == 200
    assert (await again.seen_by(again.seller))["last"]["mine"] is True


@pytest.mark.heavy
@pytest.mark.parametrize("is_buyer", [True, False])
async def test_a_sale_to_someone_blocked_writes_nothing_to_them(api: Api, is_buyer: bool) -> None:  # noqa: FBT001 - a parameter
    found = await talk(api)
    by, blocked = (found.buyer, found.seller) if is_buyer else (found.seller, found.buyer)
    assert (await by.put(f"/users/me/blocks/{blocked.id}")).status_code == 204
    before = await found.texts_for(found.buyer)
    assert (await sell(found.seller, found, found.buyer.id)).json()["status"] == "sold"
    assert await found.texts_for(found.buyer) == before
    assert (await found.seen_by(found.buyer))["unread"] == 0
    assert await api.sql("SELECT count(*) FROM conversations WHERE sold_at IS NOT NULL") == [1]


@pytest.mark.heavy
async def test_only_one_who_has_talked_about_the_ad_has_bought_it(api: Api) -> None:
    found, stranger = await talk(api), await api.person()
    elsewhere = await talk(api, found.seller)
    held = await api.person()
    sent = await write(held, found.about)
    await api.sql(
        "UPDATE conversations SET seller_last = NULL WHERE id = :id", id=sent["conversation"]
    )
    wrong = (stranger.id, elsewhere.buyer.id, found.seller.id, held.id, 987_654_321, 2**53 - 1)
    for buyer in (*wrong, 0, -1, "7", None, 1.5, True, 2**53, 2**70, [7]):
        answer = await sell(found.seller, found, buyer)
        assert answer.status_code == 400, buyer
        [error] = answer.json()["errors"]
        assert error["pointer"] == "/buyer"
    assert await statuses(found) == ("active", ["Is it still there?"])
    for person, status in ((found.buyer, 403), (stranger, 403)):
        assert (await sell(person, found, found.buyer.id)).status_code == status
    assert (await sell(found.seller, found, found.buyer.id)).status_code == 200
    again = await sell(found.seller, found, stranger.id)
    assert (again.status_code, again.json()["type"]) == (409, "/problems#illegal-transition")


async def test_a_sale_to_a_buyer_obeys_tags_and_keys(api: Api) -> None:
    found = await talk(api)
    old = (await found.seller.get(found.about)).headers["ETag"]
    await found.seller.patch(found.about, json={"price": 5})
    overtaken = await sell(found.seller, found, found.buyer.id, headers={"If-Match": old})
    assert overtaken.status_code == 412
    assert await statuses(found) == ("active", ["Is it still there?"])
    tag = (await found.seller.get(found.about)).headers["ETag"]
    headers = {"If-Match": tag, "Idempotency-Key": "sale"}
    for _ in range(2):
        answer = await sell(found.seller, found, found.buyer.id, headers=headers)
        assert (answer.status_code, answer.json()["status"]) == (200, "sold")
    assert await statuses(found) == ("sold", ["Is it still there?", "sold"])


@pytest.mark.heavy
async def test_a_buyer_whose_account_is_gone_has_bought_nothing(api: Api) -> None:
    found = await talk(api)
    gone = {"currentPassword": found.buyer.password}
    assert (await found.buyer.request("DELETE", "/users/me", json=gone)).status_code == 204
    assert (await sell(found.seller, found, found.buyer.id)).status_code == 400
    assert (await found.seen_by(found.seller))["ad"]["status"] == "active"


@pytest.mark.guard
async def test_of_several_sales_at_once_one_buyer_gets_the_notice(api: Api) -> None:
    found = await talk(api)
    buyers = [found.buyer, *[await api.person() for _ in range(3)]]
    begun = [await write(buyer, found.about) for buyer in buyers]
    paths = [f"/conversations/{message['conversation']}" for message in begun]
    answers = await asyncio.gather(
        *(sell(found.seller, found, buyer.id) for buyer in buyers),
        *(write(buyer, path, "Hello?") for buyer, path in zip(buyers, paths, strict=True)),
    )
    assert sorted(answer.status_code for answer in answers[:4]) == [200, 409, 409, 409]
    for buyer, path, answer in zip(buyers, paths, answers, strict=False):
        page = (await buyer.get(f"{path}/messages")).json()["results"]
        ids = [message["id"] for message in page]
        assert ids == sorted(ids, reverse=True)
        assert ("sold" in [message["text"] for message in page]) == (answer.status_code == 200)
