"""A long and narrow line between a client and the service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from faults.served import HOST

PIECE_BYTES = 8192


class SlowLine:
    """Carries so many bytes a second up, and what comes back so many seconds late.

    A reset is not late: at the client it drops what has arrived and was not read, as TCP does.
    """

    def __init__(self, port: int, *, bytes_per_second: float, delay: float) -> None:
        self._port = port
        self._rate = bytes_per_second
        self._delay = delay

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(HOST, self._port)
        ways = (self._up(reader, far_writer), self._down(far_reader, writer))
        try:
            await asyncio.gather(*ways)
        except ConnectionError:
            writer.transport.abort()
        finally:
            for end in (writer, far_writer):
                end.close()
                with suppress(OSError):
                    await end.wait_closed()

    async def _up(self, reader: asyncio.StreamReader, far: asyncio.StreamWriter) -> None:
        while piece := await reader.read(PIECE_BYTES):
            await asyncio.sleep(len(piece) / self._rate)
            far.write(piece)
            await far.drain()
        far.write_eof()

    async def _down(self, far: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.TaskGroup() as under_way:
            while piece := await far.read(PIECE_BYTES):
                under_way.create_task(self._arrive(writer, piece))
        writer.write_eof()

    async def _arrive(self, writer: asyncio.StreamWriter, piece: bytes) -> None:
        await asyncio.sleep(self._delay)
        writer.write(piece)


@asynccontextmanager
async def slow_line(port: int, *, bytes_per_second: float, delay: float) -> AsyncIterator[int]:
    """The port at which the line begins that ends at this one."""
    line = SlowLine(port, bytes_per_second=bytes_per_second, delay=delay)
    server = await asyncio.start_server(line.carry, HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()
