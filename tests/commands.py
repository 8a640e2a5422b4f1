"""The command `adsvc` as operators use it: in a process of its own, with nothing but variables."""

import os
import subprocess
import sys
from collections.abc import Mapping

SECONDS = 120


def adsvc(
    *arguments: str, environment: Mapping[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs to its end; `typed` is its standard input."""
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
    finished = adsvc(*arguments, environment=environment, typed=typed)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def refused(*arguments: str, environment: Mapping[str, str], typed: str = "") -> str:
    """Why the command did not do what was asked: a message, not a traceback."""
    finished = adsvc(*arguments, environment=environment, typed=typed)
    assert finished.returncode == 1, finished.stdout
    assert "Traceback" not in finished.stderr
    assert "adsvc: " in finished.stderr
    return finished.stderr
