"""SQL as text with `$n`: one interface for statements alone and within a transaction."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import asyncpg

from adsvc.kit.db.pools import Pool, PoolUsage, Work
from adsvc.kit.db.servers import Servers

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
