"""Pools of asyncpg's connections, without BEGIN and COMMIT."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import asyncpg

from adsvc.kit.db.faults import SessionEndedError, session_ended
from adsvc.kit.db.servers import ServerConnection, Servers
from adsvc.kit.errors import ConnectionsBusyError, DatabaseUnavailableError

# Statements on one connection.
Work = Callable[[Any], Awaitable[Any]]

# How long a request waits for a connection, new or not. Then it is refused, because clients do not
# wait for long.
SLOT_SECONDS = 1.5

# An idle connection is not used again after this time: a firewall or proxy may have dropped it.
IDLE_SECONDS = 300


def server_settings(timeout: float) -> dict[str, str]:
    """The settings of PostgreSQL that each connection for requests has."""
    return {
        # The server stops too, so that no abandoned statement keeps its locks.
        "statement_timeout": str(round(timeout * 1000)),
        "idle_in_transaction_session_timeout": str(round(timeout * 10_000)),
        # Every statement is short and has an index: no plan for large scans is any good.
        "enable_seqscan": "off",
        "jit": "off",
        "max_parallel_workers_per_gather": "0",
    }


class PoolUsage(NamedTuple):
    """`waiting` is None where it is not counted."""

    size: int
    used: int
    waiting: int | None


class Slots:
    """A semaphore with a time limit, first come, first served.

    Under load every read waits, and `asyncio.timeout` would take most of the time of that.
    """

    def __init__(self, size: int) -> None:
        self.free = size
        self._turns: deque[asyncio.Future[None]] = deque()

    async def acquire(self, seconds: float) -> None:
        """Raises `TimeoutError`."""
        if self.free:
            self.free -= 1
            return
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._turns.append(turn)
        timer = loop.call_later(seconds, _give_up, turn)
        try:
            await turn
        except BaseException:
            if turn in self._turns:
                self._turns.remove(turn)
            elif not turn.cancelled() and turn.exception() is None:
                # Cancelled when its turn had come.
                self.release()
            raise
        finally:
            timer.cancel()

    def release(self) -> None:
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1


def _give_up(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_exception(TimeoutError())


async def _in_transaction(connection: ServerConnection, work: Work) -> Any:  # noqa: ANN401 - the work's
    await connection.execute("BEGIN")
    try:
        result = await work(connection)
        await connection.execute("COMMIT")
    except (OSError, asyncio.CancelledError):
        # The connection is closed, which ends the transaction.
        raise
    except BaseException:
        if not connection.is_closed():
            await connection.execute("ROLLBACK")
        raise
    return result


class Pool:
    """Connections that are made on demand, and reused.

    With `reads` the work only reads, so it is repeated once on a new connection if its connection
    breaks. Changes are repeated only if they have certainly not happened.

    asyncpg's own pool makes a task for each release, which slows short reads.
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
        self._slot_timeout = min(timeout, SLOT_SECONDS)
        self._servers = servers
        self._options: dict[str, Any] = {
            "timeout": self._slot_timeout,
            "command_timeout": timeout,
            "server_settings": server_settings,
            "fallback": reads,
            "purpose": name,
        }
        self._size = size
        self._slots = Slots(size)
        self._used = self._waiting = 0
        # Idle connections, each with the time of its last use, the longest idle first.
        self._idle: deque[tuple[float, ServerConnection]] = deque()
        self._open: set[ServerConnection] = set()

    async def run(self, work: Work, *, in_transaction: bool = False) -> Any:  # noqa: ANN401 - as asyncpg
        """`in_transaction`: all statements of the work are one transaction."""
        try:
            if self._idle and self._slots.free:
                connection = await self._take(self._slot_timeout)
            else:
                connection = await self._wait_for_one()
        except TimeoutError as error:
            raise DatabaseUnavailableError from error
        try:
            try:
                return await self._run_on(connection, work, in_transaction=in_transaction)
            except SessionEndedError as error:
                if not (self._reads or error.without_effect):
                    raise
            connection = await self._replacement()
            return await self._run_on(connection, work, in_transaction=in_transaction)
        finally:
            self._idle.append((time.monotonic(), connection))
            self._release()

    async def _run_on(
        self, connection: ServerConnection, work: Work, *, in_transaction: bool
    ) -> Any:  # noqa: ANN401 - the work's
        try:
            if in_transaction or self._servers.by_transaction:
                return await _in_transaction(connection, work)
            return await work(connection)
        except asyncio.CancelledError:
            # A statement is under way, and the database may go on with it.
            connection.terminate()
            raise
        except asyncpg.ReadOnlySQLTransactionError:
            self._servers.invalidate_connections()
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

    async def _wait_for_one(self) -> ServerConnection:
        self._waiting += 1
        try:
            return await self._take(self._slot_timeout)
        finally:
            self._waiting -= 1

    async def _take(self, seconds: float) -> ServerConnection:
        """Raises `TimeoutError` if it takes longer, also where all idle ones have ended."""
        until = time.monotonic() + seconds
        try:
            await self._slots.acquire(seconds)
        except TimeoutError as error:
            raise ConnectionsBusyError from error
        self._used += 1
        try:
            while self._idle and time.monotonic() - self._idle[0][0] > IDLE_SECONDS:
                self._idle.popleft()[1].terminate()
            while self._idle:
                _, connection = self._idle.pop()
                if not connection.has_ended and self._servers.is_current(connection):
                    return connection
                connection.terminate()
            async with asyncio.timeout(until - time.monotonic()):
                return await self._connect()
        except BaseException:
            self._release()
            raise

    async def _replacement(self) -> ServerConnection:
        """A new connection: the cause has often broken the idle ones too."""
        if self._idle:
            self._idle.popleft()[1].terminate()
        return await self._connect()

    async def _connect(self) -> ServerConnection:
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
