import asyncio
import os
import pkgutil
import shutil
import subprocess
import sys
import zipfile
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc import migrations, models
from adsvc.migrations import SchemaTooOldError
from adsvc.migrations.revisions import BASELINE, REPLACED_HEAD, REVISION, known
from adsvc.migrations.scripts import count_text, new_config
from adsvc.models.base import Base
from conftest import DatabaseAt, DatabaseFactory

ROOT = Path(__file__).parents[3]
SCRIPT_FILES = sorted((ROOT / "alembic" / "versions").glob("*.py"))
SCRIPTS = ScriptDirectory.from_config(new_config())
REVISIONS = [script.revision for script in SCRIPTS.walk_revisions()][::-1]
# Whatever a migration could leave behind.
OBJECTS = """
    SELECT kind || ' ' || name FROM (
        SELECT 'relation ' || relkind::text AS kind, relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'function', proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'trigger', tgname FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL
        SELECT 'search', cfgname FROM pg_ts_config WHERE cfgnamespace = 'public'::regnamespace
        UNION ALL
        SELECT 'type', typname FROM pg_type
        WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
    ) AS found WHERE name NOT LIKE 'alembic_version%' ORDER BY 1
"""


async def objects(url: URL) -> list[str]:
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        found = list(await connection.scalars(text(OBJECTS)))
    await engine.dispose()
    return found


async def revision(url: URL) -> str | None:
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        found = await connection.run_sync(
            lambda sync: MigrationContext.configure(sync).get_current_revision()
        )
    await engine.dispose()
    return found


# What alone models do not have.
NOT_IN_MODELS = {"remove_index", "remove_constraint"}


def differences(connection: Connection) -> list[object]:
    for module in pkgutil.iter_modules(models.__path__):
        import_module(f"{models.__name__}.{module.name}")
    context = MigrationContext.configure(
        connection,
        opts={
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or name in Base.metadata.tables,
        },
    )
    # Several changes of one column are a list.
    found = compare_metadata(context, Base.metadata)
    return [each for each in found if isinstance(each, list) or each[0] not in NOT_IN_MODELS]


@pytest.mark.heavy
async def test_the_models_have_the_columns_and_keys_that_the_migrations_make(
    migrated_url: URL,
) -> None:
    engine = create_async_engine(migrated_url)
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


@pytest.mark.heavy
async def test_a_database_of_the_version_before_goes_on_with_its_rows(
    database_at: DatabaseAt,
) -> None:
    """Its schema is that of the first migration, which does not run."""
    async with database_at(BASELINE) as url:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            before = await connection.scalar(text("SELECT id FROM installation"))
            await connection.execute(
                text("UPDATE alembic_version SET version_num = :head"), {"head": REPLACED_HEAD}
            )
        reported: list[str] = []
        manner = migrations.Manner(report=reported.append)
        await migrations.upgrade(url, language="english", manner=manner)
        assert not any(line.startswith(BASELINE) for line in reported)
        assert await revision(url) == migrations.head()
        async with engine.connect() as connection:
            assert await connection.scalar(text("SELECT id FROM installation")) == before
        await engine.dispose()


@pytest.mark.heavy
@pytest.mark.parametrize("found", ["0001", "0024", "0069", "0071"])
async def test_an_older_schema_needs_the_version_before_first(
    database_at: DatabaseAt, found: str
) -> None:
    async with database_at(BASELINE) as url:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            await connection.execute(
                text("UPDATE alembic_version SET version_num = :found"), {"found": found}
            )
        await engine.dispose()
        with pytest.raises(SchemaTooOldError, match=f"revision {found}.* Install 0.3.0 first"):
            await migrations.upgrade(url, language="english")
        assert await revision(url) == found


@pytest.mark.heavy
async def test_processes_that_migrate_at_once_take_turns(bare_database: DatabaseFactory) -> None:
    async with bare_database() as url:
        await asyncio.gather(*(migrations.upgrade(url) for _ in range(5)))
        assert await revision(url) == migrations.head()


@pytest.mark.heavy
async def test_a_migration_that_fails_changes_nothing(bare_database: DatabaseFactory) -> None:
    async with bare_database() as url:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            # A table in the middle of the first migration is in the way.
            await connection.execute(text("CREATE TABLE rate_limits (key text)"))
        await engine.dispose()
        before = await objects(url)
        with pytest.raises(Exception, match="already exists"):
            await migrations.upgrade(url)
        assert await objects(url) == before
        assert await revision(url) is None


