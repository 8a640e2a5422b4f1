"""Load by wrk: what to ask for, and what came of it."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

SCRIPT = Path(__file__).with_name("load.lua")
CONNECTIONS = 16
# Beyond the length of a run: to connect, to wait for the last answers, to read the list of paths.
GRACE_SECONDS = 60


class BenchError(Exception):
    """The benchmark cannot go on; the message says why."""


def require_wrk() -> None:
    if shutil.which("wrk") is None:
        raise BenchError(
            "The load comes from wrk, which is not installed. Debian and Ubuntu: apt install wrk. "
            "macOS: brew install wrk. Fedora has none: https://github.com/wg/wrk"
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one run; times in milliseconds."""

    requests: int
    seconds: float
    refused: int
    p50: float
    p99: float

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


@dataclass
class Load:
    """Requests to one server: of one path, or of many in turn.

    Of many, a run goes on where the last one ended. So none comes again before all the others
    have, and a memory of the last answers, if it is smaller than all of them, is of no use.
    """

    url: str
    paths: Sequence[str]
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    # How the body is sent.
    method: str = "POST"
    connections: int = CONNECTIONS
    # Milliseconds between an answer and the next request of the same connection.
    rest: int = 0
    # Whether refusals are among the answers that are expected.
    may_be_refused: bool = False
    _asked: int = 0

    def run(self, seconds: float) -> Outcome:
        with self._wrk(seconds) as running:
            return running.outcome()

    def start(self, seconds: float) -> "Running":
        """For two loads at once; leave the context to end it."""
        return self._wrk(seconds)

    def _wrk(self, seconds: float) -> "Running":
        files = tempfile.TemporaryDirectory(prefix="adsvc-load-")
        place = Path(files.name)
        environment = {**os.environ, "BENCH_SKIP": str(self._asked)}
        if len(self.paths) > 1:
            targets = place / "targets"
            targets.write_text("".join(f"{path}\n" for path in self.paths))
            environment["BENCH_TARGETS"] = str(targets)
        if self.body is not None:
            (place / "body").write_bytes(self.body)
            environment |= {"BENCH_BODY": str(place / "body"), "BENCH_METHOD": self.method}
        if self.rest:
            environment["BENCH_DELAY"] = str(self.rest)
        words = ["wrk", "-t1", f"-c{self.connections}", f"-d{max(1, round(seconds))}s"]
        words += ["--timeout", "30s", "-s", str(SCRIPT)]
        for name, value in self.headers.items():
            words += ["-H", f"{name}: {value}"]
        words.append(self.url + self.paths[0])
        process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            start_new_session=True,
        )
        return Running(self, process, files, seconds)

    def note(self, outcome: Outcome) -> None:
        self._asked += outcome.requests
        if outcome.refused and not self.may_be_refused:
            raise BenchError(f"{outcome.refused} refusals from {self.url}{self.paths[0]}.")


@dataclass
class Running:
    """A wrk at work."""

    load: Load
    process: "subprocess.Popen[str]"
    files: "tempfile.TemporaryDirectory[str]"
    seconds: float

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.files.cleanup()

    def outcome(self) -> Outcome:
        said, _ = self.process.communicate(timeout=self.seconds + GRACE_SECONDS)
        try:
            told = json.loads(said.strip().splitlines()[-1])
        except (ValueError, IndexError):
            raise BenchError(f"wrk said:\n{said}") from None
        if told["broken"] or not told["requests"]:
            raise BenchError(f"Connections broke, or nothing was answered: {said}")
        outcome = Outcome(
            requests=told["requests"],
            seconds=told["microseconds"] / 1e6,
            refused=told["refused"],
            p50=told["p50"] / 1000,
            p99=told["p99"] / 1000,
        )
        self.load.note(outcome)
        return outcome


def interleaved(measures: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """A B A B …: what else the machine does in the meantime falls on all of them alike."""
    found: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            found[name].append(measure())
    return found
