"""Bringing a database to the current schema, from a checkout and from an installed wheel alike."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import NullPool

from adsvc.db.engine import new_engine
from adsvc.errors import ConfigurationError

# Two processes that migrate one database take turns; any number known to both will do.
MIGRATION_LOCK = 5_348_024_557

POLL_SECONDS = 0.1

SEARCH_LANGUAGE = """
    SELECT obj_description(oid, 'pg_ts_config') FROM pg_ts_config WHERE cfgname = 'adsvc'
"""

# Of which texts of an ad the words of a column are.
SEARCH_COLUMNS = {
    "title_search": "title",
    "search": "title || ' ' || description || ' ' || attribute_words",
}


def _config() -> Config:
    packaged = Path(__file__).parents[1] / "_alembic"
    scripts = packaged if packaged.is_dir() else Path(__file__).parents[3] / "alembic"
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config


@cache
def head() -> str | None:
    """The newest revision that this version of the service knows."""
    return ScriptDirectory.from_config(_config()).get_current_head()


@cache
def _known() -> frozenset[str]:
    scripts = ScriptDirectory.from_config(_config())
    return frozenset(script.revision for script in scripts.walk_revisions())


def serves(revision: str | None, oldest_head: str | None) -> bool:
    """Whether this version can work on a schema at that revision.

    It can at its own. At a newer one, which it does not know, it can if the schema says so: it
    names the head of the oldest version that still can.
    """
    if revision == head():
        return True
    return revision is not None and revision not in _known() and oldest_head in _known()


def _upgrade(connection: Connection, revision: str) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    # Alembic leaves a transaction open in which it has only read.
    connection.commit()


def _downgrade(connection: Connection, revision: str) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.downgrade(config, revision)


def _set_language(connection: Connection, language: str) -> None:
    known = connection.scalar(
        text("SELECT 1 FROM pg_ts_config WHERE cfgname = :language AND cfgname <> 'adsvc'"),
        {"language": language},
    )
    if not known:
        raise ConfigurationError(
            f"ADSVC_SEARCH_LANGUAGE: PostgreSQL has no text search configuration {language}."
        )
    if connection.scalar(text(SEARCH_LANGUAGE)) == language:
        return
    connection.execute(text("DROP TEXT SEARCH CONFIGURATION adsvc"))
    connection.execute(text(f"CREATE TEXT SEARCH CONFIGURATION adsvc (COPY = {language})"))
    connection.execute(text(f"COMMENT ON TEXT SEARCH CONFIGURATION adsvc IS '{language}'"))
    # Writes the table anew, with its indexes, and no other column changes.
    changes = (
        f"ALTER {column} TYPE tsvector USING reworded({column}, {words})"
        for column, words in SEARCH_COLUMNS.items()
    )
    connection.execute(text(f"ALTER TABLE ads {', '.join(changes)}"))
    # No row has changed, but the answers that running services keep have.
    connection.execute(text("NOTIFY adsvc, 'ad:'"))


async def upgrade(url: URL, revision: str = "head", *, language: str | None = None) -> None:
    """Runs each migration in a transaction of its own.

    A migration that fails changes nothing, and those before it stay. One that works beside a
    running service, in batches or by `CREATE INDEX CONCURRENTLY`, takes up where it was left.

    With a language, the text search is brought to that one too, which rewrites the ads if it
    changes; `ConfigurationError` if PostgreSQL has no such text search configuration.
    """

    def act(connection: Connection) -> None:
        _upgrade(connection, revision)
        if language is not None:
            _set_language(connection, language)
            connection.commit()

    await _run(url, act)


async def downgrade(url: URL, revision: str) -> None:
    await _run(url, lambda connection: _downgrade(connection, revision))


async def _run(url: URL, action: Callable[[Connection], None]) -> None:
    engine = new_engine(url, poolclass=NullPool)
    try:
        async with _lock(engine), engine.connect() as connection:
            await connection.run_sync(action)
    finally:
        await engine.dispose()


@asynccontextmanager
async def _lock(engine: AsyncEngine) -> AsyncIterator[None]:
    """Holds the lock on a connection of its own, as migrations end transactions.

    `CREATE INDEX CONCURRENTLY` waits for every snapshot that is older. So neither who waits for
    the lock nor who holds it may keep one, and a statement's lasts until the next statement.
    """
    taken = text("SELECT pg_try_advisory_xact_lock(:lock)")
    async with engine.connect() as connection:
        while not await connection.scalar(taken, {"lock": MIGRATION_LOCK}):
            await connection.rollback()
            await asyncio.sleep(POLL_SECONDS)
        await connection.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        yield
