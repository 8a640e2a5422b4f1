"""Uploads that have begun and not ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from support.scene.api import Person, ad_form


@asynccontextmanager
async def half_way(
    person: Person, number: int, *, length: int = 0
) -> AsyncIterator[list[asyncio.Task[httpx2.Response]]]:
    """Uploads whose bodies have been read from, and arrive at the end of the block.

    With a length they say that they are so long, and end before that.
    """
    requested, going_on = asyncio.Semaphore(0), asyncio.Event()
    request = httpx2.Request("POST", "http://x", files=ad_form())
    headers = {"Content-Type": request.headers["Content-Type"]}
    if length:
        headers["Content-Length"] = str(length)

    async def body() -> AsyncIterator[bytes]:
        requested.release()
        await going_on.wait()
        yield request.read() if not length else b"--"

    uploads = [
        asyncio.create_task(person.post("/ads", content=body(), headers=headers))
        for _ in range(number)
    ]
    try:
        # The body of a refused one is never read.
        async with asyncio.timeout(20):
            for _ in uploads:
                await requested.acquire()
        yield uploads
    finally:
        going_on.set()
        await asyncio.wait(uploads)
