"""Figures about the database, which no process of the service has counted."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import asyncpg
from sqlalchemy.engine import URL

from adsvc.db import migrations
from adsvc.db.connections.addresses import each_alone
from adsvc.db.connections.servers import Servers
from adsvc.db.positions import AT_PRIMARY, AT_REPLICA
from adsvc.db.read_pool import Reader
from adsvc.errors import DatabaseUnavailableError
from adsvc.observability.metrics.snapshots import Snapshot
from adsvc.repositories.operation.figures import FIGURES, FigureRepository
from adsvc.repositories.operation.schema import revision_by

# A scrape without a database must not hang: Prometheus gives it ten seconds, by default.
ALL_SECONDS = 2.0

STATEMENT_SECONDS = 1.0


def _reader(servers: Servers) -> Reader:
    milliseconds = str(round(STATEMENT_SECONDS * 1000))
    return Reader(
        servers,
        pool_size=1,
        timeout=STATEMENT_SECONDS,
        server_settings={"statement_timeout": milliseconds},
        names=("metrics", "metrics"),
    )


class DatabaseFigures:
    """Asks each server on one connection, which is opened again when it breaks."""

    def __init__(self, url: URL, replica_url: URL | None = None) -> None:
        self._primary = _reader(Servers(url))
        replicas = {} if replica_url is None else each_alone(replica_url)
        self._replicas = {name: _reader(Servers(alone)) for name, alone in replicas.items()}

    async def now(self) -> Snapshot:
        """What could be read in time."""
        snapshot = Snapshot()
        log, *replayed = await asyncio.gather(
            _known(self._read(snapshot)),
            *(_known(_log(reader, AT_REPLICA)) for reader in self._replicas.values()),
        )
        snapshot.set("adsvc_database_up", log is not None)
        for name, place in zip(self._replicas, replayed, strict=True):
            snapshot.set("adsvc_replica_up", place is not None, name)
            if log is not None and place is not None:
                # The replica may have gone on since the primary was asked.
                snapshot.set("adsvc_replica_lag_bytes", max(0, log - place), name)
        return snapshot

    async def _read(self, snapshot: Snapshot) -> int:
        """Sets what the primary tells, and gives how far its log is."""
        log = await _log(self._primary, AT_PRIMARY) if self._replicas else 0
        revision, own = await revision_by(self._primary), migrations.head()
        snapshot.set("adsvc_schema_info", 1, revision or "none", own)
        snapshot.set("adsvc_schema_current", revision == own)
        figures = FigureRepository(self._primary)
        for figure in FIGURES:
            for labels, value in (await figures.read(figure)).items():
                snapshot.set(figure.name, value, *labels)
        return log

    def close(self) -> None:
        for reader in (self._primary, *self._replicas.values()):
            reader.close()


async def _log(reader: Reader, sql: str) -> int:
    """A server's place in the write-ahead log, in bytes."""
    row: Any = await reader.fetchrow(sql, keep_plan=True)
    return int(row["log"])


async def _known(log: Awaitable[int]) -> int | None:
    """None if the server does not tell it in time."""
    try:
        async with asyncio.timeout(ALL_SECONDS):
            return await log
    except (DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        # A timeout is an `OSError` too.
        return None
