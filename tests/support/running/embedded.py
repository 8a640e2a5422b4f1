"""Embedded database servers, queries to them, and processes that share one."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc_ops.embedded import EmbeddedPostgres

FAST = {"fsync": "off"}
# For poolers and standbys, which run as other users than root.
TRUSTING = {"hba_file": "pg_hba.conf"}

DEADLINE_SECONDS = 20

# Uses a cluster until its standard input is closed.
USER = """
import sys
from pathlib import Path
from adsvc_ops.embedded import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1]), options={"fsync": "off"}):
    print("ready", flush=True)
    sys.stdin.read()
"""


@contextmanager
def temporary_home() -> Iterator[Path]:
    # Not tmp_path: each new pytest session shuts its base directory to other users again, and as
    # root the server is another user.
    with tempfile.TemporaryDirectory(prefix="adsvc-test-") as path:
        yield Path(path).resolve()
        for pid_file in Path(path).rglob("postmaster.pid"):
            end_server(pid_file.parent)


def query(postgres: EmbeddedPostgres, *statements: str) -> str:
    """Return the first value of the last statement."""

    async def run() -> str:
        engine = create_async_engine(postgres.url)
        try:
            async with engine.begin() as connection:
                for statement in statements[:-1]:
                    await connection.execute(text(statement))
                return str(await connection.scalar(text(statements[-1])))
        finally:
            await engine.dispose()

    # A loop of its own, which leaves the one of the asynchronous tests alone.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(run())


def remember(postgres: EmbeddedPostgres) -> None:
    query(
        postgres,
        "DROP TABLE IF EXISTS memory",
        "CREATE TABLE memory AS SELECT 'elephant' AS name",
        "SELECT 1",
    )


def recall(postgres: EmbeddedPostgres) -> str:
    return query(postgres, "SELECT name FROM memory")


def server_pid(directory: Path) -> int:
    return int((directory / "postmaster.pid").read_text().splitlines()[0])


def is_running(directory: Path) -> bool:
    return (directory / "postmaster.pid").exists()


def end_server(directory: Path) -> None:
    def has_ended() -> bool:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return False
        return True

    pid = server_pid(directory)
    eventually(has_ended)


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.002)


@contextmanager
def process(script: str, directory: Path) -> Iterator[subprocess.Popen[str]]:
    # Not measured: a KeyboardInterrupt that is raised while coverage traces is lost now and then.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")
    }
    with subprocess.Popen(
        [sys.executable, "-c", script, str(directory)],
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        try:
            yield started
        finally:
            started.kill()


def said(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline().strip()


def finish(started: subprocess.Popen[str]) -> None:
    started.communicate(timeout=DEADLINE_SECONDS)
    assert started.returncode == 0
