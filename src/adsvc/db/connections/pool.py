"""Connections that are kept, each for one statement or transaction at a time."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import asyncpg

from adsvc.db.connections.connection import Connection
from adsvc.db.connections.servers import Servers
from adsvc.db.faults import SessionEndedError, session_ended
from adsvc.errors import DatabaseUnavailableError

# Statements on one connection.
Work = Callable[[Any], Awaitable[Any]]

# How long a request waits for its turn, and for a new connection if it needs one. Only then may it
# learn that the database does not answer, and clients do not wait for ever.
SLOT_SECONDS = 1.5

# After which a connection is not used again: what lies between may have forgotten it by then.
REST_SECONDS = 300


def server_settings(timeout: float) -> dict[str, str]:
    """The settings of PostgreSQL that each connection for requests has."""
    return {
        # The server gives up too, so that no abandoned statement keeps its locks.
        "statement_timeout": str(round(timeout * 1000)),
        "idle_in_transaction_session_timeout": str(round(timeout * 10_000)),
        # Every statement is short and has an index: no plan for large scans is any good.
        "enable_seqscan": "off",
        "jit": "off",
        "max_parallel_workers_per_gather": "0",
    }


class PoolUsage(NamedTuple):
    """`waiting` is None where nobody counts it."""

    size: int
    used: int
    waiting: int | None


async def _in_transaction(connection: Connection, work: Work) -> Any:  # noqa: ANN401 - the work's
    await connection.execute("BEGIN")
    try:
        result = await work(connection)
        await connection.execute("COMMIT")
    except (OSError, asyncio.CancelledError):
        # The connection is thrown away, and the transaction goes with it.
        raise
    except BaseException:
        if not connection.is_closed():
            await connection.execute("ROLLBACK")
        raise
    return result


class Pool:
    """Connections that are made when they are needed, and kept.

    With `reads` what is done only reads, so it is repeated once on a new connection where the one
    it had broke. Of changes only those are repeated that have certainly not happened.

    asyncpg's own pool makes a task of each release, which short reads notice.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        name: str,
        size: int,
        timeout: float,
        server_settings: dict[str, str],
        reads: bool = False,
    ) -> None:
        self._reads = reads
        self._patience = min(timeout, SLOT_SECONDS)
        self._servers = servers
        self._options: dict[str, Any] = {
            "timeout": self._patience,
            "command_timeout": timeout,
            "server_settings": server_settings,
            "stand_in": reads,
            "purpose": name,
        }
        self._size = size
        self._slots = asyncio.Semaphore(size)
        self._used = self._waiting = 0
        # With the time since when each does, the longest first.
        self._resting: deque[tuple[float, Connection]] = deque()
        self._open: set[Connection] = set()

    async def run(self, work: Work, *, together: bool = False) -> Any:  # noqa: ANN401 - as asyncpg
        """`together`: all statements of the work are one transaction."""
        if self._resting and not self._slots.locked():
            connection = await self._take()
        else:
            connection = await self._wait_for_one()
        try:
            try:
                return await self._do(connection, work, together=together)
            except SessionEndedError as error:
                if not (self._reads or error.without_effect):
                    raise
            connection = await self._replacement()
            return await self._do(connection, work, together=together)
        finally:
            self._resting.append((time.monotonic(), connection))
            self._release()

    async def _do(self, connection: Connection, work: Work, *, together: bool) -> Any:  # noqa: ANN401 - the work's
        try:
            if together or self._servers.by_transaction:
                return await _in_transaction(connection, work)
            return await work(connection)
        except asyncio.CancelledError:
            # In the middle of a statement: the database may go on with it.
            connection.terminate()
            raise
        except asyncpg.ReadOnlySQLTransactionError:
            self._servers.doubt()
            raise
        except (
            OSError,
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
        ) as error:
            if (ended := session_ended(error)) is not None:
                connection.terminate()
                raise ended from error
            if isinstance(error, OSError):
                # It took too long, and the database may go on with it.
                connection.terminate()
                raise DatabaseUnavailableError from error
            raise

    async def _wait_for_one(self) -> Connection:
        self._waiting += 1
        try:
            async with asyncio.timeout(self._patience):
                return await self._take()
        except TimeoutError as error:
            raise DatabaseUnavailableError from error
        finally:
            self._waiting -= 1

    async def _take(self) -> Connection:
        await self._slots.acquire()
        self._used += 1
        try:
            while self._resting and time.monotonic() - self._resting[0][0] > REST_SECONDS:
                self._resting.popleft()[1].terminate()
            while self._resting:
                _, connection = self._resting.pop()
                if not connection.has_ended and self._servers.trusts(connection):
                    return connection
                connection.terminate()
            return await self._connect()
        except BaseException:
            self._release()
            raise

    async def _replacement(self) -> Connection:
        """A new connection: what broke one has often broken those at rest too."""
        if self._resting:
            self._resting.popleft()[1].terminate()
        return await self._connect()

    async def _connect(self) -> Connection:
        connection = await self._servers.connect(**self._options)
        self._open.add(connection)
        connection.add_termination_listener(self._open.discard)
        return connection

    def _release(self) -> None:
        self._used -= 1
        self._slots.release()

    @property
    def usage(self) -> PoolUsage:
        return PoolUsage(self._size, self._used, self._waiting)

    def close(self) -> None:
        for connection in list(self._open):
            connection.terminate()
