"""Runs migrations, one process at a time, while the service runs."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import NullPool

from adsvc.enums import AdvisoryLock
from adsvc.errors import ConfigurationError, OperatorError
from adsvc.kit.db.database import new_engine
from adsvc.kit.db.servers import Servers
from adsvc.migrations import revisions

# The statement by which migrations set their timeout.
LOCK_TIMEOUT = re.compile(r"^\s*SET (LOCAL )?lock_timeout = '[^']+'\s*$")

# The pauses between attempts: a minute in total.
PAUSES = (0.5, 1, 2, 4, 8, 16, 30)

# lock_not_available, deadlock_detected.
IN_THE_WAY = frozenset({"55P03", "40P01"})


class MigrationBlockedError(OperatorError):
    """Other transactions kept a table locked during all attempts."""


class SchemaTooOldError(OperatorError):
    """Only an earlier version can migrate the schema, which is at `revision`."""

    def __init__(self, revision: str) -> None:
        super().__init__(
            f"The schema is at revision {revision}, which this version does not know. "
            f"{revisions.remedy(revision)}"
        )


def _report_nothing(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Manner:
    """How migrations run: `lock_timeout`, in seconds, replaces that of each migration.

    `pauses` are those between attempts, in seconds. `report` gets a line for each event.
    """

    lock_timeout: float | None = None
    pauses: tuple[float, ...] = PAUSES
    report: Callable[[str], None] = _report_nothing

    def set_timeout_on(self, connection: Connection) -> None:
        """Replaces the timeout in those of the connection's statements that set one."""
        if self.lock_timeout is None:
            return
        own = f"{max(1, round(self.lock_timeout * 1000))}ms"

        def replace(*call: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as SQLAlchemy calls it
            _, _, statement, parameters, *_ = call
            return LOCK_TIMEOUT.sub(rf"SET \1lock_timeout = '{own}'", statement), parameters

        event.listen(connection, "before_cursor_execute", replace, retval=True)


SEARCH_LANGUAGE = """
    SELECT obj_description(oid, 'pg_ts_config') FROM pg_ts_config WHERE cfgname = 'adsvc'
"""

# For each search column, the text that it indexes.
SEARCH_COLUMNS = {
    "title_search": "ad_title(ads)",
    "search": "ad_text(ads)",
}


def set_language(connection: Connection, language: str) -> None:
    known = connection.exec_driver_sql(
        "SELECT 1 FROM pg_ts_config WHERE cfgname = $1 AND cfgname <> 'adsvc'", (language,)
    ).scalar()
    if not known:
        raise ConfigurationError(
            f"ADSVC_SEARCH_LANGUAGE: PostgreSQL has no text search configuration {language}."
        )
    if connection.exec_driver_sql(SEARCH_LANGUAGE).scalar() == language:
        return
    # Other statements would wait behind one that waits for the table.
    connection.exec_driver_sql("SET LOCAL lock_timeout = '800ms'")
    connection.exec_driver_sql("DROP TEXT SEARCH CONFIGURATION adsvc")
    connection.exec_driver_sql(f"CREATE TEXT SEARCH CONFIGURATION adsvc (COPY = {language})")
    connection.exec_driver_sql(f"COMMENT ON TEXT SEARCH CONFIGURATION adsvc IS '{language}'")
    # Rewrites the table with its indexes; no other column changes.
    changes = (
        f"ALTER {column} TYPE tsvector USING reworded({column}, {words})"
        for column, words in SEARCH_COLUMNS.items()
    )
    connection.exec_driver_sql(f"ALTER TABLE ads {', '.join(changes)}")
    connection.exec_driver_sql("UPDATE category_words SET names = names")
    # No trigger notes it, because no row has changed; but cached searches are out of date.
    connection.exec_driver_sql("SELECT note_changes('ad', ARRAY[''])")
    if connection.exec_driver_sql("SELECT to_regclass('saved_queries')").scalar():
        # Their keys are words of ads as they were.
        connection.exec_driver_sql("UPDATE saved_queries SET keyed_at = '-infinity'")


POLL_SECONDS = 0.1
CURRENT = "SELECT version_num FROM alembic_version"
OLDEST_HEAD = "SELECT oldest_head FROM installation"
MARK_BASELINE = f"UPDATE alembic_version SET version_num = '{revisions.BASELINE}'"


async def upgrade(
    url: URL,
    revision: str = "head",
    *,
    language: str | None = None,
    manner: Manner | None = None,
) -> None:
    """Each migration has its own transaction.

    If one fails, it changes nothing, and those before it stay. One that works in batches or by
    `CREATE INDEX CONCURRENTLY` continues where it stopped. One that cannot lock a table is tried
    again; `MigrationBlockedError` if that takes too long.

    A schema of a newer version stays as it is if this version can work on it; otherwise
    `OperatorError`. One that is too old: `SchemaTooOldError`.

    With a language, the text search gets that language, which rewrites the ads if it changes;
    `ConfigurationError` if PostgreSQL has no such text search configuration.
    """
    manner = manner or Manner()
    act = partial(_upgrade, revision=revision, language=language, manner=manner)
    async with _engine(url) as engine, _lock(engine, manner.report):
        for pause in (*manner.pauses, None):
            try:
                async with engine.connect() as connection:
                    await connection.run_sync(act)
            except DBAPIError as error:
                # It can be tried again if the statement has stopped waiting for a lock.
                if getattr(error.orig, "sqlstate", None) not in IN_THE_WAY:
                    raise
                if pause is None:
                    raise _blocked(manner) from error
                manner.report(
                    f"Other transactions lock what it needs. Next attempt in {pause:g} s."
                )
                await asyncio.sleep(pause)
            else:
                return


def _upgrade(connection: Connection, revision: str, language: str | None, manner: Manner) -> None:
    found = _current(connection)
    # An open snapshot would block `CREATE INDEX CONCURRENTLY`.
    connection.commit()
    if found is not None and not revisions.knows(found):
        if revisions.is_too_old(found):
            raise SchemaTooOldError(found)
        _require_that_it_serves(connection, found)
        return
    if found == revisions.REPLACED_HEAD:
        connection.exec_driver_sql(MARK_BASELINE)
        connection.commit()
        found = revisions.BASELINE
    manner.set_timeout_on(connection)
    if (found, revision) != (revisions.head(), "head"):
        _migrate(connection, found, revision, manner)
    if language is not None:
        set_language(connection, language)
        connection.commit()


def _current(connection: Connection) -> str | None:
    """The revision that the database is at."""
    if connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar() is None:
        return None
    found: str | None = connection.exec_driver_sql(CURRENT).scalar()
    return found


def _migrate(connection: Connection, found: str | None, revision: str, manner: Manner) -> None:
    # Takes 9 MiB, and half a second of a start at which there is nothing to migrate.
    from adsvc.migrations import scripts  # noqa: PLC0415

    applied = _reporting(scripts.pending(found, revision), manner.report)
    scripts.upgrade(connection, revision, applied)
    # Alembic leaves a read-only transaction open.
    connection.commit()


def _require_that_it_serves(connection: Connection, revision: str) -> None:
    try:
        oldest = connection.exec_driver_sql(OLDEST_HEAD).scalar()
    except ProgrammingError:
        # Not adsvc's table `installation`.
        oldest = None
    if not revisions.serves(revision, oldest):
        raise OperatorError(
            f"The schema is at revision {revision} of a newer version, and this version, which "
            f"knows {revisions.head()}, cannot work on it. Use the newer one, or restore a backup."
        )


def _reporting(ahead: list[tuple[str, str]], report: Callable[[str], None]) -> Callable[[], None]:
    """A callback for after each migration, which reports it and the next one."""
    began = time.monotonic()

    def announce() -> None:
        nonlocal began
        began = time.monotonic()
        if ahead:
            report("{}: {}".format(*ahead[0]))

    def note() -> None:
        done, _title = ahead.pop(0)
        report(f"{done}: done in {time.monotonic() - began:.1f} s")
        announce()

    announce()
    return note


def _blocked(manner: Manner) -> MigrationBlockedError:
    return MigrationBlockedError(
        "A migration could not lock a table that other transactions have locked, "
        f"in {len(manner.pauses) + 1} attempts. "
        "It changed nothing, and those before it are done. End the transactions that last for "
        "long (pg_stat_activity), or give it more time (--lock-timeout). Run: adsvc migrate"
    )


@asynccontextmanager
async def _engine(url: URL) -> AsyncIterator[AsyncEngine]:
    engine = new_engine(Servers(url), poolclass=NullPool)
    try:
        yield engine
    finally:
        await engine.dispose()


@asynccontextmanager
async def _lock(engine: AsyncEngine, report: Callable[[str], None]) -> AsyncIterator[None]:
    """Locks by a connection of its own, because migrations end transactions.

    `CREATE INDEX CONCURRENTLY` waits for every older snapshot. So neither the holder of the lock
    nor those that wait for it may keep a snapshot open; that of a statement ends with it.
    """
    take = f"SELECT pg_try_advisory_xact_lock({AdvisoryLock.MIGRATION})"
    async with engine.connect() as connection:
        while not (await connection.exec_driver_sql(take)).scalar():
            await connection.rollback()
            report("Another process migrates this database; waiting for it.")
            report = _report_nothing
            await asyncio.sleep(POLL_SECONDS)
        await connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield
