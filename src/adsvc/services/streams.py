"""Responses that go on until their client leaves: what is common to all streams of a process."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import ClassVar

from adsvc.errors import OverloadedError, TooManyStreamsError
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.process.drain import drain

logger = logging.getLogger("adsvc.events")

# A comment goes out after so long without an event, so that proxies do not close the stream.
COMMENT_SECONDS = 15.0
COMMENT = b": \n\n"
# How often a stream's credentials are checked.
CHECK_SECONDS = 3.0
TICK_SECONDS = 1.0
# How many are checked at the same time: what is not in memory takes a connection to the database.
CHECKS = 4

IsAllowed = Callable[[], Awaitable[bool]]


class StreamKind(StrEnum):
    EVENTS = "events"
    ACCOUNT = "account"
    SEARCH = "search"


def encoded(kind: str, data: str, cursor: str) -> bytes:
    """An event as streams have it (HTML, "Server-sent events"). `data` is JSON, so one line."""
    return f"id: {cursor}\nevent: {kind}\ndata: {data}\n\n".encode()


class Stream(ABC):
    """What one client follows, as bytes."""

    kind: ClassVar[StreamKind]

    def __init__(self, user_id: int, is_allowed: IsAllowed) -> None:
        self.user_id = user_id
        # Whether the credentials are still good for it.
        self.is_allowed = is_allowed
        self.woken = asyncio.Event()
        self.has_ended = False
        # At the end of the stream: whether its client had not taken what was sent.
        self.is_behind = False
        self.checked_at = self._sent_at = time.monotonic()

    def end(self) -> None:
        self.has_ended = True
        self.woken.set()

    @property
    def needs_comment(self) -> bool:
        return time.monotonic() - self._sent_at >= COMMENT_SECONDS

    @abstractmethod
    async def next_events(self) -> bytes | None:
        """What the client has not got yet, in portions; nothing if it has all.

        None if the client was too slow: it goes on from the last id that it has got.
        """

    async def chunks(self) -> AsyncIterator[bytes]:
        """Until the stream ends. Nothing is read for it while its client does not take the last."""
        # The head goes out at once.
        self.is_behind = True
        yield COMMENT
        self.is_behind = False
        while not self.has_ended:
            self.woken.clear()
            try:
                chunk = await self.next_events()
            except Exception as error:
                if is_database_fault(error):
                    # The client connects again, and the refusal says when to come back.
                    return
                raise
            if chunk is None:
                self.is_behind = True
                return
            if not chunk and self.needs_comment:
                chunk = COMMENT
            if chunk:
                self._sent_at = time.monotonic()
                self.is_behind = True
                yield chunk
                self.is_behind = False
            else:
                await self.woken.wait()


class Streams:
    """All streams of the process: how many there are, and when they end."""

    def __init__(self, most: int) -> None:
        self.most = most
        # Those that ended because their client was too slow.
        self.dropped: Counter[StreamKind] = Counter(dict.fromkeys(StreamKind, 0))
        self._open: set[Stream] = set()
        self._by_account: Counter[int] = Counter()
        self._places = 0

    def of_account(self, account: int) -> int:
        return self._by_account[account]

    def count(self, kind: StreamKind) -> int:
        return sum(stream.kind is kind for stream in self._open)

    @contextmanager
    def place(self, account: int, most: int) -> Iterator[None]:
        """Counts a stream of the account, before anything is read for it.

        `TooManyStreamsError` if the account has `most`; `OverloadedError` if the process has as
        many as it may have: connections have to be left for all other requests.
        """
        if self._by_account[account] >= most:
            raise TooManyStreamsError(most)
        if self._places >= self.most:
            raise OverloadedError
        self._by_account[account] += 1
        self._places += 1
        try:
            yield
        finally:
            self._places -= 1
            self._by_account[account] -= 1
            if not self._by_account[account]:
                del self._by_account[account]

    @contextmanager
    def opened(self, stream: Stream) -> Iterator[None]:
        """In a `place`."""
        self._open.add(stream)
        if drain.is_announced:
            stream.end()
        try:
            yield
        finally:
            self._open.discard(stream)
            self.dropped[stream.kind] += stream.is_behind

    def end(self) -> None:
        for stream in self._open:
            stream.end()

    async def run(self) -> None:
        """Until it is cancelled: comments, credentials, and the end of the process."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            # It may be called in a signal handler.
            loop.call_soon_threadsafe(self.end)

        drain.followers.add(end)
        checking = asyncio.create_task(self._check())
        try:
            while True:
                await asyncio.sleep(TICK_SECONDS)
                for stream in self._open:
                    if stream.needs_comment:
                        stream.woken.set()
        finally:
            drain.followers.discard(end)
            checking.cancel()
            self.end()

    async def _check(self) -> None:
        """Ends streams whose credentials have ended. A database that hangs holds up no comment."""
        turns = asyncio.Semaphore(CHECKS)
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            due = [stream for stream in self._open if now - stream.checked_at >= CHECK_SECONDS]
            await asyncio.gather(*(self._check_one(stream, turns) for stream in due))

    @staticmethod
    async def _check_one(stream: Stream, turns: asyncio.Semaphore) -> None:
        async with turns:
            stream.checked_at = time.monotonic()
            try:
                if not await stream.is_allowed():
                    stream.end()
            except Exception as error:
                if not is_database_fault(error):
                    logger.exception("The credentials of a stream cannot be checked.")
                    stream.end()
