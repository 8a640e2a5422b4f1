"""The database, and the three ways in which a request may use it.

`Database.transaction` is for writing, `Database.autocommit` for single statements by SQLAlchemy,
and `Database.reader` for the reads that matter for speed, by asyncpg itself.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
from sqlalchemy import event
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import DBAPIError, DisconnectionError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)
from sqlalchemy.pool import ConnectionPoolEntry

from adsvc.changes import Change, Changes, Kind
from adsvc.db.reading import TURN_SECONDS, Connection, Listener, Reader, connect, parameters
from adsvc.errors import DatabaseUnavailableError

logger = logging.getLogger("adsvc.db")

# SQLSTATE classes after which the same request may succeed a moment later: connection failures,
# transaction rollbacks (serialization, deadlock), resources, operator intervention, system errors.
PASSING_SQLSTATE_CLASSES = frozenset({"08", "40", "53", "55", "57", "58"})

Hook = Callable[[], Awaitable[None]]


def is_database_fault(error: BaseException) -> bool:
    """Whether the database, not the request, is at fault, so that trying again makes sense.

    What the driver lets through of its socket is a `DatabaseUnavailableError` from where it
    arises, so that no other `OSError` is taken for the database's.
    """
    if isinstance(error, (DatabaseUnavailableError, PoolTimeoutError)):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _may_pass(error.orig)
    return isinstance(error, asyncpg.PostgresError) and _may_pass(error)


def _may_pass(error: BaseException | None) -> bool:
    sqlstate = getattr(error, "sqlstate", None) or ""
    return sqlstate[:2] in PASSING_SQLSTATE_CLASSES


def violated_constraint(error: IntegrityError) -> str | None:
    """The name of the constraint that a statement would have broken."""
    # SQLAlchemy's error wraps its adapter's, which was raised from asyncpg's.
    cause = error.orig.__cause__ if error.orig is not None else None
    return getattr(cause, "constraint_name", None)


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


@dataclass
class Transaction:
    """One unit of work, with what has to follow its end outside the database.

    Hooks run after the outcome is known and must not raise for reasons worth a refusal: their
    failures are logged, and what they leave behind is for the queue of deletions or the sweep.
    """

    session: AsyncSession
    # For hooks, whose work comes after the transaction.
    database: "Database"
    _changes: list[Change] = field(default_factory=list)
    _commit_hooks: list[Hook] = field(default_factory=list)
    _rollback_hooks: list[Hook] = field(default_factory=list)

    def announce(self, kind: Kind, identifier: int | str = "") -> None:
        """What this process must forget when the transaction commits; without an id, of all."""
        self._changes.append(Change(kind, str(identifier)))

    def on_commit(self, hook: Hook) -> None:
        self._commit_hooks.append(hook)

    def on_rollback(self, hook: Hook) -> None:
        """Not run when the commit itself fails: its outcome is unknown then."""
        self._rollback_hooks.append(hook)

    def apply_changes(self, changes: Changes) -> None:
        for change in self._changes:
            changes.apply(change)

    async def run_hooks(self, *, committed: bool) -> None:
        for hook in self._commit_hooks if committed else self._rollback_hooks:
            try:
                await hook()
            except Exception:
                logger.exception("A hook after the end of a transaction failed.")


async def _let_go(session: AsyncSession, error: BaseException) -> None:
    """Ends what the session began, without waiting for a database that does not answer."""
    try:
        if is_database_fault(error) or isinstance(error, asyncio.CancelledError):
            # In the middle of a statement, or with nobody at the other end.
            await session.invalidate()
        else:
            await session.rollback()
    except (SQLAlchemyError, DatabaseUnavailableError, OSError):
        # The connection is gone, and PostgreSQL has rolled back with it.
        logger.warning("A rollback found its connection gone.")


def _place(url: URL) -> str:
    """Where the database is, for messages: no user and no password."""
    host = url.host or url.query.get("host") or "localhost"
    return f"{url.database} on {host}" + (f":{url.port}" if url.port else "")


def _check(_: object, record: ConnectionPoolEntry, __: object) -> None:
    """Called when a connection leaves the pool; after this error the pool tries a new one.

    asyncpg knows when its socket was closed. To ask the database would be a round trip each time.
    """
    if record.driver_connection is None or record.driver_connection.is_closed():
        raise DisconnectionError


class Database:
    """Engine and sessions; open one per process and `close` it at the end."""

    def __init__(self, url: URL, *, pool_size: int = 10, timeout: float = 5) -> None:
        self.place = _place(url)
        server_settings = {
            # The server gives up too, so that no abandoned statement keeps its locks.
            "statement_timeout": str(round(timeout * 1000)),
            "idle_in_transaction_session_timeout": str(round(timeout * 10_000)),
            # Every statement is short and has an index: no plan for large scans is any good.
            "enable_seqscan": "off",
            "jit": "off",
            "max_parallel_workers_per_gather": "0",
        }
        self.changes = Changes()
        self.reader = Reader(
            url, pool_size=pool_size, timeout=timeout, server_settings=server_settings
        )
        # One connection apart from ordinary work, so that whoever asks whether the database answers
        # waits for nobody.
        self.probe = Reader(url, pool_size=1, timeout=timeout, server_settings=server_settings)
        self._listener = Listener(url, self.changes, timeout=timeout)
        self.engine = new_engine(
            url,
            options={
                "timeout": timeout,
                "command_timeout": timeout,
                "server_settings": server_settings,
                "connection_class": Connection,
            },
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=min(timeout, TURN_SECONDS),
            # What is in a row is not for the log.
            hide_parameters=True,
        )
        event.listen(self.engine.sync_engine, "checkout", _check)
        self._transactional = async_sessionmaker(self.engine, expire_on_commit=False)
        self._autocommitting = async_sessionmaker(
            self.engine.execution_options(isolation_level="AUTOCOMMIT"), expire_on_commit=False
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """Commits at the end of the block, and rolls back on any error in it.

        The connection is taken at the first statement, so a block that first does long work
        outside the database holds none meanwhile.
        """
        async with self._transactional() as session:
            transaction = Transaction(session, self)
            try:
                yield transaction
            except BaseException as error:
                await asyncio.shield(self._roll_back(transaction, error))
                raise
            try:
                await session.commit()
            except BaseException:
                # Whether it was committed is unknown, and the connection with it.
                await asyncio.shield(session.invalidate())
                transaction.apply_changes(self.changes)
                raise
            transaction.apply_changes(self.changes)
        await transaction.run_hooks(committed=True)

    @staticmethod
    async def _roll_back(transaction: Transaction, error: BaseException) -> None:
        await _let_go(transaction.session, error)
        await transaction.run_hooks(committed=False)

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[AsyncSession]:
        """A session in which every statement stands alone: no BEGIN and ROLLBACK round trips."""
        async with self._autocommitting() as session:
            try:
                yield session
            except BaseException as error:
                await asyncio.shield(_let_go(session, error))
                raise

    def listen(self) -> None:
        """From now on `changes` tells what other processes change."""
        self._listener.start()

    async def close(self) -> None:
        await self._listener.close()
        self.reader.close()
        self.probe.close()
        await self.engine.dispose()
