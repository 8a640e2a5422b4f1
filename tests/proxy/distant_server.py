"""A line to a server that is slow and long."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from faults.served import HOST

PIECE_BYTES = 16 * 1024
# Little, so that who sends much is still sending when the answer comes.
BUFFER_BYTES = 64 * 1024
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class SlowLine:
    """Each piece takes so long on its way to the server, an answer so much longer on its way back.

    A reset goes as an answer does, and takes with it what its receiver has not read.
    """

    def __init__(self, port: int, piece_seconds: float, delay_seconds: float) -> None:
        self._server_port = port
        self._piece_seconds = piece_seconds
        self._delay_seconds = delay_seconds

    async def _up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                await asyncio.sleep(self._piece_seconds)
                writer.write(piece)
                await writer.drain()

            writer.write_eof()

    async def _down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(PIECE_BYTES):
                await asyncio.sleep(self._delay_seconds)
                writer.write(piece)
                await writer.drain()
            # The server sends no more, but may go on reading.
            writer.write_eof()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(HOST, self._server_port)
        up = asyncio.create_task(self._up(reader, server_writer))
        await self._down(server_reader, writer)
        # Until the client has sent all, or the server takes no more.
        await up
        end = writer.get_extra_info("socket")
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        for each in (writer, server_writer):
            each.transport.abort()


@asynccontextmanager
async def slow_line(port: int, *, piece_seconds: float, delay_seconds: float) -> AsyncIterator[int]:
    """The port at which it begins."""
    near = socket.create_server((HOST, 0))
    near.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
    line = SlowLine(port, piece_seconds, delay_seconds)
    server = await asyncio.start_server(line.carry, sock=near, limit=PIECE_BYTES)
    try:
        yield near.getsockname()[1]
    finally:
        server.close()
