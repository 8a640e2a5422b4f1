"""SQLAlchemy's engine on asyncpg connections of our own."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    create_async_engine,
)

from adsvc.db.connection import connect, parameters
from adsvc.errors import DatabaseUnavailableError


def new_engine(
    url: URL,
    *,
    options: Mapping[str, Any] | None = None,
    **engine_options: Any,  # noqa: ANN401 - as SQLAlchemy's
) -> AsyncEngine:
    """An engine that tells what its sockets meet as `DatabaseUnavailableError`.

    `options` are asyncpg's, beside what stands in the URL.
    """
    given = parameters(url) | dict(options or {})
    engine = create_async_engine(url, async_creator=lambda: connect(**given), **engine_options)
    event.listen(engine.sync_engine, "handle_error", _blame_the_database)
    return engine


def _blame_the_database(context: ExceptionContext) -> None:
    """Called for what a statement, or the end of a transaction, raised."""
    error = context.original_exception
    if isinstance(error, OSError):
        raise DatabaseUnavailableError from error
