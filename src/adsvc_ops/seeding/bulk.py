from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import chain
from typing import Any

from adsvc.kit.db.database import Database, DatabaseSession

# For one statement. No client waits for it, and a busy machine may take longer than the few seconds
# that a request's statements have.
LONG_SECONDS = 120
LONG = f"SET LOCAL statement_timeout = '{LONG_SECONDS}s'"

NEW_IDS = "SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id FROM generate_series(1, $2)"

# While many rows are added, and in the schema: a search reads all entries that wait.
PENDING_KIB, SCHEMA_KIB = 64 * 1024, 256
PENDING_LIMIT = """
    SELECT option_value FROM pg_class, pg_options_to_table(reloptions)
    WHERE oid = $1::text::regclass AND option_name = 'gin_pending_list_limit'
"""


class BulkRepository:
    """PostgreSQL's COPY, by which rows go in a hundred times faster than one by one."""

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session

    async def copy(self, table: str, rows: Iterable[Mapping[str, object]]) -> None:
        """The rows, of which all have the columns of the first one."""
        await self._session.fetch(LONG)
        connection = await self._connection()
        others = iter(rows)
        first = next(others)
        await connection.copy_records_to_table(
            table,
            records=(tuple(row.values()) for row in chain([first], others)),
            columns=tuple(first),
            timeout=LONG_SECONDS,
        )

    async def pending_limits(self, indexes: Sequence[str]) -> dict[str, int]:
        """How many KiB of new rows each GIN index leaves unsorted."""
        limits = {index: await self._session.fetchval(PENDING_LIMIT, index) for index in indexes}
        # The limit of a bulk load is what a process that was killed has left.
        return {
            index: SCHEMA_KIB if int(limit) == PENDING_KIB else int(limit)
            for index, limit in limits.items()
        }

    async def set_pending_limits(self, limits: Mapping[str, int]) -> None:
        for index, kib in limits.items():
            await self._session.fetch(f"ALTER INDEX {index} SET (gin_pending_list_limit = {kib})")

    async def take_in(self, index: str) -> None:
        await self._execute(f"SELECT gin_clean_pending_list('{index}')")

    async def new_ids(self, table: str, count: int) -> list[int]:
        """New ids, which no other session gets."""
        rows = await self._session.fetch(NEW_IDS, table, count)
        return [row["id"] for row in rows]

    async def analyze(self, table: str) -> None:
        await self._execute(f"ANALYZE {table}")

    async def _execute(self, statement: str) -> None:
        # Together they are a transaction, if they are not part of one.
        await (await self._connection()).execute(f"{LONG}; {statement}", timeout=LONG_SECONDS)

    async def _connection(self) -> Any:  # noqa: ANN401 - asyncpg publishes no types
        pooled = await (await self._session.connection()).get_raw_connection()
        return pooled.driver_connection


@asynccontextmanager
async def pending(database: Database, indexes: Sequence[str]) -> AsyncIterator[None]:
    """GIN indexes take in what is added in the block only by `take_in`.

    With the limit that suits single ads they would do so again and again: an ad then takes
    420 µs of PostgreSQL's CPU instead of 310. Searches read all that waits.

    Each statement is committed: a transaction would lock the indexes to its end, and with them
    most reads of the table. No connection is held during the block, which takes others.
    """
    async with database.autocommit() as session:
        limits = await BulkRepository(session).pending_limits(indexes)
    try:
        async with database.autocommit() as session:
            await BulkRepository(session).set_pending_limits(dict.fromkeys(indexes, PENDING_KIB))
        yield
    finally:
        async with database.autocommit() as session:
            await BulkRepository(session).set_pending_limits(limits)
