"""The migrations themselves, by Alembic. Only what migrates imports this: Alembic takes memory."""

from collections.abc import Callable

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from adsvc.db.migrations.revisions import directory


def new_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(directory()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def current(connection: Connection) -> str | None:
    """The revision that the database is at."""
    return MigrationContext.configure(connection).get_current_revision()


def pending(revision: str | None, target: str) -> list[tuple[str, str]]:
    """Id and title of each migration that leads from one revision to the other, the first first."""
    scripts = ScriptDirectory.from_config(new_config())
    found = scripts.iterate_revisions(target, revision or "base")
    return [(script.revision, script.doc) for script in found][::-1]


def upgrade(connection: Connection, revision: str, applied: Callable[[], None]) -> None:
    config = new_config(connection)
    # For `alembic/env.py`, which calls it after each of them.
    config.attributes["applied"] = applied
    command.upgrade(config, revision)


def downgrade(connection: Connection, revision: str) -> None:
    command.downgrade(new_config(connection), revision)
