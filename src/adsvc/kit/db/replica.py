"""Reads from a replica that has every change that this process knows of."""

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import asyncpg

from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.db.servers import Address, ServerConnection, Servers
from adsvc.kit.db.statements import PooledStatements, Work
from adsvc.kit.errors import DatabaseUnavailableError
from adsvc.kit.invalidation import InvalidationBus

# The position in bytes of the write-ahead log, with the server's clock in seconds.
AT_PRIMARY = """
    SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint AS log,
        extract(epoch FROM clock_timestamp())::float8 AS clock
"""

# A promoted replica has its own log.
AT_REPLICA = """
    SELECT (coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
            ELSE pg_current_wal_insert_lsn() END, '0/0') - '0/0')::bigint AS log,
        extract(epoch FROM clock_timestamp())::float8 AS clock
"""

# How old a position may be. A read may be as old, if this process missed a notice.
POSITION_SECONDS = 1.0
# How long the last position is used while the primary does not answer.
OUTAGE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Position:
    """A server's position in the log, and its clock minus this process's monotonic clock.

    The server was there not before `checked_at`, and not after `answered_at`.
    """

    log: int
    clock: float
    checked_at: float
    answered_at: float


def position_of(row: Any, checked_at: float) -> Position:  # noqa: ANN401 - asyncpg's record
    answered_at = time.monotonic()
    return Position(row["log"], row["clock"] - answered_at, checked_at, answered_at)


class Positions:
    """The position that a replica must have reached.

    A position that the primary gave after the notice of a change includes that change. This process
    notices its own changes after their commit and before their response, and those of others by
    PostgreSQL's notices.
    """

    def __init__(self, changes: InvalidationBus, primary: PooledStatements) -> None:
        self._changes = changes
        self._primary = primary
        self._last = Position(0, 0, float("-inf"), float("-inf"))
        self._covered = -1
        self._asking: tuple[int, asyncio.Task[Position]] | None = None
        self._lost = False

    async def required(self) -> Position | None:
        """The required position; None if only the primary may answer."""
        if self._lost:
            # No read waits for a primary that did not answer last time.
            self._ask()
            return self._last_one(OUTAGE_SECONDS)
        if self._changes.reliable and (known := self._last_one(POSITION_SECONDS)) is not None:
            return known
        try:
            return await asyncio.shield(self._ask())
        except (DatabaseUnavailableError, asyncpg.PostgresError):
            return self._last_one(OUTAGE_SECONDS)

    def _last_one(self, seconds: float) -> Position | None:
        covers = self._covered == self._changes.received
        return self._last if covers and time.monotonic() - self._last.checked_at < seconds else None

    def _ask(self) -> asyncio.Task[Position]:
        """A query of the position, shared by reads since the last notice if these are reliable."""
        received = self._changes.received
        shared = self._changes.reliable or self._lost
        if self._asking is not None and shared and self._asking[0] == received:
            return self._asking[1]
        task = asyncio.create_task(self._fetch(received))
        self._asking = (received, task)
        task.add_done_callback(self._refreshed)
        return task

    async def _fetch(self, received: int) -> Position:
        checked_at = time.monotonic()
        row: Any = await self._primary.fetchrow(AT_PRIMARY, keep_plan=True)
        self._last, self._covered = position_of(row, checked_at), received
        return self._last

    def _refreshed(self, task: asyncio.Task[Position]) -> None:
        if self._asking is not None and self._asking[1] is task:
            self._asking = None
        # This also marks the error as retrieved.
        self._lost = task.cancelled() or task.exception() is not None

    async def close(self) -> None:
        if self._asking is not None:
            self._asking[1].cancel()
            await asyncio.wait([self._asking[1]])
        self._primary.close()


class Histories:
    """Finds replicas that have replayed what the primary never wrote.

    After a failover that lost writes, a replica may still have them. Its position alone would make
    it look current until the new primary's log is as long. But a replica that follows the primary
    is never ahead of a position that the primary gives later.
    """

    def __init__(self) -> None:
        # The earliest time at which each replica is known to have reached a position.
        self._seen: dict[Address | None, Position] = {}

    def differ(self, server: Address | None, position: Position) -> bool:
        seen = self._seen.get(server)
        return (
            seen is not None and seen.answered_at < position.checked_at and position.log < seen.log
        )

    def add(self, server: Address | None, found: Position, position: Position) -> None:
        seen = self._seen.get(server)
        can_resume_from = (
            seen is not None and found.log > seen.log and not self.differ(server, position)
        )
        if seen is None or found.log < seen.log or can_resume_from:
            self._seen[server] = found


logger = logging.getLogger("adsvc.db")

# How often the clock of a replica is read: ads expire by it.
CLOCK_SECONDS = 5.0
# How slow its clock may be, in seconds; the duration of the check counts too.
CLOCK_TOLERANCE = 0.2
# How long a read waits for a replica that is almost current, step by step; and for how long no read
# tries one that was not.
WAITS = (0.002, 0.006)
PAUSE_SECONDS = 0.5
# How often a replica that failed is tried again.
RETRY_SECONDS = 1.0


class ReplicaBehindError(Exception):
    """The replica has not replayed enough, its clock is slow, or it has another history."""


class ReplicaStatements(PooledStatements):
    """Reads from a replica that is current enough, and otherwise from the primary.

    The position of a replica only grows. So a connection whose replica was current once is not
    checked again for the same position: a later statement has a later snapshot. The check cannot be
    part of the statement, whose snapshot would be older than the check.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        primary: PooledStatements,
        positions: Positions,
        pool_size: int,
        timeout: float,
        server_settings: dict[str, str],
    ) -> None:
        super().__init__(
            servers,
            "replica_reads",
            "replica_searches",
            pool_size=pool_size,
            timeout=timeout,
            server_settings=server_settings,
        )
        self._primary = primary
        self._positions = positions
        self._lends = servers.by_transaction
        self._histories = Histories()
        # Numbers of reads, by the server that answered.
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
        is_known = not self._lends and now - connection.checked_at < CLOCK_SECONDS
        differs = self._histories.differ(connection.address, position)
        if is_known and connection.replayed >= position.log and not differs:
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
        """Raises errors that the primary would raise too. After others it pauses the replica."""
        if isinstance(error, ReplicaBehindError):
            self._resume_at = time.monotonic() + PAUSE_SECONDS
            return
        if isinstance(error, asyncpg.QueryCanceledError) or not is_database_fault(error):
            raise error
        if isinstance(error, asyncpg.SerializationError):
            # The replica has replayed the removal of rows that the statement was reading.
            return
        self._resume_at = float("inf")
        if self._retrying is None or self._retrying.done():
            logger.warning(
                "The replica is not used for now: %s", type(error.__cause__ or error).__name__
            )
            self._retrying = asyncio.create_task(self._retry())

    async def _retry(self) -> None:
        """Tries the replica until it answers again, so that no request has to."""
        while self._resume_at == float("inf"):
            await asyncio.sleep(RETRY_SECONDS)
            with suppress(DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await super().run(lambda connection: connection.execute("SELECT"), keep_plan=True)
                self._resume_at = 0.0
        logger.info("The replica answers again.")

    async def stop(self) -> None:
        """Ends background tasks; `close` closes the connections."""
        await self._positions.close()
        if self._retrying is not None:
            self._retrying.cancel()
            await asyncio.wait([self._retrying])
