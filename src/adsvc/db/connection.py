"""asyncpg connections as this service uses them."""

from collections.abc import Mapping
from typing import Any

import asyncpg
from sqlalchemy.engine import URL

from adsvc.errors import DatabaseUnavailableError

# How connections show in pg_stat_activity.
NAME = "adsvc"


class Connection(asyncpg.Connection):  # type: ignore[misc]
    def get_reset_query(self) -> str:
        """Reads leave nothing behind that a round trip would have to clear."""
        return ""

    async def close(self, *, timeout: float | None = None) -> None:  # noqa: ASYNC109 - its own
        """SQLAlchemy sets a timeout to let go of a connection that failed, and would wait it out.

        A database that did not answer will not answer the farewell either.
        """
        if timeout is None:
            await super().close()
        else:
            self.terminate()


async def connect(
    *,
    server_settings: Mapping[str, str] | None = None,
    **options: Any,  # noqa: ANN401 - as asyncpg's
) -> asyncpg.Connection:
    """A new connection, or `DatabaseUnavailableError` where none can be made.

    asyncpg lets through what the socket met; a timeout is an `OSError` too.
    """
    try:
        connection = await asyncpg.connect(server_settings={"application_name": NAME}, **options)
        if server_settings:
            await _set(connection, server_settings)
    except (OSError, asyncpg.InterfaceError) as error:
        raise DatabaseUnavailableError from error
    return connection


async def _set(connection: asyncpg.Connection, settings: Mapping[str, str]) -> None:
    """By a statement: PgBouncer refuses connections that begin with settings it does not know."""
    try:
        # Names and values are this program's own.
        await connection.execute("".join(f"SET {name} = '{settings[name]}';" for name in settings))
    except BaseException:
        connection.terminate()
        raise


def parameters(url: URL) -> dict[str, Any]:
    """As SQLAlchemy's dialect passes them on."""
    return url.translate_connect_args(username="user") | dict(url.query)
