"""Webhooks as administrators manage them. What is sent is in tests/worker."""

from typing import Any

import pytest
from standardwebhooks import Webhook

from adsvc.services.webhooks import MOST_WEBHOOKS, WebhookSecrets
from adsvc.worker import webhooks as deliveries
from conftest import SECRET, ApiFactory
from support.outside.receiver import receiving
from support.scene.api import Api, Person
from support.scene.moderation import moderator
from support.scene.warmth import settle
from support.trouble.blocking import while_changing

SENT = {"url": "https://shop.example.com/hooks", "types": ["ad.created", "ad.sold"]}


async def created(api: Api, admin: Person, **members: Any) -> dict[str, Any]:
    """Its circuit is open, so that nothing is sent."""
    answer = await admin.post("/webhooks", json={**SENT, **members})
    assert answer.status_code == 201, answer.text
    webhook: dict[str, Any] = answer.json()
    await api.sql("UPDATE webhooks SET paused_until = 'infinity'")
    return webhook


@pytest.mark.heavy
async def test_a_webhook_s_life(api: Api) -> None:
    admin, other = await api.admin(), await api.admin()
    answer = await admin.post("/webhooks", json={**SENT, "description": "Stock"})
    assert answer.headers["cache-control"] == "no-store"
    made = answer.json()
    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert made == {
        **SENT, "id": made["id"], "description": "Stock", "enabled": True,
        "createdAt": made["createdAt"], "disabledAt": None, "disabledReason": None,
    }  # fmt: skip
    path = f"/webhooks/{made['id']}"
    # Webhooks are the site's. Nowhere is the secret again.
    assert (await other.get(path)).json() == made
    assert (await other.get("/webhooks")).json() == {"results": [made]}
    changes = {"url": "https://other.example.com/", "types": ["user.deleted"], "enabled": False}
    changed = (await other.patch(path, json=changes)).json()
    disabled = {"disabledAt": changed["disabledAt"], "disabledReason": "requested"}
    assert changed == {**made, **changes, **disabled}
    assert (await admin.get(path)).json() == changed
    assert (await other.delete(path)).status_code == 204
    assert (await admin.get(path)).status_code == 404
    assert (await admin.get("/webhooks")).json() == {"results": []}
    events = await api.sql("SELECT event FROM audit_events ORDER BY id")
    assert events[-3:] == ["webhook_created", "webhook_changed", "webhook_deleted"]


@pytest.mark.heavy
async def test_only_administrators_may(api: Api) -> None:
    webhook = await created(api, await api.admin())
    path = f"/webhooks/{webhook['id']}"
    operations = [
        ("POST", "/webhooks"), ("GET", "/webhooks"), ("GET", path), ("PATCH", path),
        ("DELETE", path), ("POST", f"{path}/test"), ("POST", f"{path}/rotate"),
        ("GET", f"{path}/deliveries"), ("POST", f"{path}/deliveries/1/retry"),
        # Nor do others find out what there is.
        ("GET", "/webhooks/99"), ("POST", "/webhooks/99/test"),
    ]  # fmt: skip
    for person in (await api.person(), await moderator(api)):
        for method, operation in operations:
            answer = await person.request(method, operation)
            assert answer.status_code == 403, (method, operation)
    for method, operation in operations:
        assert (await api.client.request(method, operation)).status_code == 401


