"""Servers that speak just enough of PostgreSQL's protocol to fail, and pools that are empty."""

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from pydantic import SecretStr

from adsvc.kit.db.statements import Pool

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def postgres_that(serve: Serve) -> AsyncIterator[SecretStr]:
    """A server that speaks as much of PostgreSQL's protocol as the test needs."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield SecretStr(f"postgresql://adsvc:x@127.0.0.1:{port}/adsvc?sslmode=disable")


def refusing(sqlstate: str) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        (length,) = struct.unpack(">I", await reader.readexactly(4))
        await reader.readexactly(length - 4)
        fields = f"SFATAL\0VFATAL\0C{sqlstate}\0Mnot now\0\0".encode()
        writer.write(b"E" + struct.pack(">I", len(fields) + 4) + fields)
        await writer.drain()

    return serve


async def hang_up(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    return


async def stay_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


@asynccontextmanager
async def without_connections(pool: Pool) -> AsyncIterator[None]:
    """Takes the one connection of the pool."""
    await pool._slots.acquire(1)
    try:
        yield
    finally:
        pool._slots.release()
