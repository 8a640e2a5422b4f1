"""Figures of the databases, for the exporter of metrics."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import asyncpg
from sqlalchemy.engine import URL

from adsvc import migrations
from adsvc.errors import DatabaseUnavailableError
from adsvc.kit.db.replica import AT_PRIMARY, AT_REPLICA
from adsvc.kit.db.servers import Servers, each_alone
from adsvc.kit.db.statements import PooledStatements, Statements
from adsvc.kit.metrics.snapshot import MetricsSnapshot
from adsvc.metrics.definitions import new_snapshot
from adsvc.repositories.operation import server as server_rows

# A scrape without a database must not hang: Prometheus gives it ten seconds, by default.
ALL_SECONDS = 2.0

STATEMENT_SECONDS = 1.0


def _reader(servers: Servers) -> PooledStatements:
    milliseconds = str(round(STATEMENT_SECONDS * 1000))
    return PooledStatements(
        servers,
        "metrics",
        pool_size=1,
        timeout=STATEMENT_SECONDS,
        server_settings={"statement_timeout": milliseconds},
    )


class DatabaseFigures:
    """Figures that each database server is queried for, on one connection to each."""

    def __init__(self, url: URL, replica_url: URL | None = None) -> None:
        self._primary = _reader(Servers(url))
        replicas = {} if replica_url is None else each_alone(replica_url)
        self._replicas = {name: _reader(Servers(alone)) for name, alone in replicas.items()}

    async def now(self) -> MetricsSnapshot:
        """The figures that were read in time."""
        snapshot = new_snapshot()
        log, *replayed = await asyncio.gather(
            _in_time(self._read(snapshot)),
            *(_in_time(_log(reader, AT_REPLICA)) for reader in self._replicas.values()),
        )
        snapshot.set("adsvc_database_up", log is not None)
        for name, place in zip(self._replicas, replayed, strict=True):
            snapshot.set("adsvc_replica_up", place is not None, name)
            if log is not None and place is not None:
                # The replica may have replayed more since the primary was queried.
                snapshot.set("adsvc_replica_lag_bytes", max(0, log - place), name)
        return snapshot

    async def _read(self, snapshot: MetricsSnapshot) -> int:
        """Sets the figures of the primary. Returns its position in the log, in bytes."""
        log = await _log(self._primary, AT_PRIMARY) if self._replicas else 0
        revision, own = await server_rows.revision(self._primary), migrations.head()
        snapshot.set("adsvc_schema_info", 1, revision or "none", own)
        snapshot.set("adsvc_schema_current", revision == own)
        for name, series in (await server_rows.metric_figures(self._primary)).items():
            for labels, value in series.items():
                snapshot.set(name, value, *labels)
        return log

    def close(self) -> None:
        for reader in (self._primary, *self._replicas.values()):
            reader.close()


async def _log(reader: Statements, sql: str) -> int:
    """A server's position in the write-ahead log, in bytes."""
    row: Any = await reader.fetchrow(sql, keep_plan=True)
    return int(row["log"])


async def _in_time(log: Awaitable[int]) -> int | None:
    """None if the server does not answer in time."""
    try:
        async with asyncio.timeout(ALL_SECONDS):
            return await log
    except (DatabaseUnavailableError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        # `TimeoutError` is an `OSError`.
        return None
