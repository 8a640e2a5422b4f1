from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.engine import Statements
from adsvc.models.ads import WORDS

# For one statement. No client waits for it, and a busy machine may take longer than the few seconds
# that a request's statements have.
LONG_SECONDS = 120
LONG = f"SET LOCAL statement_timeout = '{LONG_SECONDS}s'"

NEW_IDS = "SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id FROM generate_series(1, $2)"

PENDING_KIB = 64 * 1024
PENDING_LIMIT = """
    SELECT option_value FROM pg_class, pg_options_to_table(reloptions)
    WHERE oid = $1::text::regclass AND option_name = 'gin_pending_list_limit'
"""


class BulkRepository:
    """PostgreSQL's COPY, by which rows go in a hundred times faster than one by one."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._statements = Statements(session)

    async def copy(
        self, table: str, columns: Sequence[str], records: Iterable[Sequence[object]]
    ) -> None:
        await self._statements.fetch(LONG)
        connection = await self._connection()
        await connection.copy_records_to_table(
            table, records=records, columns=columns, timeout=LONG_SECONDS
        )

    @asynccontextmanager
    async def pending(self, indexes: Sequence[str]) -> AsyncIterator[None]:
        """GIN indexes take in what is added in the block only by `take_in`.

        With the limit that suits single ads they would do so again and again: an ad then takes
        420 µs of PostgreSQL's CPU instead of 310. Searches read all that waits.

        The session commits each statement: a transaction would lock the indexes to its end, and
        with them most reads of the table.
        """
        limits = {index: await self._statements.fetchval(PENDING_LIMIT, index) for index in indexes}
        try:
            for index in indexes:
                await self._set_pending_limit(index, PENDING_KIB)
            yield
        finally:
            for index, limit in limits.items():
                # The limit of the block is what a process that was killed has left.
                before = WORDS["gin_pending_list_limit"] if int(limit) == PENDING_KIB else limit
                await self._set_pending_limit(index, int(before))

    async def take_in(self, index: str) -> None:
        await self._execute(f"SELECT gin_clean_pending_list('{index}')")

    async def _set_pending_limit(self, index: str, kib: int) -> None:
        await self._statements.fetch(f"ALTER INDEX {index} SET (gin_pending_list_limit = {kib})")

    async def new_ids(self, table: str, count: int) -> list[int]:
        """New ids, which no other session gets."""
        rows = await self._statements.fetch(NEW_IDS, table, count)
        return [row["id"] for row in rows]

    async def analyze(self, table: str) -> None:
        await self._execute(f"ANALYZE {table}")

    async def _execute(self, statement: str) -> None:
        # Together they are a transaction, if they are not part of one.
        await (await self._connection()).execute(f"{LONG}; {statement}", timeout=LONG_SECONDS)

    async def _connection(self) -> Any:  # noqa: ANN401 - asyncpg publishes no types
        pooled = await (await self._session.connection()).get_raw_connection()
        return pooled.driver_connection
