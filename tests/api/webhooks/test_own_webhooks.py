"""Webhooks of accounts: who manages them, and that they are sent nothing that others' are."""

import asyncio
from typing import Any

import pytest

from adsvc.enums import EventType
from adsvc.repositories.webhooks import MOST_PENDING_OF_ACCOUNT
from adsvc.services.webhooks import MOST_OF_ACCOUNT
from conftest import ApiFactory
from support.outside.receiver import receiving
from support.scene.api import Api, Person
from support.scene.keys import with_key
from support.scene.talk import grown, talk
from support.scene.warmth import settle

OWN = "/users/me/webhooks"
SENT = {"url": "https://shop.example.com/hooks", "types": ["ad.sold", "message.sent"]}


async def created(person: Person, **members: Any) -> dict[str, Any]:
    answer = await person.post(OWN, json={**SENT, **members})
    assert answer.status_code == 201, answer.text
    webhook: dict[str, Any] = answer.json()
    return webhook


@pytest.mark.heavy
async def test_an_account_manages_its_own_webhooks_and_no_others(api: Api) -> None:
    person, other, admin = await api.person(), await api.person(), await api.admin()
    webhook = await created(person)
    site = (await admin.post("/webhooks", json={**SENT, "types": ["ad.sold"]})).json()
    await api.sql("UPDATE webhooks SET paused_until = 'infinity'")
    path = f"{OWN}/{webhook['id']}"
    assert [each["id"] for each in (await person.get(OWN)).json()["results"]] == [webhook["id"]]
    assert (await other.get(OWN)).json() == {"results": []}
    assert [each["id"] for each in (await admin.get("/webhooks")).json()["results"]] == [site["id"]]
    assert (await person.post(f"{path}/test")).status_code == 202
    [delivery] = (await person.get(f"{path}/deliveries")).json()["results"]
    operations: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", path, {}), ("GET", f"{path}/deliveries", {}), ("POST", f"{path}/rotate", {}),
        ("POST", f"{path}/test", {}), ("POST", f"{path}/deliveries/{delivery['id']}/retry", {}),
        ("POST", f"{path}/replay", {"since": 0}), ("PATCH", path, {"enabled": False}),
        ("DELETE", path, {}),
    ]  # fmt: skip
    for who, prefix in ((other, OWN), (admin, OWN), (admin, "/webhooks")):
        for method, place, body in operations:
            answer = await who.request(method, place.replace(OWN, prefix), json=body)
            assert answer.status_code == 404, (method, place)
    assert (await person.get(f"{OWN}/{site['id']}")).status_code == 404
    for method, place, body in operations:
        answer = await person.request(method, place, json=body)
        assert answer.is_success, (method, place, answer.text)
    assert (await person.get(OWN)).json() == {"results": []}


@pytest.mark.heavy
async def test_the_sixth_webhook_and_types_of_others_are_refused(api: Api) -> None:
    person, admin = await api.person(), await api.admin()
    for kind in sorted(set(EventType) - {"searchMatched"}):
        is_own = kind.startswith(("ad.", "message.", "offer."))
        answer = await person.post(OWN, json={**SENT, "types": ["ad.sold", kind][is_own:]})
        if not is_own:
            assert answer.json()["errors"][0]["pointer"] == "/types/1", kind
        await api.sql("DELETE FROM webhooks")
    answer = await admin.post("/webhooks", json={**SENT, "types": ["searchMatched"]})
    assert answer.json()["errors"][0]["pointer"] == "/types/0"
    for _ in range(MOST_OF_ACCOUNT):
        webhook = await created(person, types=["searchMatched"])
    answer = await person.post(OWN, json=SENT)
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems#too-many")
    wrong = await person.patch(f"{OWN}/{webhook['id']}", json={"types": ["user.deleted"]})
    assert wrong.json()["errors"][0]["pointer"] == "/types/0"
    await created(await api.person())


