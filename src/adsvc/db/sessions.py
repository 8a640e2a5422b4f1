"""SQLAlchemy's sessions: those of transactions, and those whose statements stand alone."""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from sqlalchemy import Executable, TextClause
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker
from sqlalchemy.orm import Session
from sqlalchemy.pool import QueuePool

from adsvc.db.connections.pool import PoolUsage
from adsvc.db.faults import driver_error, is_database_fault, session_ended
from adsvc.errors import DatabaseUnavailableError
from adsvc.process.cancellation import to_its_end

logger = logging.getLogger("adsvc.db")

READ = re.compile(r"\s*SELECT\b", re.IGNORECASE)


async def let_go(session: AsyncSession, error: BaseException) -> None:
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


class _Alone(Session):
    """A session of statements that stand alone: a read whose connection breaks is repeated once."""

    def execute(self, statement: Executable, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - SQLAlchemy's
        return self._repeated(statement, partial(super().execute, statement, *args, **options))

    def scalar(self, statement: Executable, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - SQLAlchemy's
        return self._repeated(statement, partial(super().scalar, statement, *args, **options))

    def _repeated(self, statement: Executable, send: Callable[[], Any]) -> Any:  # noqa: ANN401 - SQLAlchemy's
        # What is to be written goes out with the statement, and would be lost.
        writes = bool(self.new or self.dirty or self.deleted)
        try:
            return send()
        except Exception as error:
            if writes or not _reads(statement) or session_ended(driver_error(error)) is None:
                raise
            self.invalidate()
        return send()


def _reads(statement: Executable) -> bool:
    if isinstance(statement, TextClause):
        return READ.match(statement.text) is not None
    return statement.is_select


class Sessions:
    def __init__(self, engine: AsyncEngine, *, by_transaction: bool) -> None:
        self._engine = engine
        self._by_transaction = by_transaction
        self.transactional = async_sessionmaker(engine, expire_on_commit=False)
        autocommit = {} if by_transaction else {"isolation_level": "AUTOCOMMIT"}
        self._autocommitting = async_sessionmaker(
            engine.execution_options(**autocommit),
            sync_session_class=_Alone,
            expire_on_commit=False,
        )

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[AsyncSession]:
        """A session in which every statement stands alone: no BEGIN and ROLLBACK round trips.

        By a pooler that gives connections for a transaction it is one after all, since a statement
        takes two messages, and the second may reach another connection.
        """
        async with self._autocommitting() as session:
            try:
                yield session
                if self._by_transaction:
                    await session.commit()
            except BaseException as error:
                await to_its_end(let_go(session, error))
                raise

    @property
    def usage(self) -> PoolUsage:
        pool = self._engine.sync_engine.pool
        assert isinstance(pool, QueuePool)  # noqa: S101 - as every engine for requests has
        return PoolUsage(pool.size(), pool.checkedout(), None)
