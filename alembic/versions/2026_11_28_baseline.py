"""The schema of 0.3.0

An empty database gets it in one step. A database at the last revision of 0.3.0 has it already: only
its revision changes (`adsvc/migrations/running.py`).

Revision ID: 0100
Revises:
"""

from pathlib import Path
from typing import Any

from alembic import op

revision = "0100"
down_revision = None
branch_labels = None
depends_on = None
oldest_head = None

ROWS = (
    "INSERT INTO installation DEFAULT VALUES",
    "INSERT INTO event_log DEFAULT VALUES",
    "INSERT INTO event_batches VALUES (0, 0, pg_current_snapshot()::text)",
    "INSERT INTO consumers VALUES ('favorites', 0), ('searches', 0), ('messages', 0)",
    """
    INSERT INTO consumers SELECT name, (extract(epoch FROM now()) * 1000)::bigint
    FROM unnest(ARRAY['endings', 'own-endings']) AS name
    """,
    "COMMENT ON TEXT SEARCH CONFIGURATION adsvc IS 'english'",
)


def upgrade() -> None:
    # Functions in SQL name tables that come after them.
    op.execute("SET LOCAL check_function_bodies = off")
    schema = Path(__file__).parents[1].joinpath("baseline.sql").read_text()
    connection: Any = op.get_bind().connection.dbapi_connection
    # A prepared statement cannot be a script.
    connection.run_async(lambda driver: driver.execute(schema))
    for statement in ROWS:
        op.execute(statement)
