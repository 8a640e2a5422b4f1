"""How a process sends its metrics to the exporter: once a second, and on demand.

So the exporter has the last values of a process that was killed, and a process that hangs does not
delay a scrape.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from adsvc.kit.counters import Histogram
from adsvc.kit.metrics.snapshot import LAG_SECONDS, STALL_SECONDS, MetricsSnapshot

logger = logging.getLogger("adsvc.metrics")

PERIOD_SECONDS = 1.0

# How often it is looked whether the event loop was held, and from which time on it counts.
WATCH_SECONDS = 0.1
SHORTEST_STALL_SECONDS = 0.25
# From that on it is in the log.
LONG_STALL_SECONDS = 1.0

# For the last snapshot of a process that ends.
LAST_SECONDS = 0.5

# The exporter sends one byte to have a snapshot at once.
REQUESTS_BYTES = 64


@asynccontextmanager
async def publishing(path: str | None, take: Callable[[], MetricsSnapshot]) -> AsyncIterator[None]:
    """Sends what `take` returns to the exporter's socket at `path`, if there is an exporter.

    It does so until the end of the block, and once more then.
    """
    if path is None:
        yield
        return
    async with Publisher(path, take).running():
        yield


class Publisher:
    def __init__(self, path: str, take: Callable[[], MetricsSnapshot]) -> None:
        self._path = path
        self._take = take
        self._lag = Histogram(LAG_SECONDS)
        self._stalls = Histogram(STALL_SECONDS)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        try:
            reader, writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            # Requests matter more.
            logger.exception("The metrics of this process are not exported.")
            yield
            return
        tasks = [
            asyncio.create_task(self._publish(reader, writer)),
            asyncio.create_task(self._watch()),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(LAST_SECONDS):
                    await self._send(writer)
            writer.close()

    async def _publish(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._send(writer)
                if not await self._wait(reader):
                    return
        except OSError:
            logger.warning("The exporter of metrics has closed the connection.")

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        snapshot = self._take()
        snapshot.set_histogram("adsvc_event_loop_lag_seconds", self._lag)
        snapshot.set_histogram("adsvc_event_loop_stall_seconds", self._stalls)
        writer.write(snapshot.framed())
        await writer.drain()

    async def _watch(self) -> None:
        """Notices each stall: once a second would miss most of the short ones."""
        while True:
            began, worked = time.monotonic(), time.thread_time()
            await asyncio.sleep(WATCH_SECONDS)
            held = time.monotonic() - began - WATCH_SECONDS
            if held < SHORTEST_STALL_SECONDS:
                continue
            self._stalls.observe(held)
            if held >= LONG_STALL_SECONDS:
                worked = time.thread_time() - worked
                logger.warning(
                    "The event loop was held for %.1f s, of which it worked %.1f s.", held, worked
                )

    async def _wait(self, reader: asyncio.StreamReader) -> bool:
        """Until the next snapshot is due. False if the exporter has closed the connection."""
        loop = asyncio.get_running_loop()
        due = loop.time() + PERIOD_SECONDS
        try:
            async with asyncio.timeout_at(due):
                return bool(await reader.read(REQUESTS_BYTES))
        except TimeoutError:
            self._lag.observe(max(0.0, loop.time() - due))
            return True
