"""Reads that matter for speed: asyncpg itself, without a transaction around each statement."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import asyncpg
from sqlalchemy.engine import URL

from adsvc.changes import CHANNEL, Change, Changes

logger = logging.getLogger("adsvc.db")

HEARTBEAT_SECONDS = 1.0

Record = dict[str, Any]


# How long a request waits for its turn, and for a new connection if it needs one. Only then may it
# learn that the database does not answer, and clients do not wait for ever.
TURN_SECONDS = 1.5


class Connection(asyncpg.Connection):  # type: ignore[misc]
    def get_reset_query(self) -> str:
        """Reads leave nothing behind that a round trip would have to clear."""
        return ""

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - its own
        """SQLAlchemy sets a timeout to let go of a connection that failed, and would wait it out.

        A database that did not answer will not answer the farewell either.
        """
        if timeout is None:
            await super().close()
        else:
            self.terminate()


def _parameters(url: URL) -> dict[str, Any]:
    """As SQLAlchemy's dialect passes them on."""
    return url.translate_connect_args(username="user") | dict(url.query)


class Reader:
    """A pool of connections for single statements."""

    def __init__(
        self, url: URL, *, pool_size: int, timeout: float, server_settings: dict[str, str]
    ) -> None:
        self._options = _parameters(url) | {
            "max_size": pool_size,
            "min_size": 0,
            "timeout": timeout,
            "command_timeout": timeout,
            "server_settings": server_settings,
            "connection_class": Connection,
        }
        self._turn = min(timeout, TURN_SECONDS)
        self._pool: Any = None

    async def fetch(self, sql: str, *values: object) -> Sequence[Record]:
        async with self._connection() as connection:
            return [dict(row) for row in await connection.fetch(sql, *values)]

    async def fetchrow(self, sql: str, *values: object) -> Record | None:
        async with self._connection() as connection:
            row = await connection.fetchrow(sql, *values)
            return None if row is None else dict(row)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Any]:
        async with (await self._opened()).acquire(timeout=self._turn) as connection:
            try:
                yield connection
            except (TimeoutError, asyncio.CancelledError):
                # The pool would wait until the database has confirmed that it gave up.
                connection.terminate()
                raise

    async def _opened(self) -> Any:  # noqa: ANN401 - asyncpg publishes no types
        # The first connection is made when the first statement needs it, as SQLAlchemy does.
        if self._pool is None:
            self._pool = asyncpg.create_pool(**self._options)
        return await self._pool

    async def close(self) -> None:
        if self._pool is not None:
            self._pool.terminate()


class Listener:
    """Follows the changes that other processes make.

    A heartbeat on the same connection confirms that every change committed before it has been
    heard of. While there is no connection, nothing counts as known.
    """

    def __init__(self, url: URL, changes: Changes, *, timeout: float) -> None:
        self._options = _parameters(url) | {"timeout": timeout, "command_timeout": timeout}
        self._changes = changes
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            try:
                await self._listen()
            except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                logger.warning("Not listening for changes: %s", type(error).__name__)
            self._changes.apply_all()
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _listen(self) -> None:
        connection = await asyncpg.connect(**self._options)
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        try:
            await connection.add_listener(CHANNEL, self._hear)
            self._changes.apply_all()
            while True:
                await connection.execute("SELECT")
                self._changes.confirm()
                # A connection that ends says so at once; one that falls silent does not.
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await lost.wait()
                        raise ConnectionResetError
        finally:
            connection.terminate()

    def _hear(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        try:
            self._changes.apply(Change.parse(payload))
        except ValueError:
            # Another version's words, or anybody's: it may be about anything.
            self._changes.apply_all()
