"""Single statements that matter for speed: asyncpg itself, without BEGIN and COMMIT around them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import asyncpg

from adsvc.db.connections.pool import Pool, PoolUsage, Work
from adsvc.db.connections.servers import Servers

# The largest batch: enough for the requests of one turn, few enough for a statement to stay short.
MOST = 100

Fetch = Callable[[list[int]], Awaitable[Sequence[Mapping[str, Any]]]]

Waiting = tuple[int, "asyncio.Future[Mapping[str, Any] | None]"]


class BatchLoader:
    """Collects the ids that are asked for in one turn of the event loop, and fetches their rows.

    `fetch` gives rows that have an `id`. What it raises reaches everybody in the batch. Nobody
    joins a batch that has been sent: each row is as new as if it had been asked for alone.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._waiting: list[Waiting] = []
        self._sent: set[asyncio.Task[None]] = set()

    async def load(self, identifier: int) -> Mapping[str, Any] | None:
        """The row, or None if there is none. One caller's cancellation does not touch others."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        row: asyncio.Future[Mapping[str, Any] | None] = loop.create_future()
        self._waiting.append((identifier, row))
        return await row

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for at in range(0, len(waiting), MOST):
            # The event loop alone does not keep a task alive.
            sent = asyncio.create_task(self._answer(waiting[at : at + MOST]))
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

# What follows a statement in its transaction, by the row that it gave. What it raises rolls back.
Follow = Callable[[Row, FetchRow], Awaitable[None]]


class Reader:
    """Single reads, each on a connection of its own for as long as it takes.

    While no server takes writes, one that can be read will do. A read whose connection breaks is
    repeated once.
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
        """`names` are those of its pools: for plans that are kept, and for plans that are not."""
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

        # To plan a statement costs as much as to run one that reads few rows, but where a plan is
        # good for some values only, any other costs more. PostgreSQL is told by connection.
        self._keeping = pool(names[0], "auto")
        self._planning = pool(names[1], "force_custom_plan")
        self._loaders: dict[str, BatchLoader] = {}

    async def fetch(self, sql: str, *values: object, keep_plan: bool = False) -> Sequence[Row]:
        """`keep_plan` where one plan is best for all values."""
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
        pool = self._keeping if keep_plan else self._planning
        return await pool.run(work)

    async def fetch_by_id(self, sql: str, identifier: int) -> Row | None:
        """The row with that `id`, of a statement for the rows with the ids `$1`, an array.

        What is asked for at the same time is fetched together.
        """
        loader = self._loaders.get(sql)
        if loader is None:
            loader = BatchLoader(lambda ids: self.fetch(sql, ids, keep_plan=True))
            self._loaders[sql] = loader
        return await loader.load(identifier)

    @property
    def usage(self) -> tuple[PoolUsage, PoolUsage]:
        """Of the connections for plans that are kept, and of those for plans that are not."""
        return self._keeping.usage, self._planning.usage

    def close(self) -> None:
        for pool in (self._keeping, self._planning):
            pool.close()


class Writer:
    """Single statements that change something. Each is a transaction: it happens whole or not.

    After a statement that failed nobody knows whether it was committed, unless PostgreSQL said so:
    a connection may break, or the time be over, after the commit and before the answer.
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
    """A `Writer` of single rows, each of which something else follows in the same transaction."""

    def __init__(self, pool: Pool, follow: Follow) -> None:
        self._pool = pool
        self._follow = follow

    async def fetchrow(self, sql: str, *values: object) -> Row | None:
        async def both(writing: asyncpg.Connection) -> Row | None:
            row: Row | None = await writing.fetchrow(sql, *values)
            if row is not None:
                await self._follow(row, writing.fetchrow)
            return row

        row: Row | None = await self._pool.run(both, together=True)
        return row


class RowWriter(Protocol):
    """Either of them."""

    async def fetchrow(self, sql: str, *values: object) -> Row | None: ...
