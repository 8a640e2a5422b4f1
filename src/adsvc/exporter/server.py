"""The listener for `/metrics`: a thread with an event loop, in the first process.

Its HTTP is that of the service, with all its deadlines and limits. Who asks costs each process one
snapshot in `KNOWN_SECONDS` at most, however often and by how many it is asked.
"""

import asyncio
import logging
import platform
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import uvicorn
from sqlalchemy.engine import URL

from adsvc import __version__
from adsvc.cache import SharedValue
from adsvc.db.connections.connection import ConnectionDefaults
from adsvc.errors import OperatorError
from adsvc.exporter.exposition import CONTENT_TYPE, DatabaseFigures, Totals, text
from adsvc.http.connection import Traffic
from adsvc.http.protocol import BoundedProtocol
from adsvc.observability.metrics.publishing import merged
from adsvc.process.server import listen
from adsvc.settings import Settings


@contextmanager
def metrics_if_wanted(settings: Settings) -> Iterator[str | None]:
    """Yields the path at which processes tell their numbers, or None without a port."""
    if settings.metrics_port is None:
        yield None
        return
    from adsvc.exporter.server import exporting  # noqa: PLC0415 - takes memory, and most need none

    ConnectionDefaults.node = settings.node_name
    sockets = listen(
        settings.metrics_host,
        settings.metrics_port,
        what="metrics",
        variables=("ADSVC_METRICS_HOST", "ADSVC_METRICS_PORT"),
    )
    database, replica = settings.database_session_url(), settings.database_replica()
    with exporting(sockets, database, replica) as path:
        yield path


logger = logging.getLogger("adsvc.metrics")

PATH = "/metrics"

KNOWN_SECONDS = 0.25

# To ask the database again; a flood of scrapes is no load for it.
FIGURES_KNOWN_SECONDS = 5.0

START_SECONDS = 10

STOP_SECONDS = 2

KEEP_ALIVE_SECONDS = 5

Send = Callable[[dict[str, Any]], Any]


class ExporterProtocol(BoundedProtocol):
    """The protocol of the service. Its own traffic is not that of clients."""

    traffic: ClassVar[Traffic] = Traffic()


class Exporter:
    """An ASGI application, and what it tells."""

    def __init__(self, figures: DatabaseFigures) -> None:
        self._totals = Totals()
        self._figures = figures
        self._known_figures = SharedValue(self._figures.now, lambda _: FIGURES_KNOWN_SECONDS)
        self._known = SharedValue(self._exposition, lambda _: KNOWN_SECONDS)

    @property
    def totals(self) -> Totals:
        return self._totals

    def close(self) -> None:
        self._figures.close()

    async def _exposition(self) -> bytes:
        totals, figures = await asyncio.gather(self._totals.now(), self._known_figures.get())
        snapshot = merged([totals, figures])
        snapshot.set("adsvc_build_info", 1, __version__, platform.python_version())
        return text(snapshot)

    async def __call__(self, scope: dict[str, Any], _receive: object, send: Send) -> None:
        if scope["path"] != PATH:
            await _answer(send, 404, b"There is nothing but /metrics.\n")
        elif scope["method"] not in {"GET", "HEAD"}:
            await _answer(send, 405, b"/metrics is only read.\n", (b"allow", b"GET, HEAD"))
        else:
            body = await self._known.get()
            body = b"" if scope["method"] == "HEAD" else body
            await _answer(send, 200, body, content_type=CONTENT_TYPE)


async def _answer(
    send: Send,
    status: int,
    body: bytes,
    *more: tuple[bytes, bytes],
    content_type: bytes = b"text/plain; charset=utf-8",
) -> None:
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def exporting(
    sockets: Sequence[socket.socket], database: URL, replica: URL | None = None
) -> Iterator[str]:
    """Serves `/metrics` on these sockets during the block.

    Yields the path at which the processes tell their numbers.
    """
    # Only this user may enter the directory, so nobody else tells any numbers.
    with tempfile.TemporaryDirectory(prefix="adsvc-metrics-") as directory:
        path = Path(directory) / "socket"
        thread = _Thread(list(sockets), str(path), partial(DatabaseFigures, database, replica))
        thread.start()
        try:
            if not thread.ready.wait(START_SECONDS) or thread.failed:
                raise OperatorError("The listener for /metrics did not start; the log says why.")
            yield str(path)
        finally:
            thread.stop()


class _Thread(threading.Thread):
    def __init__(
        self, sockets: list[socket.socket], path: str, figures: Callable[[], DatabaseFigures]
    ) -> None:
        super().__init__(name="metrics", daemon=True)
        self.ready = threading.Event()
        self.failed = False
        self._sockets = sockets
        self._path = path
        # Made in the thread, whose event loop it is for.
        self._figures = figures
        self._server: uvicorn.Server

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:
            self.failed = True
            logger.exception("The metrics are not served any more.")
        finally:
            self.ready.set()

    async def _serve(self) -> None:
        exporter = Exporter(self._figures())
        self._server = uvicorn.Server(
            uvicorn.Config(
                exporter,
                http=ExporterProtocol,
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=1,
            )
        )
        async with AsyncExitStack() as stack:
            stack.callback(exporter.close)
            hearing = await asyncio.start_unix_server(exporter.totals.hear, self._path)
            stack.callback(hearing.close)
            self.ready.set()
            await self._server.serve(self._sockets)

    def stop(self) -> None:
        """Ends the thread, whatever it is doing. It is a daemon: nobody waits for it any longer."""
        if self.is_alive() and not self.failed:
            self._server.should_exit = True
            self.join(STOP_SECONDS)
