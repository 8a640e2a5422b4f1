"""The service in a process of its own, on a real socket."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

from adsvc.settings import Settings

START_SECONDS = 60
STOP_SECONDS = 30


@dataclass(frozen=True)
class Server:
    url: str
    process: subprocess.Popen[bytes]
    log_path: Path

    @property
    def log(self) -> str:
        return self.log_path.read_text()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(settings: Settings) -> Iterator[Server]:
    """`adsvc serve` with these settings, on a port of its own, for the length of the block.

    It takes one that is free and says which. One chosen here could be another's by then, who would
    answer in its place.
    """
    environment = {**os.environ, **settings.to_environment(), "ADSVC_PORT": "0"}
    log_path = settings.data_dir.with_name("server.log")
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "adsvc", "serve"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=log_path.parent,
        )
    try:
        yield _alive(process, log_path)
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _alive(process: subprocess.Popen[bytes], log_path: Path) -> Server:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        log = log_path.read_text()
        assert process.poll() is None, log
        # The host may be one that stands for all addresses.
        if served := re.search(r"Serving on http://\S*:(\d+)", log):
            url = f"http://127.0.0.1:{served[1]}"
            with suppress(httpx2.TransportError):
                if httpx2.get(f"{url}/livez").status_code == httpx2.codes.OK:
                    return Server(url, process, log_path)
        time.sleep(0.05)
    raise AssertionError(log_path.read_text())
