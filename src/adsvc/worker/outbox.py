"""Delivers outbox entries at least once, by any number of processes, each by one at a time.

A claim lasts longer than an attempt may take, and a delivered entry is deleted. If a worker dies
during an attempt, another one repeats the entry after the claim has expired.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress

import asyncpg

from adsvc.db.database import Database
from adsvc.db.faults import is_database_fault
from adsvc.errors import DeliveryError, ReceiverUnavailableError, UndeliverableError
from adsvc.invalidation import Invalidation, InvalidationKind
from adsvc.measures import WorkCounts
from adsvc.observability.tracing import span
from adsvc.repositories.outbox import ClaimedEntry, OutboxWorkRepository

logger = logging.getLogger("adsvc.outbox")

# A claim lasts this much longer than an attempt may. Clocks of machines play no part, but the
# result has to be written in time.
MARGIN_SECONDS = 5.0
# How long an entry may wait if its notice was lost, or if it is due later.
POLL_SECONDS = 5.0
# The pause before the second attempt. Each later pause is twice as long.
FIRST_PAUSE_SECONDS = 10.0
LONGEST_PAUSE_SECONDS = 3600.0
# While the receiver is unavailable, all entries wait, and one is tried at a time.
SHORTEST_BACKOFF_SECONDS = 1.0
LONGEST_BACKOFF_SECONDS = 60.0
ERROR_MAX_LENGTH = 500


def pause_before(attempt: int) -> float:
    """Seconds before that attempt, which is not the first: a random 50 to 150 % of the pause."""
    pause = min(FIRST_PAUSE_SECONDS * 2.0 ** min(attempt - 2, 20), LONGEST_PAUSE_SECONDS)
    return pause * (0.5 + secrets.randbelow(1001) / 1000)


class Outbox:
    """`deliver` delivers an entry, or raises a `DeliveryError`. `rest` is called when idle."""

    def __init__(
        self,
        database: Database,
        deliver: Callable[[ClaimedEntry], Awaitable[None]],
        rest: Callable[[], Awaitable[None]],
        *,
        kinds: Collection[str],
        at_once: int,
        seconds: float,
        attempts: int,
        shutdown_grace_seconds: float,
        counts: WorkCounts,
    ) -> None:
        self._work = OutboxWorkRepository(database.reader, database.writer)
        self._deliver, self._rest = deliver, rest
        self._kinds, self._at_once = kinds, at_once
        self._seconds, self._attempts = seconds, attempts
        # How long deliveries may still take when the process ends.
        self._shutdown_grace_seconds = shutdown_grace_seconds
        self._under_way: set[asyncio.Task[None]] = set()
        # Entries that are delivered, but still in the table.
        self._done: set[int] = set()
        self._deleting = asyncio.Lock()
        self._woken = asyncio.Event()
        self._backoff_seconds = 0.0
        self._paused_until = float("-inf")
        self.counts = counts

    def wake(self, change: Invalidation) -> None:
        """Called for each change that is announced."""
        if change.kind is InvalidationKind.OUTBOX:
            self._woken.set()

    async def run(self) -> None:
        """Runs until it is cancelled. Deliveries that are under way then get a moment to end."""
        try:
            while True:
                self._woken.clear()
                if await self._take() == 0:
                    await self._wait()
        finally:
            await self._end()

    async def _take(self) -> int:
        """Begins as many entries as there is room for. Returns their number."""
        room = self._at_once - len(self._under_way)
        if self._backoff_seconds:
            room = 0 if self._under_way or time.monotonic() < self._paused_until else 1
        # Wait for room, so that one statement claims several entries.
        elif room < (self._at_once + 1) // 2:
            room = 0
        if room == 0:
            return 0
        try:
            claimed = await self._work.claim(
                self._kinds, room, seconds=self._seconds + MARGIN_SECONDS
            )
        except Exception as error:  # noqa: BLE001 - it is looked at again
            _log_fault("The outbox could not be read", error)
            return 0
        for entry in claimed:
            task = asyncio.create_task(self._handle(entry))
            self._under_way.add(task)
            task.add_done_callback(self._ended)
        return len(claimed)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if len(self._under_way) <= self._at_once // 2:
            self._woken.set()

    async def _wait(self) -> None:
        left = self._paused_until - time.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(left if 0 < left < POLL_SECONDS else POLL_SECONDS):
                await self._woken.wait()
                return
        if not self._under_way:
            await self._rest()

    async def _handle(self, entry: ClaimedEntry) -> None:
        # An entry may be delivered already, if its deletion failed.
        if entry.id not in self._done:
            attempt = {"adsvc.attempt": entry.attempts}
            try:
                with span(f"outbox {entry.kind}", attempt, begins_trace=True):
                    async with asyncio.timeout(self._seconds):
                        await self._deliver(entry)
            except Exception as error:  # noqa: BLE001 - whatever it was, there is another attempt
                await self._failed(entry, error)
                return
            self._backoff_seconds = 0.0
            self.counts.delivered[entry.kind] += 1
            self._done.add(entry.id)
        await self._delete_done()

    async def _delete_done(self) -> None:
        """Deletes with one statement all entries that ended during the statement before."""
        async with self._deleting:
            ids = list(self._done)
            if not ids:
                return
            try:
                await self._work.delete(ids)
            except Exception as error:  # noqa: BLE001 - the next one deletes them too
                # This process remembers them while it runs.
                _log_fault("Delivered entries could not be deleted from the outbox", error)
                return
            self._done.difference_update(ids)

    async def _failed(self, entry: ClaimedEntry, error: Exception) -> None:
        message = _message(error)
        try:
            if isinstance(error, ReceiverUnavailableError) or is_database_fault(error):
                rest = self._back_off()
                self.counts.unavailable += 1
                logger.warning("Nothing can be delivered now: %s", message)
                await self._work.postpone(entry, message, seconds=rest, counts=False)
            elif isinstance(error, UndeliverableError) or entry.attempts >= self._attempts:
                self.counts.died[entry.kind] += 1
                logger.error("Dead letter: entry %d (%s): %s", entry.id, entry.kind, message)
                await self._work.mark_dead(entry, message)
            else:
                self.counts.failed[entry.kind] += 1
                if isinstance(error, (DeliveryError, TimeoutError)):
                    logger.warning("Entry %d (%s): %s", entry.id, entry.kind, message)
                else:
                    logger.error("Entry %d (%s)", entry.id, entry.kind, exc_info=error)
                pause = pause_before(entry.attempts + 1)
                await self._work.postpone(entry, message, seconds=pause, counts=True)
        except Exception as fault:  # noqa: BLE001 - no caller awaits this task
            # The claim expires.
            _log_fault("The result of an entry could not be recorded", fault)

    def _back_off(self) -> float:
        """The seconds of the pause. Of several failures at once only the first one prolongs it."""
        left = self._paused_until - time.monotonic()
        if left > 0:
            return left
        longer = max(2 * self._backoff_seconds, SHORTEST_BACKOFF_SECONDS)
        self._backoff_seconds = min(longer, LONGEST_BACKOFF_SECONDS)
        rest = self._backoff_seconds * (0.5 + secrets.randbelow(501) / 1000)
        self._paused_until = time.monotonic() + rest
        return rest

    async def _end(self) -> None:
        """The remaining claims expire."""
        if self._under_way:
            logger.info("Waiting for %d entries that are being delivered.", len(self._under_way))
            _, late = await asyncio.wait(self._under_way, timeout=self._shutdown_grace_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def _message(error: Exception) -> str:
    message = "the attempt timed out" if isinstance(error, TimeoutError) else str(error)
    if not isinstance(error, (DeliveryError, TimeoutError)):
        # The error's text may contain personal data.
        message = type(error).__name__
    return message[:ERROR_MAX_LENGTH]


def _log_fault(what: str, error: Exception) -> None:
    if is_database_fault(error) or isinstance(error, asyncpg.PostgresError):
        logger.warning("%s: %s", what, type(error.__cause__ or error).__name__)
    else:
        logger.error("%s.", what, exc_info=error)
