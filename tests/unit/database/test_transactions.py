import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.pool import AsyncAdaptedQueuePool

from adsvc.errors import DatabaseUnavailableError
from adsvc.invalidation import InvalidationKind
from adsvc.kit.db.database import Database, DatabaseSession, Transaction
from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.invalidation import Invalidation

ADD = "INSERT INTO ad_totals (slot, ads) VALUES (1, 1)"


@pytest.fixture
async def database(database_url: URL) -> AsyncIterator[Database]:
    database = Database(database_url, pool_size=2, timeout=5)
    yield database
    await database.close()


async def rows(database: Database) -> int:
    async with database.autocommit() as session:
        found: int | None = await session.scalar(text("SELECT count(*) FROM ad_totals"))
        return found or 0


class Hooks:
    """Notes which hooks ran, in which order."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    async def committed(self) -> None:
        self.ran.append("committed")

    async def rolled_back(self) -> None:
        self.ran.append("rolled back")

    async def failing(self) -> None:
        self.ran.append("failing")
        raise RuntimeError("the hook failed")


async def attempt(
    database: Database, hooks: Hooks, work: Callable[[Transaction], Awaitable[None]]
) -> None:
    """Adds a row in a transaction, and then does that work in it."""
    async with database.transaction() as transaction:
        transaction.on_commit(hooks.committed)
        transaction.on_rollback(hooks.rolled_back)
        await transaction.execute(text(ADD))
        await work(transaction)


async def fail(_: Transaction) -> None:
    raise ZeroDivisionError


@pytest.mark.heavy
async def test_a_block_that_ends_well_is_committed_before_its_hooks_run(
    database: Database,
) -> None:
    seen = []

    async def look() -> None:
        seen.append(await rows(database))

    async with database.transaction() as transaction:
        transaction.on_commit(look)
        await transaction.execute(text(ADD))
        assert await rows(database) == 0
    assert seen == [1]


async def test_a_block_that_fails_is_rolled_back_with_its_hooks(database: Database) -> None:
    hooks = Hooks()
    with pytest.raises(ZeroDivisionError):
        await attempt(database, hooks, fail)
    assert hooks.ran == ["rolled back"]
    assert await rows(database) == 0


async def test_hooks_run_in_order_and_none_stops_the_others(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    hooks = Hooks()
    async with database.transaction() as transaction:
        transaction.on_commit(hooks.committed)
        transaction.on_commit(hooks.failing)
        transaction.on_commit(hooks.committed)
        transaction.on_rollback(hooks.rolled_back)
        await transaction.execute(text(ADD))
    assert hooks.ran == ["committed", "failing", "committed"]
    assert "the hook failed" in caplog.text
    assert await rows(database) == 1


async def test_a_commit_that_fails_runs_no_hooks(database: Database) -> None:
    hooks = Hooks()

    async def violate(transaction: Transaction) -> None:
        constraint = "x integer UNIQUE DEFERRABLE INITIALLY DEFERRED"
        execute = transaction.execute
        await execute(text(f"CREATE TEMPORARY TABLE t ({constraint}) ON COMMIT DROP"))
        await execute(text("INSERT INTO t VALUES (1), (1)"))

    with pytest.raises(IntegrityError):
        await attempt(database, hooks, violate)
    assert hooks.ran == []
    assert await rows(database) == 0


async def kill(session: DatabaseSession, database: Database) -> None:
    """Ends the session's connection from outside, and waits until it has ended."""
    pid = await session.scalar(text("SELECT pg_backend_pid()"))
    async with database.autocommit() as other:
        await other.execute(text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})


async def test_a_statement_that_may_have_been_committed_is_heard_of(database: Database) -> None:
    """What was cached is dropped, and what follows a success does not happen."""
    heard, hooks = list[Invalidation](), Hooks()
    database.changes.follow(heard.append)
    function = """
        CREATE FUNCTION hang_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL;
        END $$
    """
    trigger = """
        CREATE CONSTRAINT TRIGGER hang_up AFTER INSERT ON ad_totals
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hang_up()
    """

    async def add() -> None:
        async with database.statement() as statement:
            statement.announce(InvalidationKind.AD, 7)
            statement.on_commit(hooks.committed)
            await statement.fetchrow(ADD)

    async with database.autocommit() as session:
        for sql in (function, trigger):
            await session.execute(text(sql))
        try:
            with pytest.raises(DatabaseUnavailableError):
                await add()
        finally:
            await session.execute(text("DROP FUNCTION hang_up() CASCADE"))
    assert heard == [Invalidation(InvalidationKind.AD, "7")]
    assert hooks.ran == []


