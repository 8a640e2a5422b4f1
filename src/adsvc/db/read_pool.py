"""Single statements that matter for speed: asyncpg itself, without BEGIN and COMMIT around them."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import asyncpg
from sqlalchemy.engine import URL

from adsvc.db.batches import BatchLoader
from adsvc.db.connection import Connection, connect, parameters
from adsvc.errors import DatabaseUnavailableError

Record = Mapping[str, Any]

# Runs one more statement in a transaction that is under way.
FetchRow = Callable[..., Awaitable[Record | None]]

# What follows a statement in its transaction, by the row that it gave. What it raises rolls back.
Follow = Callable[[Record, FetchRow], Awaitable[None]]

# How long a request waits for its turn, and for a new connection if it needs one. Only then may it
# learn that the database does not answer, and clients do not wait for ever.
TURN_SECONDS = 1.5

# After which a connection is not used again: what lies between may have forgotten it by then.
REST_SECONDS = 300


class Reader:
    """Single reads, each on a connection of its own for as long as it takes."""

    def __init__(
        self, url: URL, *, pool_size: int, timeout: float, server_settings: dict[str, str]
    ) -> None:
        half = max(1, pool_size // 2)

        def pool(plans: str) -> _Pool:
            settings = server_settings | {"plan_cache_mode": plans}
            return _Pool(url, size=half, timeout=timeout, server_settings=settings)

        # To plan a statement costs as much as to run one that reads few rows, but where a plan is
        # good for some values only, any other costs more. PostgreSQL is told by connection.
        self._keeping, self._planning = pool("auto"), pool("force_custom_plan")
        self._loaders: dict[str, BatchLoader] = {}

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Record]:
        """`keep_plan` where one plan is best for all values."""
        pool = self._keeping if keep_plan else self._planning
        rows: Sequence[Record] = await pool.run(lambda reading: reading.fetch(sql, *values))
        return rows

    async def fetchrow(self, sql: str, *values: object, keep_plan: bool = False) -> Record | None:
        pool = self._keeping if keep_plan else self._planning
        row: Record | None = await pool.run(lambda reading: reading.fetchrow(sql, *values))
        return row

    async def fetch_by_id(self, sql: str, identifier: int) -> Record | None:
        """The row with that `id`, of a statement for the rows with the ids `$1`, an array.

        What is asked for at the same time is fetched together.
        """
        loader = self._loaders.get(sql)
        if loader is None:
            loader = BatchLoader(lambda ids: self.fetch(sql, ids, keep_plan=True))
            self._loaders[sql] = loader
        return await loader.load(identifier)

    def close(self) -> None:
        for pool in (self._keeping, self._planning):
            pool.close()


class Writer:
    """Single statements that change something. Each is a transaction: it happens whole or not.

    After a statement that failed nobody knows whether it was committed, unless PostgreSQL said so:
    a connection may break, or the time be over, after the commit and before the answer.
    """

    def __init__(
        self, url: URL, *, pool_size: int, timeout: float, server_settings: dict[str, str]
    ) -> None:
        settings = server_settings | {"plan_cache_mode": "auto"}
        self._pool = _Pool(url, size=pool_size, timeout=timeout, server_settings=settings)

    async def fetch(self, sql: str, *values: object) -> Sequence[Record]:
        rows: Sequence[Record] = await self._pool.run(lambda writing: writing.fetch(sql, *values))
        return rows

    async def fetchrow(self, sql: str, *values: object) -> Record | None:
        row: Record | None = await self._pool.run(lambda writing: writing.fetchrow(sql, *values))
        return row

    def followed(self, follow: Follow) -> "FollowedWriter":
        return FollowedWriter(self._pool, follow)

    def close(self) -> None:
        self._pool.close()


class FollowedWriter:
    """A `Writer` of single rows, each of which something else follows in the same transaction."""

    def __init__(self, pool: "_Pool", follow: Follow) -> None:
        self._pool = pool
        self._follow = follow

    async def fetchrow(self, sql: str, *values: object) -> Record | None:
        async def both(writing: asyncpg.Connection) -> Record | None:
            async with writing.transaction():
                row: Record | None = await writing.fetchrow(sql, *values)
                if row is not None:
                    await self._follow(row, writing.fetchrow)
            return row

        row: Record | None = await self._pool.run(both)
        return row


class RowWriter(Protocol):
    """Either of them."""

    async def fetchrow(self, sql: str, *values: object) -> Record | None: ...


class _Pool:
    """Connections that are made when they are needed, and kept.

    asyncpg's own pool makes a task of each release, which short reads notice.
    """

    def __init__(
        self, url: URL, *, size: int, timeout: float, server_settings: dict[str, str]
    ) -> None:
        self._patience = min(timeout, TURN_SECONDS)
        self._options = parameters(url) | {
            "timeout": self._patience,
            "command_timeout": timeout,
            "server_settings": server_settings,
            "connection_class": Connection,
        }
        self._turns = asyncio.Semaphore(size)
        # With the time since when each does, the longest first.
        self._resting: deque[tuple[float, asyncpg.Connection]] = deque()
        self._open: set[asyncpg.Connection] = set()

    async def run(self, work: Callable[[Any], Awaitable[Any]]) -> Any:  # noqa: ANN401 - as asyncpg
        if self._resting and not self._turns.locked():
            connection = await self._take()
        else:
            connection = await self._wait_for_one()
        try:
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
        finally:
            self._resting.append((time.monotonic(), connection))
            self._turns.release()

    async def _wait_for_one(self) -> asyncpg.Connection:
        try:
            async with asyncio.timeout(self._patience):
                return await self._take()
        except TimeoutError as error:
            raise DatabaseUnavailableError from error

    async def _take(self) -> asyncpg.Connection:
        await self._turns.acquire()
        try:
            while self._resting and time.monotonic() - self._resting[0][0] > REST_SECONDS:
                self._resting.popleft()[1].terminate()
            while self._resting:
                _, connection = self._resting.pop()
                if not connection.is_closed():
                    return connection
            connection = await connect(**self._options)
        except BaseException:
            self._turns.release()
            raise
        self._open.add(connection)
        connection.add_termination_listener(self._open.discard)
        return connection

    def close(self) -> None:
        for connection in list(self._open):
            connection.terminate()
