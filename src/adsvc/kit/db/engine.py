"""SQLAlchemy's engine on asyncpg connections of our own."""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Executable, event, text
from sqlalchemy.engine import Connection as SqlConnection
from sqlalchemy.engine import CursorResult, ExceptionContext
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    create_async_engine,
)
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from adsvc.kit.db.faults import READ_ONLY, driver_error, is_database_fault, session_ended
from adsvc.kit.db.pools import SLOT_SECONDS, PoolUsage
from adsvc.kit.db.servers import (
    ConnectionDefaults,
    DatabaseServer,
    Observer,
    ServerConnection,
    Servers,
)
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.errors import DatabaseUnavailableError


def new_engine(
    servers: Servers,
    *,
    options: Mapping[str, Any] | None = None,
    **engine_options: Any,  # noqa: ANN401 - as SQLAlchemy's
) -> AsyncEngine:
    """An engine that raises socket errors as `DatabaseUnavailableError`.

    `options` are those of `Servers.connect`.
    """
    given = dict(options or {})

    # Prepared statements have no names: a pooler's connection may already have the name for another
    # text.
    unnamed = {"prepared_statement_cache_size": 0, "prepared_statement_name_func": str}

    def connect() -> object:
        """Like SQLAlchemy's own `async_creator`, but without the dialect's arguments."""
        return engine.dialect.loaded_dbapi.connect(
            async_creator_fn=lambda: servers.connect(**given),
            **(unnamed if servers.by_transaction else {}),
        )

    # `servers` makes the connections. The engine itself rejects a URL of several hosts if one has
    # no port.
    url = servers.url.difference_update_query(["host"]) if servers.several else servers.url
    engine = create_async_engine(url, creator=connect, **engine_options)
    _install_events(engine, servers)
    if ConnectionDefaults.observer is not None:
        _observe(engine, ConnectionDefaults.observer)
    return engine


def new_session_engine(
    servers: Servers,
    settings: Mapping[str, str],
    *,
    pool_size: int,
    timeout: float,
    slot_timeout: float = SLOT_SECONDS,
    purpose: str = "sessions",
) -> AsyncEngine:
    """An engine that requests share, or the work beside them. `slot_timeout` is in seconds."""
    return new_engine(
        servers,
        options={
            "timeout": timeout,
            "command_timeout": timeout,
            "server_settings": settings,
            "purpose": purpose,
        },
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=min(timeout, slot_timeout),
        # Values of rows must not get into the log.
        hide_parameters=True,
    )


def _install_events(engine: AsyncEngine, servers: Servers) -> None:
    """Raises database faults as such, and replaces connections that are no longer current."""

    def blame_the_database(context: ExceptionContext) -> None:
        """Called with errors of a statement, or of a transaction's end."""
        error = context.original_exception
        if isinstance(error, OSError):
            raise DatabaseUnavailableError from error
        if getattr(error, "sqlstate", None) == READ_ONLY:
            servers.invalidate_connections()

    def check(_: object, record: ConnectionPoolEntry, __: object) -> None:
        """Called when a connection leaves the pool; after this error the pool tries a new one.

        A check by the database would take a round trip each time. A new connection is always
        current: the pool tries only twice.
        """
        connection: ServerConnection | None = record.driver_connection
        if connection is None:
            raise DisconnectionError
        if connection.is_new:
            connection.is_new = False
        elif connection.has_ended or not servers.is_current(connection):
            raise DisconnectionError

    event.listen(engine.sync_engine, "handle_error", blame_the_database)
    event.listen(engine.sync_engine, "checkout", check)