@pytest.mark.heavy
async def test_a_connection_that_dies_before_the_commit_is_a_database_fault(
    database: Database,
) -> None:
    hooks = Hooks()
    with pytest.raises((DBAPIError, DatabaseUnavailableError)) as failed:
        await attempt(database, hooks, lambda work: kill(work, database))
    assert is_database_fault(failed.value)
    assert hooks.ran == []
    assert await rows(database) == 0


@pytest.mark.heavy
async def test_a_rollback_without_a_connection_keeps_the_error_that_caused_it(
    database: Database,
) -> None:
    hooks = Hooks()

    async def kill_and_fail(transaction: Transaction) -> None:
        await kill(transaction, database)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await attempt(database, hooks, kill_and_fail)
    assert hooks.ran == ["rolled back"]
    assert await rows(database) == 0


async def test_a_request_that_goes_away_is_rolled_back_with_its_hooks(
    database: Database,
) -> None:
    hooks = Hooks()
    began = asyncio.Event()

    async def wait(_: Transaction) -> None:
        began.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(attempt(database, hooks, wait))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert hooks.ran == ["rolled back"]
    assert await rows(database) == 0
    assert connections(database) == 0


def connections(database: Database) -> int:
    """How many are in use."""
    pool = database.engine.pool
    assert isinstance(pool, AsyncAdaptedQueuePool)
    return pool.checkedout()


async def test_a_transaction_takes_no_connection_before_its_first_statement(
    database: Database,
) -> None:
    async with database.transaction() as transaction:
        assert connections(database) == 0
        await transaction.execute(text("SELECT 1"))
        assert connections(database) == 1


async def test_what_is_autocommitted_stands_at_once(database: Database) -> None:
    async with database.autocommit() as session:
        await session.execute(text(ADD))
        assert await rows(database) == 1
        await session.rollback()
    assert await rows(database) == 1


async def test_what_is_in_a_row_is_not_in_an_error_s_text(database: Database) -> None:
    async with database.autocommit() as session:
        with pytest.raises(DBAPIError) as failed:
            await session.execute(text("SELECT 1 / (length(:hush) - 4)"), {"hush": "hush"})
    assert "hush'" not in str(failed.value)
    assert "hidden" in str(failed.value)


async def test_a_statement_that_is_wrong_is_not_the_database_s_fault(database: Database) -> None:
    async with database.autocommit() as session:
        with pytest.raises(ProgrammingError) as failed:
            await session.execute(text("SELECT nothing FROM nowhere"))
    assert not is_database_fault(failed.value)


@pytest.mark.parametrize("error", [ValueError(), RuntimeError(), OSError(), TimeoutError()])
def test_what_arises_elsewhere_is_not_the_database_s_fault(error: Exception) -> None:
    assert not is_database_fault(error)


@pytest.mark.heavy
async def test_what_the_driver_meets_is_the_database_s_fault(database_url: URL) -> None:
    nobody_listens = database_url.set(host="127.0.0.1", port=1, query={})
    for url, timeout, cause in ((nobody_listens, 5, OSError), (database_url, 0.2, TimeoutError)):
        database = Database(url, pool_size=2, timeout=timeout)
        mapped = await failures(database)
        await database.close()
        for error in mapped:
            assert isinstance(error, DatabaseUnavailableError), url
            assert isinstance(error.__cause__, cause)
            assert is_database_fault(error)


async def failures(database: Database) -> list[BaseException]:
    """What becomes of a statement that takes too long, by either way to the database."""
    # The client is to give up, and not the server, which would say why.
    unlimited, statement = "SET statement_timeout = 0", "SELECT pg_sleep(20)"

    async def in_transaction() -> None:
        async with database.transaction() as transaction:
            await transaction.execute(text(unlimited))
            await transaction.execute(text(statement))

    async def read() -> None:
        await database.reader.run(
            lambda it: it.execute(f"{unlimited}; {statement}"), keep_plan=True
        )

    found = await asyncio.gather(in_transaction(), read(), return_exceptions=True)
    return [error for error in found if error is not None]


async def test_a_driver_that_is_used_wrongly_is_not_the_database_s_fault(
    database: Database,
) -> None:
    with pytest.raises(asyncpg.InterfaceError) as failed:
        await database.reader.fetch("SELECT 1", "one value too many")
    assert not is_database_fault(failed.value)
    [row] = await database.reader.fetch("SELECT 1 AS one")
    assert row["one"] == 1