@pytest.mark.heavy
async def test_a_key_needs_the_scopes_of_what_is_sent(api: Api) -> None:
    person = await api.person()
    manager = await with_key(api, person, "account:write", "ads:read")
    answer = await manager.post(OWN, json=SENT)
    assert (answer.status_code, answer.json()["scope"]) == (403, "messages:read")
    path = f"{OWN}/{(await created(manager, types=['ad.sold', 'searchMatched']))['id']}"
    answer = await manager.patch(path, json={"types": ["offer.made"]})
    assert answer.json()["scope"] == "messages:read"
    other = f"{OWN}/{(await created(person))['id']}"
    for method, place in (("POST", f"{other}/rotate"), ("DELETE", other), ("GET", other)):
        answer = await manager.request(method, place)
        assert (answer.status_code, answer.json()["scope"]) == (403, "messages:read")
    assert (await manager.delete(path)).status_code == 204


async def test_a_disabled_webhook_says_when_and_why(api: Api) -> None:
    person = await api.person()
    webhook = await created(person)
    assert webhook["disabledAt"] is webhook["disabledReason"] is None
    path = f"{OWN}/{webhook['id']}"
    disabled = (await person.patch(path, json={"enabled": False})).json()
    assert disabled["disabledReason"] == "requested"
    assert disabled["disabledAt"] >= webhook["createdAt"]
    assert (await person.post(f"{path}/replay", json={"since": 0})).status_code == 409
    enabled = (await person.patch(path, json={"enabled": True})).json()
    assert enabled["disabledAt"] is enabled["disabledReason"] is None


@pytest.mark.guard
async def test_with_too_much_pending_nothing_is_queued(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs="on") as api:
        person = await api.person()
        full, empty = [await created(person, types=["ad.created"]) for _ in range(2)]
        # Nothing is sent.
        await api.sql("UPDATE webhooks SET paused_until = 'infinity'")
        await api.sql(
            "INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, message_id, next_at)"
            " SELECT :webhook, number + 1000000, 'ad.created', '{}', gen_random_uuid(), now()"
            " FROM generate_series(1, :most) AS number RETURNING id",
            webhook=full["id"],
            most=MOST_PENDING_OF_ACCOUNT,
        )

        async def queued(webhook: dict[str, Any]) -> int:
            counted = "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = :webhook"
            [number] = await api.sql(counted, webhook=webhook["id"])
            return int(number)

        await person.post_ad()
        async with asyncio.timeout(20):
            while True:
                if await queued(empty):
                    break
                await asyncio.sleep(0.05)
        assert await queued(full) == MOST_PENDING_OF_ACCOUNT


@pytest.mark.guard
async def test_an_account_is_sent_what_concerns_it_alone(start_own_api: ApiFactory) -> None:
    async with (
        receiving() as sellers,
        receiving() as buyers,
        start_own_api(jobs="on", webhook_networks=("127.0.0.0/8",)) as api,
    ):
        seller, buyer, stranger = await grown(api), await grown(api), await grown(api)
        query = {"query": f"author={seller.id}", "name": "S", "notify": "never"}
        search = (await buyer.post("/users/me/searches", json=query)).json()["id"]
        await settle(api)
        types = ["ad.created", "ad.sold", "message.sent", "offer.made", "offer.accepted"]
        await created(seller, url=sellers.url, types=types)
        await created(buyer, url=buyers.url, types=[*types, "searchMatched"])
        other = await talk(api, seller=stranger)
        found = await talk(api, seller=seller, buyer=buyer)
        offer = await buyer.post(f"{found.path}/offers", json={"price": 5})
        await seller.post(f"/offers/{offer.json()['id']}/accept")
        await buyers.until_received(2)
        await seller.post(f"/ads/{found.ad}/sell")
        await sellers.until_received(4)
        told = [(each.event["type"], each.event["ad"]) for each in sellers.received]
        assert sorted(told) == sorted(
            (kind, found.ad) for kind in ("ad.created", "message.sent", "offer.made", "ad.sold")
        )
        seen = {each.event["type"]: each.event for each in buyers.received}
        assert sorted(seen) == ["offer.accepted", "searchMatched"]
        assert seen["searchMatched"]["data"] == {"searches": [search]}
        assert seen["searchMatched"]["ad"] == found.ad != other.ad
        # Nothing of an account that it has blocked.
        await buyer.put(f"/users/me/blocks/{seller.id}")
        await seller.post_ad()
        await buyer.post_ad()
        received = await buyers.until_received(3)
        assert received[-1].event["type"] == "ad.created"
