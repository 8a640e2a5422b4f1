"""The service in a process of its own, on a real socket."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

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
    """`adsvc serve` with these settings, on a port of its own, for the length of the block."""
    port = free_port()
    environment = {**os.environ, **settings.to_environment(), "ADSVC_PORT": str(port)}
    log_path = settings.data_dir.with_name("server.log")
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "adsvc", "serve"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=log_path.parent,
        )
    server = Server(f"http://127.0.0.1:{port}", process, log_path)
    try:
        _wait_until_alive(server)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_alive(server: Server) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert server.process.poll() is None, server.log
        try:
            if httpx.get(f"{server.url}/livez").status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError(server.log)
