"""The command `adsvc` as operators use it, configured only by variables."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine
from typer.testing import CliRunner, Result

from adsvc.errors import AdsvcError
from adsvc_ops.cli import app

SECONDS = 120


def adsvc(
    *arguments: str, environment: Mapping[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs to its end in a process of its own; `typed` is its standard input."""
    return subprocess.run(
        [sys.executable, "-m", "adsvc", *arguments],
        env={**os.environ, **environment},
        input=typed,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def done(*arguments: str, environment: Mapping[str, str], typed: str = "") -> str:
    """What the command printed; it has to succeed."""
    finished = run_here(*arguments, environment=environment, typed=typed)
    assert finished.exit_code == 0, f"{finished.stderr}{finished.exception!r}"
    return finished.stdout


def refused(*arguments: str, environment: Mapping[str, str], typed: str = "") -> str:
    """Why the command failed, as `adsvc` prints it."""
    finished = run_here(*arguments, environment=environment, typed=typed)
    assert isinstance(finished.exception, AdsvcError), finished.stdout
    return str(finished.exception)


def not_served(*options: str, environment: Mapping[str, str]) -> str:
    """Why `adsvc serve` did not start: a message, not a traceback."""
    finished = adsvc("serve", *options, environment=environment)
    assert finished.returncode == 1, finished.stdout
    assert "Traceback" not in finished.stderr
    assert "adsvc: " in finished.stderr
    return finished.stderr


def run_here(*arguments: str, environment: Mapping[str, str], typed: str = "") -> Result:
    """In this process: starting another one takes longer than most commands do.

    But in a thread of its own, since commands have event loops and so have some tests.
    """
    with _logging_as_it_was(), ThreadPoolExecutor(1) as thread:
        run = thread.submit(CliRunner().invoke, app, arguments, input=typed, env=environment)
        return run.result(SECONDS)


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


async def sql(environment: Mapping[str, str], statement: str) -> list[Any]:
    """The rows of a statement in the database of a service, in no transaction."""
    engine = create_async_engine(environment["ADSVC_DATABASE_URL"], isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        result = await connection.execute(text(statement))
        rows = list(result.all()) if result.returns_rows else []
    await engine.dispose()
    return rows