@pytest.mark.heavy
async def test_another_search_language_leaves_every_other_column_alone(
    bare_database: DatabaseFactory,
) -> None:
    async with bare_database() as url:
        await migrations.upgrade(url, language="english")
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            await connection.execute(
                text("ALTER TABLE ads ADD gross bigint GENERATED ALWAYS AS (price * 2) STORED")
            )
        await migrations.upgrade(url, language="german")
        async with engine.connect() as connection:
            columns = await connection.execute(
                text(
                    "SELECT attname, atttypid::regtype::text FROM pg_attribute"
                    " WHERE attrelid = 'ads'::regclass AND attgenerated = 's' ORDER BY attname"
                )
            )
            assert [tuple(row) for row in columns] == [("gross", "bigint")]
            assert await connection.scalar(text(migrations.SEARCH_LANGUAGE)) == "german"
        await engine.dispose()


def test_there_is_one_line_of_migrations() -> None:
    assert len(SCRIPTS.get_heads()) == 1
    assert len(SCRIPTS.get_bases()) == 1
    assert migrations.head() == SCRIPTS.get_current_head()
    assert known() == set(REVISIONS)


@pytest.mark.long
@pytest.mark.heavy
def test_a_new_migration_has_the_next_number_and_passes_the_gates(tmp_path: Path) -> None:
    shutil.copy(ROOT / "alembic.ini", tmp_path)
    shutil.copytree(ROOT / "alembic", tmp_path / "alembic")
    before = set(tmp_path.rglob("*.py"))
    command = (sys.executable, ROOT / "tools/schema.py", "What is new")
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    [made] = set(tmp_path.rglob("*.py")) - before
    number = f"{int(REVISIONS[-1]) + 1:04}"
    assert REVISION.findall(made.read_text()) == [number]
    assert "op.create" not in made.read_text()
    ruff = Path(sys.executable).with_name("ruff")
    checked = (ruff, "check", "--config", ROOT / "pyproject.toml", "--select", "E,F,I", made)
    subprocess.run(checked, check=True)


@pytest.mark.heavy
async def test_a_new_table_s_text_is_counted_as_that_of_comments(
    new_database: DatabaseFactory,
) -> None:
    def defined(connection: Connection, table: str) -> list[str]:
        sql = f"""
            SELECT pg_get_functiondef(oid) FROM pg_proc
            WHERE proname ~ '^count_(changed_)?text_of_{table}$'
            UNION SELECT pg_get_triggerdef(oid) FROM pg_trigger
            WHERE tgrelid = '{table}'::regclass AND tgname ~ 'count_.*text' ORDER BY 1
        """  # noqa: S608 - no input
        return [row.replace(table, "TABLE") for row in connection.scalars(text(sql))]

    def counted(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE scribbles (author_id bigint, text text)"))
        with Operations.context(MigrationContext.configure(connection)):
            count_text("scribbles", "author_id", "text")
            assert defined(connection, "scribbles") == defined(connection, "comments")
            assert len(defined(connection, "scribbles")) == 5

    async with new_database() as url:
        engine = create_async_engine(url)
        async with engine.begin() as connection:
            await connection.run_sync(counted)
        await engine.dispose()


def built_wheel(directory: Path) -> Path:
    """Built offline, as a release is."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(directory)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = directory.glob("*.whl")
    return wheel


@pytest.mark.heavy
async def test_the_built_package_can_migrate(
    tmp_path: Path, bare_database: DatabaseFactory
) -> None:
    """Unpacked and run from there, not from the checkout."""
    with zipfile.ZipFile(built_wheel(tmp_path)) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "installed")
    versions = {path.name for path in SCRIPT_FILES}
    assert {f"adsvc/_alembic/versions/{name}" for name in versions} <= names
    assert {"adsvc/_alembic/env.py", "adsvc/_alembic/baseline.sql", "adsvc/py.typed"} <= names
    assert not any(name.startswith(("tests/", "alembic/")) for name in names)
    program = (
        "import asyncio, sys; sys.path.insert(0, sys.argv[1])\n"
        "from adsvc import migrations; from adsvc.settings import async_database_url\n"
        "assert migrations.__file__.startswith(sys.argv[1])\n"
        "asyncio.run(migrations.upgrade(async_database_url(sys.argv[2])))"
    )
    async with bare_database() as url:
        address = url.render_as_string(hide_password=False)
        command = [sys.executable, "-c", program, str(tmp_path / "installed"), address]
        # The coverage that is measured is the checkout's.
        variables = {name: os.environ[name] for name in os.environ if "COVERAGE" not in name}
        run = partial(subprocess.run, command, cwd=tmp_path, env=variables, check=True)
        await asyncio.to_thread(run)
        assert await revision(url) == migrations.head()


def test_a_new_migration_does_not_wait_for_locks_for_ever(tmp_path: Path) -> None:
    """Others would wait behind it, and with them the whole service."""
    shutil.copytree(ROOT / "alembic", tmp_path / "alembic")
    config = Config()
    config.set_main_option("script_location", str(tmp_path / "alembic"))
    script = command.revision(config, "Something new")
    assert isinstance(script, Script)
    written = Path(script.path).read_text()
    assert written.count("SET LOCAL lock_timeout") == 1
    compile(written, script.path, "exec")
