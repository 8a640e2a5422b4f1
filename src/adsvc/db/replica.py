"""Reads from a replica, which show every change that this process has heard of."""

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import asyncpg

from adsvc.db.faults import is_database_fault
from adsvc.db.pools import Reader, Work
from adsvc.db.servers import Address, ServerConnection, Servers
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

# How old a position may be. A read may be as old, if this process did not hear of a change.
POSITION_SECONDS = 1.0
# How long the last one counts while the primary does not answer.
OUTAGE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Position:
    """A server's log, and its clock less this process's monotonic one.

    It was there not before `checked_at`, and not after `answered_at`.
    """

    log: int
    clock: float
    checked_at: float
    answered_at: float


def position_of(row: Any, checked_at: float) -> Position:  # noqa: ANN401 - asyncpg's record
    answered_at = time.monotonic()
    return Position(row["log"], row["clock"] - answered_at, checked_at, answered_at)


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
            # No read waits for a primary that did not answer the last one.
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
        return self._last if covers and time.monotonic() - self._last.checked_at < seconds else None

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
        checked_at = time.monotonic()
        row: Any = await self._primary.fetchrow(AT_PRIMARY, keep_plan=True)
        self._last, self._covered = position_of(row, checked_at), heard
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
        return (
            seen is not None and seen.answered_at < position.checked_at and position.log < seen.log
        )

    def add(self, server: Address | None, found: Position, position: Position) -> None:
        seen = self._seen.get(server)
        goes_on = seen is not None and found.log > seen.log and not self.differ(server, position)
        if seen is None or found.log < seen.log or goes_on:
            self._seen[server] = found


logger = logging.getLogger("adsvc.db")

# How often the clock of a replica is read, by which ads expire.
CLOCK_SECONDS = 5.0
# How slow its clock may be; a read takes a part of that.
CLOCK_TOLERANCE = 0.2
# How long a read waits for a replica that is nearly there, step by step, and for how long nobody
# asks one that was not.
WAITS = (0.002, 0.006)
PAUSE_SECONDS = 0.5
# How often one that failed is tried.
RETRY_SECONDS = 1.0


class ReplicaBehindError(Exception):
    """It has not replayed enough yet, its clock is slow, or it follows another history."""


class ReplicaReader(Reader):
    """Asks a replica that has come far enough, and the primary otherwise.

    What a replica has replayed only grows. So a connection whose replica was once far enough is not
    asked again: a statement that is sent later has a later snapshot. One statement could not do
    both, for it takes its snapshot before it looks how far the replica is.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        primary: Reader,
        positions: Positions,
        pool_size: int,
        timeout: float,
        server_settings: dict[str, str],
    ) -> None:
        super().__init__(
            servers,
            pool_size=pool_size,
            timeout=timeout,
            server_settings=server_settings,
            names=("replica_reads", "replica_searches"),
        )
        self._primary = primary
        self._positions = positions
        self._lends = servers.by_transaction
        self._histories = Histories()
        # By who answered.
        self.answered = {"replica": 0, "primary": 0}
        self._resume_at = 0.0
        self._retrying: asyncio.Task[None] | None = None

    async def run(self, work: Work, *, keep_plan: bool) -> Any:  # noqa: ANN401 - the work's
        if time.monotonic() >= self._resume_at:
            position = await self._positions.required()
            if position is not None:
                try:
                    result = await super().run(
                        lambda connection: self._read(connection, position, work),
                        keep_plan=keep_plan,
                    )
                except Exception as error:  # noqa: BLE001 - what is no fault of the replica is raised
                    self._require_fault(error)
                else:
                    self.answered["replica"] += 1
                    return result
        self.answered["primary"] += 1
        return await self._primary.run(work, keep_plan=keep_plan)

    async def _read(self, connection: ServerConnection, position: Position, work: Work) -> Any:  # noqa: ANN401 - the work's
        for wait in (*WAITS, None):
            if await self._has(connection, position):
                return await work(connection)
            if wait is not None:
                await asyncio.sleep(wait)
        raise ReplicaBehindError

    async def _has(self, connection: ServerConnection, position: Position) -> bool:
        now = time.monotonic()
        asked = not self._lends and now - connection.checked_at < CLOCK_SECONDS
        differs = self._histories.differ(connection.address, position)
        if asked and connection.replayed >= position.log and not differs:
            return True
        found = position_of(await connection.fetchrow(AT_REPLICA), now)
        self._histories.add(connection.address, found, position)
        if self._histories.differ(connection.address, position):
            raise ReplicaBehindError
        if found.clock < position.clock - CLOCK_TOLERANCE:
            raise ReplicaBehindError
        connection.replayed, connection.checked_at = found.log, now
        return found.log >= position.log

    def _require_fault(self, error: Exception) -> None:
        """Raises errors that the primary would raise too. For others the replica gets a rest."""
        if isinstance(error, ReplicaBehindError):
            self._resume_at = time.monotonic() + PAUSE_SECONDS
            return
        if isinstance(error, asyncpg.QueryCanceledError) or not is_database_fault(error):
            raise error
        if isinstance(error, asyncpg.SerializationError):
            # What the replica replays has removed rows that the statement was reading.
            return
        self._resume_at = float("inf")
        if self._retrying is None or self._retrying.done():
            logger.warning("The replica is left alone: %s", type(error.__cause__ or error).__name__)
            self._retrying = asyncio.create_task(self._retry())

    async def _retry(self) -> None:
        """Until it answers again, so that no request pays for finding out."""
        while self._resume_at == float("inf"):
            await asyncio.sleep(RETRY_SECONDS)
            with suppress(DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await super().run(lambda connection: connection.execute("SELECT"), keep_plan=True)
                self._resume_at = 0.0
        logger.info("The replica answers again.")

    async def stop(self) -> None:
        """Ends what runs beside requests; `close` closes the connections."""
        await self._positions.close()
        if self._retrying is not None:
            self._retrying.cancel()
            await asyncio.wait([self._retrying])