@pytest.mark.heavy
async def test_what_is_wrong_with_a_webhook_is_named(api: Api) -> None:
    admin = await api.admin()
    path = f"/webhooks/{(await created(api, admin))['id']}"
    bad: list[tuple[dict[str, Any], str]] = [
        ({"types": []}, "/types"),
        ({"types": ["ad.created", "ad.created"]}, "/types"),
        ({"types": ["ad.made"]}, "/types/0"),
        ({"types": ["webhook.test"]}, "/types/0"),
        ({"types": "ad.created"}, "/types"),
        ({"description": "a" * 201}, "/description"),
        ({"description": "\0"}, "/description"),
        ({"description": None}, "/description"),
        ({"url": None}, "/url"),
        *(
            ({"url": url}, "/url")
            for url in (
                "http://shop.example.com/", "shop.example.com", "https://127.0.0.1/",
                "https://[::1]/", "https://0x7f.1/", "https://169.254.169.254/",
                "https://user:password@shop.example.com/", f"https://shop.example.com/{'a' * 2048}",
                "https://shop.example.com/\0", "",
            )
        ),
    ]  # fmt: skip
    for members, pointer in bad:
        for answer in (
            await admin.post("/webhooks", json={**SENT, **members}),
            await admin.patch(path, json=members),
        ):
            assert answer.status_code == 400, members
            assert [each["pointer"] for each in answer.json()["errors"]] == [pointer], members
    for missing in SENT:
        sent = {name: value for name, value in SENT.items() if name != missing}
        answer = await admin.post("/webhooks", json=sent)
        assert answer.json()["errors"][0]["pointer"] == f"/{missing}"
    for empty in ({}, {"enabled": None}, {"enabled": "true"}):
        assert (await admin.patch(path, json=empty)).status_code == 400
    assert len((await admin.get("/webhooks")).json()["results"]) == 1


async def test_the_url_is_kept_as_it_is_requested(api: Api) -> None:
    admin = await api.admin()
    url = "https://B\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.Test"
    webhook = await created(api, admin, url=url)
    assert webhook["url"] == "https://xn--bcher-kva.test/"


@pytest.mark.heavy
async def test_exceptions_are_taken_with_http(start_api: ApiFactory) -> None:
    async with start_api(webhook_networks=("127.0.0.0/8",)) as api:
        admin = await api.admin()
        assert (await created(api, admin, url="http://127.0.0.1:9/"))["enabled"]
        for url in ("http://10.0.0.1/", "https://10.0.0.1/", "http://192.0.2.1/"):
            assert (await admin.post("/webhooks", json={**SENT, "url": url})).status_code == 400


@pytest.mark.heavy
async def test_there_may_be_so_many(api: Api) -> None:
    admin, other = await api.admin(), await api.admin()
    for number in range(MOST_WEBHOOKS):
        await created(api, other if number % 2 else admin)
    refused = await admin.post("/webhooks", json=SENT)
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems#too-many"
    first = (await admin.get("/webhooks")).json()["results"][0]
    await admin.delete(f"/webhooks/{first['id']}")
    await created(api, admin)


@pytest.mark.heavy
async def test_secrets_are_encrypted_in_the_database(api: Api) -> None:
    admin = await api.admin()
    webhook = await created(api, admin)
    rotated = (await admin.post(f"/webhooks/{webhook['id']}/rotate")).json()
    assert rotated.keys() == webhook.keys()
    assert rotated["secret"] != webhook["secret"]
    keeping = WebhookSecrets(SECRET)
    for column, secret in (("secret", rotated["secret"]), ("old_secret", webhook["secret"])):
        [stored] = await api.sql(f"SELECT {column} FROM webhooks")  # noqa: S608
        assert keeping.decrypted(stored) == secret
        assert secret.removeprefix("whsec_").encode() not in stored
    [left] = await api.sql("SELECT old_secret_until - now() FROM webhooks")
    assert 23.9 < left.total_seconds() / 3600 <= 24


@pytest.mark.heavy
async def test_a_test_is_a_delivery(api: Api) -> None:
    admin = await api.admin()
    path = f"/webhooks/{(await created(api, admin))['id']}"
    answer = await admin.post(f"{path}/test")
    assert (answer.status_code, answer.content) == (202, b"")
    listed = (await admin.get(f"{path}/deliveries")).json()
    [delivery] = listed["results"]
    assert listed["next"] is None
    assert delivery == {
        "id": delivery["id"], "event": 0, "type": "webhook.test", "status": "pending",
        "attempts": 0, "nextAt": delivery["nextAt"], "lastStatus": None,
        "at": None, "milliseconds": None, "answer": None,
    }  # fmt: skip
    assert isinstance(delivery["nextAt"], int)


