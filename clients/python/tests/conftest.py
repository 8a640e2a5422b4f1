"""A service as operators run it, a bad line to it, and a picture."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import httpx2
import pytest
from PIL import Image

from bad_line import BadLine

REPOSITORY = Path(__file__).parents[3]
START_SECONDS = 60
PASSWORD = "correct horse battery"

_numbers = count(1)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service, with access tokens that last a few seconds."""
    directory = tmp_path_factory.mktemp("service")
    environment = {name: text for name, text in os.environ.items() if name[:6] != "ADSVC_"} | {
        "ADSVC_DATA_DIR": str(directory / "data"),
        "ADSVC_ACCESS_TOKEN_SECONDS": "3",
        "ADSVC_PASSWORD_MEMORY_KIB": "64",
    }
    command = [str(REPOSITORY / ".venv/bin/adsvc"), "serve", "--port", "0"]
    log = directory / "service.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            command, env=environment, cwd=directory, stdout=written, stderr=written
        )
    try:
        yield _address_of(process, log)
    finally:
        process.terminate()
        process.wait(30)


def _address_of(process: subprocess.Popen[bytes], log: Path) -> str:
    """The service takes a port that is free and says which.

    One chosen here could be another's by then.
    """
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"Serving on (http:\S+)", log.read_text())
        with suppress(httpx2.TransportError):
            if found and httpx2.get(f"{found[1]}/livez").is_success:
                return found[1]
        time.sleep(0.05)
    pytest.fail(log.read_text(errors="replace"))


@pytest.fixture
def line(service: str) -> Iterator[BadLine]:
    with BadLine(service) as line:
        yield line


@pytest.fixture(scope="session")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pictures") / "photo.jpg"
    Image.new("RGB", (1200, 900), "teal").save(path)
    return path


@pytest.fixture
def name() -> str:
    return f"person{next(_numbers)}@example.com"
