"""What a database server says of itself."""

import asyncio
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import uuid4

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.read_pool import Reader

HEARD_SECONDS = 2.0

# A replica has it from its primary, and no other server has the same.
SYSTEM = "SELECT system_identifier AS system FROM pg_control_system()"

CONNECTIONS = """
    SELECT current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int AS connections
"""

FACTS = text("""
    SELECT
        current_setting('server_version_num')::int AS version,
        pg_encoding_to_char(encoding) AS encoding,
        datcollate AS collation,
        clock_timestamp() AS clock,
        current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int AS connections,
        processes, others,
        pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS read_only,
        has_schema_privilege('public', 'CREATE') AS may_create,
        (
            SELECT coalesce(bool_and(pg_has_role(relowner, 'USAGE')), true)
            FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
        ) AS may_alter,
        (
            SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM pg_settings
            WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
        ) AS careless
    FROM pg_database, (
        SELECT
            -- Each process listens once.
            count(*) FILTER (WHERE application_name LIKE 'adsvc/%/listener') AS processes,
            count(*) FILTER (WHERE application_name NOT LIKE 'adsvc%') AS others
        FROM pg_stat_activity
        -- What another role's session is for is hidden too; those of clients have a database.
        WHERE datname IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend'
    ) AS activity
    WHERE datname = current_database()
""")


async def system_of(reader: Reader) -> int | None:
    """None if the server does not tell it to everybody."""
    try:
        row: Any = await reader.fetchrow(SYSTEM, keep_plan=True)
    except asyncpg.InsufficientPrivilegeError:
        return None
    return int(row["system"])


async def connections_of(reader: Reader) -> int:
    """How many there may be."""
    row: Any = await reader.fetchrow(CONNECTIONS, keep_plan=True)
    return int(row["connections"])


class ServerRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def facts(self) -> Any:  # noqa: ANN401 - a row with the columns of FACTS
        return (await self._session.execute(FACTS)).one()

    async def tell(self, channel: str) -> None:
        await self._session.execute(text("SELECT pg_notify(:channel, '')"), {"channel": channel})


class Ear(NamedTuple):
    """A connection that listens, as that of the service does."""

    connection: asyncpg.Connection

    async def hears(self, session: AsyncSession) -> bool:
        """Whether what another session tells arrives here."""
        heard = asyncio.Event()
        channel = f"adsvc_doctor_{uuid4().hex}"
        await self.connection.add_listener(channel, lambda *_: heard.set())
        await ServerRepository(session).tell(channel)
        with suppress(TimeoutError):
            await asyncio.wait_for(heard.wait(), HEARD_SECONDS)
        return heard.is_set()
