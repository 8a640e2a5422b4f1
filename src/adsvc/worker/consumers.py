"""Lanes of work that follows from events: each keeps its position in the log.

What a step does, and how far it came, is one transaction: after a crash nothing is missing, and
nothing is done twice. Of several workers one is at a step, and the others pass it by.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from asyncpg import PostgresError

from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.observability.logging import CountedWarning
from adsvc.repositories import events as event_rows

logger = logging.getLogger("adsvc.worker")
waiting = CountedWarning(logger, "Work that follows from events waits for the database: %s")

# Of the log, at most at once. Most of them concern no follower.
EVENTS_AT_ONCE = 2000
# However often notices come.
SHORTEST_PAUSE_SECONDS = 0.05
# When something is found whose notice was lost, or which has become due.
POLL_SECONDS = 5.0
# After a failure, which may well repeat.
RETRY_SECONDS = 1.0

# Does a part of the work, and says whether there may be more.
Step = Callable[[], Awaitable[bool]]


async def _always() -> bool:
    return True


def following(
    database: Database,
    name: str,
    handle: Callable[[Transaction, range], Awaitable[None]],
    *,
    is_ready: Callable[[], Awaitable[bool]] = _always,
    behind: str | None = None,
) -> Step:
    """A step that handles the next events of the log, by their ids, for the consumer `name`.

    Those that the consumer `behind` has handled, if one is given: a step before it in the lane.
    While it is not ready, the events wait: a step before it works on that. After a failure half as
    many are taken at once: a statement about so many may take longer than it is given, each time.
    """
    at_once, reached = EVENTS_AT_ONCE, -1
    changes = database.changes

    async def step() -> bool:
        nonlocal at_once, reached
        # Nothing is in the log beyond what was announced. Idle processes leave the database alone.
        if changes.reliable and changes.last_event_id == reached:
            return False
        taken, events = at_once, None
        try:
            async with database.lasting_transaction() as transaction:
                events = await event_rows.claim_consumer(transaction, name, taken, behind)
                if events is None:
                    # Another process is at them, and may end before they are handled.
                    return False
                if not events:
                    reached = events.start - 1
                    return False
                # Asked after the claim, so that the answer is no older than the events.
                if not await is_ready():
                    return False
                await handle(transaction, events)
                await event_rows.move_consumer(transaction, name, events[-1])
        except Exception:
            if events:
                at_once = max(1, len(events) // 2)
            raise
        reached = events[-1]
        # Slowly, since what was too much may be too much again.
        at_once = min(EVENTS_AT_ONCE, at_once + at_once // 4 + 1)
        return len(events) == taken

    return step


class Lane:
    """Takes its steps, one after another, whenever there may be something to do."""

    def __init__(
        self,
        name: str,
        steps: Sequence[Step],
        kinds: Sequence[InvalidationKind],
        *,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """`kinds` are the changes that wake it."""
        self._name = name
        self._poll_seconds = poll_seconds
        self._steps = steps
        self._kinds = frozenset(kinds)
        self._woken = asyncio.Event()

    def wake(self, change: Invalidation) -> None:
        """Called for each change that is announced."""
        if change.kind in self._kinds:
            self._woken.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self._woken.clear()
            pause = self._poll_seconds
            for step in self._steps:
                try:
                    if await step():
                        self._woken.set()
                except Exception as error:  # noqa: BLE001 - it is tried again
                    self._log(error)
                    pause = RETRY_SECONDS
            await asyncio.sleep(SHORTEST_PAUSE_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._woken.wait()

    def _log(self, error: Exception) -> None:
        if is_database_fault(error) or isinstance(error, PostgresError):
            waiting.note(f"{self._name}, {type(error.__cause__ or error).__name__}")
        else:
            logger.error("The step %s failed.", self._name, exc_info=error)
