"""Follows the log of events, for all who wait for it in this process."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from adsvc.db.database import Database
from adsvc.db.faults import is_database_fault
from adsvc.db.pools import Row
from adsvc.errors import CursorExpiredError, TooManyStreamsError
from adsvc.process.drain import drain
from adsvc.repositories.events import EventRepository, LogPosition

logger = logging.getLogger("adsvc.events")

PAGE_EVENTS = 1000
# Kept for readers that are not as quick as others. A reader that is further behind is dropped.
RECENT_EVENTS = 5000
STREAMS_PER_ACCOUNT = 4
# A comment goes out after so long without an event, so that proxies do not close the stream.
COMMENT_SECONDS = 15.0
COMMENT = b": \n\n"
# How often a stream's credentials are checked.
CHECK_SECONDS = 3.0
TICK_SECONDS = 1.0

# Makes the bytes of a stream of an event.
Encode = Callable[[Row, str], bytes]


class _Encoded(NamedTuple):
    type: str
    content: bytes


class EventStream:
    """The events that one client follows, as bytes."""

    def __init__(
        self,
        feed: "EventFeed",
        types: Collection[str] | None,
        is_allowed: Callable[[], Awaitable[bool]],
    ) -> None:
        self._feed = feed
        self._types = types
        self.is_allowed = is_allowed
        self.woken = asyncio.Event()
        self.has_ended = False
        self.last_id = 0
        self.checked_at = self.sent_at = time.monotonic()

    def end(self) -> None:
        self.has_ended = True
        self.woken.set()

    def wants(self, event: _Encoded) -> bool:
        return self._types is None or event.type in self._types

    async def chunks(self, position: LogPosition | None) -> AsyncIterator[bytes]:
        """What comes after the position, or from now on, until the stream ends.

        It ends for a client that is too slow, too: it goes on from the last id that it has got.
        """
        # The head goes out at once.
        yield COMMENT
        async for chunk in self._missed(position):
            yield chunk
        while not self.has_ended:
            self.woken.clear()
            events = self._feed.recent(self.last_id)
            if events is None:
                return
            self.last_id += len(events)
            chunk = b"".join(event.content for event in events if self.wants(event))
            if not chunk and time.monotonic() - self.sent_at >= COMMENT_SECONDS:
                chunk = COMMENT
            if chunk:
                self.sent_at = time.monotonic()
                yield chunk
            else:
                await self.woken.wait()

    async def _missed(self, position: LogPosition | None) -> AsyncIterator[bytes]:
        """What the process has not in memory."""
        if position is None:
            self.last_id = self._feed.last_id
            return
        while not self.has_ended and position.id < self._feed.first_id - 1:
            rows, position = await self._feed.read(position, self._feed.last_id)
            events = [self._feed.encoded(row) for row in rows]
            if chunk := b"".join(event.content for event in events if self.wants(event)):
                yield chunk
        self.last_id = position.id


class EventFeed:
    """One reader of the log for all streams of the process."""

    def __init__(self, database: Database, encode: Encode) -> None:
        self._changes = database.changes
        self._repository = EventRepository(database.reader)
        self._encode = encode
        self._epoch = ""
        # Of the last event that was read.
        self._position: LogPosition | None = None
        self._events: list[_Encoded] = []
        self._streams: set[EventStream] = set()
        self._by_account: Counter[int] = Counter()
        self._waiting: set[asyncio.Event] = set()
        self._advanced = asyncio.Event()
        self._starting = asyncio.Lock()

    @property
    def streams(self) -> int:
        return len(self._streams)

    @property
    def last_id(self) -> int:
        return self._position.id if self._position is not None else 0

    @property
    def first_id(self) -> int:
        """Of the events in memory, or the next one."""
        return self.last_id - len(self._events) + 1

    def recent(self, after: int) -> Sequence[_Encoded] | None:
        """Those in memory; None if some of them are not there any more."""
        missing = after - self.first_id + 1
        return None if missing < 0 else self._events[missing:]

    def encoded(self, row: Row) -> _Encoded:
        return _Encoded(row["type"], self._encode(row, self._epoch))

    async def read(
        self, position: LogPosition, last_id: int, types: Sequence[str] | None = None
    ) -> tuple[Sequence[Row], LogPosition]:
        return await self._repository.after(position, types, PAGE_EVENTS, last_id)

    async def page(
        self,
        after: tuple[str, LogPosition] | None,
        types: Sequence[str] | None,
        limit: int,
        wait: float,
    ) -> tuple[Sequence[Row], str, LogPosition]:
        """Events, and the epoch and the position to go on from. Without any it waits."""
        until = time.monotonic() + wait
        with self._woken() as woken:
            while True:
                woken.clear()
                state = await self._repository.state()
                position = await self._valid(after) if after else await self._repository.start()
                rows, position = await self._repository.after(position, types, limit, state.last_id)
                after = state.epoch, position
                left = until - time.monotonic()
                # Rare types may need several statements, each of which reads a part of the log.
                if rows or (left <= 0 and position.id >= state.last_id) or wait == 0:
                    return rows, state.epoch, position
                if position.id < state.last_id and left > 0:
                    continue
                if left <= 0 or drain.is_announced:
                    return rows, state.epoch, position
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await woken.wait()

    async def _valid(self, after: tuple[str, LogPosition]) -> LogPosition:
        epoch, position = after
        state = await self._repository.state()
        if epoch != state.epoch or not await self._repository.goes_on(position, state.last_id):
            raise CursorExpiredError
        return position

    @contextmanager
    def _woken(self) -> Iterator[asyncio.Event]:
        woken = asyncio.Event()
        self._waiting.add(woken)
        try:
            yield woken
        finally:
            self._waiting.discard(woken)

    async def start(self, after: tuple[str, LogPosition] | None) -> LogPosition | None:
        """Begins to follow the log, and checks where a stream is to begin."""
        position = await self._valid(after) if after else None
        async with self._starting:
            if self._position is None:
                self._epoch = (await self._repository.state()).epoch
                self._position = await self._repository.end()
        return position

    @contextmanager
    def stream(
        self,
        user_id: int,
        types: Collection[str] | None,
        is_allowed: Callable[[], Awaitable[bool]],
    ) -> Iterator[EventStream]:
        """`TooManyStreamsError` if the account has as many as it may."""
        if self._by_account[user_id] >= STREAMS_PER_ACCOUNT:
            raise TooManyStreamsError(STREAMS_PER_ACCOUNT)
        stream = EventStream(self, types, is_allowed)
        self._by_account[user_id] += 1
        self._streams.add(stream)
        if drain.is_announced:
            stream.end()
        try:
            yield stream
        finally:
            self._streams.discard(stream)
            self._by_account[user_id] -= 1
            if not self._by_account[user_id]:
                del self._by_account[user_id]

    def end_streams(self) -> None:
        for stream in self._streams:
            stream.end()
        self._wake()

    def _wake(self) -> None:
        self._advanced.set()
        for waiting in self._waiting:
            waiting.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            loop.call_soon_threadsafe(self.end_streams)

        drain.followers.add(end)
        self._changes.log_followers.append(self._wake)
        watching = asyncio.create_task(self._watch())
        try:
            while True:
                await self._advanced.wait()
                self._advanced.clear()
                try:
                    await self._follow()
                except Exception as error:
                    if not is_database_fault(error):
                        logger.exception("The log of events cannot be read.")
                    self._forget()
        finally:
            drain.followers.discard(end)
            self._changes.log_followers.remove(self._wake)
            watching.cancel()
            self.end_streams()

    async def _follow(self) -> None:
        """Reads what is new, once for all."""
        if not self._streams:
            # The next stream begins anew.
            self._forget()
        while self._position is not None and self._position.id < self._changes.last_event_id:
            rows, position = await self.read(self._position, self._changes.last_event_id)
            if position == self._position:
                # What was announced is not there: the log is another one.
                self._forget()
                return
            self._events += map(self.encoded, rows)
            self._position = position
            if len(self._events) > 2 * RECENT_EVENTS:
                del self._events[:-RECENT_EVENTS]
        for stream in self._streams:
            stream.woken.set()

    def _forget(self) -> None:
        """Streams end; they go on by their cursors, which are checked then."""
        self._position = None
        self._events = []
        for stream in self._streams:
            stream.end()

    async def _watch(self) -> None:
        """One clock for all streams: comments, and credentials that have ended."""
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = time.monotonic()
            for stream in tuple(self._streams):
                if now - stream.sent_at >= COMMENT_SECONDS:
                    stream.woken.set()
                if now - stream.checked_at >= CHECK_SECONDS:
                    stream.checked_at = now
                    try:
                        if not await stream.is_allowed():
                            stream.end()
                    except Exception as error:
                        if not is_database_fault(error):
                            logger.exception("The credentials of a stream cannot be checked.")
                            stream.end()
