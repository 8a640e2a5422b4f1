"""The database of a process: its connections, SQLAlchemy's sessions on them, and transactions with
their hooks.
"""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sqlalchemy import Executable, event, text
from sqlalchemy.engine import URL, CursorResult, ExceptionContext
from sqlalchemy.engine import Connection as SqlConnection
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from adsvc.kit.db.faults import READ_ONLY, driver_error, is_database_fault, session_ended
from adsvc.kit.db.listener import Listener
from adsvc.kit.db.replica import Positions, ReplicaStatements
from adsvc.kit.db.servers import (
    ConnectionDefaults,
    DatabaseServer,
    Observer,
    ServerConnection,
    Servers,
    location,
)
from adsvc.kit.db.statements import (
    SLOT_SECONDS,
    Follow,
    PooledStatements,
    PoolUsage,
    Row,
    Statements,
    server_settings,
)
from adsvc.kit.errors import DatabaseUnavailableError
from adsvc.kit.invalidation import Invalidation, InvalidationBus
from adsvc.kit.process.offload import shielded
from adsvc.kit.settings.groups import DatabasePooling, PlatformSettings


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


logger = logging.getLogger("adsvc.db")

Hook = Callable[[], Awaitable[object]]

# Transactions of jobs and lanes, which hold a lock while their work uses the other pools.
LASTING_CONNECTIONS = 4


@dataclass(eq=False)
class Unit:
    """One unit of work, with hooks for what follows its end outside the database.

    Hooks run after the outcome is known. They must not raise errors that a request would be refused
    for: their failures are logged, and the queue of deletions or the sweep does what they left
    undone.
    """

    # For hooks, which run after the unit.
    database: "Database"
    _changes: list[Invalidation] = field(default_factory=list, init=False)
    _commit_hooks: list[Hook] = field(default_factory=list, init=False)

    def announce(self, kind: str, identifier: int | str = "") -> None:
        """Invalidates caches when the unit commits; without an id, for all of that kind."""
        self._changes.append(Invalidation(kind, str(identifier)))

    def announce_change(self, change: Invalidation) -> None:
        """As `announce`, with details: what the change cannot affect stays in memory."""
        self._changes.append(change)

    def on_commit(self, hook: Hook) -> None:
        self._commit_hooks.append(hook)

    def apply_changes(self) -> None:
        for change in self._changes:
            self.database.changes.apply(change)

    async def _run(self, hooks: list[Hook]) -> None:
        for hook in hooks:
            try:
                await hook()
            except Exception:
                logger.exception("A hook after the end of a transaction failed.")

    async def run_commit_hooks(self) -> None:
        await self._run(self._commit_hooks)


@dataclass(eq=False)
class SingleStatement(Unit, Statements):
    """A change of one statement, which commits by itself."""

    statements: Statements

    def announce_change(self, change: Invalidation) -> None:
        """For after the statement. Replaces what was announced before, when less was known."""
        self._changes = [one for one in self._changes if one.kind != change.kind]
        super().announce_change(change)

    async def fetch(self, sql: str, *values: object, keep_plan: bool = True) -> Sequence[Row]:
        try:
            return await self.statements.fetch(sql, *values, keep_plan=keep_plan)
        except BaseException:
            # The change may have been committed even so.
            self.apply_changes()
            raise


class Transaction(DatabaseSession, Unit):
    """A session for several statements, which commits at the end of its block."""

    def __init__(self, database: "Database", engine: AsyncEngine) -> None:
        DatabaseSession.__init__(self, engine, expire_on_commit=False)
        Unit.__init__(self, database)
        self._rollback_hooks: list[Hook] = []

    def on_rollback(self, hook: Hook) -> None:
        """The hook does not run if the commit itself fails: then the outcome is unknown."""
        self._rollback_hooks.append(hook)

    async def run_rollback_hooks(self) -> None:
        await self._run(self._rollback_hooks)


