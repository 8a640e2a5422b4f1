"""Offers: the machine, who may do what, and what races with it."""

import asyncio
from typing import Any

import pytest

from adsvc.enums import OfferStatus
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.talk import Talk, inbox, talk


async def offer(person: Person, found: Talk, price: int = 100) -> dict[str, Any]:
    answer = await person.post(f"{found.path}/offers", json={"price": price})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def refused(person: Person, path: str, body: Any = None) -> list[str]:
    answer = await person.post(path, json=body)
    assert answer.status_code == 409, answer.text
    problem = answer.json()
    assert problem["type"] == "/problems#offer-not-possible"
    allowed: list[str] = problem["allowed"]
    return allowed


async def test_an_offer_is_made_answered_and_accepted(api: Api) -> None:
    found = await talk(api)
    first = await offer(found.buyer, found, 100)
    assert (first["price"], first["by"], first["status"]) == (100, "buyer", "open")
    assert first["expiresAt"] > (await found.seen_by(found.buyer))["updatedAt"] + 47 * 3_600_000
    assert (await found.seen_by(found.seller))["offer"] == first
    assert (await found.seen_by(found.seller))["unread"] == 2
    # In answer it closes the open one.
    second = await offer(found.seller, found, 120)
    assert (await found.seen_by(found.buyer))["offer"] == second
    done = await found.buyer.post(f"/offers/{second['id']}/accept")
    assert (done.status_code, done.json()["status"]) == (200, "accepted")
    for person in (found.buyer, found.seller):
        seen = await found.seen_by(person)
        assert (seen["offer"], seen["ad"]["status"]) == (None, "reserved")
        messages = (await person.get(f"{found.path}/messages")).json()["results"]
        assert [
            (m["kind"], m["text"], m["offer"] and m["offer"]["status"]) for m in messages[::-1]
        ] == [
            ("text", "Is it still there?", None),
            ("offer", "", "declined"),
            ("offer", "", "accepted"),
            ("notice", "accepted", "accepted"),
        ]
    types = await api.sql(
        "SELECT type FROM (SELECT type, data FROM changes UNION SELECT type, data FROM events)"
        " AS happened WHERE type LIKE 'offer%' OR type = 'ad.reserved' ORDER BY type"
    )
    assert types == ["ad.reserved", "offer.accepted", "offer.made", "offer.made"]


@pytest.mark.heavy
async def test_each_party_may_do_its_part_alone(api: Api) -> None:
    found = await talk(api)
    assert await refused(found.seller, f"{found.path}/offers", {"price": 1}) == []
    made = await offer(found.buyer, found)
    path = f"/offers/{made['id']}"
    again = await refused(found.buyer, f"{found.path}/offers", {"price": 1})
    assert again == ["withdraw"]
    for step in ("accept", "decline"):
        assert await refused(found.buyer, f"{path}/{step}") == ["withdraw"]
    assert await refused(found.seller, f"{path}/withdraw") == ["accept", "decline"]
    assert (await found.seller.post(f"{path}/decline")).json()["status"] == "declined"
    for person in (found.buyer, found.seller):
        for step in ("accept", "decline", "withdraw"):
            assert await refused(person, f"{path}/{step}") == []
    made = await offer(found.buyer, found)
    withdrawn = await found.buyer.post(f"/offers/{made['id']}/withdraw")
    assert withdrawn.json()["status"] == "withdrawn"
    assert (await found.texts_for(found.seller))[-1] == "withdrawn"


async def test_an_offer_expires(api: Api) -> None:
    found = await talk(api)
    made = await offer(found.buyer, found)
    await api.sql("UPDATE offers SET expires_at = now() - interval '1 second'")
    assert (await found.seen_by(found.seller))["offer"] is None
    listed = (await found.seller.get(f"{found.path}/messages")).json()["results"]
    assert listed[0]["offer"]["status"] == OfferStatus.EXPIRED
    assert await refused(found.seller, f"/offers/{made['id']}/accept") == []
    assert (await offer(found.buyer, found))["status"] == "open"


async def test_offers_of_others_are_as_those_that_do_not_exist(api: Api) -> None:
    found, stranger = await talk(api), await api.person()
    made = await offer(found.buyer, found)
    for step in ("accept", "decline", "withdraw"):
        answers = []
        for number in (made["id"], 987_654_321):
            answer = await stranger.post(f"/offers/{number}/{step}")
            assert answer.status_code == 404
            answers.append({k: v for k, v in answer.json().items() if k != "instance"})
        assert answers[0] == answers[1]
        assert (await api.client.post(f"/offers/{made['id']}/{step}")).status_code == 401
    wrong = await stranger.post(f"{found.path}/offers", json={"price": 1})
    assert wrong.status_code == 404
    assert (await api.client.post(f"{found.path}/offers", json={"price": 1})).status_code == 401
    for bad in (-1, "x", None, 2**31, 1.5, True):
        answer = await found.buyer.post(f"{found.path}/offers", json={"price": bad})
        assert answer.status_code == 400, bad


