"""Follows the changes that other processes make (LISTEN)."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import asyncpg

from adsvc.db.servers import Servers
from adsvc.errors import DatabaseUnavailableError
from adsvc.invalidation import CHANNEL, Invalidation, InvalidationBus

logger = logging.getLogger("adsvc.db")

HEARTBEAT_SECONDS = 1.0


class Listener:
    """Follows the changes that other processes make.

    A heartbeat on the same connection confirms that every change committed before it has been
    heard of. While there is no connection, nothing counts as known. A server that is not the
    primary any more is left.
    """

    def __init__(
        self,
        servers: Servers,
        changes: InvalidationBus,
        *,
        timeout: float,
        lost: Callable[[], None],
    ) -> None:
        self._servers = servers
        self._timeout = timeout
        self._changes = changes
        # Told of the end of each connection on which it listened.
        self._lost = lost
        # By the names of other channels.
        self.callbacks: dict[str, Callable[[], None]] = {}
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
                # The server has said that the session ends, and has not closed the connection yet.
                asyncpg.InternalClientError,
            ) as error:
                cause = error.__cause__ or error
                logger.warning("Not listening for changes: %s", type(cause).__name__)
            self._changes.apply_all()
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _listen(self) -> None:
        connection = await self._servers.connect(
            timeout=self._timeout, command_timeout=self._timeout, purpose="listener"
        )
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        try:
            await connection.add_listener(CHANNEL, self._hear)
            self._changes.apply_all()
            heard = set[str]()
            while True:
                for channel in self.callbacks.keys() - heard:
                    await connection.add_listener(channel, self._call)
                    heard.add(channel)
                    # It may have been missed until now.
                    self.callbacks[channel]()
                await self._servers.confirm(connection)
                self._changes.confirm()
                # A connection that ends says so at once; one that falls silent does not.
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await lost.wait()
                        raise ConnectionResetError
        finally:
            connection.terminate()
            self._lost()

    def _call(self, _connection: object, _pid: int, channel: str, _payload: str) -> None:
        self.callbacks[channel]()

    def _hear(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        try:
            self._changes.apply(Invalidation.parse(payload))
        except ValueError:
            # Another version's words, or anybody's: it may be about anything.
            self._changes.apply_unknown()
