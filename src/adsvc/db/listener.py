"""Listens for changes of other processes (LISTEN)."""

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
    """Listens for changes of other processes.

    A heartbeat on the same connection confirms that the notices of all earlier commits have
    arrived. Without a connection, caches are unreliable. The listener leaves a server that is no
    longer the primary.
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
        # Called when a connection on which it listened ends.
        self._lost = lost
        # By the names of the other channels.
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
                # The server has ended the session, and the connection is not closed yet.
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
                    # A notice may have been missed before.
                    self.callbacks[channel]()
                await self._servers.confirm(connection)
                self._changes.confirm()
                # The end of a connection is noticed at once; silence is not.
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
            # A notice of another version, or of someone else: it may be about anything.
            self._changes.apply_unknown()