@pytest.mark.heavy
async def test_what_is_not_for_sale_gets_no_offers(api: Api) -> None:
    found = await talk(api)
    made = await offer(found.buyer, found)
    await found.seller.post(f"{found.about}/reserve")
    assert await refused(found.seller, f"/offers/{made['id']}/accept") == ["decline"]
    await found.seller.post(f"{found.about}/sell")
    assert await refused(found.seller, f"/offers/{made['id']}/accept") == ["decline"]
    await found.buyer.post(f"/offers/{made['id']}/withdraw")
    assert await refused(found.buyer, f"{found.path}/offers", {"price": 1}) == []
    await found.seller.delete(found.about)
    assert await refused(found.buyer, f"{found.path}/offers", {"price": 1}) == []


async def test_a_block_ends_offers_too(api: Api) -> None:
    found = await talk(api)
    made = await offer(found.buyer, found)
    await found.seller.request("PUT", f"/users/me/blocks/{found.buyer.id}")
    for person, path in (
        (found.buyer, f"{found.path}/offers"),
        (found.seller, f"/offers/{made['id']}/accept"),
        (found.seller, f"/offers/{made['id']}/decline"),
    ):
        answer = await person.post(path, json={"price": 1})
        assert (answer.status_code, answer.json()["type"]) == (403, "/problems#blocked"), path


async def test_offers_end_with_the_account(api: Api) -> None:
    found = await talk(api)
    made = await offer(found.buyer, found)
    gone = {"currentPassword": found.buyer.password}
    assert (await found.buyer.request("DELETE", "/users/me", json=gone)).status_code == 204
    answer = await found.seller.post(f"/offers/{made['id']}/accept")
    assert (answer.status_code, answer.json()["type"]) == (403, "/problems#closed")


async def test_an_offer_with_a_key_is_made_once(api: Api) -> None:
    found = await talk(api)
    headers = {"Idempotency-Key": "offer"}
    answers = [
        await found.buyer.post(f"{found.path}/offers", json={"price": 5}, headers=headers)
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    path = f"/offers/{answers[0].json()['id']}/accept"
    headers = {"Idempotency-Key": "accept"}
    accepted = [await found.seller.post(path, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in accepted] == [200, 200]


@pytest.mark.heavy
async def test_offers_are_limited(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", messages_per_user=1) as api:
        found = await talk(api)
        answer = await found.buyer.post(f"{found.path}/offers", json={"price": 5})
        assert answer.status_code == 429


@pytest.mark.guard
@pytest.mark.parametrize("rival", ["accept", "withdraw", "sell"])
async def test_of_an_acceptance_and_a_rival_one_wins(api: Api, rival: str) -> None:
    for _ in range(3):
        found = await talk(api)
        second = await talk(api, found.seller)
        other = await api.person()
        sent = await other.post(f"{found.about}/messages", json={"text": "Hi"})
        third = Talk(found.seller, other, found.ad, sent.json()["conversation"], 0)
        made, also = await offer(found.buyer, found), await offer(other, third)
        tag = (await found.seller.get(found.about)).headers["ETag"]
        accept = found.seller.post(f"/offers/{made['id']}/accept")
        if rival == "accept":
            against = found.seller.post(f"/offers/{also['id']}/accept")
        else:
            against = found.seller.post(f"{found.about}/{rival}", headers={"If-Match": tag})
        answers = await asyncio.gather(accept, against)
        better, worse = sorted(answer.status_code for answer in answers)
        assert better == 200
        assert worse in {409, 412}
        status = (await found.seen_by(found.seller))["ad"]["status"]
        won = answers[0].status_code == 200
        taken = {"accept": "reserved", "withdraw": "withdrawn", "sell": "sold"}[rival]
        assert status == ("reserved" if won else taken)
        assert (await second.seen_by(second.buyer))["ad"]["status"] == "active"


@pytest.mark.guard
@pytest.mark.parametrize("rival", ["accept", "decline", "counter"])
async def test_of_an_answer_and_the_withdrawal_of_the_offer_one_wins(api: Api, rival: str) -> None:
    """Two accounts: the lock of the conversation alone puts them one after the other."""
    for _ in range(4):
        found = await talk(api)
        made = await offer(found.buyer, found)
        if rival == "counter":
            answer = found.seller.post(f"{found.path}/offers", json={"price": 120})
        else:
            answer = found.seller.post(f"/offers/{made['id']}/{rival}")
        withdrawal = found.buyer.post(f"/offers/{made['id']}/withdraw")
        answers = await asyncio.gather(answer, withdrawal)
        answered, withdrawn = (one.is_success for one in answers)
        assert {answered, withdrawn} == {True, False}
        assert next(one.status_code for one in answers if not one.is_success) == 409
        messages = (await found.buyer.get(f"{found.path}/messages")).json()["results"]
        # Its message, and that of what has ended it.
        assert len(messages) == 3
        ended = "accepted" if rival == "accept" else "declined"
        assert messages[1]["offer"]["status"] == (ended if answered else "withdrawn")
        status = (await found.seen_by(found.seller))["ad"]["status"]
        assert (status == "reserved") == (answered and rival == "accept")


@pytest.mark.guard
async def test_of_many_offers_at_once_one_is_open(api: Api) -> None:
    found = await talk(api)
    answers = await asyncio.gather(*(
        found.buyer.post(f"{found.path}/offers", json={"price": price}) for price in range(8)
    ))  # fmt: skip
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 7]
    assert len(await inbox(found.seller)) == 1
