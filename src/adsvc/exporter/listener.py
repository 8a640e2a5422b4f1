"""Whether there are metrics: the listener is opened where a port is set for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from adsvc.db.connections.connection import Node
from adsvc.process.listening import listen
from adsvc.settings import Settings


@contextmanager
def metrics_if_wanted(settings: Settings) -> Iterator[str | None]:
    """Yields the path at which processes tell their numbers, or None without a port."""
    if settings.metrics_port is None:
        yield None
        return
    from adsvc.exporter.server import exporting  # noqa: PLC0415 - takes memory, and most need none

    Node.name = settings.node_name
    sockets = listen(
        settings.metrics_host,
        settings.metrics_port,
        what="metrics",
        variables=("ADSVC_METRICS_HOST", "ADSVC_METRICS_PORT"),
    )
    database, replica = settings.database_session_url(), settings.database_replica()
    with exporting(sockets, database, replica) as path:
        yield path
