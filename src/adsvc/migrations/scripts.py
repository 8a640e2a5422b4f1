"""The migrations, by Alembic. Only commands that migrate import this: Alembic takes memory."""

from collections.abc import Callable

from alembic import command, op
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from adsvc.migrations.revisions import directory


def new_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(directory()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def pending(revision: str | None, target: str) -> list[tuple[str, str]]:
    """The ids and titles of the migrations from one revision to the other, in order."""
    scripts = ScriptDirectory.from_config(new_config())
    found = scripts.iterate_revisions(target, revision or "base")
    return [(script.revision, script.doc) for script in found][::-1]


def upgrade(connection: Connection, revision: str, applied: Callable[[], None]) -> None:
    config = new_config(connection)
    # `alembic/env.py` calls it after each migration.
    config.attributes["applied"] = applied
    command.upgrade(config, revision)


COUNT_TEXT = """
CREATE FUNCTION count_text_of_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes)
    SELECT t.{owner}, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * sum({size})
    FROM changed AS t
    -- The cascades of an account's deletion come after `forget_text`, and add nothing.
    WHERE EXISTS (SELECT FROM users WHERE users.id = t.{owner}) GROUP BY t.{owner};
    RETURN NULL;
END $$
"""
COUNT_CHANGED_TEXT = """
CREATE FUNCTION count_changed_text_of_{table}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO text_totals (owner_id, bytes) VALUES (NEW.{owner}, ({after}) - ({before}));
    RETURN NULL;
END $$
"""


def count_text(table: str, owner: str, *columns: str) -> None:
    """In a migration: the text in these columns counts for the quota of the account in `owner`.

    Released migrations call it, so what it makes stays as it is, which is that of `comments`.
    """
    size = " + ".join(f"coalesce(octet_length(t.{column}), 0)" for column in columns)
    after, before = (size.replace("(t.", f"({row}.") for row in ("NEW", "OLD"))
    op.execute(COUNT_TEXT.format(table=table, owner=owner, size=size))
    op.execute(COUNT_CHANGED_TEXT.format(table=table, owner=owner, after=after, before=before))
    for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER count_text_on_{event.lower()} AFTER {event} ON {table}"
            f" REFERENCING {rows} TABLE AS changed"
            f" FOR EACH STATEMENT EXECUTE FUNCTION count_text_of_{table}()"
        )
    op.execute(
        f"CREATE TRIGGER count_changed_text AFTER UPDATE OF {', '.join(columns)} ON {table}"
        f" FOR EACH ROW WHEN (({after}) <> ({before}))"
        f" EXECUTE FUNCTION count_changed_text_of_{table}()"
    )
