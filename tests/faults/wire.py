"""Raw connections, for what no well-behaved client sends."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Self

from PIL import Image

from faults.served import HOST
from support.pictures.samples import encoded


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    def problem(self) -> dict[str, Any]:
        assert self.headers["content-type"] == "application/problem+json"
        found = self.json()
        assert found["status"] == self.status
        return found


class Wire:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.opened = time.monotonic()

    @classmethod
    async def open(cls, port: int, *, source: str | None = None) -> Self:
        local = (source, 0) if source else None
        return cls(*await asyncio.open_connection(HOST, port, local_addr=local))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def is_closed(self) -> bool:
        """As far as has been heard of it."""
        return self._reader.at_eof() or self._reader.exception() is not None

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def drip(self, data: bytes, *, seconds: float) -> None:
        """One byte after another until the other side has enough."""
        with suppress(OSError):
            for byte in data:
                await self.send(bytes((byte,)))
                await asyncio.sleep(seconds)

    async def answer(self, seconds: float = 10, *, without_body: bool = False) -> Answer:
        async with asyncio.timeout(seconds):
            head = await self._reader.readuntil(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")[:-2]
            headers: dict[str, str] = {}
            for line in lines:
                name, text = line.lower().split(": ", 1)
                headers[name] = f"{headers[name]}, {text}" if name in headers else text
            length = 0 if without_body else int(headers.get("content-length", "0"))
            body = await self._reader.readexactly(length)
            return Answer(int(first.split()[1]), headers, body)

    async def rest(self, seconds: float) -> bytes:
        """All that comes until the other side closes the connection."""
        received = b""
        async with asyncio.timeout(seconds):
            with suppress(ConnectionError):
                while piece := await self._reader.read(65536):
                    received += piece
        return received

    async def close(self) -> None:
        self._writer.transport.abort()
        with suppress(OSError):
            await self._writer.wait_closed()


def request_head(method: str, path: str, *headers: str, host: str = "adsvc") -> bytes:
    lines = (f"{method} {path} HTTP/1.1", f"Host: {host}", *headers, "", "")
    return "\r\n".join(lines).encode()


@cache
def noise(side: int = 1000) -> bytes:
    """A picture of about three megabytes that stays that large."""
    picture = Image.frombytes("RGB", (side, side), Random(side).randbytes(side * side * 3))
    return encoded(picture, "PNG")
