"""The database: one engine, and the two ways a request may use it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, InterfaceError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import (
    AsyncEngine,
    AsyncSession,
    async_sessionmaker,
    create_async_engine,
)

logger = logging.getLogger("adsvc.db")

# SQLSTATE classes after which the same request may succeed a moment later: connection failures,
# transaction rollbacks (serialization, deadlock), resources, operator intervention, system errors.
PASSING_SQLSTATE_CLASSES = frozenset({"08", "40", "53", "55", "57", "58"})

Hook = Callable[[], Awaitable[None]]


def is_database_fault(error: BaseException) -> bool:
    """Whether the database, not the request, is at fault, so that trying again makes sense.

    asyncpg lets plain `OSError` and `TimeoutError` through while it connects, so those count too.
    """
    if isinstance(error, (OSError, TimeoutError, PoolTimeoutError, InterfaceError)):
        return True
    if isinstance(error, DBAPIError):
        sqlstate = getattr(error.orig, "sqlstate", None) or ""
        return error.connection_invalidated or sqlstate[:2] in PASSING_SQLSTATE_CLASSES
    return False


@dataclass
class Transaction:
    """One unit of work, with what has to follow its end outside the database.

    Hooks run after the outcome is known and must not raise for reasons worth a refusal: their
    failures are logged, and what they leave behind is for the sweep.
    """

    session: AsyncSession
    _commit_hooks: list[Hook] = field(default_factory=list)
    _rollback_hooks: list[Hook] = field(default_factory=list)

    def on_commit(self, hook: Hook) -> None:
        self._commit_hooks.append(hook)

    def on_rollback(self, hook: Hook) -> None:
        """Not run when the commit itself fails: its outcome is unknown then."""
        self._rollback_hooks.append(hook)

    async def run_hooks(self, *, committed: bool) -> None:
        for hook in self._commit_hooks if committed else self._rollback_hooks:
            try:
                await hook()
            except Exception:
                logger.exception("A hook after the end of a transaction failed.")


class Database:
    """Engine and sessions; open one per process and `close` it at the end."""

    def __init__(self, url: URL, *, pool_size: int = 10, timeout: float = 5) -> None:
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=timeout,
            # What is in a row is not for the log.
            hide_parameters=True,
            connect_args={
                "timeout": timeout,
                "command_timeout": timeout,
                "server_settings": {"application_name": "adsvc"},
            },
        )
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
            transaction = Transaction(session)
            try:
                yield transaction
            except BaseException:
                await asyncio.shield(self._roll_back(transaction))
                raise
            await session.commit()
        await transaction.run_hooks(committed=True)

    @staticmethod
    async def _roll_back(transaction: Transaction) -> None:
        try:
            await transaction.session.rollback()
        except (SQLAlchemyError, OSError):
            # The connection is gone, and PostgreSQL has rolled back with it.
            logger.warning("A rollback found its connection gone.")
        await transaction.run_hooks(committed=False)

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[AsyncSession]:
        """A session in which every statement stands alone: no BEGIN and ROLLBACK round trips."""
        async with self._autocommitting() as session:
            yield session

    async def close(self) -> None:
        await self.engine.dispose()
