"""Reads from a replica, which show every change that this process has heard of."""

import asyncio
import logging
import time
from contextlib import suppress
from typing import Any

import asyncpg

from adsvc.db.connections.connection import Connection
from adsvc.db.connections.pool import Work
from adsvc.db.connections.servers import Servers
from adsvc.db.faults import is_database_fault
from adsvc.db.positions import AT_REPLICA, Histories, Position, Positions, position_of
from adsvc.db.read_pool import Reader
from adsvc.errors import DatabaseUnavailableError

logger = logging.getLogger("adsvc.db")

# How often a replica is asked for its clock, by which ads expire.
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

    async def _read(self, connection: Connection, position: Position, work: Work) -> Any:  # noqa: ANN401 - the work's
        for wait in (*WAITS, None):
            if await self._has(connection, position):
                return await work(connection)
            if wait is not None:
                await asyncio.sleep(wait)
        raise ReplicaBehindError

    async def _has(self, connection: Connection, position: Position) -> bool:
        now = time.monotonic()
        asked = not self._lends and now - connection.asked_at < CLOCK_SECONDS
        differs = self._histories.differ(connection.address, position)
        if asked and connection.replayed >= position.log and not differs:
            return True
        found = position_of(await connection.fetchrow(AT_REPLICA), now)
        self._histories.add(connection.address, found, position)
        if self._histories.differ(connection.address, position):
            raise ReplicaBehindError
        if found.clock < position.clock - CLOCK_TOLERANCE:
            raise ReplicaBehindError
        connection.replayed, connection.asked_at = found.log, now
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
