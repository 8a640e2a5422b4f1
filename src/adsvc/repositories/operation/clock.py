"""Moves the clock for developers: all moments that are stored become older.

`now()` of PostgreSQL is in hundreds of statements, defaults and triggers, and cannot be moved.
"""

from adsvc.kit.db.statements import Statements
from adsvc.kit.invalidation import CHANNEL
from adsvc.repositories.events import FOLLOWS_LOG

# The log stays: cursors name its events by their moments.
SELECT_MOMENTS = """
    SELECT quote_ident(relname) AS table_name, array_agg(quote_ident(attname)) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
        AND atttypid = 'timestamptz'::regtype AND NOT attisdropped AND attnum > 0
        AND relname NOT LIKE 'events%' AND relname <> 'changes'
    GROUP BY relname ORDER BY relname
"""
# Positions that are moments.
MOVE_POSITIONS = f"UPDATE consumers SET position = position - $1::bigint WHERE NOT ({FOLLOWS_LOG})"  # noqa: S608 - a constant


async def advance(db: Statements, milliseconds: int) -> None:
    """In a transaction. All processes drop what they have cached.

    The role of the database must be a superuser, or be allowed to set `session_replication_role`.
    """
    # No trigger fires: nothing has happened to the rows.
    await db.fetch("SET LOCAL session_replication_role = replica")
    for row in await db.fetch(SELECT_MOMENTS):
        table = row["table_name"]
        changes = ", ".join(
            f"{column} = {column} - make_interval(secs => $1::float8)" for column in row["columns"]
        )
        await db.fetch(f"UPDATE {table} SET {changes}", milliseconds / 1000)  # noqa: S608 - names of the schema
    await db.fetch(MOVE_POSITIONS, milliseconds)
    await db.fetch("SELECT pg_notify($1, '')", CHANNEL)
