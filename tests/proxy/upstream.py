"""A server behind the proxy that responds as a test says, and keeps what it received."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from faults.served import HOST

# From the number of the request to the bytes of the answer; none: the connection is cut.
Answers = Callable[[int], bytes]


@dataclass
class Upstream:
    port: int = 0
    heads: list[bytes] = field(default_factory=list)

    @property
    def asked(self) -> int:
        return len(self.heads)


def plain(_: int) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@asynccontextmanager
async def answering(answers: Answers = plain) -> AsyncIterator[Upstream]:
    upstream = Upstream()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if head.startswith(b"GET /readyz?require=pictures "):
                    # It takes uploads.
                    writer.write(plain(0))
                    continue
                upstream.heads.append(head)
                answer = answers(upstream.asked)
                if not answer:
                    break
                writer.write(answer)
                await writer.drain()
        writer.transport.abort()

    server = await asyncio.start_server(serve, HOST, 0)
    upstream.port = server.sockets[0].getsockname()[1]
    try:
        yield upstream
    finally:
        server.close()
