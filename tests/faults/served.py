"""adsvc as operators run it: a process of its own, on a port of its own."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import httpx2

from support.scene.api import PASSWORD, Person

HOST = "127.0.0.1"
# The embedded database of a slow machine may take this long, recovery included.
START_SECONDS = 60

_numbers = count(1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


class Service:
    """Started and ended any number of times, always at the same address."""

    # How many files it may open, if an operator has set that.
    descriptors: int | None = None

    def __init__(self, directory: Path, **settings: object) -> None:
        self.port = free_port()
        self.address = f"http://{HOST}:{self.port}"
        self.log_path = directory / "service.log"
        self.image_dir = directory / "data" / "images"
        # Its responses can be distinguished from those of another process that has taken the port.
        self._contact = f"mailto:{uuid4()}@example.com"
        chosen = {
            "data_dir": directory / "data",
            "log_format": "json",
            "security_contact": self._contact,
            **settings,
        }
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("ADSVC_")},
            **{f"ADSVC_{name.upper()}": str(value) for name, value in chosen.items()},
        }
        self._process: subprocess.Popen[bytes] | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.end()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def launch(self) -> None:
        limited = ["sh", "-c", f'ulimit -n {self.descriptors} && exec "$0" "$@"']
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(limited if self.descriptors else ()),
                    *(sys.executable, "-m", "adsvc", "serve", "--port", str(self.port)),
                ],
                env=self.environment,
                cwd=self.log_path.parent,
                stdout=log,
                stderr=log,
                # So that whatever it leaves behind can be ended with it.
                start_new_session=True,
            )

    async def start(self) -> None:
        self.launch()
        await self.answering()
        async with self.client() as client:
            answer = await client.get("/.well-known/security.txt")
        assert self._contact in answer.text, "another process answers"

    async def answering(self, path: str = "/livez", seconds: float = START_SECONDS) -> float:
        """How long it took until that path answered 200."""
        began = time.monotonic()
        async with self.client() as client:
            while True:
                with suppress(httpx2.TransportError):
                    if (await client.get(path)).status_code == httpx2.codes.OK:
                        return time.monotonic() - began
                assert self._process is None or self._process.poll() is None, self.log()
                assert time.monotonic() - began < seconds, self.log()
                await asyncio.sleep(0.02)

    def client(self, **options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=self.address, timeout=30, **options)

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def ended(self, seconds: float) -> int:
        """The exit status, once there is one."""
        assert self._process is not None
        return await asyncio.to_thread(self._process.wait, seconds)

    def poll(self) -> int | None:
        assert self._process is not None
        return self._process.poll()

    async def kill(self) -> None:
        """What an operator, or the kernel out of memory, does to the one process."""
        self.signal(signal.SIGKILL)
        await self.ended(10)

    async def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Another command of adsvc, with the same settings."""
        command = [sys.executable, "-m", "adsvc", *words]
        return await asyncio.to_thread(
            lambda: subprocess.run(
                command, env=self.environment, text=True, capture_output=True, check=False
            )
        )

    def end(self) -> None:
        """The process and all that it has started, whatever state they are in."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGCONT)
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def image_files(self) -> set[str]:
        return {path.name for path in self.image_dir.glob("*/*") if path.is_file()}

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def entries(self, logger: str) -> list[dict[str, Any]]:
        """What one of its loggers has written."""
        found = []
        for line in self.log().splitlines():
            with suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, dict) and entry.get("logger") == logger:
                    found.append(entry)
        return found


async def register(client: httpx2.AsyncClient, **members: str) -> Person:
    username = members.pop("username", None) or f"drill{next(_numbers)}-{os.getpid()}@example.com"
    record = {"username": username, "password": PASSWORD, **members}
    answer = await client.post("/register", json=record)
    assert answer.status_code == httpx2.codes.CREATED, answer.text
    person = Person(answer.json()["id"], username, "", client)
    person.token = await log_in(person)
    return person


async def log_in(person: Person) -> str:
    record = {"username": person.username, "password": person.password}
    answer = await person.client.post("/login", json=record)
    assert answer.status_code == httpx2.codes.OK, answer.text
    token: str = answer.json()["access_token"]
    return token
