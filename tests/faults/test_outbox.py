"""Mails, while workers and servers are killed and the mail server is away."""

import asyncio
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import asyncpg
import httpx2
import pytest
from aiosmtpd.smtp import Envelope
from sqlalchemy.engine import URL

from adsvc.services.mail.rendering import Letter, to_former_address
from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import Service, register
from support.mail.server import Mailbox, parsed, receiving, text_of
from support.running.processes import free_port
from support.scene.api import Person
from support.scene.talk import write as write_message

pytestmark = pytest.mark.drill

AD_LINK = re.compile(r"/a/(\d+)\b")
MESSAGE_ID = re.compile(rb"^Message-ID: (\S+)", re.MULTILINE)
# A worker that was killed holds its entries for this and five seconds more.
MAIL_SECONDS = 1
AT_ONCE = 8
# After which every claim has lapsed, on a slow machine too.
WAIT_SECONDS = 90


@dataclass
class Sink(Mailbox):
    """Counts the mails to each recipient, and the ids of the messages that each got."""

    received: Counter[str] = field(default_factory=Counter)
    ids: dict[str, set[bytes]] = field(default_factory=dict)
    # What to look for in mails: the ads that they link to.
    pattern: re.Pattern[str] = AD_LINK
    # The numbers that each mail has of them, by recipient and message.
    found: dict[tuple[str, bytes], frozenset[int]] = field(default_factory=dict)

    async def handle_DATA(  # noqa: N802 - aiosmtpd's own name
        self, _server: object, _session: Any, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        found = MESSAGE_ID.search(envelope.content)
        assert found is not None
        [recipient] = envelope.rcpt_tos
        self.received[recipient] += 1
        self.ids.setdefault(recipient, set()).add(found[1])
        text = text_of(parsed(envelope.content))
        self.found[recipient, found[1]] = frozenset(map(int, self.pattern.findall(text)))
        return "250 OK"

    def mailed_to(self, recipient: str) -> Counter[int]:
        """In how many messages it was mailed each number."""
        counted = Counter[int]()
        for (receiver, _), numbers in self.found.items():
            counted.update(numbers if receiver == recipient else ())
        return counted


class Drain(asyncio.Protocol):
    """The least that is a server: what it costs is little beside what is measured."""

    def __init__(self, sink: Sink) -> None:
        self._sink, self._data, self._recipient = sink, bytearray(), ""
        self._is_content = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(b"220 here\r\n")

    def data_received(self, data: bytes) -> None:
        self._data += data
        while True:
            line, end, rest = self._data.partition(b"\r\n.\r\n" if self._is_content else b"\r\n")
            if not end:
                return
            self._data = rest
            self._transport.write(self._answer(bytes(line)))

    def _answer(self, line: bytes) -> bytes:
        if self._is_content:
            self._is_content = False
            self._sink.received[self._recipient] += 1
            return b"250 taken\r\n"
        if line.startswith(b"RCPT"):
            self._recipient = line.decode().partition("<")[2].partition(">")[0]
        self._is_content = line == b"DATA"
        return b"354 go on\r\n" if self._is_content else b"250 fine\r\n"


class Worker:
    """`adsvc worker` with the settings of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._process: subprocess.Popen[bytes] | None = None
        self._starts_before = 0

    @property
    def _starts(self) -> int:
        path = self._service.log_path
        return path.read_text().count("The worker has started.") if path.exists() else 0

    def start(self) -> None:
        self._starts_before = self._starts
        with self._service.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "adsvc", "worker"],
                env=self._service.environment,
                stdout=log,
                stderr=log,
                cwd=self._service.log_path.parent,
            )

    async def end(self, number: signal.Signals) -> int:
        assert self._process is not None
        # Before it has started, SIGTERM ends it at once, with another exit code.
        async with asyncio.timeout(WAIT_SECONDS):
            while (  # noqa: ASYNC110 - nothing announces it
                number is signal.SIGTERM and self._starts == self._starts_before
            ):
                await asyncio.sleep(0.05)
        self._process.send_signal(number)
        return await asyncio.to_thread(self._process.wait, 20)

    async def kill_often(self, random: Random) -> None:
        """At random moments; the last one goes on."""
        for _ in range(KILLS):
            self.start()
            await asyncio.sleep(random.uniform(1.5, 6))
            assert await self.end(signal.SIGKILL) == -signal.SIGKILL
        self.start()


@asynccontextmanager
async def connected(database: URL) -> AsyncIterator[asyncpg.Connection]:
    host = str(database.query["host"])
    connection = await asyncpg.connect(
        host=host, user=database.username, database=database.database
    )
    try:
        yield connection
    finally:
        await connection.close()


async def write(connection: asyncpg.Connection, user_id: int, names: list[str]) -> None:
    entries = [to_former_address(Letter.ADDRESS_CHANGED, user_id, name) for name in names]
    rows = [(entry.kind, entry.payload_json) for entry in entries]
    await connection.executemany(
        "INSERT INTO outbox (kind, payload) VALUES ($1, $2::text::jsonb)", rows
    )


async def drained(connection: asyncpg.Connection, seconds: float) -> None:
    async with asyncio.timeout(seconds):
        while await connection.fetchval("SELECT EXISTS (SELECT FROM outbox)"):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def mailing(sink: Sink) -> dict[str, object]:
    return {
        "smtp_url": f"smtp://127.0.0.1:{sink.port}?tls=off",
        "mail_from": "noreply@ads.example.com",
        "site_url": "https://ads.example.com",
        "mail_connections": AT_ONCE,
        "mail_seconds": MAIL_SECONDS,
    }


async def _account(service: Service) -> int:
    async with service.client() as client:
        return (await register(client, username="reader")).id


async def test_every_committed_mail_is_sent_and_no_other_whatever_is_killed(
    new_service: NewService, database: URL
) -> None:
    """The server and a worker share the work; the mail server is away, once for a minute."""
    random, sink, port = Random(18), Sink(), free_port()
    sink.port = port
    service = new_service(**mailing(sink))
    await service.start()
    worker, user_id = Worker(service), await _account(service)
    committed, rolled_back = list[str](), list[str]()
    kills, enough = times(10, short=2), asyncio.Event()

    async def write_on() -> None:
        async with connected(database) as connection:
            while not enough.is_set():
                names = [f"m{len(committed) + n}@example.com" for n in range(20)]
                await write(connection, user_id, names)
                committed.extend(names)
                undone = f"undone{len(rolled_back)}@example.com"
                transaction = connection.transaction()
                await transaction.start()
                await write(connection, user_id, [undone])
                await transaction.rollback()
                rolled_back.append(undone)
                await asyncio.sleep(0.5)

    writing = asyncio.create_task(write_on())
    for number in range(kills):
        async with receiving(sink, port=port):
            worker.start()
            await asyncio.sleep(random.uniform(0.5, 2.5))
            assert await worker.end(signal.SIGKILL) == -signal.SIGKILL
            await service.kill()
        # No server takes mails.
        await service.start()
        await asyncio.sleep(1 if number else times(60, short=1))
    enough.set()
    await writing
    async with receiving(sink, port=port), connected(database) as connection:
        await drained(connection, WAIT_SECONDS)
    assert set(sink.received) == set(committed)
    assert rolled_back
    twice = sum(count - 1 for count in sink.received.values())
    # What both had under way when they were killed, at most.
    assert twice <= kills * 2 * AT_ONCE
    assert all(len(ids) == 1 for ids in sink.ids.values())
    measured("mails sent under kills", len(committed), "mails")
    measured("of them twice", twice, "mails")


KILLS = times(20, short=3)
READERS = 4
# A mail has room for 20 ads.
MOST_WAITING = 15
WAITING = "SELECT count(*) FROM ads WHERE id NOT IN (SELECT ad_id FROM alerted_ads)"
# Time passes faster than a quarter of an hour.
LATER = """
    WITH waiting AS (
        UPDATE outbox SET not_before = not_before - interval '1 hour'
        WHERE kind = 'search-alert' AND not_before > now() + interval '15 days'
    )
    UPDATE saved_searches SET alerted_at = alerted_at - interval '1 hour',
        due_at = CASE WHEN due_at > now() THEN now() ELSE due_at END
"""
BEHIND = """
    SELECT EXISTS (SELECT FROM outbox) OR EXISTS (SELECT FROM matched_queries)
        OR EXISTS (SELECT FROM saved_searches WHERE due_at IS NOT NULL)
        OR EXISTS (SELECT FROM changes) OR (
            SELECT position FROM consumers WHERE name = 'searches'
        ) < (SELECT max(last_event_id) FROM event_batches)
"""


async def test_each_ad_is_mailed_once_to_who_searches_for_it_whatever_is_killed(
    new_service: NewService, database: URL
) -> None:
    """The worker dies between match, notification and mail; both searches of a reader match."""
    random, sink, port = Random(26), Sink(), free_port()
    sink.port = port
    service = new_service(jobs="off", **mailing(sink))
    await service.start()
    worker, posted = Worker(service), set[int]()
    enough = asyncio.Event()
    async with (
        receiving(sink, port=port),
        connected(database) as connection,
        service.client() as client,
    ):
        author, readers = await register(client), [await register(client) for _ in range(READERS)]
        await connection.execute("UPDATE users SET mail = username, mail_verified = true")
        for reader in readers:
            for query in ("q=oak", "q=table"):
                search = {"query": query, "name": "Oak", "notify": "instant"}
                answer = await reader.post("/users/me/searches", json=search)
                assert answer.status_code == httpx2.codes.CREATED, answer.text

        async def post_on() -> None:
            while not enough.is_set():
                if await connection.fetchval(WAITING) < MOST_WAITING:
                    posted.add((await author.post_ad(title="Oak table"))["pk"])
                await connection.execute(LATER)
                await asyncio.sleep(random.uniform(0.5, 1.5))

        posting = asyncio.create_task(post_on())
        await worker.kill_often(random)
        enough.set()
        await posting
        async with asyncio.timeout(WAIT_SECONDS):
            while await connection.fetchval(BEHIND):
                await connection.execute(LATER)
                await asyncio.sleep(0.2)
        assert await worker.end(signal.SIGTERM) == 0
        notified = await connection.fetch(
            "SELECT user_id, sum((data->>'count')::int) AS ads FROM notifications GROUP BY user_id"
        )
    for reader in readers:
        mailed = sink.mailed_to(reader.username)
        assert {ad: count for ad, count in mailed.items() if count > 1} == {}
        assert set(mailed) == posted
    assert {row["ads"] for row in notified} == {len(posted)}
    assert len(notified) == READERS
    measured("ads that were matched under kills", len(posted), "ads")
    measured("mails about them", len(sink.found), "mails")
    measured("of them sent again", sum(sink.received.values()) - len(sink.found), "mails")


# With each reader at the same time.
TALKS = 6
NUMBER = re.compile(r"message number (\d+)\.")
# Time passes faster than two minutes.
DUE = """
    UPDATE conversations SET seller_mail_due = now() WHERE seller_mail_due > now()
"""
NOTICES = """
    SELECT conversation_id, count(*) AS all, count(*) FILTER (WHERE NOT read) AS unread
    FROM notifications WHERE type = 'message' GROUP BY conversation_id
"""


async def test_each_message_is_mailed_once_whatever_is_killed(
    new_service: NewService, database: URL
) -> None:
    """The worker dies between message, notification and mail. A message is written when the one
    before it was mailed and read; the last one stays unread.
    """
    random, sink = Random(27), Sink(pattern=NUMBER)
    sink.port = free_port()
    service = new_service(jobs="off", **mailing(sink))
    await service.start()
    worker, numbers, enough = Worker(service), count(1), asyncio.Event()
    async with (
        receiving(sink, port=sink.port),
        connected(database) as connection,
        service.client() as client,
    ):
        buyer, sellers = await register(client), [await register(client) for _ in range(READERS)]
        await connection.execute("UPDATE users SET mail = username, mail_verified = true")

        async def talk_on(seller: Person, ad: int) -> tuple[int, list[int]]:
            """The conversation, and the numbers of its messages."""
            path, written = f"/ads/{ad}", list[int]()
            while True:
                is_last, number = enough.is_set(), next(numbers)
                message = await write_message(buyer, path, f"This is message number {number}.")
                written.append(number)
                path = f"/conversations/{message['conversation']}"
                while number not in sink.mailed_to(seller.username):  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
                if is_last:
                    return message["conversation"], written
                answer = await seller.post(f"{path}/read", json={"upTo": message["id"]})
                assert answer.status_code == httpx2.codes.NO_CONTENT, answer.text

        async def hurry() -> None:
            while True:
                await connection.execute(DUE)
                # The hour passes in which an account gets so many mails and then a digest.
                await connection.execute("DELETE FROM notice_mails")
                await asyncio.sleep(0.2)

        parties = [seller for seller in sellers for _ in range(TALKS)]
        ads = [(await seller.post_ad())["pk"] for seller in parties]
        talking = asyncio.gather(*map(talk_on, parties, ads))
        hurrying = asyncio.create_task(hurry())
        await worker.kill_often(random)
        enough.set()
        async with asyncio.timeout(WAIT_SECONDS):
            talks = await talking
        hurrying.cancel()
        await asyncio.wait([hurrying])
        await drained(connection, WAIT_SECONDS)
        assert await worker.end(signal.SIGTERM) == 0
        notices = {row["conversation_id"]: row for row in await connection.fetch(NOTICES)}
    expected = {seller.username: Counter[int]() for seller in sellers}
    for seller, (conversation, written) in zip(parties, talks, strict=True):
        expected[seller.username].update(written)
        # One that was read before the notice is not announced any more.
        assert notices[conversation]["all"] <= len(written)
        assert notices[conversation]["unread"] == 1
    assert {username: sink.mailed_to(username) for username in expected} == expected
    measured("messages under kills, each mailed once", next(numbers) - 1, "messages")
    measured("of their mails sent again", sum(sink.received.values()) - len(sink.found), "mails")


@pytest.mark.alone
async def test_a_full_outbox_drains_quickly(new_service: NewService, database: URL) -> None:
    sink, number = Sink(), times(100_000, short=2_000)
    server = await asyncio.get_running_loop().create_server(lambda: Drain(sink), "127.0.0.1", 0)
    sink.port = server.sockets[0].getsockname()[1]
    async with server, connected(database) as connection:
        settings = {**mailing(sink), "mail_seconds": 30}
        service = new_service(jobs="off", **settings)
        await service.start()
        user_id = await _account(service)
        entry = to_former_address(Letter.ADDRESS_CHANGED, user_id, "X")
        await connection.execute(
            "INSERT INTO outbox (kind, payload) SELECT $1, replace($2, '\"X\"',"
            " '\"m' || n || '@example.com\"')::jsonb FROM generate_series(1, $3::int) AS n",
            entry.kind, entry.payload_json, number,
        )  # fmt: skip
        worker, before = Worker(service), getrusage(RUSAGE_CHILDREN)
        worker.start()
        async with asyncio.timeout(WAIT_SECONDS):
            while not sink.received:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        began = time.monotonic()
        await drained(connection, 60 + number / 50)
        seconds = time.monotonic() - began
        assert await worker.end(signal.SIGTERM) == 0
    assert len(sink.received) == number
    assert set(sink.received.values()) == {1}
    after = getrusage(RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    measured(f"mails a second, of {number}", number / seconds, "mails")
    # With its start, and not of a machine that does other work beside it.
    measured("time of the processor for each", 1000 * busy / number, "ms")