@pytest.mark.heavy
async def test_deliveries_are_listed_by_pages_and_status(api: Api) -> None:
    admin = await api.admin()
    path = f"/webhooks/{(await created(api, admin))['id']}"
    for _ in range(5):
        await admin.post(f"{path}/test")
    await api.sql("UPDATE webhook_deliveries SET status = 'failed' WHERE id % 2 = 0")
    everything = (await admin.get(f"{path}/deliveries")).json()["results"]
    assert [each["id"] for each in everything] == sorted(
        (each["id"] for each in everything), reverse=True
    )
    for status in (None, "pending", "failed", "delivered"):
        query: dict[str, str] = {} if status is None else {"status": status}
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            params = {**query, **cursor, "limit": "2"}
            page = (await admin.get(f"{path}/deliveries", params=params)).json()
            found += page["results"]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert found == [each for each in everything if status in (None, each["status"])]
    for bad in ({"status": "lost"}, {"limit": "0"}, {"cursor": "x"}):
        assert (await admin.get(f"{path}/deliveries", params=bad)).status_code == 400


@pytest.mark.heavy
async def test_a_delivery_that_ended_is_sent_again(api: Api) -> None:
    admin = await api.admin()
    path = f"/webhooks/{(await created(api, admin))['id']}"
    await admin.post(f"{path}/test")
    [delivery] = (await admin.get(f"{path}/deliveries")).json()["results"]
    retry = f"{path}/deliveries/{delivery['id']}/retry"
    end = (
        "UPDATE webhook_deliveries SET status = :status, attempts = 10, next_at = NULL, "
        "ended_at = now()"
    )
    for status in ("failed", "delivered"):
        await api.sql(end, status=status)
        assert (await admin.post(retry)).status_code == 202
        [found] = (await admin.get(f"{path}/deliveries")).json()["results"]
        # An attempt may have begun: a retry ends the pause of the circuit.
        assert (found["status"], found["attempts"] < 2) == ("pending", True)
        assert found["nextAt"] is not None
        await api.sql("UPDATE webhooks SET paused_until = 'infinity'")
    # One that waits is sent at once, and has no fewer attempts than before.
    wait = (
        "UPDATE webhook_deliveries SET attempts = 3, claimed_until = NULL, "
        "next_at = now() + interval '5 h'"
    )
    await api.sql(wait)
    assert (await admin.post(retry)).status_code == 202
    due = "SELECT attempts >= 3 FROM webhook_deliveries WHERE next_at < now() + interval '1 h'"
    assert await api.sql(due) == [True]


@pytest.mark.heavy
async def test_what_is_not_there_is_404(api: Api) -> None:
    admin = await api.admin()
    path = f"/webhooks/{(await created(api, admin))['id']}"
    other = f"/webhooks/{(await created(api, admin))['id']}"
    await admin.post(f"{other}/test")
    [delivery] = (await admin.get(f"{other}/deliveries")).json()["results"]
    for method, missing, problem in (
        ("GET", "/webhooks/99", "webhook"),
        ("DELETE", "/webhooks/99", "webhook"),
        ("POST", "/webhooks/99/test", "webhook"),
        ("POST", "/webhooks/99/rotate", "webhook"),
        ("GET", "/webhooks/99/deliveries", "webhook"),
        ("POST", "/webhooks/99/deliveries/1/retry", "webhook"),
        ("POST", f"{path}/deliveries/{delivery['id']}/retry", "delivery"),
    ):
        answer = await admin.request(method, missing)
        assert answer.status_code == 404, missing
        assert answer.json()["type"] == f"/problems#{problem}-not-found"
    assert (await admin.patch("/webhooks/99", json={"enabled": True})).status_code == 404
    for bad in ("/webhooks/x", f"{path}/deliveries/0/retry"):
        method = "POST" if "retry" in bad else "GET"
        assert (await admin.request(method, bad)).status_code == 400


