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
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

import asyncpg
import pytest
from aiosmtpd.smtp import Envelope
from sqlalchemy.engine import URL

from adsvc.services.mail.rendering import Letter, to_former_address
from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import Service, register
from support.mail.server import Mailbox, receiving
from support.running.processes import free_port

pytestmark = pytest.mark.drill

MESSAGE_ID = re.compile(rb"^Message-ID: (\S+)", re.MULTILINE)
# A worker that was killed holds its entries for this and five seconds more.
MAIL_SECONDS = 1
AT_ONCE = 8
# After which every claim has lapsed, on a slow machine too.
PATIENCE_SECONDS = 90


@dataclass
class Sink(Mailbox):
    """Counts the mails to each recipient, and the ids of the messages that each got."""

    received: Counter[str] = field(default_factory=Counter)
    ids: dict[str, set[bytes]] = field(default_factory=dict)

    async def handle_DATA(  # noqa: N802 - aiosmtpd's own name
        self, _server: object, _session: Any, envelope: Envelope
    ) -> str:
        assert isinstance(envelope.content, bytes)
        found = MESSAGE_ID.search(envelope.content)
        assert found is not None
        [recipient] = envelope.rcpt_tos
        self.received[recipient] += 1
        self.ids.setdefault(recipient, set()).add(found[1])
        return "250 OK"


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

    def start(self) -> None:
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
        self._process.send_signal(number)
        return await asyncio.to_thread(self._process.wait, 20)


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
        return (await register(client, username="somebody")).id


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
        # Nobody takes mails.
        await service.start()
        await asyncio.sleep(1 if number else times(60, short=1))
    enough.set()
    await writing
    async with receiving(sink, port=port), connected(database) as connection:
        await drained(connection, PATIENCE_SECONDS)
    assert set(sink.received) == set(committed)
    assert rolled_back
    twice = sum(count - 1 for count in sink.received.values())
    # What both had under way when they were killed, at most.
    assert twice <= kills * 2 * AT_ONCE
    assert all(len(ids) == 1 for ids in sink.ids.values())
    measured("mails sent under kills", len(committed), "mails")
    measured("of them twice", twice, "mails")


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
        async with asyncio.timeout(PATIENCE_SECONDS):
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
