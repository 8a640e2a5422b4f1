"""A service as operators run it, a bad line to it, and a picture."""

import os
import subprocess
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest
from PIL import Image

from bad_line import BadLine, free_port

REPOSITORY = Path(__file__).parents[3]
START_SECONDS = 60
PASSWORD = "correct horse battery"

_numbers = count(1)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running service, with access tokens that last a few seconds."""
    directory = tmp_path_factory.mktemp("service")
    port = free_port()
    environment = {name: text for name, text in os.environ.items() if name[:6] != "ADSVC_"} | {
        "ADSVC_DATA_DIR": str(directory / "data"),
        "ADSVC_ACCESS_TOKEN_SECONDS": "3",
        "ADSVC_PASSWORD_MEMORY_KIB": "64",
    }
    command = [str(REPOSITORY / ".venv/bin/adsvc"), "serve", "--port", str(port)]
    log = directory / "service.log"
    with log.open("wb") as written:
        process = subprocess.Popen(
            command, env=environment, cwd=directory, stdout=written, stderr=written
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, log)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"{address}/livez").is_success:
                return
        except httpx.TransportError:
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
