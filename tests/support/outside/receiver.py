"""A receiver of webhooks and of Web Push in the test's own process, which may refuse and hang."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

WAIT_SECONDS = 30


@dataclass(frozen=True)
class Received:
    head: str
    headers: Mapping[str, str]
    body: str
    # By the clock of the loop.
    at: float
    content: bytes

    @property
    def event(self) -> dict[str, Any]:
        event: dict[str, Any] = json.loads(self.body)
        return event

    @property
    def message(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """`statuses` are its answers, one after the other; then `status`. 0 ends the connection."""

    port: int = 0
    status: int = 204
    statuses: list[int] = field(default_factory=list)
    body: bytes = b""
    received: list[Received] = field(default_factory=list)
    # While it is cleared, nothing is answered.
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: int = 0
    most_under_way: int = 0
    _came: asyncio.Condition = field(default_factory=asyncio.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def events(self) -> list[int]:
        return [received.event["id"] for received in self.received]

    async def until(self, check: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_SECONDS), self._came:
            await self._came.wait_for(check)

    async def until_received(self, number: int) -> list[Received]:
        await self.until(lambda: len(self.received) >= number)
        return self.received

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            head, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            pairs = (line.split(": ", 1) for line in lines if line)
            headers = {name.lower(): value for name, value in pairs}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            at = asyncio.get_running_loop().time()
            self.received.append(Received(head, headers, body.decode(errors="replace"), at, body))
            async with self._came:
                self._came.notify_all()
            await self.answers.wait()
            status = self.statuses.pop(0) if self.statuses else self.status
            if status:
                length = len(self.body)
                head = f"HTTP/1.1 {status} Said\r\nContent-Length: {length}\r\n\r\n"
                writer.write(head.encode() + self.body)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.under_way -= 1
            writer.close()


@asynccontextmanager
async def receiving(**answers: Any) -> AsyncIterator[Receiver]:
    receiver = Receiver(**answers)
    receiver.answers.set()
    server = await asyncio.start_server(receiver.handle, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        receiver.answers.set()
        server.close()
