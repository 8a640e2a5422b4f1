"""The last release on the schema of this checkout, as during an upgrade: its own tests pass."""

import asyncio
import os
import re
import subprocess
import sys
import tarfile
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from adsvc import migrations
from adsvc.kit.db.servers import Servers
from conftest import DatabaseFactory

pytestmark = [pytest.mark.heavy, pytest.mark.large]

ROOT = Path(__file__).parents[3]
# What a version does while the next one goes out, in a part of the tests that is quick. Where each
# file is depends on the release.
SMOKE = (
    "test_ads_create.py",
    "test_comments.py",
    "test_health.py::test_a_service_in_order_is_alive_and_ready",
)
SECONDS = 300
# With the module `newer_schema`, which is for those tests.
PLUGIN = ROOT / "tests/support/running"


def git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def commit_of_the_last_release() -> str:
    """The one that added its document; each release keeps one."""
    releases = (ROOT / "docs/openapi").glob("*.json")
    newest = max(releases, key=lambda path: [*map(int, path.stem.split("."))])
    try:
        if git("rev-parse", "--is-shallow-repository").strip() != b"false":
            pytest.skip("this is a shallow clone, without the last release")
        return (
            git("log", "-1", "--diff-filter=A", "--format=%H", "--", str(newest)).decode().strip()
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no repository that has the last release")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    archive = git(
        "archive", commit_of_the_last_release(), "src", "alembic", "tests", "pyproject.toml"
    )
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(tmp_path / "release", filter="data")
    return tmp_path / "release"


# How triggers and checks put parentheses depends on how often they were dumped.
SCHEMA = """
    SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable
        || coalesce(' ' || column_default, '') AS definition
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION SELECT conrelid::regclass || ' ' || conname FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace
    UNION SELECT tgrelid::regclass || ' ' || tgname FROM pg_trigger WHERE NOT tgisinternal
"""


async def test_its_database_gets_the_schema_of_a_new_one(
    release: Path, bare_database: DatabaseFactory, new_database: DatabaseFactory
) -> None:
    async def schema(url: URL) -> set[str]:
        connection = await Servers(url).connect()
        try:
            return {row["definition"] for row in await connection.fetch(SCHEMA)}
        finally:
            await connection.close()

    async with bare_database() as url, new_database() as new:
        address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        environment = {
            **{name: os.environ[name] for name in os.environ if "COVERAGE" not in name},
            "PYTHONPATH": str(release / "src"),
            "ADSVC_DATABASE_URL": address,
            "ADSVC_COUNTRIES": "LI",
        }
        command = [sys.executable, "-m", "adsvc", "migrate"]
        run = partial(subprocess.run, command, env=environment, cwd=release, check=True)
        await asyncio.to_thread(run)
        await migrations.upgrade(url, language="english")
        assert await schema(url) == await schema(new)


def test_the_version_before_works_on_the_new_schema(release: Path, server_url: URL) -> None:
    environment = {
        **{name: text for name, text in os.environ.items() if not re.match("PYTEST|COV", name)},
        "PYTHONPATH": os.pathsep.join([str(release / "src"), str(PLUGIN)]),
        "ADSVC_DATABASE_URL": server_url.set(drivername="postgresql").render_as_string(
            hide_password=False
        ),
    }
    smoke = [
        f"{path}{separator}{name}"
        for file, separator, name in (wanted.partition("::") for wanted in SMOKE)
        for path in (release / "tests/api").rglob(file)
    ]
    assert len(smoke) == len(SMOKE)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "newer_schema", "-p", "no:cacheprovider"),
            *smoke,
        ],
        cwd=release,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
