"""Listens for changes of other processes (LISTEN)."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from adsvc.kit.db.faults import CONNECTION_FAULTS
from adsvc.kit.db.servers import Servers
from adsvc.kit.invalidation import CHANNEL, WAKE_CHANNEL, InvalidationBus

logger = logging.getLogger("adsvc.db")

RETRY_SECONDS = 1.0
# A connection that ends says so at once; one that falls silent does not. Usually the sequencer is
# heard each second.
SILENCE_SECONDS = 1.5
# The sequencer is woken no more often.
WAKE_SECONDS = 0.02


class Listener:
    """Listens for changes of all processes, as the sequencer announces them.

    Batches have consecutive numbers, so a missed one is noticed. Without a connection, caches are
    unreliable. The listener leaves a server that is no longer the primary.
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
        # Called at the end of each connection on which it listened.
        self._lost = lost
        # The last one that was announced on this connection, and when anything was.
        self._batch: int | None = None
        self._received_at = float("-inf")
        # This process has committed something, or the connection was lost.
        self._stirred = asyncio.Event()
        changes.committed = self._stirred.set
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
            except CONNECTION_FAULTS as error:
                cause = error.__cause__ or error
                logger.warning("Not listening for changes: %s", type(cause).__name__)
            self._changes.apply_all()
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self) -> None:
        connection = await self._servers.connect(
            timeout=self._timeout, command_timeout=self._timeout, purpose="listener"
        )
        lost = False

        def lose(_: object) -> None:
            nonlocal lost
            lost = True
            self._stirred.set()

        connection.add_termination_listener(lose)
        try:
            self._batch = None
            await connection.add_listener(CHANNEL, self._receive)
            self._changes.apply_all()
            # The sequencer answers by a sign of life.
            await connection.execute(f"NOTIFY {WAKE_CHANNEL}, 'joined'")
            self._received_at = time.monotonic()
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(SILENCE_SECONDS):
                        await self._stirred.wait()
                if lost:
                    raise ConnectionResetError
                if time.monotonic() - self._received_at > SILENCE_SECONDS:
                    await self._servers.confirm(connection)
                if self._stirred.is_set():
                    self._stirred.clear()
                    # Writes nothing, so it waits for no disk.
                    await connection.execute(f"NOTIFY {WAKE_CHANNEL}")
                    await asyncio.sleep(WAKE_SECONDS)
        finally:
            connection.terminate()
            self._lost()

    def _receive(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        """`BATCH:LAST EVENT:NOTICE,NOTICE…`; without notices it is a sign of life."""
        self._received_at = time.monotonic()
        try:
            batch, last_event_id, notices = payload.split(":", 2)
            number, last_id = int(batch), int(last_event_id)
            changes = [self._changes.parse(notice) for notice in notices.split(",") if notice]
        except ValueError:
            # Another version's words, or a sequencer that ends: it may be about anything.
            self._changes.apply_unknown()
            return
        if self._batch is not None and number not in {self._batch, self._batch + 1}:
            self._changes.apply_unknown()
        self._batch = number
        for change in changes:
            self._changes.receive(change)
        self._changes.confirm()
        self._changes.advance(last_id)
