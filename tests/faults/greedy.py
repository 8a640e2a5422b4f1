"""Clients that send as much as they can, in a process of their own: `python greedy.py JSON`."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any

HOST = "127.0.0.1"
FORM = "Content-Type: multipart/form-data; boundary=frontier"
PROPERTIES = {"title": "An oak table", "description": "As good as new.", "price": 100}

answers: Counter[int] = Counter()


def slow_picture(side: int) -> bytes:
    """Some hundred kilobytes that take a decoder a second: 40 Mpx in many scans."""
    from PIL import Image

    picture, file = Image.new("RGB", (side, side), (120, 60, 200)), BytesIO()
    picture.save(file, "JPEG", quality=75, progressive=True)
    return file.getvalue()


def form(pictures: Sequence[bytes]) -> bytes:
    parts = [(b'name="properties"', json.dumps(PROPERTIES).encode())]
    parts += [(b'name="image"; filename="a.jpg"', picture) for picture in pictures]
    heads = (b"--frontier\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" % it for it in parts)
    return b"".join(heads) + b"--frontier--\r\n"


async def connect(port: int, source: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(HOST, port, local_addr=(source, 0))


def head(path: str, length: int, *headers: str) -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: adsvc", f"Content-Length: {length}", *headers)
    return "\r\n".join((*lines, "", "")).encode()


async def send(port: int, source: str, data: bytes) -> None:
    """One request on a connection of its own, and its answer, which is only counted."""
    writer = None
    try:
        reader, writer = await connect(port, source)
        writer.write(data)
        status = await asyncio.wait_for(reader.readline(), 60)
        answers[int(status.split()[1])] += 1
    except (OSError, IndexError, TimeoutError):
        answers[0] += 1
        await asyncio.sleep(0.05)
    finally:
        if writer is not None:
            writer.close()


async def announce(port: int, source: str, tokens: Sequence[str]) -> None:
    """Three uploads that announce as much as all may have, and send 33 kB a second."""

    async def drip(token: str, length: int) -> None:
        while True:
            with suppress(OSError, TimeoutError):
                reader, writer = await connect(port, source)
                writer.write(head("/ads", length, FORM, f"Authorization: Bearer {token}"))
                writer.write(form([b"\xff\xd8"])[:-20])
                while not reader.at_eof():
                    writer.write(b"x" * 3300)
                    await writer.drain()
                    await asyncio.sleep(0.1)
            await asyncio.sleep(0.1)

    lengths = (120_000_000, 120_000_000, 28_400_000)
    await asyncio.gather(*(drip(tokens[0], length) for length in lengths))


async def log_in(port: int, source: str, accounts: Sequence[Sequence[str]]) -> None:
    """Sixty logins at a time, all with right passwords."""

    async def go_on(number: int) -> None:
        name, password = accounts[number % len(accounts)]
        body = json.dumps({"username": name, "password": password}).encode()
        request = head("/login", len(body), "Content-Type: application/json") + body
        while True:
            await send(port, source, request)

    await asyncio.gather(*map(go_on, range(60)))


async def upload(port: int, source: str, tokens: Sequence[str], *, side: int) -> None:
    """Eight uploads of each account at a time, each of twelve pictures that take long."""
    body = form([slow_picture(side)] * 12)

    async def go_on(token: str) -> None:
        request = head("/ads", len(body), FORM, f"Authorization: Bearer {token}") + body
        while True:
            await send(port, source, request)
            await asyncio.sleep(0.05)

    await asyncio.gather(*(go_on(token) for token in tokens for _ in range(8)))


def feeds() -> Sequence[tuple[str, bytes]]:
    """Of 15 MB each: they take a reader long that does not stop, or much memory."""
    size = 15_000_000
    row = b'{"externalId": "%d", "title": 1, "images": [' + b"1," * 700 + b"1]}\n"
    return [
        ("application/x-ndjson", b"".join(row % number for number in range(10_000))),
        ("application/x-ndjson", b'{"externalId": [' + b"1," * (size // 2) + b"1]}\n"),
        ("text/csv", b"externalId\n" + b"1\n" * (size // 2)),
        ("text/csv", b"externalId\n" + b"," * size),
    ]


async def send_feeds(port: int, source: str, tokens: Sequence[str]) -> None:
    """Each feed again and again, by each account."""

    async def go_on(token: str, kind: str, feed: bytes) -> None:
        headers = (f"Content-Type: {kind}", f"Authorization: Bearer {token}")
        request = head("/imports?dryRun=true", len(feed), *headers) + feed
        while True:
            await send(port, source, request)

    sent = feeds()
    await asyncio.gather(*(go_on(token, *feed) for token in tokens for feed in sent))


async def main(port: int, seconds: float, source: str, kind: str, **wanted: Any) -> None:
    attacks = {"announce": announce, "feeds": send_feeds, "log_in": log_in, "upload": upload}
    attack: Any = attacks[kind]
    with suppress(TimeoutError):
        await asyncio.wait_for(attack(port, source, **wanted), seconds)
    print(json.dumps(answers))


if __name__ == "__main__":
    asyncio.run(main(**json.loads(sys.argv[1])))
