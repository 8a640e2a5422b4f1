"""Streams whose clients never read: what they cost the process, and how others fare."""

import asyncio
import json
import select
import socket
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import httpx2
import pytest
from sqlalchemy.engine import URL

from adsvc.kit.http.connection import STREAM_BUFFER_BYTES
from faults import kernel
from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import HOST, Service, register
from faults.test_outbox import connected
from support.scene.api import Person

pytestmark = [pytest.mark.drill, pytest.mark.alone]

# Each has as many streams as an account may have.
ADMINISTRATORS = times(50, short=8)
OTHERS = times(200, short=12)
EACH = 4
SECONDS = times(60, short=8)
# Changes of prices a second, which all streams of the log are to send.
CHANGES_AT_ONCE, PAUSE_SECONDS = 100, 0.2
# What each of the other accounts gets at once.
NOTIFICATIONS = 500
# 200 events that a client has not taken, in three copies at most: the portion, what of it waits in
# the transport, and a copy while both are made. And what an idle stream costs.
KIB_EACH = 180
# Recent events, which all streams share, and what the requests of others take.
SHARED_MIB = 40
# A client that takes nothing for so long is cut off.
SEND_SECONDS = times(15, short=4)
WAIT_SECONDS = 60

CHANGE = "UPDATE ads SET price = price + 1 WHERE id IN (SELECT id FROM ads LIMIT $1)"
MAKE = """
    INSERT INTO ads (author_id, title, description, price, image)
        SELECT $1, 'Oak', 'Oak.', 1, 'image' || n FROM generate_series(1, $2::integer) n
"""
NOTIFY = """
    INSERT INTO notifications (user_id, type)
        SELECT id, 'decision' FROM users, generate_series(1, $2::integer)
        WHERE role = 'USER' AND id <> $1
"""
LAST = "SELECT max(id) FROM events"


@contextmanager
def silent(service: Service, people: list[Person], path: str) -> Iterator[list[socket.socket]]:
    """Connections that have got the head of a stream, and read nothing after it."""
    with ExitStack() as stack:
        opened = []
        for person in people:
            for _ in range(EACH):
                client = stack.enter_context(socket.socket())
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                client.settimeout(30)
                client.connect((HOST, service.port))
                fields = f"Host: drill\r\nAuthorization: Bearer {person.token}"
                client.sendall(f"GET {path} HTTP/1.1\r\n{fields}\r\n\r\n".encode())
                assert client.recv(64).startswith(b"HTTP/1.1 200 "), path
                opened.append(client)
        yield opened


def cut_off(clients: list[socket.socket]) -> int:
    """How many of the connections the service has reset."""
    resets = select.poll()
    for client in clients:
        resets.register(client, 0)
    return len(resets.poll(0))


@dataclass
class Reader:
    """A client that reads, and notes the events that it got."""

    ids: list[int] = field(default_factory=list)

    async def read(self, admin: Person) -> None:
        headers = admin.headers
        async with admin.client.stream("GET", "/events/stream", headers=headers) as answer:
            assert answer.status_code == httpx2.codes.OK
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    self.ids.append(json.loads(line[6:])["id"])


@asynccontextmanager
async def reading(admin: Person) -> AsyncIterator[Reader]:
    reader = Reader()
    task = asyncio.create_task(reader.read(admin))
    try:
        yield reader
        assert not task.done(), task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def delays(person: Person, seconds: float) -> list[float]:
    """How long requests of a person took who has no stream."""
    found, until, number = [], time.monotonic() + seconds, 0
    while time.monotonic() < until:
        number += 1
        for path in ("/users/me", f"/ads?minPrice={number}"):
            began = time.monotonic()
            answer = await person.get(path)
            assert answer.status_code == httpx2.codes.OK, answer.text
            found.append(time.monotonic() - began)
        await asyncio.sleep(0.05)
    return found


async def change(database: URL) -> None:
    """Until it is cancelled."""
    async with connected(database) as connection:
        while True:
            await connection.execute(CHANGE, CHANGES_AT_ONCE)
            await asyncio.sleep(PAUSE_SECONDS)


async def watch(port: int, unsent: list[int]) -> None:
    """Until it is cancelled: the most that the kernel keeps of one connection."""
    while True:
        unsent += [max(kernel.unsent(port), default=0)]
        await asyncio.sleep(0.2)


def p95(found: list[float]) -> float:
    return statistics.quantiles(found, n=20)[-1]


async def test_row_43_streams_that_are_never_read_take_little_memory(
    new_service: NewService, database: URL
) -> None:
    service = new_service(send_timeout_seconds=SEND_SECONDS)
    await service.start()
    async with service.client() as client, connected(database) as connection:
        bystander = await register(client)
        administrators = [await register(client) for _ in range(ADMINISTRATORS + 1)]
        others = [await register(client) for _ in range(OTHERS)]
        ids = [person.id for person in administrators]
        await connection.execute("UPDATE users SET role = 'ADMIN' WHERE id = ANY($1)", ids)
        await connection.execute(MAKE, bystander.id, CHANGES_AT_ONCE)
        async with reading(administrators.pop()) as reader:
            changing = asyncio.create_task(change(database))
            usual = await delays(bystander, SECONDS)
            before = kernel.resident(service.pid)
            kernel.forget_peak(service.pid)
            with (
                silent(service, administrators, "/events/stream") as of_events,
                silent(service, others, "/users/me/stream") as of_accounts,
            ):
                await connection.execute(NOTIFY, bystander.id, NOTIFICATIONS)
                unsent: list[int] = []
                watching = asyncio.create_task(watch(service.port, unsent))
                met = await delays(bystander, SECONDS)
                watching.cancel()
                number = len(of_events) + len(of_accounts)
                grown = kernel.peak(service.pid) - before
                async with asyncio.timeout(WAIT_SECONDS):
                    while cut_off([*of_events, *of_accounts]) < number:  # noqa: ASYNC110
                        await asyncio.sleep(0.5)
            changing.cancel()
            await asyncio.wait([changing])
            async with asyncio.timeout(WAIT_SECONDS):
                last = await connection.fetchval(LAST)
                while reader.ids[-1] < last:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
    measured("row 43: streams that were never read", number, "")
    measured("row 43: events meanwhile", len(reader.ids), "")
    measured("row 43: memory for each of the streams", grown / number / 1024, "KiB")
    measured("row 43: the most that the kernel kept of one", max(unsent) / 1024, "KiB")
    measured("row 43: p95 of others' requests before", p95(usual))
    measured("row 43: p95 of others' requests meanwhile", p95(met))
    # Who reads has missed nothing.
    assert reader.ids == [*range(reader.ids[0], last + 1)]
    assert grown <= number * KIB_EACH * 1024 + SHARED_MIB * kernel.MEBIBYTE
    assert 0 < max(unsent) <= 2 * STREAM_BUFFER_BYTES
    # A machine that does other things too may be late by itself.
    assert p95(met) <= 3 * p95(usual) + 0.1
    assert "Traceback" not in service.log()
