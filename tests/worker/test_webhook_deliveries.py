"""Every event is delivered to every webhook, whatever fails, and no webhook waits for another."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy.engine import URL
from standardwebhooks import Webhook as Verifier

from adsvc.kit import deliveries as runner
from adsvc.kit.counters import WebhookCounts
from adsvc.kit.db.database import Database
from adsvc.kit.deliveries import Circuit
from adsvc.kit.http.outbound_client import OutboundClient
from adsvc.models.webhooks import Webhook
from adsvc.repositories import webhooks as webhook_rows
from adsvc.services import webhooks
from adsvc.services.webhooks import WebhookSecrets
from adsvc.worker import webhooks as module
from adsvc.worker.webhooks import PAUSES, WebhookDeliveries
from conftest import SECRET, DatabaseFactory
from support.outside.receiver import Receiver, receiving

WAIT_SECONDS = 30
HERE = ["127.0.0.0/8"]
SECRETS = WebhookSecrets(SECRET)

ADD_EVENTS = """
    WITH added AS (
        INSERT INTO events (id, day, at, type, ad_id, user_id, data)
        SELECT last_event_id + number, current_date, now(), $1, 7, 8, '{"status": "active"}'
        FROM event_batches, generate_series(1, $2::int) AS number
        WHERE event_batches.id = (SELECT max(id) FROM event_batches)
    )
    INSERT INTO event_batches (id, last_event_id, snapshot)
    SELECT id + 1, last_event_id + $2, snapshot FROM event_batches ORDER BY id DESC LIMIT 1
    RETURNING last_event_id
"""
PARTITION = "CREATE TABLE events_all PARTITION OF events DEFAULT"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.02)
    monkeypatch.setattr(runner, "SHORTEST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(module, "PAUSES", [0.001] * len(PAUSES))


@pytest.fixture
async def database_url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    """One of its own: the log of the tests' database goes on."""
    async with new_database() as url:
        yield url


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    opened = Database(database_url)
    await opened.writer.fetch(PARTITION)
    yield opened
    await opened.close()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as found:
        yield found


@asynccontextmanager
async def working(
    database: Database, secrets: WebhookSecrets = SECRETS, counts: WebhookCounts | None = None
) -> AsyncIterator[WebhookDeliveries]:
    client = OutboundClient(HERE)
    lane = WebhookDeliveries(
        database,
        client,
        secrets,
        shutdown_grace_seconds=0.2,
        counts=counts or WebhookCounts(),
    )
    task = asyncio.create_task(lane.run())
    try:
        yield lane
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await client.close()


async def add_webhook(
    database: Database, url: str, types: Sequence[str] = ("ad.created",), **members: Any
) -> tuple[int, str]:
    """Its id and its secret."""
    secret = SECRETS.new()
    webhook = Webhook(url=url, types=list(types), secret=SECRETS.encrypted(secret), **members)
    async with database.transaction() as transaction:
        await webhook_rows.add(transaction, webhook)
        return webhook.id, secret


async def happen(database: Database, number: int = 1, type: str = "ad.created") -> int:
    [row] = await database.writer.fetch(ADD_EVENTS, type, number)
    last: int = row["last_event_id"]
    return last


async def deliveries(database: Database, webhook: int) -> Sequence[Mapping[str, Any]]:
    sql = "SELECT * FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id"
    return await database.reader.fetch(sql, webhook)


async def webhook_row(database: Database, webhook: int) -> Mapping[str, Any]:
    [row] = await database.reader.fetch("SELECT * FROM webhooks WHERE id = $1", webhook)
    return row


