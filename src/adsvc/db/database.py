"""The database of one process: sessions, and transactions with what has to follow their end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sqlalchemy import event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError, SQLAlchemyError
from sqlalchemy.ext.asyncio import (
    AsyncSession,
    async_sessionmaker,
)
from sqlalchemy.pool import ConnectionPoolEntry

from adsvc.db.connection import Connection
from adsvc.db.engine import new_engine
from adsvc.db.faults import is_database_fault
from adsvc.db.listener import Listener
from adsvc.db.read_pool import TURN_SECONDS, Reader, Writer
from adsvc.errors import DatabaseUnavailableError
from adsvc.invalidation import Invalidation, InvalidationBus, Kind

logger = logging.getLogger("adsvc.db")

Hook = Callable[[], Awaitable[None]]


@dataclass
class Transaction:
    """One unit of work, with what has to follow its end outside the database.

    Hooks run after the outcome is known and must not raise for reasons worth a refusal: their
    failures are logged, and what they leave behind is for the queue of deletions or the sweep.
    """

    session: AsyncSession
    # For hooks, whose work comes after the transaction.
    database: "Database"
    _changes: list[Invalidation] = field(default_factory=list)
    _commit_hooks: list[Hook] = field(default_factory=list)
    _rollback_hooks: list[Hook] = field(default_factory=list)

    def announce(self, kind: Kind, identifier: int | str = "") -> None:
        """What this process must forget when the transaction commits; without an id, of all."""
        self._changes.append(Invalidation(kind, str(identifier)))

    def on_commit(self, hook: Hook) -> None:
        self._commit_hooks.append(hook)

    def on_rollback(self, hook: Hook) -> None:
        """Not run when the commit itself fails: its outcome is unknown then."""
        self._rollback_hooks.append(hook)

    def apply_changes(self, changes: InvalidationBus) -> None:
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
        self.changes = InvalidationBus()
        self.reader = Reader(
            url, pool_size=pool_size, timeout=timeout, server_settings=server_settings
        )
        self.writer = Writer(
            url,
            pool_size=max(1, pool_size // 2),
            timeout=timeout,
            server_settings=server_settings,
        )
        # A connection of its own, so that readiness does not wait for ordinary work.
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
        self.writer.close()
        self.probe.close()
        await self.engine.dispose()
