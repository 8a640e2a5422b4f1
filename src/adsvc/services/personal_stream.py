"""Streams of what concerns one account, and feeds of its saved searches."""

import asyncio
import json
import logging
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from adsvc.errors import CursorExpiredError, SearchNotFoundError
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.invalidation import Invalidation
from adsvc.repositories import conversations, following
from adsvc.repositories import events as event_rows
from adsvc.repositories import notifications as notification_rows
from adsvc.services.events import IsAllowed, Stream, StreamKind, Streams, encoded
from adsvc.services.following import MATCH_DAYS

logger = logging.getLogger("adsvc.events")

MESSAGE = InvalidationKind.MESSAGE
# The names of events, beside the two of messages.
NOTIFICATION, UNREAD, READ = "notification", "unread", "read"

# Messages, and notifications, that a cursor remembers. One whose transaction took longer comes
# after one with a greater id.
REMEMBERED = 10
MOST_AT_ONCE = 50
# Streams that read at the same time: all do when a process has missed what was announced.
READERS = 4
# Accounts of which one statement reads whether something has changed.
POSITIONS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a client is in things with positions: it has those up to `after`, and `had`.

    Positions are ids, and revisions of notifications that gathered more.
    """

    after: int = 0
    # The newest ones, ascending.
    had: tuple[int, ...] = ()

    def with_all(self, ids: Iterable[int]) -> "Reached":
        known = sorted((*self.had, *ids))
        after = known[-REMEMBERED - 1] if len(known) > REMEMBERED else self.after
        return Reached(after, tuple(known[-REMEMBERED:]))


@dataclass(frozen=True, slots=True)
class Cursor:
    # Of the log: a restored backup begins another one.
    epoch: str
    messages: Reached
    notifications: Reached


T = TypeVar("T")
EncodeCursor = Callable[[int, Cursor], str]
# Of each thing its position, the name of its event, and its JSON; by position.
News = Sequence[tuple[int, str, str]]


@dataclass
class Followed:
    """The messages, or the notifications, that one stream sends."""

    # What has a greater position than that.
    read: Callable[[int], Awaitable[News]]
    count_unread: Callable[[], Awaitable[int]]
    position: Reached
    has_news: bool = True
    unread: int = 0


class PersonalStream(Stream):
    """How many things are unread, then what is new, each time followed by how many are unread.

    And what the other parties have read since it began.
    """

    kind = StreamKind.ACCOUNT

    def __init__(
        self,
        feed: "PersonalFeed",
        user_id: int,
        is_allowed: IsAllowed,
        cursor: Cursor,
        *,
        has_notifications: bool,
    ) -> None:
        super().__init__(user_id, is_allowed)
        self._feed = feed
        self._epoch = cursor.epoch
        self._has_notifications = has_notifications
        self._followed = {
            InvalidationKind.MESSAGE: Followed(
                partial(feed.messages, user_id),
                partial(feed.read, conversations.unread, user_id),
                cursor.messages,
            ),
            InvalidationKind.NOTIFICATION: Followed(
                partial(feed.notifications, user_id),
                partial(feed.read, notification_rows.unread, user_id),
                cursor.notifications,
            ),
        }
        self._counted = ""
        self._followed[InvalidationKind.NOTIFICATION].has_news = has_notifications
        # How far the other parties had read, by conversation.
        self._markers: dict[int, int] | None = None

    def wake(self, kind: InvalidationKind) -> None:
        if kind is InvalidationKind.NOTIFICATION and not self._has_notifications:
            return
        self._followed[kind].has_news = True
        self.woken.set()

    async def next_events(self) -> bytes:
        changed = [followed for followed in self._followed.values() if followed.has_news]
        # At first both: it begins with how many are unread.
        chunk = b"" if self._counted else await self._count(changed)
        for followed in changed:
            followed.has_news = False
            if followed is self._followed[InvalidationKind.MESSAGE]:
                chunk += await self._read_by_others()
            news = await followed.read(followed.position.after)
            # There may be more.
            followed.has_news |= len(news) == MOST_AT_ONCE
            for identifier, name, record in news:
                if identifier not in followed.position.had:
                    followed.position = followed.position.with_all([identifier])
                    chunk += encoded(name, record, self._cursor)
        return chunk + await self._count(changed)

    async def _read_by_others(self) -> bytes:
        markers = await self._feed.read(conversations.read_by_others, self.user_id)
        known, self._markers = self._markers, markers
        if known is None:
            return b""
        moved = self._markers.items() - known.items()
        return b"".join(
            encoded(READ, json.dumps({"conversation": one, "readUpTo": up_to}), self._cursor)
            for one, up_to in sorted(moved)
            if up_to
        )

    async def _count(self, changed: Sequence[Followed]) -> bytes:
        """How many are unread, if it is another number than before."""
        for followed in changed:
            followed.unread = await followed.count_unread()
        messages, notifications = (followed.unread for followed in self._followed.values())
        counted = json.dumps({"messages": messages, "notifications": notifications})
        if counted == self._counted:
            return b""
        self._counted = counted
        return encoded(UNREAD, counted, self._cursor)

    @property
    def _cursor(self) -> str:
        messages, notifications = (followed.position for followed in self._followed.values())
        return self._feed.encode(self.user_id, Cursor(self._epoch, messages, notifications))


class PersonalFeed:
    """Wakes the streams of an account when something of the account was announced."""

    def __init__(self, database: Database, streams: Streams, encode: EncodeCursor) -> None:
        self.encode = encode
        self._reader = database.reader
        self._all_streams = streams
        self._by_account: defaultdict[int, set[PersonalStream]] = defaultdict(set)
        self._turns = asyncio.Semaphore(READERS)
        # By kind, and then by account: what was read of the accounts with streams.
        self._positions: dict[InvalidationKind, Mapping[int, Row]] = {}
        self._unnamed: set[InvalidationKind] = set()
        self._woken = asyncio.Event()
        database.changes.follow(self._receive)

    def _receive(self, change: Invalidation) -> None:
        match change:
            case Invalidation(
                InvalidationKind.MESSAGE | InvalidationKind.NOTIFICATION as kind, account
            ):
                if account:
                    self._wake(int(account), InvalidationKind(kind))
                else:
                    self._unnamed.add(InvalidationKind(kind))
                    self._woken.set()

    def _wake(self, account: int, kind: InvalidationKind) -> None:
        for stream in self._by_account.get(account, ()):
            stream.wake(kind)

    async def run(self) -> None:
        """Until it is cancelled: wakes the accounts that a notice without an id is about.

        One statement says which these are; the streams of all accounts would send several each.
        """
        while True:
            await self._woken.wait()
            self._woken.clear()
            kinds, self._unnamed = self._unnamed, set()
            for kind in kinds:
                await self._wake_concerned(kind)

    async def _wake_concerned(self, kind: InvalidationKind) -> None:
        accounts = list(self._by_account)
        known = self._positions.pop(kind, {})
        positions = conversations.positions if kind == MESSAGE else notification_rows.positions
        try:
            found: dict[int, Row] = {}
            for start in range(0, len(accounts), POSITIONS_AT_ONCE):
                part = accounts[start : start + POSITIONS_AT_ONCE]
                found |= await positions(self._reader, part)
        except Exception as error:
            if not is_database_fault(error):
                logger.exception("The accounts of a notice cannot be read.")
            # Their own reads end the streams that cannot be served.
            for account in accounts:
                self._wake(account, kind)
            return
        self._positions[kind] = found
        for account in accounts:
            if account not in known or known[account] != found[account]:
                self._wake(account, kind)

    async def read(self, function: Callable[[Statements, int], Awaitable[T]], user_id: int) -> T:
        async with self._turns:
            return await function(self._reader, user_id)

    async def messages(self, user_id: int, after: int) -> News:
        async with self._turns:
            return await conversations.news(self._reader, user_id, MOST_AT_ONCE, after=after)

    async def notifications(self, user_id: int, after: int) -> News:
        async with self._turns:
            found = await notification_rows.news(self._reader, user_id, MOST_AT_ONCE, after=after)
        return [(identifier, NOTIFICATION, record) for identifier, record in found]

    async def _now(self, user_id: int, epoch: str) -> Cursor:
        """Behind everything that there is."""
        after, ids = await conversations.newest_messages(self._reader, user_id, REMEMBERED + 1)
        notifications = await notification_rows.newest(self._reader, user_id, REMEMBERED + 1)
        return Cursor(epoch, Reached(after).with_all(ids), Reached().with_all(notifications))

    async def stream(
        self,
        user_id: int,
        is_allowed: IsAllowed,
        after: Cursor | None,
        *,
        has_notifications: bool,
        most: int,
    ) -> tuple[PersonalStream, ExitStack]:
        """The stream, and what to close after it. `CursorExpiredError`, `TooManyStreamsError`.

        Without notifications, none of them is sent or counted.
        """
        with ExitStack() as ending:
            ending.enter_context(self._all_streams.place(user_id, most))
            epoch = (await event_rows.state(self._reader)).epoch
            if after is None:
                after = await self._now(user_id, epoch)
            elif after.epoch != epoch:
                raise CursorExpiredError
            stream = PersonalStream(
                self, user_id, is_allowed, after, has_notifications=has_notifications
            )
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


# Matches are announced by nothing: one statement of a process looks for those of its streams.
POLL_SECONDS = 0.5
DAY_SECONDS = 24 * 3600


class SearchPosition(NamedTuple):
    """A client has the matches up to an event, as they were at that time (in seconds)."""

    # Of the log: a restored backup begins another one.
    epoch: str
    event_id: int
    at: int


EncodePosition = Callable[[int, SearchPosition], str]


class SearchStream(Stream):
    kind = StreamKind.SEARCH

    def __init__(
        self,
        feed: "SearchFeed",
        user_id: int,
        is_allowed: IsAllowed,
        search_id: int,
        position: SearchPosition,
    ) -> None:
        super().__init__(user_id, is_allowed)
        self._feed = feed
        self.search_id, self.position = search_id, position

    async def next_events(self) -> bytes:
        chunk = b""
        try:
            rows, reached = await self._feed.read(self.user_id, self.search_id, self.position)
        except SearchNotFoundError:
            self.end()
            return chunk
        for event_id, record in rows:
            cursor = self._feed.encode(self.search_id, reached._replace(event_id=event_id))
            chunk += encoded("ad", record, cursor)
        self.position = reached
        return chunk


class SearchFeed:
    """Reads matches, and wakes the streams of searches that have new ones."""

    def __init__(self, database: Database, streams: Streams, encode: EncodePosition) -> None:
        self.encode = encode
        self._reader = database.reader
        self._all_streams = streams
        self._turns = asyncio.Semaphore(READERS)

    async def begin(self, after: SearchPosition | None, event_id: int | None) -> SearchPosition:
        """Where to go on; without a position behind that event, by default behind the last match.

        `CursorExpiredError` if matches after the position may have been deleted.
        """
        epoch, now = (await event_rows.state(self._reader)).epoch, int(time.time())
        if after is None:
            if event_id is None:
                event_id = await following.matched_up_to(self._reader)
            return SearchPosition(epoch, event_id, now)
        if after.epoch != epoch or after.at < now - MATCH_DAYS * DAY_SECONDS:
            raise CursorExpiredError
        return after

    async def read(
        self, user_id: int, search_id: int, after: SearchPosition, limit: int = MOST_AT_ONCE
    ) -> tuple[Sequence[tuple[int, str]], SearchPosition]:
        """Of the next matches the event and the ad as JSON, and how far that is."""
        now = int(time.time())
        async with self._turns:
            rows, reached = await following.matches(
                self._reader, user_id, search_id, after.event_id, limit
            )
        return rows, SearchPosition(after.epoch, reached, now)

    async def stream(
        self,
        user_id: int,
        is_allowed: IsAllowed,
        search_id: int,
        after: SearchPosition | None,
        *,
        most: int,
    ) -> tuple[SearchStream, ExitStack]:
        """The stream, and what to close after it. `CursorExpiredError`, `TooManyStreamsError`."""
        with ExitStack() as ending:
            ending.enter_context(self._all_streams.place(user_id, most))
            position = await self.begin(after, None)
            stream = SearchStream(self, user_id, is_allowed, search_id, position)
            ending.enter_context(self._all_streams.opened(stream))
            return stream, ending.pop_all()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            streams = self._all_streams.open(SearchStream)
            if not streams:
                continue
            positions = [(stream.position.event_id, stream.search_id) for stream in streams]
            # Of several streams of a search the one that is furthest behind.
            followed = {search: event for event, search in sorted(positions, reverse=True)}
            try:
                matched = await following.with_matches(self._reader, followed)
            except Exception as error:
                if not is_database_fault(error):
                    logger.exception("The matches of saved searches cannot be read.")
                continue
            for stream in streams:
                if stream.search_id in matched:
                    stream.woken.set()
