"""How a process tells its numbers to the exporter: once a second, and when it is asked.

The exporter has the last numbers of a process that was killed, and none that hangs holds it up.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from adsvc.measures import Histogram
from adsvc.observability.metrics.definitions import LAG_SECONDS
from adsvc.observability.metrics.snapshots import Snapshot

logger = logging.getLogger("adsvc.metrics")

# The variable by which worker processes learn where the exporter listens. No setting of operators.
SOCKET_VARIABLE = "_ADSVC_METRICS_SOCKET"

PERIOD_SECONDS = 1.0

# The last words of a process that ends.
LAST_SECONDS = 0.5

# Before each snapshot stands its size.
SIZE_BYTES = 4

# A question is any byte.
QUESTIONS_BYTES = 64


def framed(snapshot: Snapshot) -> bytes:
    data = snapshot.encoded()
    return len(data).to_bytes(SIZE_BYTES, "big") + data


class Publisher:
    """`take` makes a snapshot of the process as it is."""

    def __init__(self, path: str, take: Callable[[], Snapshot]) -> None:
        self._path = path
        self._take = take
        self._lag = Histogram(LAG_SECONDS)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Publishes until the end of the block, and once more then."""
        try:
            reader, writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            # Requests matter more.
            logger.exception("The metrics of this process are not told.")
            yield
            return
        task = asyncio.create_task(self._publish(reader, writer))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(LAST_SECONDS):
                    await self._tell(writer)
            writer.close()

    async def _publish(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._tell(writer)
                if not await self._wait(reader):
                    return
        except OSError:
            logger.warning("The exporter of metrics has gone.")

    async def _tell(self, writer: asyncio.StreamWriter) -> None:
        snapshot = self._take()
        snapshot.set_histogram("adsvc_event_loop_lag_seconds", self._lag)
        writer.write(framed(snapshot))
        await writer.drain()

    async def _wait(self, reader: asyncio.StreamReader) -> bool:
        """Until it is time, or somebody asks; False if nobody ever will."""
        loop = asyncio.get_running_loop()
        due = loop.time() + PERIOD_SECONDS
        try:
            async with asyncio.timeout_at(due):
                return bool(await reader.read(QUESTIONS_BYTES))
        except TimeoutError:
            self._lag.observe(max(0.0, loop.time() - due))
            return True