class Database:
    """Statements alone, and sessions; open one per process and `close` it at the end."""

    def __init__(
        self,
        url: URL,
        *,
        changes: InvalidationBus | None = None,
        listen_url: URL | None = None,
        replica_url: URL | None = None,
        by_transaction: bool = False,
        pool_size: int = 10,
        timeout: float = 5,
    ) -> None:
        """`listen_url` leads to the same database by connections that last.

        With `by_transaction` other connections need not last: a pooler lends them for one
        transaction.
        """
        self.location = location(url)
        self.changes = changes or InvalidationBus()
        servers = Servers(url, by_transaction=by_transaction)
        settings = server_settings(timeout)
        statements = partial(PooledStatements, servers, timeout=timeout, server_settings=settings)
        self.reader = statements("reads", "searches", pool_size=pool_size)
        # Its own connection, so that readiness does not wait for ordinary work.
        self.probe = statements("readiness", pool_size=1)
        self.writer = statements("writes", pool_size=pool_size, reads=False)
        self._replica: ReplicaStatements | None = None
        if replica_url is not None:
            replicas = Servers(replica_url, by_transaction=by_transaction, replicas=True)
            # Its own connection, so that it does not wait for ordinary work.
            positions = Positions(self.changes, statements("positions", pool_size=1))
            self._replica = self._replica_reader(replicas, positions, pool_size, timeout / 2)
        # For lists, facets and categories.
        self.list_reader: Statements = self._replica or self.reader
        # Where connections last.
        self._session_servers = servers if listen_url is None else Servers(listen_url)
        self._timeout = timeout
        self._listener = Listener(
            self._session_servers,
            self.changes,
            timeout=timeout,
            lost=servers.invalidate_connections,
        )
        self.engine = new_session_engine(servers, settings, pool_size=pool_size, timeout=timeout)
        self._lasting_engine = new_session_engine(
            servers,
            settings,
            pool_size=LASTING_CONNECTIONS,
            timeout=timeout,
            slot_timeout=timeout,
            purpose="lasting",
        )
        self._by_transaction = by_transaction
        self._autocommitting = async_sessionmaker(
            # Behind a pooler that lends connections for a transaction, a session has one: a
            # statement takes two messages, and the second may reach another connection.
            self.engine
            if by_transaction
            else self.engine.execution_options(isolation_level="AUTOCOMMIT"),
            class_=DatabaseSession,
            sync_session_class=AutocommitSession,
            expire_on_commit=False,
        )

    def _replica_reader(
        self, servers: Servers, positions: Positions, pool_size: int, timeout: float
    ) -> ReplicaStatements:
        return ReplicaStatements(
            servers,
            primary=self.reader,
            positions=positions,
            pool_size=pool_size,
            timeout=timeout,
            server_settings=server_settings(timeout),
        )

    @classmethod
    def of(
        cls, settings: PlatformSettings, changes: InvalidationBus, *, pool_size: int = 10
    ) -> "Database":
        ConnectionDefaults.node = settings.node_name
        return cls(
            settings.required_database_url(),
            changes=changes,
            listen_url=settings.database_session_url() if settings.database_listen_url else None,
            replica_url=settings.database_replica(),
            by_transaction=settings.database_pooling is DatabasePooling.TRANSACTION,
            pool_size=pool_size,
            timeout=settings.database_timeout_seconds,
        )

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """Commits at the end of the block, and rolls back on any error in it.

        The connection is taken at the first statement, so that a block that first does long work
        outside the database does not occupy one. From then on the block must not take another
        connection: many such blocks would wait for each other.
        """
        return self._transaction(self.engine)

    def lasting_transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """As `transaction`, for background work that uses other connections in the block.

        Its own connection is of a pool that no other connection is held for.
        """
        return self._transaction(self._lasting_engine)

    @asynccontextmanager
    async def _transaction(self, engine: AsyncEngine) -> AsyncIterator[Transaction]:
        async with Transaction(self, engine) as transaction:
            try:
                yield transaction
            except BaseException as error:
                await shielded(self._roll_back(transaction, error))
                raise
            try:
                await transaction.commit()
            except BaseException:
                # The outcome is unknown, and the connection's state too.
                await shielded(transaction.invalidate())
                transaction.apply_changes()
                raise
            transaction.apply_changes()
        # What triggers have noted is announced too, even if nothing was applied here.
        self.changes.committed()
        await transaction.run_commit_hooks()

    @asynccontextmanager
    async def statement(self, follow: Follow | None = None) -> AsyncIterator[SingleStatement]:
        """For a change of one statement. Hooks run at the end of the block.

        `follow` runs after the statement, in its transaction.
        """
        writer = self.writer if follow is None else self.writer.followed(follow)
        statement = SingleStatement(self, writer)
        yield statement
        statement.apply_changes()
        self.changes.committed()
        await statement.run_commit_hooks()

    @staticmethod
    async def _roll_back(transaction: Transaction, error: BaseException) -> None:
        await discard(transaction, error)
        await transaction.run_rollback_hooks()

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[DatabaseSession]:
        """A session in which every statement is its own transaction, without BEGIN and ROLLBACK."""
        async with self._autocommitting() as session:
            try:
                yield session
                if self._by_transaction:
                    await session.commit()
            except BaseException as error:
                await shielded(discard(session, error))
                raise

    @property
    def pools(self) -> Mapping[str, PoolUsage]:
        """Usage by the pool's name in metrics."""
        replica = {} if self._replica is None else self._replica.usage
        return {
            **self.reader.usage,
            **self.writer.usage,
            "sessions": pool_usage(self.engine),
            "lasting": pool_usage(self._lasting_engine),
            **replica,
        }

    @property
    def replica_reads(self) -> Mapping[str, int]:
        """Numbers of reads that a replica may answer, by the server; empty without a replica."""
        return {} if self._replica is None else self._replica.answered

    async def connect(self, purpose: str) -> ServerConnection:
        """A connection that lasts, beside all pools."""
        return await self._session_servers.connect(
            timeout=self._timeout,
            command_timeout=self._timeout,
            server_settings=server_settings(self._timeout),
            purpose=purpose,
        )

    async def confirm(self, connection: ServerConnection) -> None:
        """Raises an error if its server does not take writes any more."""
        await self._session_servers.confirm(connection)

    def listen(self) -> None:
        """From now on `changes` includes the changes of other processes."""
        self._listener.start()

    async def close(self) -> None:
        await self._listener.close()
        if self._replica is not None:
            await self._replica.stop()
            self._replica.close()
        self.reader.close()
        self.writer.close()
        self.probe.close()
        await self.engine.dispose()
        await self._lasting_engine.dispose()
