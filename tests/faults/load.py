"""Offers requests at a fixed rate, whether or not they are answered, as a crowd does."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from statistics import quantiles
from typing import Any

from faults.served import HOST

# A request not answered by then has timed out.
PATIENCE = 10.0
# More than a proxy keeps to one process; to open thousands would be what is measured.
MOST_CONNECTIONS = 500
# The service keeps them for five seconds; a request after that may meet a closing connection.
REST_SECONDS = 4.0
SERVICE_UNAVAILABLE = 503
NOT_MODIFIED = 304

# The status, and whether it says when to come back.
Answer = asyncio.Future[tuple[int, bool]]


@dataclass
class Result:
    seconds: float = 0
    latencies: dict[int, list[float]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    without_retry_after: int = 0
    late: int = 0
    # For want of a connection.
    unsent: int = 0

    def count(self, status: int) -> int:
        return len(self.latencies.get(status, ()))

    def rate(self) -> float:
        return (self.count(200) - self.late) / self.seconds

    def p99(self, status: int = 200) -> float:
        found = self.latencies.get(status, [])
        return quantiles(found, n=100)[98] if len(found) > 1 else 0.0

    def note(self, status: int, seconds: float, *, retry_after: bool) -> None:
        self.latencies.setdefault(status, []).append(seconds)
        if status == SERVICE_UNAVAILABLE and not retry_after:
            self.without_retry_after += 1


class Client(asyncio.Protocol):
    """One kept connection, one request at a time, read no further than needed."""

    def __init__(self) -> None:
        self._buffer = b""
        self._answer: Answer | None = None
        self.transport: asyncio.Transport | None = None
        self.free_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport = None
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, body = self._buffer.partition(b"\r\n\r\n")
        if not end:
            return
        lowered, status = head.lower(), int(head[9:12])
        length = 0
        if status != NOT_MODIFIED:
            at = lowered.index(b"content-length: ") + 16
            length = int(lowered[at : at + 12].partition(b"\r\n")[0])
        if len(body) >= length and self._answer is not None and not self._answer.done():
            self._buffer = b""
            if b"\r\nconnection: close" in lowered:
                self.close()
                self.transport = None
            self._answer.set_result((status, b"\r\nretry-after: " in lowered))

    def ask(self, request: bytes) -> Answer:
        self._answer = asyncio.get_running_loop().create_future()
        if self.transport is None:
            self._answer.set_exception(ConnectionResetError())
        else:
            self.transport.write(request)
        return self._answer

    def close(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class Crowd:
    """As many connections as it takes, within bounds; those that are free are used again.

    A request on one of them takes no task of its own: what makes the load shares the machine with
    what has to bear it.
    """

    def __init__(
        self, port: int, requests: list[bytes], *, sources: Sequence[str] = (HOST,)
    ) -> None:
        """From these addresses in turn, as a proxy may bound what one has under way."""
        self._port = port
        self._requests = requests
        self._sources = cycle(sources)
        self._free: list[Client] = []
        self._number = 0

    def _ask(self, result: Result, client: Client, began: float) -> Answer:
        self._number += 1
        answer = client.ask(self._requests[self._number % len(self._requests)])
        answer.add_done_callback(partial(self._note, result, client, began))
        return answer

    def _note(self, result: Result, client: Client, began: float, answer: Answer) -> None:
        seconds = time.perf_counter() - began
        if answer.cancelled() or seconds > PATIENCE:
            result.failures["TimeoutError"] += 1
            client.close()
        elif error := answer.exception():
            result.failures[type(error).__name__] += 1
        else:
            status, retry_after = answer.result()
            result.note(status, seconds, retry_after=retry_after)
            client.free_since = time.perf_counter()
            self._free.append(client)

    def _free_client(self) -> Client | None:
        while self._free:
            client = self._free.pop()
            rested = time.perf_counter() - client.free_since
            if client.transport is not None and rested < REST_SECONDS:
                return client
            client.close()
        return None

    async def _one(self, result: Result) -> None:
        began = time.perf_counter()
        client = self._free_client()
        # Failures are noted here and nowhere else.
        with suppress(OSError, TimeoutError):
            if client is None:
                client = await self._connect(result)
            await asyncio.wait_for(self._ask(result, client, began), PATIENCE)

    async def _connect(self, result: Result) -> Client:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(PATIENCE):
                source = (next(self._sources), 0)
                _, client = await loop.create_connection(
                    Client, HOST, self._port, local_addr=source
                )
        except (OSError, TimeoutError) as error:
            result.failures[type(error).__name__] += 1
            raise
        return client

    async def at_rate(self, rate: float, seconds: float) -> Result:
        """An open loop: the next request does not wait for the answer to the last."""
        result, began, number = Result(), time.perf_counter(), 0
        under_way: set[asyncio.Future[Any]] = set()
        while (now := time.perf_counter() - began) < seconds:
            while number < now * rate:
                number += 1
                client = self._free_client()
                if client is None and len(under_way) >= MOST_CONNECTIONS:
                    result.unsent += 1
                    continue
                asked: asyncio.Future[Any] = (
                    asyncio.create_task(self._one(result))
                    if client is None
                    else self._ask(result, client, time.perf_counter())
                )
                under_way.add(asked)
                asked.add_done_callback(under_way.discard)
            await asyncio.sleep(0.002)
        result.seconds = time.perf_counter() - began
        # Those still waiting are checked, but do not count for the rate.
        in_time = result.count(200)
        await self._await_late(under_way)
        result.late = result.count(200) - in_time
        return result

    @staticmethod
    async def _await_late(under_way: set[asyncio.Future[Any]]) -> None:
        if under_way:
            _, pending = await asyncio.wait(under_way, timeout=PATIENCE)
            for asked in pending:
                asked.cancel()
            await asyncio.sleep(0)

    async def at_most(self, concurrency: int, seconds: float, *, pause: float = 0) -> Result:
        """A closed loop: so many at a time, each at once followed by the next.

        Who is refused comes back after a pause, if any.
        """
        result, began = Result(), time.perf_counter()

        async def go_on() -> None:
            while time.perf_counter() - began < seconds:
                refused = result.count(SERVICE_UNAVAILABLE)
                await self._one(result)
                if pause and result.count(SERVICE_UNAVAILABLE) > refused:
                    await asyncio.sleep(pause)

        await asyncio.gather(*(go_on() for _ in range(concurrency)))
        result.seconds = time.perf_counter() - began
        return result

    def close(self) -> None:
        while self._free:
            self._free.pop().close()
