"""How long nothing could be read, and nothing written."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from itertools import count
from random import Random
from typing import Self

import httpx2

from faults.fleet.site import Site
from faults.ledger import COLOURS, PICTURES, Ledger, Promise, properties
from faults.served import register
from support.scene.api import Person

READS = ("list", "search", "ad", "picture")
PAUSE_SECONDS = 0.05
# A visitor waits no longer for a page.
WAIT_SECONDS = 5
WATCHED_ADS = 8
UNAVAILABLE = httpx2.codes.SERVICE_UNAVAILABLE

Question = Callable[[httpx2.AsyncClient], Awaitable[httpx2.Response]]


class Gap:
    """The longest time from one success to the next."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._longest = 0.0

    def begin(self) -> None:
        self._last, self._longest = time.monotonic(), 0.0

    def success(self) -> None:
        self._longest, self._last = self.longest(), time.monotonic()

    def longest(self) -> float:
        return max(self._longest, time.monotonic() - self._last)


class Watch:
    """Visitors who read all the time, one for each kind of reading.

    That something is away is an answer, and so is silence; any other is kept in `wrong`.
    """

    def __init__(self, site: Site, ledger: Ledger) -> None:
        self._site = site
        self._ledger = ledger
        self._random = Random(40)
        self._numbers = count()
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._person: Person | None = None
        self._ads: list[dict[str, object]] = []
        self._questions: dict[str, Question] = {
            "list": lambda client: client.get("/ads"),
            "search": lambda client: client.get(f"/ads?minPrice={next(self._numbers)}"),
            "ad": self._ask_for_ad,
            "picture": self._ask_for_picture,
        }
        self.gaps = {name: Gap() for name in (*READS, "write", "upload")}
        self.wrong: list[str] = []
        self._scene = ""

    async def __aenter__(self) -> Self:
        client = await self._stack.enter_async_context(self._site.client())
        self._person = await register(client)
        for number in range(WATCHED_ADS):
            text, colour = f"{self._person.username} watched {number}", COLOURS[number % 4]
            ad = await self._person.post_ad(image=PICTURES[colour], **properties(text))
            self._ads.append(ad)
            self._ledger.ads[ad["pk"]] = Promise({text}, {colour})
        self._tasks = [asyncio.create_task(self._read(name)) for name in self._questions]
        self._tasks.append(asyncio.create_task(self._count_writes()))
        self.begin("before")
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        ends = await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()
        for end in ends:
            if not isinstance(end, asyncio.CancelledError) and isinstance(end, BaseException):
                raise end

    def begin(self, scene: str) -> None:
        self._scene = scene
        for gap in self.gaps.values():
            gap.begin()

    async def _ask_for_ad(self, client: httpx2.AsyncClient) -> httpx2.Response:
        assert self._person is not None
        ad = self._random.choice(self._ads)
        return await client.get(f"/ads/{ad['pk']}", headers=self._person.headers)

    async def _ask_for_picture(self, client: httpx2.AsyncClient) -> httpx2.Response:
        """As a range, which comes from the store and not from memory."""
        ad = self._random.choice(self._ads)
        return await client.get(str(ad["image"]), headers={"Range": "bytes=0-"})

    async def _read(self, name: str) -> None:
        async with self._site.client(timeout=WAIT_SECONDS) as client:
            while True:
                try:
                    answer = await self._questions[name](client)
                except httpx2.TransportError:
                    pass
                else:
                    self._judge(name, answer)
                await asyncio.sleep(PAUSE_SECONDS)

    def _judge(self, name: str, answer: httpx2.Response) -> None:
        if answer.is_success:
            self.gaps[name].success()
        elif answer.status_code != UNAVAILABLE or "retry-after" not in answer.headers:
            self.wrong.append(f"{self._scene}: {name}: {answer.status_code} {answer.text}")

    async def _count_writes(self) -> None:
        writes, uploads = self._ledger.kept, self._ledger.uploads
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            if self._ledger.kept > writes:
                self.gaps["write"].success()
            if self._ledger.uploads > uploads:
                self.gaps["upload"].success()
            writes, uploads = self._ledger.kept, self._ledger.uploads
