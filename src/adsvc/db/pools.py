"""Pools of connections, and single statements by asyncpg itself, without BEGIN and COMMIT."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import asyncpg

from adsvc.db.faults import SessionEndedError, session_ended
from adsvc.db.servers import ServerConnection, Servers
from adsvc.errors import ConnectionsBusyError, DatabaseUnavailableError

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


# The largest batch: enough for the requests of one turn of the event loop, and small enough for a
# short statement.
MAX_BATCH = 100

Fetch = Callable[[list[int]], Awaitable[Sequence[Mapping[str, Any]]]]

Waiting = tuple[int, "asyncio.Future[Mapping[str, Any] | None]"]


class BatchLoader:
    """Collects the ids requested in one turn of the event loop, and fetches their rows together.

    `fetch` returns rows that have an `id`. Its errors are raised to all callers in the batch.
    Requests never join a batch that has been sent, so rows are as recent as those of single reads.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._waiting: list[Waiting] = []
        self._sent: set[asyncio.Task[None]] = set()

    async def load(self, identifier: int) -> Mapping[str, Any] | None:
        """The row, or None if there is none. A caller's cancellation does not affect others."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        row: asyncio.Future[Mapping[str, Any] | None] = loop.create_future()
        self._waiting.append((identifier, row))
        return await row

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for at in range(0, len(waiting), MAX_BATCH):
            # The event loop alone does not keep a reference to a task.
            sent = asyncio.create_task(self._answer(waiting[at : at + MAX_BATCH]))
            self._sent.add(sent)
            sent.add_done_callback(self._sent.discard)

    async def _answer(self, waiting: Sequence[Waiting]) -> None:
        try:
            rows = await self._fetch([identifier for identifier, _ in waiting])
            found = {row["id"]: row for row in rows}
        except Exception as error:  # noqa: BLE001 - it is theirs
            for _, row in waiting:
                if not row.done():
                    row.set_exception(error)
            return
        for identifier, row in waiting:
            if not row.done():
                row.set_result(found.get(identifier))


Row = Mapping[str, Any]

# Runs one more statement in a transaction that is under way.
FetchRow = Callable[..., Awaitable[Row | None]]

# Runs after a statement in its transaction, with its row. Its errors roll back.
Follow = Callable[[Row, FetchRow], Awaitable[None]]


class Reader:
    """Single reads, each on its own connection.

    While no server accepts writes, reads use one that can be read. A read whose connection breaks
    is repeated once.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        pool_size: int,
        timeout: float,
        server_settings: dict[str, str],
        names: tuple[str, str] = ("reads", "searches"),
    ) -> None:
        """`names` are those of its two pools: for generic plans, and for custom plans."""
        half = max(1, pool_size // 2)

        def pool(name: str, plans: str) -> Pool:
            settings = server_settings | {"plan_cache_mode": plans}
            return Pool(
                servers,
                name=name,
                size=half,
                timeout=timeout,
                server_settings=settings,
                reads=True,
            )

        # Planning costs as much as running a statement that reads few rows. But where a plan suits
        # some values only, it is costly for others. So the setting of the connection depends on the
        # statement.
        self._generic_plans = pool(names[0], "auto")
        self._custom_plans = pool(names[1], "force_custom_plan")
        self._loaders: dict[str, BatchLoader] = {}

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:
        """`keep_plan` if one plan suits all values."""
        rows: Sequence[Row] = await self.run(
            lambda reading: reading.fetch(sql, *values), keep_plan=keep_plan
        )
        return rows

    async def fetchrow(self, sql: str, *values: object, keep_plan: bool = False) -> Row | None:
        row: Row | None = await self.run(
            lambda reading: reading.fetchrow(sql, *values), keep_plan=keep_plan
        )
        return row

    async def run(self, work: Work, *, keep_plan: bool) -> Any:  # noqa: ANN401 - the work's
        pool = self._generic_plans if keep_plan else self._custom_plans
        return await pool.run(work)

    async def fetch_by_id(self, sql: str, identifier: int) -> Row | None:
        """The row with that `id`, by a statement for the rows with the ids `$1`, an array.

        Rows that are requested at the same time are fetched together.
        """
        loader = self._loaders.get(sql)
        if loader is None:
            loader = BatchLoader(lambda ids: self.fetch(sql, ids, keep_plan=True))
            self._loaders[sql] = loader
        return await loader.load(identifier)

    @property
    def usage(self) -> tuple[PoolUsage, PoolUsage]:
        """The usage of the pool for generic plans, and of that for custom plans."""
        return self._generic_plans.usage, self._custom_plans.usage

    def close(self) -> None:
        for pool in (self._generic_plans, self._custom_plans):
            pool.close()


class Writer:
    """Single statements that change something, each in its own transaction.

    After a failed statement it is unknown whether it was committed, unless PostgreSQL reported the
    error: the connection may break, or the time run out, after the commit and before the answer.
    """

    def __init__(
        self, servers: Servers, *, pool_size: int, timeout: float, server_settings: dict[str, str]
    ) -> None:
        settings = server_settings | {"plan_cache_mode": "auto"}
        self._pool = Pool(
            servers, name="writes", size=pool_size, timeout=timeout, server_settings=settings
        )

    async def fetch(self, sql: str, *values: object) -> Sequence[Row]:
        rows: Sequence[Row] = await self._pool.run(lambda writing: writing.fetch(sql, *values))
        return rows

    async def fetchrow(self, sql: str, *values: object) -> Row | None:
        row: Row | None = await self._pool.run(lambda writing: writing.fetchrow(sql, *values))
        return row

    def followed(self, follow: Follow) -> "FollowedWriter":
        return FollowedWriter(self._pool, follow)

    @property
    def usage(self) -> PoolUsage:
        return self._pool.usage

    def close(self) -> None:
        self._pool.close()


class FollowedWriter:
    """A `Writer` of single rows that runs `follow` after each, in the same transaction."""

    def __init__(self, pool: Pool, follow: Follow) -> None:
        self._pool = pool
        self._follow = follow

    async def fetchrow(self, sql: str, *values: object) -> Row | None:
        async def both(writing: asyncpg.Connection) -> Row | None:
            row: Row | None = await writing.fetchrow(sql, *values)
            if row is not None:
                await self._follow(row, writing.fetchrow)
            return row

        row: Row | None = await self._pool.run(both, in_transaction=True)
        return row


class RowWriter(Protocol):
    """`Writer` or `FollowedWriter`."""

    async def fetchrow(self, sql: str, *values: object) -> Row | None: ...
