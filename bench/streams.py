"""Streams on which nothing happens: what 1,000 of them cost a process."""

import os
import resource
import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .load import BenchError
from .report import Row
from .servers import PASSWORD, Server
from .throughput import Scene

STREAMS = 1000
# As many as an account may have at a process.
EACH = 4
CPU = "1,000 idle streams, of a core"
CPU_GOAL = 2.0
MEMORY = "1,000 idle streams, each"
MEMORY_GOAL = 60.0
# Comments come every 15 seconds: two of each stream.
SECONDS = 30
SETTLING_SECONDS = 5
TICKS = os.sysconf("SC_CLK_TCK")
KIB = 1024


def rows(scene: Scene) -> list[Row]:
    if scene.options.only not in CPU and scene.options.only not in MEMORY:
        return []
    scene.say(f"{CPU} …")
    with scene.site.serving() as server:
        tokens = [_token(server, number) for number in range(STREAMS // EACH)]
        time.sleep(SETTLING_SECONDS)
        at_rest = server.resident
        before = [_share(server) for _ in range(scene.options.rounds)]
        with _open(server, tokens):
            time.sleep(SETTLING_SECONDS)
            memory = (server.resident - at_rest) * KIB / STREAMS
            during = [_share(server) for _ in range(scene.options.rounds)]
    rounds = tuple(share - statistics.median(before) for share in during)
    return [
        Row(
            CPU,
            statistics.median(rounds),
            beside=f"without: {statistics.median(before):.1f} %",
            unit="%",
            goal=CPU_GOAL,
            at_least=False,
            rounds=rounds,
        ),
        Row(MEMORY, memory, unit="KiB", goal=MEMORY_GOAL, at_least=False),
    ]


def _token(server: Server, number: int) -> str:
    account = {"username": f"bench-stream-{number}", "password": PASSWORD}
    server.client().send_json("/register", account, expect=201)
    return str(server.client().send_json("/login", account)["access_token"])


@contextmanager
def _open(server: Server, tokens: list[str]) -> Iterator[None]:
    """The streams of these accounts, whose clients read their first event and no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        with ExitStack() as stack:
            for token in tokens:
                for _ in range(EACH):
                    stack.enter_context(stream_of(server, token))
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def stream_of(server: Server, token: str) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", server.port), 10)
    fields = ("GET /users/me/stream HTTP/1.1", "Host: bench", f"Authorization: Bearer {token}")
    client.sendall("\r\n".join((*fields, "", "")).encode())
    head = b""
    while b"event: unread" not in head:
        piece = client.recv(4096)
        if not piece or b" 200 " not in (head := head + piece)[:20]:
            raise BenchError(f"A stream did not begin: {head[:200]!r}")
    return client


def _share(server: Server) -> float:
    """The percentage of a core that the process takes."""
    began, ticks = time.monotonic(), _ticks(server.process.pid)
    time.sleep(SECONDS)
    return (_ticks(server.process.pid) - ticks) / TICKS / (time.monotonic() - began) * 100


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
