"""The last release on the schema of this checkout, as during an upgrade: its own tests pass."""

import os
import re
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

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
