"""Follows the log of events, for all who wait for it in this process, and the streams that do."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from enum import StrEnum
from typing import ClassVar, NamedTuple, TypeVar

from adsvc.errors import CursorExpiredError, OverloadedError, TooManyStreamsError
from adsvc.kit.bulkheads.admission import idle
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.db.statements import Row
from adsvc.kit.process.setup import drain
from adsvc.repositories import events as event_rows
from adsvc.repositories.events import LogPosition

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


S = TypeVar("S", bound=Stream)


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

    def open(self, kind: type[S]) -> Sequence[S]:
        return [stream for stream in self._open if isinstance(stream, kind)]

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


logger = logging.getLogger("adsvc.events")

PAGE_EVENTS = 1000
# Kept for readers that are not as quick as others. A reader that is further behind is dropped.
RECENT_EVENTS = 5000
# The most that waits in memory until a client takes it.
CHUNK_EVENTS = 200

# Makes the bytes of a stream of an event.
Encode = Callable[[Row, str], bytes]


class _Encoded(NamedTuple):
    type: str
    content: bytes


class EventStream(Stream):
    """The events that one client follows."""

    kind = StreamKind.EVENTS

    def __init__(
        self,
        feed: "EventFeed",
        user_id: int,
        is_allowed: IsAllowed,
        types: Collection[str] | None,
        position: LogPosition | None,
    ) -> None:
        """What comes after the position, or from now on."""
        super().__init__(user_id, is_allowed)
        self._feed = feed
        self._types = types
        # Before what is in memory; None once that is reached.
        self._position = position
        self.last_id = feed.last_id if position is None else position.id

    def _joined(self, events: Sequence[_Encoded]) -> bytes:
        return b"".join(
            event.content for event in events if self._types is None or event.type in self._types
        )

    async def next_events(self) -> bytes | None:
        while self._position is not None and not self.has_ended:
            if self._position.id >= self._feed.first_id - 1:
                self._position = None
                break
            rows, self._position = await self._feed.read(
                self._position, self._feed.last_id, CHUNK_EVENTS
            )
            self.last_id = self._position.id
            if chunk := self._joined([self._feed.encoded(row) for row in rows]):
                return chunk
        while events := self._feed.recent(self.last_id, CHUNK_EVENTS):
            self.last_id += len(events)
            if chunk := self._joined(events):
                return chunk
        return b"" if events is not None else None


class EventFeed:
    """One reader of the log for all streams of the process."""

    def __init__(self, database: Database, streams: Streams, encode: Encode) -> None:
        self._changes = database.changes
        self._repository = database.reader
        self._encode = encode
        self._epoch = ""
        # Of the last event that was read.
        self._position: LogPosition | None = None
        self._events: list[_Encoded] = []
        self._all_streams = streams
        self._waiting: set[asyncio.Event] = set()
        self._advanced = asyncio.Event()
        self._starting = asyncio.Lock()
        # How often the process has announced its end.
        self._endings = 0

    @property
    def _streams(self) -> Sequence[EventStream]:
        return self._all_streams.open(EventStream)

    @property
    def last_id(self) -> int:
        return self._position.id if self._position is not None else 0

    @property
    def first_id(self) -> int:
        """Of the events in memory, or the next one."""
        return self.last_id - len(self._events) + 1

    def recent(self, after: int, limit: int) -> Sequence[_Encoded] | None:
        """Those in memory; None if some of them are not there any more."""
        missing = after - self.first_id + 1
        return None if missing < 0 else self._events[missing : missing + limit]

    def encoded(self, row: Row) -> _Encoded:
        return _Encoded(row["type"], self._encode(row, self._epoch))

    async def read(
        self, position: LogPosition, last_id: int, limit: int
    ) -> tuple[Sequence[Row], LogPosition]:
        return await event_rows.after(self._repository, position, None, limit, last_id)

    async def page(
        self,
        after: tuple[str, LogPosition] | None,
        types: Sequence[str] | None,
        limit: int,
        wait: float,
    ) -> tuple[Sequence[Row], str, LogPosition]:
        """Events, and the epoch and the position to go on from. Without any it waits."""
        until = time.monotonic() + wait
        endings = self._endings
        with self._woken() as woken:
            while True:
                woken.clear()
                state = await event_rows.state(self._repository)
                position = (
                    await self._valid(after) if after else await event_rows.start(self._repository)
                )
                rows, position = await event_rows.after(
                    self._repository, position, types, limit, state.last_id
                )
                after = state.epoch, position
                left = until - time.monotonic()
                # Rare types may need several statements, each of which reads a part of the log.
                if rows or (left <= 0 and position.id >= state.last_id) or wait == 0:
                    return rows, state.epoch, position
                if position.id < state.last_id and left > 0:
                    continue
                if left <= 0 or drain.is_announced or self._endings > endings:
                    return rows, state.epoch, position
                # Only the wait takes no place of the requests that the process is busy with.
                with suppress(TimeoutError), idle.get()():
                    async with asyncio.timeout(left):
                        await woken.wait()

    async def _valid(self, after: tuple[str, LogPosition]) -> LogPosition:
        epoch, position = after
        state = await event_rows.state(self._repository)
        if epoch != state.epoch or not await event_rows.can_resume_from(
            self._repository, position, state.last_id
        ):
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

    async def stream(
        self,
        user_id: int,
        is_allowed: IsAllowed,
        types: Collection[str] | None,
        after: tuple[str, LogPosition] | None,
        *,
        most: int,
    ) -> tuple[EventStream, ExitStack]:
        """The stream, and what to close after it. `CursorExpiredError`, `TooManyStreamsError`."""
        with ExitStack() as ending:
            ending.enter_context(self._all_streams.place(user_id, most))
            position = await self._valid(after) if after else None
            async with self._starting:
                if self._position is None:
                    self._epoch = (await event_rows.state(self._repository)).epoch
                    self._position = await event_rows.end(self._repository)
                    # What was announced meanwhile is behind that position, and has woken no one.
                    self._advanced.set()
            stream = EventStream(self, user_id, is_allowed, types, position)
            ending.enter_context(self._all_streams.opened(stream))
            return stream, ending.pop_all()

    def _wake(self) -> None:
        self._advanced.set()
        for waiting in self._waiting:
            waiting.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            # It may be called in a signal handler.
            loop.call_soon_threadsafe(self._end_waiting)

        drain.followers.add(end)
        self._changes.log_followers.append(self._wake)
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

    def _end_waiting(self) -> None:
        """The process ends: requests that wait get what there is."""
        self._endings += 1
        self._wake()

    async def _follow(self) -> None:
        """Reads what is new, once for all."""
        if not self._streams:
            # The next stream begins anew.
            self._forget()
        while self._position is not None and self._position.id < self._changes.last_event_id:
            rows, position = await self.read(
                self._position, self._changes.last_event_id, PAGE_EVENTS
            )
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
