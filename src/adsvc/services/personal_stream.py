"""Streams of what concerns one account."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from adsvc.db.database import Database
from adsvc.errors import CursorExpiredError
from adsvc.invalidation import Invalidation, InvalidationKind
from adsvc.repositories.events import EventRepository
from adsvc.repositories.notifications import NotificationReadRepository
from adsvc.services.streams import IsAllowed, Stream, Streams, encoded

# The names of the events.
NOTIFICATION, UNREAD = "notification", "unread"

# Notifications that a stream remembers. One whose transaction took longer comes after one with a
# greater id.
REMEMBERED = 10
MOST_AT_ONCE = 50
# Streams that read at the same time: all do when a process has missed what was announced.
READERS = 4

# The epoch of the log, and the last notification that the client has.
Cursor = tuple[str, int]
EncodeCursor = Callable[[int, Cursor], str]


class PersonalStream(Stream):
    """How many things are unread, then what is new, each time followed by how many are unread."""

    def __init__(
        self, feed: "PersonalFeed", user_id: int, is_allowed: IsAllowed, cursor: Cursor
    ) -> None:
        super().__init__(user_id, is_allowed)
        self._feed = feed
        self._epoch, self._last_id = cursor
        # Notifications with a greater id are read again; those that were sent already are left out.
        self._read_after = self._last_id
        self._sent: Sequence[int] = ()
        self._unread: int | None = None
        self._has_news = True

    def wake(self) -> None:
        self._has_news = True
        self.woken.set()

    async def next_events(self) -> bytes:
        if not self._has_news:
            return b""
        self._has_news = False
        chunk = b""
        if self._unread is None:
            chunk = self._counted(await self._feed.unread(self.user_id))
        rows = await self._feed.notifications(self.user_id, self._read_after)
        # There may be more.
        self._has_news |= len(rows) == MOST_AT_ONCE
        for identifier, record in rows:
            if identifier not in self._sent:
                self._last_id = max(self._last_id, identifier)
                chunk += encoded(NOTIFICATION, record, self._cursor)
        self._remember([identifier for identifier, _ in rows])
        return chunk + self._counted(await self._feed.unread(self.user_id))

    def _remember(self, read: Sequence[int]) -> None:
        if len(read) > REMEMBERED:
            self._read_after = read[-REMEMBERED - 1]
        self._sent = read[-REMEMBERED:]

    def _counted(self, unread: int) -> bytes:
        """Only if it is another number than before."""
        if unread == self._unread:
            return b""
        self._unread = unread
        return encoded(UNREAD, json.dumps({"notifications": unread}), self._cursor)

    @property
    def _cursor(self) -> str:
        return self._feed.encode(self.user_id, (self._epoch, self._last_id))


class PersonalFeed:
    """Wakes the streams of an account when something of the account was announced."""

    def __init__(self, database: Database, streams: Streams, encode: EncodeCursor) -> None:
        self.encode = encode
        self._log = EventRepository(database.reader)
        self._notifications = NotificationReadRepository(database.reader)
        self._all_streams = streams
        self._by_account: defaultdict[int, set[PersonalStream]] = defaultdict(set)
        self._turns = asyncio.Semaphore(READERS)
        database.changes.follow(self._hear)

    def _hear(self, change: Invalidation) -> None:
        match change:
            case Invalidation(InvalidationKind.NOTIFICATION, ""):
                for streams in self._by_account.values():
                    _wake(streams)
            case Invalidation(InvalidationKind.NOTIFICATION, account):
                _wake(self._by_account.get(int(account), set()))

    async def unread(self, user_id: int) -> int:
        async with self._turns:
            return await self._notifications.unread(user_id)

    async def notifications(self, user_id: int, after: int) -> Sequence[tuple[int, str]]:
        async with self._turns:
            return await self._notifications.exported(user_id, MOST_AT_ONCE, after=after)

    async def stream(
        self, user_id: int, is_allowed: IsAllowed, after: Cursor | None
    ) -> tuple[PersonalStream, ExitStack]:
        """The stream, and what to close after it. `CursorExpiredError`, `TooManyStreamsError`."""
        epoch = (await self._log.state()).epoch
        if after is None:
            after = epoch, await self._notifications.last_id(user_id)
        elif after[0] != epoch:
            raise CursorExpiredError
        with ExitStack() as ending:
            stream = PersonalStream(self, user_id, is_allowed, after)
            ending.enter_context(self._all_streams.opened(stream))
            ending.enter_context(self._followed(stream))
            return stream, ending.pop_all()

    @contextmanager
    def _followed(self, stream: PersonalStream) -> Iterator[None]:
        streams = self._by_account[stream.user_id]
        streams.add(stream)
        try:
            yield
        finally:
            streams.discard(stream)
            if not streams:
                del self._by_account[stream.user_id]


def _wake(streams: set[PersonalStream]) -> None:
    for stream in streams:
        stream.wake()
