"""versitygw, a real S3 on a directory. It is built once and kept, because that takes minutes."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.s3.server import ACCESS_KEY, BUCKET, REGION, SECRET_KEY, S3Server, free_port

VERSION = "v1.8.0"
MODULE = f"github.com/versity/versitygw/cmd/versitygw@{VERSION}"
TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adsvc-tools"
BINARY = TOOLS / f"versitygw-{VERSION}"
START_SECONDS = 20
BUILD_SECONDS = 1200


def missing(*, build: bool) -> str | None:
    """Why only the light S3 is used. With `build` versitygw is made, which takes minutes."""
    if BINARY.exists():
        return None
    go = shutil.which("go")
    if go is None:
        return "only the light S3 is used: there is neither versitygw nor a Go to build it"
    if not build:
        return "only the light S3 is used: the long form of the drills builds versitygw"
    return _built(go)


def _built(go: str) -> str | None:
    place = TOOLS / f"build-{os.getpid()}"
    place.mkdir(parents=True)
    try:
        made = subprocess.run(
            [go, "install", MODULE],
            env={**os.environ, "GOBIN": str(place), "CGO_ENABLED": "0"},
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
        if made.returncode:
            return f"only the light S3 is used: versitygw is not built: {made.stderr[-300:]}"
        (place / "versitygw").replace(BINARY)
    finally:
        shutil.rmtree(place)
    return None


@dataclass
class Gateway:
    """Killed and started again any number of times, always at the same address."""

    directory: Path
    server: S3Server = field(init=False)
    _port: int = field(default_factory=free_port, init=False)
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.server = S3Server(f"http://127.0.0.1:{self._port}")
        (self.directory / "s3" / BUCKET).mkdir(parents=True)
        (self.directory / "meta").mkdir()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def start(self, *, secret: str = SECRET_KEY) -> None:
        log = self.directory / "versitygw.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [
                    *(BINARY, "--port", f"127.0.0.1:{self._port}", "--region", REGION),
                    # Not every file system has attributes for what else is known of an object.
                    *("--quiet", "posix", "--sidecar", self.directory / "meta"),
                    self.directory / "s3",
                ],
                env={
                    "PATH": os.environ["PATH"],
                    "ROOT_ACCESS_KEY": ACCESS_KEY,
                    "ROOT_SECRET_KEY": secret,
                },
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert self._process.poll() is None, log.read_text()
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port)):
                return
            time.sleep(0.02)
        raise AssertionError(log.read_text())

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()


@contextmanager
def gateway(directory: Path) -> Iterator[Gateway]:
    made = Gateway(directory)
    made.start()
    try:
        yield made
    finally:
        made.kill()
