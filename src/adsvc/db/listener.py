"""Follows the changes that other processes make (LISTEN)."""

import asyncio
import logging
from contextlib import suppress

import asyncpg
from sqlalchemy.engine import URL

from adsvc.db.connection import connect, parameters
from adsvc.errors import DatabaseUnavailableError
from adsvc.invalidation import CHANNEL, Invalidation, InvalidationBus

logger = logging.getLogger("adsvc.db")

HEARTBEAT_SECONDS = 1.0


class Listener:
    """Follows the changes that other processes make.

    A heartbeat on the same connection confirms that every change committed before it has been
    heard of. While there is no connection, nothing counts as known.
    """

    def __init__(self, url: URL, changes: InvalidationBus, *, timeout: float) -> None:
        self._options = parameters(url) | {"timeout": timeout, "command_timeout": timeout}
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
            except (
                DatabaseUnavailableError,
                OSError,
                asyncpg.PostgresError,
                asyncpg.InterfaceError,
            ) as error:
                cause = error.__cause__ or error
                logger.warning("Not listening for changes: %s", type(cause).__name__)
            self._changes.apply_all()
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _listen(self) -> None:
        connection = await connect(**self._options)
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
            self._changes.apply(Invalidation.parse(payload))
        except ValueError:
            # Another version's words, or anybody's: it may be about anything.
            self._changes.apply_all()
