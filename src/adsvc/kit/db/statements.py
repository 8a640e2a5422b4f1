"""Statements as text with `$n`, and the pools of connections that send them."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

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


Row = Mapping[str, Any]


class Statements(ABC):
    """Sends SQL text with the parameters `$1`, `$2`, ….

    A database's `reader`, `list_reader` and `writer` send each statement alone, without BEGIN and
    COMMIT. A `DatabaseSession` sends it in its transaction.
    """

    @abstractmethod
    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:
        """`keep_plan` if one plan suits all values; it matters only to reads alone."""

    async def fetchrow(self, sql: str, *values: object, keep_plan: bool = False) -> Row | None:
        """The first row; None without a row."""
        rows = await self.fetch(sql, *values, keep_plan=keep_plan)
        return rows[0] if rows else None

    async def fetchval(self, sql: str, *values: object, keep_plan: bool = False) -> Any:  # noqa: ANN401 - a column's
        """The first column of the first row; None without a row."""
        row = await self.fetchrow(sql, *values, keep_plan=keep_plan)
        return None if row is None else next(iter(row.values()))

    async def fetch_by_id(self, sql: str, identifier: int) -> Row | None:
        """The row with that `id`, by a statement for the rows with the ids `$1`, an array."""
        return await self.fetchrow(sql, [identifier], keep_plan=True)


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


# Runs after a statement in its transaction, with its row. Its errors roll back.
Follow = Callable[[Row, Statements], Awaitable[None]]

# Planning costs as much as running a statement that reads few rows. But where a plan suits some
# values only, it is costly for others. So the setting of the connection depends on the statement.
PLANS = ("auto", "force_custom_plan")


class PooledStatements(Statements):
    """Statements alone, each on a connection of its own.

    After a failed change it is unknown whether it was committed, unless PostgreSQL reported the
    error: the connection may break, or the time run out, after the commit and before the answer.
    """

    def __init__(
        self,
        servers: Servers,
        *names: str,
        pool_size: int,
        timeout: float,
        server_settings: dict[str, str],
        reads: bool = True,
    ) -> None:
        """`names` are those of its pools: for plans that PostgreSQL keeps, and for plans anew.

        Without the second, the first is for all. `reads` as for `Pool`; they use a server that can
        be read while none accepts writes.
        """
        self._pools = {
            name: Pool(
                servers,
                name=name,
                size=max(1, pool_size // 2),
                timeout=timeout,
                server_settings=server_settings | {"plan_cache_mode": plans},
                reads=reads,
            )
            for name, plans in zip(names, PLANS, strict=False)
        }
        self._cached_plans, self._new_plans = self._pools[names[0]], self._pools[names[-1]]
        self._loaders: dict[str, BatchLoader] = {}

    async def run(self, work: Work, *, keep_plan: bool) -> Any:  # noqa: ANN401 - the work's
        return await (self._cached_plans if keep_plan else self._new_plans).run(work)

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:
        rows: Sequence[Row] = await self.run(
            lambda connection: connection.fetch(sql, *values), keep_plan=keep_plan
        )
        return rows

    async def fetch_by_id(self, sql: str, identifier: int) -> Row | None:
        """As of `Statements`. Rows that are requested at the same time are fetched together."""
        loader = self._loaders.get(sql)
        if loader is None:
            loader = BatchLoader(lambda ids: self.fetch(sql, ids, keep_plan=True))
            self._loaders[sql] = loader
        return await loader.load(identifier)

    def followed(self, follow: Follow) -> Statements:
        """Runs `follow` after each statement of one row, in the same transaction."""
        return _Followed(self._cached_plans, follow)

    @property
    def usage(self) -> Mapping[str, PoolUsage]:
        """By the pool's name."""
        return {name: pool.usage for name, pool in self._pools.items()}

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()


class _OnConnection(Statements):
    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:  # noqa: ARG002 - the connection is given
        rows: Sequence[Row] = await self._connection.fetch(sql, *values)
        return rows


class _Followed(Statements):
    def __init__(self, pool: Pool, follow: Follow) -> None:
        self._pool = pool
        self._follow = follow

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:  # noqa: ARG002 - as its pool
        async def both(connection: asyncpg.Connection) -> Sequence[Row]:
            rows: Sequence[Row] = await connection.fetch(sql, *values)
            for row in rows:
                await self._follow(row, _OnConnection(connection))
            return rows

        rows: Sequence[Row] = await self._pool.run(both, in_transaction=True)
        return rows


T = TypeVar("T")

# Above every id: where a descending list begins.
BEYOND_ALL = 2**63 - 1


# A page of records whose size depends on what people write ends before its limit at so many bytes.
PAGE_BYTES = 128 * 1024
# Of such records no more are made for one page.
MOST_LARGE_RECORDS = 100


def fitting(sizes: Iterable[int], limit: int) -> int:
    """How many records, given their sizes in bytes, are on a page: one at least."""
    number = total = 0
    for size in sizes:
        total += size
        if number == limit or (number and total > PAGE_BYTES):
            break
        number += 1
    return number


def fitting_records(records: Sequence[str], limit: int) -> int:
    """As `fitting`, of records in JSON."""
    return fitting((len(record.encode()) for record in records), limit)


def page_of_records(
    records: Sequence[str] | None, ids: Sequence[int] | None, limit: int
) -> tuple[Sequence[str], int | None]:
    """The records of a page in JSON, and the id of the last of them if more follow.

    There is at most one more than the page has, and none at all is NULL.
    """
    records, ids = records or (), ids or ()
    shown = fitting_records(records, limit)
    return records[:shown], ids[shown - 1] if len(ids) > shown else None


# The rows of a page, and the last of them if more follow.
Paged: TypeAlias = tuple[Sequence[T], T | None]


def paged(rows: Sequence[T], limit: int) -> Paged[T]:
    """`rows` are at most one more than the page has."""
    shown = fitting(map(_size, rows), limit)
    return rows[:shown], rows[shown - 1] if len(rows) > shown else None


def _size(row: object) -> int:
    """About as many bytes as its texts and its JSON have."""
    values = row.values() if isinstance(row, Mapping) else vars(row).values()
    return sum(len(str(value)) for value in values if isinstance(value, str | dict | list))