def _observe(engine: AsyncEngine, observer: Observer) -> None:
    """Observes SQLAlchemy's statements, which asyncpg's query loggers do not see."""

    def server_of(connection: SqlConnection | None) -> DatabaseServer | None:
        """None if the connection is closed."""
        if connection is None or connection.closed or connection.invalidated:
            return None
        used: ServerConnection | None = connection.connection.driver_connection
        return None if used is None else used.server

    def began(*given: Any) -> None:  # noqa: ANN401 - as SQLAlchemy's events
        *_, context, _ = given
        context.began = time.perf_counter()

    def ended(*given: Any) -> None:  # noqa: ANN401 - as SQLAlchemy's events
        connection, _, statement, _, context, _ = given
        observer(statement, time.perf_counter() - context.began, None, server_of(connection))

    def failed(context: ExceptionContext) -> None:
        began_at = getattr(context.execution_context, "began", None)
        if began_at is not None and context.statement is not None:
            seconds = time.perf_counter() - began_at
            error = context.original_exception
            # SQLAlchemy's error has no details; asyncpg's is its cause.
            cause = error.__cause__ or error
            observer(context.statement, seconds, cause, server_of(context.connection))

    event.listen(engine.sync_engine, "before_cursor_execute", began)
    event.listen(engine.sync_engine, "after_cursor_execute", ended)
    event.listen(engine.sync_engine, "handle_error", failed, insert=True)


logger = logging.getLogger("adsvc.db")

READ = re.compile(r"\s*SELECT\b", re.IGNORECASE)


async def discard(session: AsyncSession, error: BaseException) -> None:
    """Rolls back, without waiting for a database that does not answer."""
    try:
        if is_database_fault(error) or isinstance(error, asyncio.CancelledError):
            # A statement is under way, or the server does not answer.
            await session.invalidate()
        else:
            await session.rollback()
    except (SQLAlchemyError, DatabaseUnavailableError, OSError):
        # The connection is lost, and PostgreSQL has rolled back.
        logger.warning("A rollback found its connection gone.")


class AutocommitSession(Session):
    """A session of single statements: a read whose connection breaks is repeated once."""

    def execute(self, statement: Executable, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - SQLAlchemy's
        send = partial(super().execute, statement, *args, **options)
        return self.repeated(send, reads=statement.is_select)

    def scalar(self, statement: Executable, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - SQLAlchemy's
        send = partial(super().scalar, statement, *args, **options)
        return self.repeated(send, reads=statement.is_select)

    def repeated(self, send: Callable[[], Any], *, reads: bool) -> Any:  # noqa: ANN401 - SQLAlchemy's
        # Pending changes are sent with the statement, and would be lost.
        writes = bool(self.new or self.dirty or self.deleted)
        try:
            return send()
        except Exception as error:
            if writes or not reads or session_ended(driver_error(error)) is None:
                raise
            self.invalidate()
        return send()


class DatabaseSession(AsyncSession, Statements):
    """SQLAlchemy's expressions, and SQL text, in one transaction; by `autocommit`, each alone."""

    # How many rows a stream reads at once.
    STREAMED = 2000

    async def fetch(
        self,
        sql: str,
        *values: object,
        keep_plan: bool = False,  # noqa: ARG002 - a session has its connection already
    ) -> Sequence[Row]:
        return await self.run_sync(_fetch, sql, values)

    async def stream_rows(self, sql: str) -> AsyncIterator[Row]:
        """Reads by a cursor; SQLAlchemy has none for statements of the driver."""
        options = {"yield_per": self.STREAMED}
        rows = await self.stream(text(sql.replace(":", r"\:")), execution_options=options)
        async for row in rows.mappings():
            yield dict(row)


def _fetch(session: Session, sql: str, values: tuple[object, ...]) -> Sequence[Row]:
    def send() -> Sequence[Row]:
        result: CursorResult[Any] = session.connection().exec_driver_sql(sql, values)
        return [dict(row) for row in result.mappings()] if result.returns_rows else []

    if isinstance(session, AutocommitSession):
        rows: Sequence[Row] = session.repeated(send, reads=READ.match(sql) is not None)
        return rows
    return send()


def pool_usage(engine: AsyncEngine) -> PoolUsage:
    pool = engine.sync_engine.pool
    assert isinstance(pool, QueuePool)  # noqa: S101 - as every engine for requests has
    return PoolUsage(pool.size(), pool.checkedout(), None)
