"""Connections that are kept, each for one statement or transaction at a time."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import asyncpg

from adsvc.db.connections.connection import Connection
from adsvc.db.connections.servers import Servers
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

    asyncpg's own pool makes a task of each release, which short reads notice.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        size: int,
        timeout: float,
        server_settings: dict[str, str],
        stand_in: bool = False,
    ) -> None:
        self._patience = min(timeout, SLOT_SECONDS)
        self._servers = servers
        self._options: dict[str, Any] = {
            "timeout": self._patience,
            "command_timeout": timeout,
            "server_settings": server_settings,
            "stand_in": stand_in,
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
            if together or self._servers.by_transaction:
                return await _in_transaction(connection, work)
            return await work(connection)
        except asyncio.CancelledError:
            # In the middle of a statement: the database may go on with it.
            connection.terminate()
            raise
        except OSError as error:
            # The same, because it took too long or the connection broke.
            connection.terminate()
            raise DatabaseUnavailableError from error
        except asyncpg.InterfaceError as error:
            if connection.is_closed():
                raise DatabaseUnavailableError from error
            # The driver was used wrongly.
            raise
        except asyncpg.ReadOnlySQLTransactionError:
            self._servers.doubt()
            raise
        finally:
            self._resting.append((time.monotonic(), connection))
            self._release()

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
                if not connection.is_closed():
                    if self._servers.trusts(connection):
                        return connection
                    connection.terminate()
            connection = await self._servers.connect(**self._options)
        except BaseException:
            self._release()
            raise
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
