"""Webhooks, while the processes that send to them are killed."""

import asyncio

import pytest
from sqlalchemy.engine import URL

from adsvc.services.webhooks import MOST_WEBHOOKS
from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import Service
from faults.test_outbox import connected
from support.outside.receiver import Receiver, receiving
from support.scene.api import PASSWORD

pytestmark = pytest.mark.drill

# A claim lasts twenty seconds.
WAIT_SECONDS = 90

ADD = """
    INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, message_id, next_at)
    SELECT $1, 0, 'webhook.test', json_build_object('id', n)::text, gen_random_uuid(), now()
    FROM generate_series(1, $2::int) AS n
"""
PENDING = "SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'"


async def webhook_of(service: Service, receiver: Receiver) -> int:
    sent = {"url": receiver.url, "types": ["ad.created"]}
    async with service.client() as client:
        login = {"username": "admin@example.com", "password": PASSWORD}
        token = (await client.post("/login", json=login)).json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        answer = await client.post("/webhooks", json=sent, headers=headers)
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


async def test_every_delivery_is_made_whatever_is_killed_with_one_id_each(
    new_service: NewService, database: URL
) -> None:
    service = new_service(webhook_networks="127.0.0.0/8")
    await service.start()
    async with service.client() as client:
        account = {"username": "admin@example.com", "password": PASSWORD}
        assert (await client.post("/register", json=account)).is_success
    kills, number = times(10, short=1), times(100, short=20)
    async with receiving() as receiver, connected(database) as connection:
        await connection.execute("UPDATE users SET role = 'ADMIN'")
        webhook = await webhook_of(service, receiver)
        for _ in range(kills):
            # Two requests have come, and their answers go nowhere.
            receiver.answers.clear()
            before = len(receiver.received)
            await connection.execute(ADD, webhook, number)
            await receiver.until_received(before + 2)
            await service.kill()
            receiver.answers.set()
            await service.start()
            async with asyncio.timeout(WAIT_SECONDS):
                while await connection.fetchval(PENDING):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
        statuses = await connection.fetch("SELECT DISTINCT status FROM webhook_deliveries")
        assert [row["status"] for row in statuses] == ["delivered"]
        ids = {
            row["message_id"].hex
            for row in await connection.fetch("SELECT message_id FROM webhook_deliveries")
        }
    assert {received.message.removeprefix("msg_") for received in receiver.received} == ids
    twice = len(receiver.received) - len(ids)
    # What was under way when it was killed.
    assert kills * 2 == twice
    measured("deliveries made under kills", len(ids), "deliveries")
    measured("of them twice", twice, "deliveries")


@pytest.mark.alone
async def test_receivers_that_hang_delay_no_other(new_service: NewService, database: URL) -> None:
    """All but one hang for longer than an attempt may take."""
    service = new_service(webhook_networks="127.0.0.0/8")
    await service.start()
    async with service.client() as client:
        account = {"username": "admin@example.com", "password": PASSWORD}
        assert (await client.post("/register", json=account)).is_success
    async with receiving() as hanging, receiving() as prompt, connected(database) as connection:
        hanging.answers.clear()
        await connection.execute("UPDATE users SET role = 'ADMIN'")
        for _ in range(MOST_WEBHOOKS - 1):
            await connection.execute(ADD, await webhook_of(service, hanging), 50)
        webhook = await webhook_of(service, prompt)
        await hanging.until(lambda: hanging.under_way == 2 * (MOST_WEBHOOKS - 1))
        delays = []
        loop = asyncio.get_running_loop()
        for sent in range(times(15, short=5)):
            began = loop.time()
            await connection.execute(ADD, webhook, 1)
            await prompt.until_received(sent + 1)
            delays.append(prompt.received[-1].at - began)
            await asyncio.sleep(2)
        hanging.answers.set()
    measured("longest delay of a delivery beside 19 receivers that hang", max(delays), "s")
    # It is looked for twice a second.
    assert max(delays) <= 1
