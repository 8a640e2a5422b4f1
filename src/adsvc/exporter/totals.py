"""What the processes have told, the ended ones included."""

import asyncio
import logging
from contextlib import suppress

from adsvc.observability.metrics.publishing import SIZE_BYTES
from adsvc.observability.metrics.snapshots import Snapshot, merged

logger = logging.getLogger("adsvc.metrics")

# How long a scrape waits for processes that are slow to tell. Then what they told last counts.
FRESH_SECONDS = 0.5


class _Process:
    """One that is connected, with the last it has told."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.snapshot = Snapshot()
        self.has_told = asyncio.Event()

    def ask(self) -> None:
        self.has_told.clear()
        self._writer.write(b"?")


class Totals:
    """A connection is a process: when it ends, so has the process.

    Counters never fall: what a process has counted stays counted when it ends. Otherwise
    Prometheus would take each restart of a worker for as many new requests as the rest has had.
    """

    def __init__(self) -> None:
        self._ended = Snapshot()
        self._live: set[_Process] = set()

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """For `asyncio.start_unix_server`."""
        process = _Process(writer)
        self._live.add(process)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(SIZE_BYTES), "big")
                process.snapshot = Snapshot.decoded(await reader.readexactly(size))
                process.has_told.set()
        except (OSError, asyncio.IncompleteReadError):
            # It has ended.
            pass
        except ValueError:
            logger.exception("A process tells its metrics in other words.")
        finally:
            self._live.discard(process)
            self._ended.add(process.snapshot.cumulative())
            process.has_told.set()
            writer.close()

    async def now(self) -> Snapshot:
        processes = list(self._live)
        for process in processes:
            process.ask()
        with suppress(TimeoutError):
            async with asyncio.timeout(FRESH_SECONDS):
                for process in processes:
                    await process.has_told.wait()
        # One that has ended meanwhile is among the ended.
        together = merged([self._ended, *(process.snapshot for process in self._live)])
        together.set("adsvc_processes", len(self._live))
        return together
