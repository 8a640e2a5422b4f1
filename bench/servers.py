"""The processes that are measured, each ended with the block that began it."""

import asyncio
import base64
import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

from adsvc_ops.embedded import EmbeddedPostgres

from .floors import where
from .load import BenchError

ROOT = Path(__file__).parents[1]
START_SECONDS = 60
STOP_SECONDS = 20
SEED_SECONDS = 3600
PASSWORD = "only for the benchmark"
# Shorter than the service keeps a connection.
IDLE_SECONDS = 2
KIB = 1024
# What differs from one answer to the next, or is the server's own.
NOT_CONSTANT = frozenset({"date", "connection"})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(**variables: str) -> dict[str, str]:
    """Without the operator's own settings."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("ADSVC_")}
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**kept, "PYTHONPATH": path, **variables}


@contextmanager
def process(
    words: Sequence[str | Path], log: Path, variables: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("ab") as output:
        # In a session of its own, so that Ctrl-C reaches only us, who end all in order.
        started = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env=dict(variables),
            start_new_session=True,
        )
    try:
        yield started
    finally:
        started.terminate()
        try:
            started.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> "dict[str, object]":
        parsed: dict[str, object] = json.loads(self.body)
        return parsed

    def header(self, name: str) -> str:
        return next(text for key, text in self.headers if key == name)

    def constant(self) -> dict[str, object]:
        """For the floor that is to send the same."""
        return {
            "status": self.status,
            "headers": [pair for pair in self.headers if pair[0] not in NOT_CONSTANT],
            "body": base64.b64encode(self.body).decode(),
        }


@dataclass
class Client:
    """One request after the other on one connection, to prepare and to check, not to measure."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self._used = time.monotonic()

    def ask(
        self,
        path: str,
        *,
        expect: int = 200,
        body: bytes | None = None,
        method: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        method = method or ("GET" if body is None else "POST")
        if time.monotonic() - self._used > IDLE_SECONDS:
            # The server may be closing it. The next request opens another.
            self._connection.close()
        self._connection.request(method, path, body, {**self.headers, **(headers or {})})
        response = self._connection.getresponse()
        named = [(name.lower(), text) for name, text in response.getheaders()]
        answer = Answer(response.status, named, response.read())
        self._used = time.monotonic()
        if answer.status != expect:
            raise BenchError(f"{method} {path}: {answer.status} {answer.body[:500]!r}")
        return answer

    def send_json(self, path: str, value: object, *, expect: int = 200) -> "dict[str, object]":
        headers = {"Content-Type": "application/json"}
        return self.ask(path, body=json.dumps(value).encode(), headers=headers, expect=expect).json


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    process: "subprocess.Popen[bytes]"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def resident(self) -> float:
        """The memory of the process itself, in MiB."""
        return resident(self.process.pid)

    def client(self, **headers: str) -> Client:
        return Client(self.port, headers)


def resident(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / KIB
    except OSError:
        pass
    said = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return int(said.strip() or 0) / KIB


def wait_until_answers(
    server: Server, path: str, log: Path, *, interval: float = 0.02, any_status: bool = False
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.process.poll() is not None:
            break
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        with suppress(OSError, http.client.HTTPException):
            connection.request("GET", path)
            if any_status or connection.getresponse().status == http.client.OK:
                connection.close()
                return
        connection.close()
        time.sleep(interval)
    raise BenchError(f"It does not serve; its log ends:\n{log.read_text()[-2000:]}")


@dataclass
class Site:
    """A data directory of adsvc: its database and its pictures."""

    directory: Path
    ads: int = 0
    username: str = ""

    def seed(self) -> None:
        seeding = subprocess.run(
            [
                # What is hidden would make tables of one size have different listings.
                *(sys.executable, "-m", "adsvc", "seed", "--ads", str(self.ads), "--all-shown"),
                *("--users", str(max(10, self.ads // 100)), "--password", PASSWORD),
            ],
            env=environment(ADSVC_DATA_DIR=str(self.directory)),
            cwd=self.directory.parent,
            capture_output=True,
            text=True,
            check=False,
            timeout=SEED_SECONDS,
            start_new_session=True,
        )
        if seeding.returncode != 0:
            raise BenchError(f"adsvc seed failed:\n{seeding.stderr}")
        self.username = seeding.stdout.split("Log in as ")[1].split()[0]
        # PostgreSQL would do it by itself a minute later, beside what is measured.
        with self.database() as url:
            asyncio.run(_vacuum(url))

    @contextmanager
    def database(self) -> Iterator[str]:
        """Where its database is, which runs meanwhile."""
        with EmbeddedPostgres(self.directory / "postgres") as postgres:
            yield postgres.url

    @contextmanager
    def serving(self, *, program: str = "adsvc", **settings: str) -> Iterator[Server]:
        port = free_port()
        log = self.directory.with_suffix(".log")
        variables = environment(
            ADSVC_DATA_DIR=str(self.directory),
            ADSVC_PORT=str(port),
            ADSVC_RATE_LIMITS="off",
            ADSVC_HTTP_BASIC="on",
            # One account posts all of it.
            ADSVC_IMAGE_QUOTA_BYTES=str(2**40),
            ADSVC_LOG_FORMAT="json",
            # As long as the benchmark may take.
            ADSVC_ACCESS_TOKEN_SECONDS="86400",
            **settings,
        )
        with process([sys.executable, "-m", program, "serve"], log, variables) as started:
            server = Server(port, started)
            wait_until_answers(server, "/ads?limit=1", log)
            yield server

    @property
    def basic(self) -> str:
        """The value of `Authorization` with user name and password."""
        return f"Basic {base64.b64encode(f'{self.username}:{PASSWORD}'.encode()).decode()}"

    def log_in(self, server: Server) -> str:
        """The value of `Authorization`."""
        login = {"username": self.username, "password": PASSWORD}
        return f"Bearer {server.client().send_json('/login', login)['access_token']}"


async def _vacuum(url: str) -> None:
    connection = await asyncpg.connect(**where(url))
    await connection.execute("VACUUM (ANALYZE)", timeout=SEED_SECONDS)
    await connection.close()


@contextmanager
def serving_floor(
    directory: Path, database: str, answers: Mapping[str, Answer]
) -> Iterator[Server]:
    file = directory / "answers.json"
    file.write_text(json.dumps({path: answer.constant() for path, answer in answers.items()}))
    port = free_port()
    variables = environment(BENCH_ANSWERS=str(file), BENCH_DATABASE=database)
    log = directory / "floor.log"
    words = [sys.executable, "-m", "bench.floors", "serve", str(port)]
    with process(words, log, variables) as started:
        server = Server(port, started)
        wait_until_answers(server, next(iter(answers)), log, any_status=True)
        yield server
