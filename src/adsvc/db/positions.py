"""How far the primary's log is, and so how far a replica must be."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import asyncpg

from adsvc.db.connections.addresses import Address
from adsvc.db.read_pool import Reader
from adsvc.errors import DatabaseUnavailableError
from adsvc.invalidation import InvalidationBus

# In bytes of the write-ahead log, with the server's clock in seconds.
AT_PRIMARY = """
    SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS log,
        extract(epoch FROM clock_timestamp())::float8 AS clock
"""

# One that was promoted goes on by its own log.
AT_REPLICA = """
    SELECT (coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
            ELSE pg_current_wal_insert_lsn() END, '0/0') - '0/0')::bigint AS log,
        extract(epoch FROM clock_timestamp())::float8 AS clock
"""

# How old a position may be. A read may be as old, where a change was not told to this process.
POSITION_SECONDS = 1.0
# How long the last one counts while the primary does not answer.
OUTAGE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Position:
    """A server's log, and its clock less this process's monotonic one.

    It was there not before `asked_at`, and not after `told_at`.
    """

    log: int
    clock: float
    asked_at: float
    told_at: float


def position_of(row: Any, asked_at: float) -> Position:  # noqa: ANN401 - asyncpg's record
    told_at = time.monotonic()
    return Position(row["log"], row["clock"] - told_at, asked_at, told_at)


class Positions:
    """How far a replica must have come.

    A position that the primary gave after a change was heard of covers that change. Changes of this
    process are heard of after their commit and before their answer, those of others when
    PostgreSQL tells them.
    """

    def __init__(self, changes: InvalidationBus, primary: Reader) -> None:
        self._changes = changes
        self._primary = primary
        self._last = Position(0, 0, float("-inf"), float("-inf"))
        self._covered = -1
        self._asking: tuple[int, asyncio.Task[Position]] | None = None
        self._lost = False

    async def required(self) -> Position | None:
        """None if only the primary may answer."""
        if self._lost:
            # Nobody waits for a primary that did not answer the last one.
            self._ask()
            return self._last_one(OUTAGE_SECONDS)
        if self._changes.reliable and (known := self._last_one(POSITION_SECONDS)) is not None:
            return known
        try:
            return await asyncio.shield(self._ask())
        except (DatabaseUnavailableError, asyncpg.PostgresError):
            return self._last_one(OUTAGE_SECONDS)

    def _last_one(self, seconds: float) -> Position | None:
        covers = self._covered == self._changes.heard
        return self._last if covers and time.monotonic() - self._last.asked_at < seconds else None

    def _ask(self) -> asyncio.Task[Position]:
        """Shared by those who have heard the same, if this process hears everything."""
        heard = self._changes.heard
        shared = self._changes.reliable or self._lost
        if self._asking is not None and shared and self._asking[0] == heard:
            return self._asking[1]
        task = asyncio.create_task(self._fetch(heard))
        self._asking = (heard, task)
        task.add_done_callback(self._asked)
        return task

    async def _fetch(self, heard: int) -> Position:
        asked_at = time.monotonic()
        row: Any = await self._primary.fetchrow(AT_PRIMARY, keep_plan=True)
        self._last, self._covered = position_of(row, asked_at), heard
        return self._last

    def _asked(self, task: asyncio.Task[Position]) -> None:
        if self._asking is not None and self._asking[1] is task:
            self._asking = None
        # Marks what it raised as retrieved, too.
        self._lost = task.cancelled() or task.exception() is not None

    async def close(self) -> None:
        if self._asking is not None:
            self._asking[1].cancel()
            await asyncio.wait([self._asking[1]])
        self._primary.close()


class Histories:
    """Which replicas have replayed what the primary never wrote.

    After a failover that lost writes, a replica may still have them. Its position alone would make
    it look current until the new primary's log is as long. But a replica that follows the primary
    is never ahead of a position that the primary gives later.
    """

    def __init__(self) -> None:
        # The earliest time at which each is known to have been so far.
        self._seen: dict[Address | None, Position] = {}

    def differ(self, server: Address | None, position: Position) -> bool:
        seen = self._seen.get(server)
        return seen is not None and seen.told_at < position.asked_at and position.log < seen.log

    def add(self, server: Address | None, found: Position, position: Position) -> None:
        seen = self._seen.get(server)
        goes_on = seen is not None and found.log > seen.log and not self.differ(server, position)
        if seen is None or found.log < seen.log or goes_on:
            self._seen[server] = found
