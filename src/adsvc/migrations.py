"""Bringing a database to the current schema, from a checkout and from an installed wheel alike."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

# Two processes that migrate one database take turns; any number known to both will do.
MIGRATION_LOCK = 5_348_024_557


def _config() -> Config:
    packaged = Path(__file__).parent / "_alembic"
    scripts = packaged if packaged.is_dir() else Path(__file__).parents[2] / "alembic"
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config


@cache
def head() -> str | None:
    """The newest revision that this version of the service knows."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _upgrade(connection: Connection, revision: str) -> None:
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _downgrade(connection: Connection, revision: str) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.downgrade(config, revision)


async def upgrade(url: URL, revision: str = "head") -> None:
    """All or nothing: every migration runs in one transaction."""
    await _run(url, _upgrade, revision)


async def downgrade(url: URL, revision: str) -> None:
    await _run(url, _downgrade, revision)


async def _run(url: URL, action: Callable[[Connection, str], None], revision: str) -> None:
    engine = create_async_engine(url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.run_sync(action, revision)
    finally:
        await engine.dispose()
