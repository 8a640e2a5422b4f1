"""Delivers the entries of the outbox, which are mails. Delivered entries are deleted."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Sequence

from adsvc.errors import DeliveryError, ReceiverUnavailableError
from adsvc.kit.counters import WorkCounts
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.deliveries import MARGIN_SECONDS, DeliveryLane
from adsvc.kit.http.outbound import Answer
from adsvc.kit.observability.tracing import span
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import ClaimedEntry

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


class Outbox(DeliveryLane[ClaimedEntry]):
    """`deliver` delivers an entry, or raises a `DeliveryError`. `rest` is called when idle."""

    # Each claim is for half of the places at least, and a full outbox leaves none of them free.
    shortest_pause_seconds = 0.0

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
        # Wait for room, so that one statement claims several entries.
        super().__init__(
            "outbox",
            at_once=at_once,
            least_room=(at_once + 1) // 2,
            shutdown_grace_seconds=shutdown_grace_seconds,
        )
        self._database = database
        self._deliver, self._rest = deliver, rest
        self._kinds, self._seconds, self._attempts = kinds, seconds, attempts
        # Entries that are delivered, but still in the table.
        self._done: set[int] = set()
        self._deleting = asyncio.Lock()
        self._backoff_seconds = 0.0
        self._paused_until = float("-inf")
        self.counts = counts

    @property
    def poll_seconds(self) -> float:
        left = self._paused_until - time.monotonic()
        return left if 0 < left < POLL_SECONDS else POLL_SECONDS

    @property
    def room(self) -> int:
        if self._backoff_seconds:
            return 0 if self._under_way or time.monotonic() < self._paused_until else 1
        return super().room

    async def claim(self, room: int) -> Sequence[ClaimedEntry]:
        return await outbox_rows.claim(
            self._database.writer, self._kinds, room, seconds=self._seconds + MARGIN_SECONDS
        )

    async def send(self, delivery: ClaimedEntry) -> None:
        if delivery.id in self._done:
            # Its deletion failed.
            return
        attempt = {"adsvc.attempt": delivery.attempts}
        with span(f"outbox {delivery.kind}", attempt, begins_trace=True):
            async with asyncio.timeout(self._seconds):
                await self._deliver(delivery)

    def pause_before(self, attempt: int) -> float | None:
        return pause_before(attempt) if attempt <= self._attempts else None

    async def delivered(self, delivery: ClaimedEntry, answer: Answer | None) -> None:  # noqa: ARG002
        """Deletes with one statement all entries that ended during the statement before.

        If it fails, the next one deletes them too. This process remembers them while it runs.
        """
        if delivery.id not in self._done:
            self._backoff_seconds = 0.0
            self.counts.delivered[delivery.kind] += 1
            self._done.add(delivery.id)
        async with self._deleting:
            if ids := list(self._done):
                await outbox_rows.delete_claimed(self._database.writer, ids)
                self._done.difference_update(ids)

    async def failed(self, delivery: ClaimedEntry, error: Exception, pause: float | None) -> None:
        message = _message(error)
        number, kind = delivery.id, delivery.kind
        if isinstance(error, ReceiverUnavailableError) or is_database_fault(error):
            rest = self._back_off()
            self.counts.unavailable += 1
            self._logger.warning("Nothing can be delivered now: %s", message)
            await outbox_rows.postpone(
                self._database.writer, delivery, message, seconds=rest, counts=False
            )
        elif pause is None:
            self.counts.died[kind] += 1
            self._logger.error("Dead letter: entry %d (%s): %s", number, kind, message)
            await outbox_rows.mark_dead(self._database.writer, delivery, message)
        else:
            self.counts.failed[kind] += 1
            if isinstance(error, (DeliveryError, TimeoutError)):
                self._logger.warning("Entry %d (%s): %s", number, kind, message)
            else:
                self._logger.error("Entry %d (%s)", number, kind, exc_info=error)
            await outbox_rows.postpone(
                self._database.writer, delivery, message, seconds=pause, counts=True
            )

    async def rest(self) -> None:
        await self._rest()

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


def _message(error: Exception) -> str:
    message = "the attempt timed out" if isinstance(error, TimeoutError) else str(error)
    if not isinstance(error, (DeliveryError, TimeoutError)):
        # The error's text may contain personal data.
        message = type(error).__name__
    return message[:ERROR_MAX_LENGTH]
