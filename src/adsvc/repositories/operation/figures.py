"""What the exporter of metrics asks the database at a scrape, one process for all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg

from adsvc.db.read_pool import Reader


@dataclass(frozen=True, slots=True)
class Figure:
    """A gauge. The statement gives its values, each in a row with the labels before it."""

    name: str
    sql: str


# Another queue in a table is one more row here, and one in `observability/metrics/definitions.py`.
# Statements have a second, and should have no more to read than what waits.
FIGURES: Sequence[Figure] = (
    Figure("adsvc_picture_deletions_queued", "SELECT count(*) FROM picture_deletions"),
    Figure("adsvc_outbox_pending", "SELECT count(*) FROM outbox WHERE dead_at IS NULL"),
    Figure("adsvc_outbox_dead", "SELECT count(*) FROM outbox WHERE dead_at IS NOT NULL"),
    Figure(
        "adsvc_outbox_oldest_seconds",
        "SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8"
        " FROM outbox WHERE dead_at IS NULL",
    ),
    Figure(
        "adsvc_job_success_age_seconds",
        "SELECT name, extract(epoch FROM now() - succeeded_at)::float8"
        # Backups have a metric of their own: their period is the operator's.
        " FROM jobs WHERE succeeded_at IS NOT NULL AND name <> 'backup'",
    ),
    Figure(
        "adsvc_database_sessions",
        # PostgreSQL may not tell the state of other users' sessions.
        "SELECT coalesce(state, 'unknown'), count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() GROUP BY 1",
    ),
    Figure("adsvc_database_sessions_limit", "SELECT current_setting('max_connections')::int"),
    Figure(
        "adsvc_synchronous_standbys",
        # Not everybody is told of other sessions' states.
        "SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) FROM pg_stat_replication"
        " HAVING count(*) = count(sync_state)",
    ),
    Figure(
        "adsvc_synchronous_standbys_required",
        "SELECT (current_setting('synchronous_standby_names') <> '')::int",
    ),
    Figure(
        "adsvc_backup_success_age_seconds",
        "SELECT coalesce((SELECT extract(epoch FROM now() - succeeded_at)::float8"
        " FROM jobs WHERE name = 'backup'), 'Infinity')",
    ),
)


class FigureRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def read(self, figure: Figure) -> Mapping[tuple[str, ...], float]:
        """Values by labels; none if it takes too long, or the schema has no such table."""
        try:
            rows = await self._reader.fetch(figure.sql, keep_plan=True)
        except (
            asyncpg.UndefinedTableError,
            asyncpg.UndefinedColumnError,
            asyncpg.QueryCanceledError,
        ):
            return {}
        return {_labels(row): float(tuple(row.values())[-1]) for row in rows}


def _labels(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(map(str, tuple(row.values())[:-1]))