async def until(check: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not await check():  # noqa: ASYNC110 - the database does not say when
            await asyncio.sleep(0.01)


async def until_ended(database: Database, webhook: int, number: int) -> None:
    """Until so many deliveries are there and none is pending."""

    async def ended() -> bool:
        found = await deliveries(database, webhook)
        return len(found) >= number and all(row["status"] != "pending" for row in found)

    await until(ended)


async def until_queued(database: Database, webhook: int, number: int) -> None:
    async def are_queued() -> bool:
        return len(await deliveries(database, webhook)) == number

    await until(are_queued)


async def until_failing(database: Database, webhook: int, number: int) -> Mapping[str, Any]:
    """The webhook's row, as soon as so many failures in a row are recorded."""

    async def is_failing() -> bool:
        failures: int = (await webhook_row(database, webhook))["failures"]
        return failures >= number

    await until(is_failing)
    return await webhook_row(database, webhook)


@pytest.mark.heavy
async def test_what_is_sent_is_what_standard_webhooks_says(
    database: Database, receiver: Receiver
) -> None:
    webhook, secret = await add_webhook(database, receiver.url)
    last = await happen(database)
    async with working(database):
        [received, *_] = await receiver.until_received(1)
        await until_ended(database, webhook, 1)
    assert received.head == "POST /hook HTTP/1.1"
    assert received.headers["content-type"] == "application/json"
    assert received.headers["webhook-signature"].count(",") == 1
    # The reference library.
    event = Verifier(secret).verify(received.body, dict(received.headers))
    assert event == {
        "id": last, "type": "ad.created", "at": event["at"], "ad": 7, "user": 8,
        "data": {"status": "active"},
    }  # fmt: skip
    assert isinstance(event["at"], int)
    [row] = await deliveries(database, webhook)
    assert (row["status"], row["attempts"], row["last_status"]) == ("delivered", 1, 204)
    assert row["next_at"] is row["claimed_until"] is None


@pytest.mark.heavy
async def test_each_event_goes_once_to_each_webhook_by_two_workers(
    database: Database, receiver: Receiver
) -> None:
    await happen(database, 5)
    async with receiving() as second:
        webhook, _ = await add_webhook(database, receiver.url)
        other, _ = await add_webhook(database, second.url, ["ad.created", "ad.sold"])
        first = await happen(database, 40) - 39
        await happen(database, 3, "ad.sold")
        async with working(database), working(database):
            await until_ended(database, webhook, 40)
            await until_ended(database, other, 43)
        assert sorted(receiver.events) == list(range(first, first + 40))
        assert sorted(second.events) == list(range(first, first + 43))
        assert receiver.most_under_way <= 2
        assert len({received.message for received in receiver.received + second.received}) == 83


@pytest.mark.heavy
async def test_it_is_sent_again_after_the_pauses_and_then_given_up(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert PAUSES == (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
    monkeypatch.setattr(module, "CIRCUIT", Circuit(1000, 1, 1))
    pauses: list[float | None] = []
    record = webhook_rows.failed

    async def recorded(*args: Any, pause: float | None, **options: Any) -> bool:
        pauses.append(None if pause is None else PAUSES[len(pauses)])
        return await record(*args, pause=pause, **options)

    monkeypatch.setattr(webhook_rows, "failed", recorded)
    webhook, _ = await add_webhook(database, receiver.url)
    receiver.statuses = [500, 302, 404, 0, 429, 503, 199 + 101, 400, 500, 500]
    await happen(database)
    counts = WebhookCounts()
    async with working(database, counts=counts):
        await until_ended(database, webhook, 1)
    assert pauses == [*PAUSES, None]
    [row] = await deliveries(database, webhook)
    assert (row["status"], row["attempts"], row["last_status"]) == ("failed", 10, 500)
    assert len({received.message for received in receiver.received}) == 1
    assert len({received.body for received in receiver.received}) == 1
    assert (counts.failed, counts.delivered, counts.disabled) == (10, 0, 0)


@pytest.mark.heavy
async def test_two_secrets_sign_for_a_day(database: Database, receiver: Receiver) -> None:
    webhook, old = await add_webhook(database, receiver.url)
    new = SECRETS.new()
    rotate = (
        "UPDATE webhooks SET old_secret = secret, secret = $2, "
        "old_secret_until = now() + make_interval(secs => $3) WHERE id = $1"
    )
    await database.writer.fetch(rotate, webhook, SECRETS.encrypted(new), 60)
    await happen(database)
    async with working(database):
        [received, *_] = await receiver.until_received(1)
        await until_ended(database, webhook, 1)
        for secret in (old, new):
            assert Verifier(secret).verify(received.body, dict(received.headers))
        # The day is over.
        await database.writer.fetch("UPDATE webhooks SET old_secret_until = now()")
        await happen(database)
        received = (await receiver.until_received(2))[1]
        await until_ended(database, webhook, 2)
    assert " " not in received.headers["webhook-signature"]
    assert Verifier(new).verify(received.body, dict(received.headers))


@pytest.mark.guard
async def test_a_receiver_that_hangs_delays_no_other(
    database: Database, receiver: Receiver
) -> None:
    async with receiving() as hanging:
        hanging.answers.clear()
        slow = [(await add_webhook(database, hanging.url))[0] for _ in range(19)]
        await happen(database, 50)
        async with working(database) as lane:
            # Each has its two places, and they are taken.
            await hanging.until(lambda: hanging.under_way == 2 * len(slow))
            webhook, _ = await add_webhook(database, receiver.url)
            began = asyncio.get_running_loop().time()
            await happen(database)
            lane.wake()
            [received, *_] = await receiver.until_received(1)
            assert received.at - began < 1
            await until_ended(database, webhook, 1)
            assert hanging.under_way == 2 * len(slow)
            hanging.answers.set()


async def its_pause_ends(database: Database, webhook: int) -> None:
    await database.writer.fetch("UPDATE webhooks SET paused_until = now() WHERE id = $1", webhook)


async def a_delivery_is_retried(database: Database, webhook: int) -> None:
    first = "SELECT min(id) AS first FROM webhook_deliveries WHERE webhook_id = $1"
    [row] = await database.reader.fetch(first, webhook)
    async with database.transaction() as transaction:
        await webhooks.retry(transaction, webhook, row["first"])


async def it_is_tested(database: Database, webhook: int) -> None:
    async with database.transaction() as transaction:
        await webhooks.test(transaction, webhook)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("tried_again", "more"),
    [(its_pause_ends, 0), (a_delivery_is_retried, 0), (it_is_tested, 1)],
)
async def test_the_circuit_of_one_that_fails_opens_and_closes(
    database: Database,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    tried_again: Callable[[Database, int], Awaitable[None]],
    more: int,
) -> None:
    monkeypatch.setattr(module, "CIRCUIT", Circuit(4, 3600, 3600))
    webhook, _ = await add_webhook(database, receiver.url)
    receiver.status = 503
    await happen(database, 100)
    async with working(database):
        # Two that were under way when it opened may have failed too.
        await receiver.until_received(4)
        row = await until_failing(database, webhook, 4)
        assert row["paused_until"] is not None
        assert 4 <= row["failures"] <= 5
        assert row["failing_since"] is not None
        await happen(database, 10)
        await until_queued(database, webhook, 110)
        count = len(receiver.received)
        assert count <= 5
        # The pause ends, and one attempt at a time is made until one succeeds.
        receiver.status = 204
        receiver.answers.clear()
        await tried_again(database, webhook)
        await receiver.until_received(count + 1)
        await happen(database)
        await until_queued(database, webhook, 111 + more)
        assert receiver.under_way == 1
        receiver.answers.set()
        await until_ended(database, webhook, 111 + more)
    row = await webhook_row(database, webhook)
    assert (row["failures"], row["failing_since"], row["paused_until"]) == (0, None, None)


async def creator(database: Database) -> int:
    sql = (
        "INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, "
        "role, mail, mail_verified) VALUES ('admin@example.com', 'admin@example.com', 'x', 'A', "
        "'B', '+1 555 0100', 'ADMIN', 'admin@example.com', true) RETURNING id"
    )
    [row] = await database.writer.fetch(sql)
    number: int = row["id"]
    return number


async def mails(database: Database) -> list[str]:
    rows = await database.reader.fetch("SELECT payload::text FROM outbox WHERE kind = 'letter'")
    return [row["payload"] for row in rows]


@pytest.mark.heavy
async def test_one_that_is_gone_is_disabled(database: Database, receiver: Receiver) -> None:
    webhook, _ = await add_webhook(database, receiver.url, creator_id=await creator(database))
    receiver.status = 410
    await happen(database, 5)
    counts = WebhookCounts()
    async with working(database, counts=counts):
        await until_ended(database, webhook, 5)
    assert not (await webhook_row(database, webhook))["enabled"]
    assert {row["status"] for row in await deliveries(database, webhook)} == {"failed"}
    assert len(receiver.received) <= 2
    assert counts.disabled == 1
    [mail] = await mails(database)
    assert '"gone": true' in mail
    assert "webhook-disabled" in mail


@pytest.mark.heavy
async def test_one_that_fails_for_five_days_is_disabled_and_its_creator_gets_one_mail(
    database: Database, receiver: Receiver
) -> None:
    assert module.HOPELESS_SECONDS == 5 * 86_400
    webhook, _ = await add_webhook(database, receiver.url, creator_id=await creator(database))
    fail = "UPDATE webhooks SET failures = 1, failing_since = now() - make_interval(secs => $1)"
    receiver.status = 500
    await database.writer.fetch(fail, 5 * 86_400 - 60)
    async with working(database):
        await happen(database)
        await receiver.until_received(2)
        assert (await webhook_row(database, webhook))["enabled"]
        await database.writer.fetch(fail, 5 * 86_400 + 1)
        await until_ended(database, webhook, 1)
    assert not (await webhook_row(database, webhook))["enabled"]
    [mail] = await mails(database)
    assert '"gone": false' in mail


@pytest.mark.heavy
async def test_a_delivery_whose_worker_died_is_sent_again_with_the_same_id(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ATTEMPT_SECONDS", 0.2)
    monkeypatch.setattr(module, "MARGIN_SECONDS", 0.1)
    webhook, _ = await add_webhook(database, receiver.url)
    await happen(database)
    delivered = webhook_rows.delivered

    async def never(*_: object) -> None:
        await asyncio.sleep(WAIT_SECONDS)

    monkeypatch.setattr(webhook_rows, "delivered", never)
    async with working(database):
        await receiver.until_received(1)
    monkeypatch.setattr(webhook_rows, "delivered", delivered)
    async with working(database):
        await until_ended(database, webhook, 1)
    first, second = receiver.received
    assert first.message == second.message
    assert first.body == second.body


@pytest.mark.heavy
async def test_an_event_that_is_queued_again_after_a_restore_has_the_same_id(
    database: Database, receiver: Receiver
) -> None:
    webhook, _ = await add_webhook(database, receiver.url)
    await happen(database, 3)
    async with working(database):
        await until_ended(database, webhook, 3)
        # As a backup had it that was made before them.
        await database.writer.fetch("DELETE FROM webhook_deliveries")
        await database.writer.fetch("UPDATE webhooks SET position = 0")
        await receiver.until_received(6)
        await until_ended(database, webhook, 3)
    assert len({received.message for received in receiver.received}) == 3


@pytest.mark.heavy
async def test_the_queue_of_a_webhook_is_bounded_and_the_log_is_the_rest(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVENTS_AT_ONCE", 4)
    monkeypatch.setattr(module, "MOST_PENDING", 6)
    receiver.answers.clear()
    webhook, _ = await add_webhook(database, receiver.url)
    await happen(database, 30)
    async with working(database):
        await receiver.until(lambda: receiver.under_way == 2)
        await asyncio.sleep(0.1)
        assert len(await deliveries(database, webhook)) == 8
        receiver.answers.set()
        await until_ended(database, webhook, 30)
    assert len(set(receiver.events)) == 30


@pytest.mark.heavy
async def test_a_secret_that_cannot_be_read_sends_nothing(
    database: Database, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    webhook, _ = await add_webhook(database, receiver.url)
    await happen(database)
    with caplog.at_level(logging.WARNING, "adsvc.webhooks"):
        async with working(database, WebhookSecrets(SECRET[::-1])):
            await until_failing(database, webhook, 1)
    assert not receiver.received
    assert "Rotate it" in caplog.text


@pytest.mark.heavy
async def test_an_address_that_is_not_allowed_any_more_gets_nothing(
    database: Database, receiver: Receiver
) -> None:
    webhook, _ = await add_webhook(database, receiver.url.replace("127.0.0.1", "10.0.0.1"))
    await happen(database)
    async with working(database):
        await until_failing(database, webhook, 2)
    [row] = await deliveries(database, webhook)
    assert (row["status"], row["last_status"]) == ("pending", None)


@pytest.mark.heavy
def test_the_pauses_take_three_days() -> None:
    assert sum(PAUSES) < module.HOPELESS_SECONDS
    assert all(longer > shorter for shorter, longer in pairwise(PAUSES))


@pytest.mark.heavy
async def test_changes_of_a_webhook_and_results_of_deliveries_lock_in_one_order(
    database: Database, receiver: Receiver
) -> None:
    """PostgreSQL would end one of two that wait for each other."""
    webhook, _ = await add_webhook(database, receiver.url)
    circuit = Circuit(1000, 1, 1)
    change = "UPDATE webhooks SET description = 'x', failures = 1 WHERE id = $1"
    for fails in (True, False):
        await happen(database)
        await webhook_rows.fill(database.writer, 10, 10)
        [delivery] = await webhook_rows.claim(database.writer, circuit, room=9, seconds=60)
        await database.writer.fetch("UPDATE webhooks SET failures = 1")
        async with database.transaction() as transaction:
            statements = transaction
            await statements.fetch(change, webhook)
            recording: asyncio.Future[bool] | asyncio.Future[None]
            if fails:
                failed = webhook_rows.failed(
                    database.writer, delivery, 500, "", circuit, pause=9, hopeless_seconds=9
                )
                recording = asyncio.ensure_future(failed)
            else:
                recording = asyncio.ensure_future(
                    webhook_rows.delivered(database.writer, delivery, 204, "")
                )
            await until_waiting(database)
            await webhook_rows.give_up(transaction, webhook)
        await recording
        [*_, row] = await deliveries(database, webhook)
        assert row["status"] == "failed"


async def until_waiting(database: Database) -> None:
    """Until a session waits for a lock."""

    async def is_waiting() -> bool:
        [row] = await database.reader.fetch(
            "SELECT count(*) AS number FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database()"
        )
        number: int = row["number"]
        return number > 0

    await until(is_waiting)


async def account(database: Database, name: str) -> int:
    sql = (
        "INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone,"
        " role) VALUES ($1, $1, 'x', 'A', 'B', '+1 555 0100', 'USER') RETURNING id"
    )
    [row] = await database.writer.fetch(sql, name)
    number: int = row["id"]
    return number


async def queue(database: Database, webhooks_of: Sequence[int], number: int = 1) -> None:
    """Deliveries of events of own ads."""
    sql = """
        INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, message_id, next_at)
        SELECT webhook, 0, 'ad.sold', '{"id": 0, "ad": 7, "data": {}}', gen_random_uuid(), now()
        FROM unnest($1::bigint[]) AS webhook, generate_series(1, $2::int)
    """
    await database.writer.fetch(sql, webhooks_of, number)


@pytest.mark.guard
async def test_hanging_receivers_of_one_account_delay_no_other(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PLACES_OF_ACCOUNTS", 12)
    async with receiving() as hanging:
        hanging.answers.clear()
        owner, other = await account(database, "a"), await account(database, "b")
        slow = [(await add_webhook(database, hanging.url, owner_id=owner))[0] for _ in range(5)]
        webhook, _ = await add_webhook(database, receiver.url, owner_id=other)
        site, _ = await add_webhook(database, receiver.url)
        await queue(database, slow, 50)
        async with working(database):
            await hanging.until(lambda: hanging.under_way == 2 * len(slow))
            await queue(database, [webhook], 3)
            await happen(database)
            await until_ended(database, webhook, 3)
            await until_ended(database, site, 1)
            assert hanging.under_way == 2 * len(slow)
            hanging.answers.set()


@pytest.mark.guard
async def test_no_more_deliveries_to_accounts_than_places_and_the_site_keeps_its_own(
    database: Database, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PLACES_OF_ACCOUNTS", 3)
    async with receiving() as hanging:
        hanging.answers.clear()
        owner = await account(database, "a")
        slow = [(await add_webhook(database, hanging.url, owner_id=owner))[0] for _ in range(5)]
        site, _ = await add_webhook(database, receiver.url)
        await queue(database, slow, 9)
        async with working(database):
            await hanging.until(lambda: hanging.under_way == 3)
            await happen(database)
            await until_ended(database, site, 1)
            assert hanging.most_under_way == 3
            hanging.answers.set()


@pytest.mark.guard
async def test_what_its_owner_may_not_read_any_more_is_not_sent(
    database: Database, receiver: Receiver
) -> None:
    suspended, owner = await account(database, "a"), await account(database, "b")
    waiting, _ = await add_webhook(database, receiver.url, owner_id=suspended)
    webhook, _ = await add_webhook(database, receiver.url, owner_id=owner)
    await database.writer.fetch(
        "UPDATE users SET suspended_until = 'infinity' WHERE id = $1", suspended
    )
    await queue(database, [waiting, webhook])
    await database.writer.fetch(
        "UPDATE webhook_deliveries SET type = 'message.sent',"
        """ body = '{"id": 0, "ad": 7, "data": {"message": 5}}' WHERE webhook_id = $1""",
        webhook,
    )
    async with working(database):
        await until_ended(database, webhook, 1)
        [row] = await deliveries(database, webhook)
        assert (row["status"], row["attempts"], row["attempted_at"]) == ("failed", 0, None)
        assert [row["status"] for row in await deliveries(database, waiting)] == ["pending"]
        assert not receiver.received
        await database.writer.fetch("UPDATE users SET suspended_until = NULL")
        await until_ended(database, waiting, 1)


@pytest.mark.heavy
async def test_a_delivery_says_when_it_was_attempted_and_what_was_answered(
    database: Database, receiver: Receiver
) -> None:
    receiver.body = b"no \0\xff" + b"room" * 1000
    receiver.status = 507
    webhook, _ = await add_webhook(database, receiver.url, creator_id=await creator(database))
    await happen(database)
    async with working(database):
        await until_failing(database, webhook, 2)
        receiver.status = 410
        await until_ended(database, webhook, 1)
    [row] = await deliveries(database, webhook)
    assert row["answer"] == "no " + "room" * 254 + "roo"
    assert row["milliseconds"] >= 0
    assert row["attempted_at"] >= row["created_at"]
    found = await webhook_row(database, webhook)
    assert (found["disabled_reason"], found["disabled_at"] is None) == ("gone", False)
    # All that was given up begins anew.
    receiver.status = 204
    async with database.transaction() as transaction:
        (await webhooks.existing(transaction, webhook)).enabled = True
        await webhooks.replay(transaction, webhook, row["created_at"] + timedelta(seconds=1))
    assert [row["status"] for row in await deliveries(database, webhook)] == ["failed"]
    async with database.transaction() as transaction:
        await webhooks.replay(transaction, webhook, row["created_at"])
    async with working(database):
        await until_ended(database, webhook, 1)
    assert [row["status"] for row in await deliveries(database, webhook)] == ["delivered"]