@pytest.mark.heavy
async def test_one_that_is_disabled_gives_up_what_is_pending(api: Api) -> None:
    admin = await api.admin()
    path = f"/webhooks/{(await created(api, admin))['id']}"
    await admin.post(f"{path}/test")
    [delivery] = (await admin.get(f"{path}/deliveries")).json()["results"]
    await api.sql("UPDATE webhooks SET failures = 9, position = -1")
    assert not (await admin.patch(path, json={"enabled": False})).json()["enabled"]
    [found] = (await admin.get(f"{path}/deliveries")).json()["results"]
    assert (found["status"], found["nextAt"]) == ("failed", None)
    for refused in (
        await admin.post(f"{path}/test"),
        await admin.post(f"{path}/deliveries/{delivery['id']}/retry"),
    ):
        assert refused.status_code == 409
        assert refused.json()["type"] == "/problems#webhook-disabled"
    # What happened meanwhile is not sent.
    assert (await admin.patch(path, json={"enabled": True})).json()["enabled"]
    begun = (
        "SELECT count(*) FROM webhooks WHERE failures = 0 AND paused_until IS NULL "
        "AND position = (SELECT max(last_event_id) FROM event_batches)"
    )
    assert await api.sql(begun) == [1]
    assert (await admin.post(f"{path}/deliveries/{delivery['id']}/retry")).status_code == 202


async def test_it_outlives_the_account_that_created_it(api: Api) -> None:
    admin, other = await api.admin(), await api.admin()
    webhook = await created(api, admin)
    await api.sql("DELETE FROM users WHERE id = :id", id=admin.id)
    assert (await other.get(f"/webhooks/{webhook['id']}")).status_code == 200


@pytest.mark.guard
@pytest.mark.parametrize("enabled_again", [False, True])
async def test_a_webhook_begins_with_what_is_committed_after_it(
    start_own_api: ApiFactory, monkeypatch: pytest.MonkeyPatch, *, enabled_again: bool
) -> None:
    """Whatever reaches the log later, and at once: nothing is looked at again for minutes."""
    monkeypatch.setattr(deliveries, "IDLE_SECONDS", 600)
    async with (
        receiving() as receiver,
        start_own_api(jobs="on", webhook_networks=("127.0.0.0/8",)) as api,
    ):
        admin, author = await api.admin(), await api.person()
        sent = {"url": receiver.url, "types": ["ad.created"]}
        if enabled_again:
            path = f"/webhooks/{(await admin.post('/webhooks', json=sent)).json()['id']}"
            assert (await admin.patch(path, json={"enabled": False})).status_code == 200
        await settle(api)
        # The sequencer waits.
        async with while_changing(api, "LOCK TABLE events IN SHARE MODE"):
            await author.post_ad()
            if enabled_again:
                begun = await admin.patch(path, json={"enabled": True})
            else:
                begun = await admin.post("/webhooks", json=sent)
            assert begun.is_success, begun.text
            new = await author.post_ad()
        [received] = await receiver.until_received(1)
        assert received.event["ad"] == new["pk"]
        await author.post_ad()
        assert len(await receiver.until_received(2)) == 2


@pytest.mark.heavy
async def test_what_happens_is_sent_to_who_wants_it(start_own_api: ApiFactory) -> None:
    async with (
        receiving() as receiver,
        receiving() as other,
        start_own_api(jobs="on", webhook_networks=("127.0.0.0/8",)) as api,
    ):
        admin, author = await api.admin(), await api.person()
        sent = {"url": receiver.url, "types": ["ad.created", "ad.priceChanged", "ad.deleted"]}
        secret = (await admin.post("/webhooks", json=sent)).json()["secret"]
        await admin.post("/webhooks", json={"url": other.url, "types": ["ad.sold"]})
        ad = await author.post_ad(price=100)
        [created, *_] = await receiver.until_received(1)
        event = Webhook(secret).verify(created.body, dict(created.headers))
        assert event["type"] == "ad.created"
        assert (event["ad"], event["user"]) == (ad["pk"], author.id)
        assert event["data"]["status"] == "active"
        path = f"/ads/{ad['pk']}"
        await author.patch(path, json={"price": 90, "title": "Oak table, reduced"})
        await receiver.until_received(2)
        await author.delete(path)
        received = await receiver.until_received(3)
        assert [each.event["type"] for each in received] == sent["types"]
        assert receiver.events == sorted(receiver.events)
        assert not other.received
        # Nothing that names a person or says what was written.
        assert "Oak" not in "".join(each.body for each in received)
        assert author.username not in "".join(each.body for each in received)
        listed = (await admin.get("/webhooks/1/deliveries")).json()["results"]
        assert [each["type"] for each in reversed(listed)] == sent["types"]
