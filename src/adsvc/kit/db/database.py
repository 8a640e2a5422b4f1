"""The database of a process: its connections, and transactions with their hooks."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, async_sessionmaker

from adsvc.kit.db.engine import (
    AutocommitSession,
    DatabaseSession,
    discard,
    new_session_engine,
    pool_usage,
)
from adsvc.kit.db.listener import Listener
from adsvc.kit.db.pools import PoolUsage, server_settings
from adsvc.kit.db.replica import Positions, ReplicaStatements
from adsvc.kit.db.servers import ConnectionDefaults, ServerConnection, Servers, location
from adsvc.kit.db.statements import Follow, PooledStatements, Row, Statements
from adsvc.kit.invalidation import Invalidation, InvalidationBus
from adsvc.kit.process.offload import shielded
from adsvc.kit.settings.groups import DatabasePooling, PlatformSettings

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
