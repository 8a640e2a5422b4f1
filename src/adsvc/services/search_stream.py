"""Feeds of saved searches: the ads that came to match, in the order in which they did."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from adsvc.errors import CursorExpiredError, SearchNotFoundError
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.repositories import events as event_rows
from adsvc.repositories import searches as saved_search_rows
from adsvc.services.searches import MATCH_DAYS
from adsvc.services.streams import IsAllowed, Stream, StreamKind, Streams, encoded

logger = logging.getLogger("adsvc.events")

MOST_AT_ONCE = 50
# Streams that read at the same time.
READERS = 4
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
        self, feed: "SearchFeed", user_id: int, is_allowed: IsAllowed, search_id: int,
        position: SearchPosition,
    ) -> None:  # fmt: skip
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
        self._streams: set[SearchStream] = set()
        self._turns = asyncio.Semaphore(READERS)

    async def begin(self, after: SearchPosition | None, event_id: int | None) -> SearchPosition:
        """Where to go on; without a position behind that event, by default behind the last match.

        `CursorExpiredError` if matches after the position may have been deleted.
        """
        epoch, now = (await event_rows.state(self._reader)).epoch, int(time.time())
        if after is None:
            if event_id is None:
                event_id = await saved_search_rows.matched_up_to(self._reader)
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
            rows, reached = await saved_search_rows.matches(
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
            ending.enter_context(self._followed(stream))
            return stream, ending.pop_all()

    @contextmanager
    def _followed(self, stream: SearchStream) -> Iterator[None]:
        self._streams.add(stream)
        try:
            yield
        finally:
            self._streams.discard(stream)

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if not self._streams:
                continue
            positions = [(stream.position.event_id, stream.search_id) for stream in self._streams]
            # Of several streams of a search the one that is furthest behind.
            followed = {search: event for event, search in sorted(positions, reverse=True)}
            try:
                matched = await saved_search_rows.with_matches(self._reader, followed)
            except Exception as error:
                if not is_database_fault(error):
                    logger.exception("The matches of saved searches cannot be read.")
                continue
            for stream in self._streams:
                if stream.search_id in matched:
                    stream.woken.set()
