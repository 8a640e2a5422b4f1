"""Migrations beside a service and beside each other."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from adsvc import migrations
from adsvc.enums import AdvisoryLock
from adsvc.errors import OperatorError
from adsvc.migrations import Manner, MigrationBlockedError
from adsvc.migrations.revisions import BASELINE, REPLACED_HEAD, known
from adsvc.migrations.scripts import new_config
from conftest import DatabaseAt

ROOT = Path(__file__).parents[3]
SCRIPTS = ScriptDirectory.from_config(new_config())
# The one that changes the table `installation`, and the one before it.
BEFORE, CHANGE = BASELINE, "0101"
TAKES_AWAY = re.compile(
    r"\b(?:drop_column|drop_table|rename_table|alter_column|drop_constraint)\b"
    r"|\b(?:DROP (?:TABLE|COLUMN|FUNCTION|VIEW|TYPE)|RENAME|SET NOT NULL)\b"
)
# As the template has it, it says nothing: it has a revision, or its reason beside it.
DECLARED = re.compile(r"""^oldest_head = (?:["']\d+["']|None  # \w.+)$""", re.MULTILINE)


def is_undeclared(source: str) -> bool:
    """Whether a migration takes something away and does not say which versions mind."""
    return bool(TAKES_AWAY.search(source)) and not DECLARED.search(source)


@pytest.fixture
async def url(database_at: DatabaseAt) -> AsyncIterator[URL]:
    async with database_at(BEFORE) as url:
        yield url


@pytest.fixture
async def engine(url: URL) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(url)
    yield engine
    await engine.dispose()


async def scalar(engine: AsyncEngine, statement: str) -> object:
    async with engine.begin() as connection:
        result: object = await connection.scalar(text(statement))
        return result


async def revision(engine: AsyncEngine) -> object:
    return await scalar(engine, "SELECT version_num FROM alembic_version")


async def hold(connection: AsyncConnection) -> None:
    await connection.execute(text("LOCK TABLE installation"))


@pytest.mark.heavy
async def test_a_migration_is_tried_again_when_others_hold_a_table(
    url: URL, engine: AsyncEngine
) -> None:
    told: list[str] = []
    waits = asyncio.Event()

    def tell(line: str) -> None:
        told.append(line)
        if "Next attempt" in line:
            waits.set()

    async with engine.connect() as other:
        await hold(other)
        manner = Manner(lock_timeout=0.01, pauses=(0.01,) * 1000, report=tell)
        migrating = asyncio.create_task(migrations.upgrade(url, CHANGE, manner=manner))
        await waits.wait()
        assert not migrating.done()
        await other.rollback()
        await migrating
    assert await revision(engine) == CHANGE
    assert told[0] == f"{CHANGE}: No notifications for version 0.2"
    assert told[-1].startswith(f"{CHANGE}: done in ")


@pytest.mark.heavy
async def test_a_table_that_is_locked_for_too_long_is_reported(
    url: URL, engine: AsyncEngine
) -> None:
    async with engine.connect() as other:
        await hold(other)
        with pytest.raises(MigrationBlockedError, match="in 2 attempts"):
            await migrations.upgrade(url, manner=Manner(lock_timeout=0.01, pauses=(0,)))
    assert await revision(engine) == BEFORE


@pytest.mark.heavy
@pytest.mark.parametrize(("chosen", "in_force"), [(None, "800ms"), (0.05, "50ms"), (3600, "1h")])
async def test_the_operator_may_say_how_long_a_statement_waits(
    engine: AsyncEngine, chosen: float | None, in_force: str
) -> None:
    def set_and_show(connection: Connection) -> tuple[object, object]:
        Manner(lock_timeout=chosen).set_timeout_on(connection)
        connection.execute(text("SET LOCAL lock_timeout = '800ms'"))
        connection.execute(text("SET LOCAL statement_timeout = '7s'"))
        shown = [connection.scalar(text(f"SHOW {name}_timeout")) for name in ("lock", "statement")]
        return shown[0], shown[1]

    async with engine.connect() as connection:
        assert await connection.run_sync(set_and_show) == (in_force, "7s")


@pytest.mark.heavy
async def test_waiting_for_another_migration_is_reported(url: URL, engine: AsyncEngine) -> None:
    waits = asyncio.Event()
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        waits.set()

    async with engine.connect() as other:
        lock = text(f"SELECT pg_advisory_xact_lock({AdvisoryLock.MIGRATION})")
        await other.execute(lock)
        migrating = asyncio.create_task(migrations.upgrade(url, CHANGE, manner=Manner(report=tell)))
        await waits.wait()
        assert await revision(engine) == BEFORE
        await other.rollback()
        await migrating
    assert told[0] == "Another process migrates this database; waiting for it."
    assert await revision(engine) == CHANGE


@pytest.mark.heavy
async def test_a_newer_schema_is_left_alone_or_refused(engine: AsyncEngine, url: URL) -> None:
    await migrations.upgrade(url)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await migrations.upgrade(url)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE installation SET oldest_head = '9998'"))
    with pytest.raises(OperatorError, match="9999 of a newer version"):
        await migrations.upgrade(url)
    async with engine.begin() as connection:
        await connection.execute(text("DROP TABLE installation CASCADE"))
    with pytest.raises(OperatorError, match="9999 of a newer version"):
        await migrations.upgrade(url)
    assert await revision(engine) == "9999"


def write_migration(config: Config, number: str, declared: str) -> None:
    script = command.revision(config, "Something new", rev_id=number)
    assert isinstance(script, Script)
    path = Path(script.path)
    path.write_text(path.read_text().replace("oldest_head = None", f"oldest_head = {declared}"))


@pytest.mark.heavy
async def test_what_a_migration_removes_is_announced_to_running_versions(
    url: URL, engine: AsyncEngine, tmp_path: Path
) -> None:
    await migrations.upgrade(url)
    shutil.copytree(ROOT / "alembic", tmp_path / "alembic")
    config = Config()
    config.set_main_option("script_location", str(tmp_path / "alembic"))
    for number, declared in (("9998", "None"), ("9999", "'0020'")):
        write_migration(config, number, declared)

    def upgrade(connection: Connection, target: str) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, target)
        connection.commit()

    for target, oldest in (("9998", REPLACED_HEAD), ("9999", "0020")):
        async with engine.connect() as connection:
            await connection.run_sync(upgrade, target)
        assert await scalar(engine, "SELECT oldest_head FROM installation") == oldest


def test_a_migration_that_takes_something_away_says_which_versions_mind() -> None:
    """Only what no version still uses may go, in a release after the last that used it."""
    heads = {None, REPLACED_HEAD, *known()}
    for script in SCRIPTS.walk_revisions("base", "head"):
        assert not is_undeclared(Path(script.path).read_text()), script.path
        assert getattr(script.module, "oldest_head", None) in heads, script.path


def test_a_migration_that_does_not_say_so_is_found() -> None:
    template = (ROOT / "alembic/script.py.mako").read_text()
    assert not is_undeclared(template)
    taking = template.replace('${upgrades if upgrades else "pass"}', "op.drop_column('ads', 'x')")
    assert is_undeclared(taking)
    for told in ('"0027"', "None  # no version reads it"):
        assert not is_undeclared(taking.replace("oldest_head = None", f"oldest_head = {told}"))
