"""The log of events: changes that nothing holds up, and how soon they are read."""

import asyncio
import json
import math
import os
import queue
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from typing import Any

import asyncpg

from adsvc_ops.embedded import EmbeddedPostgres
from adsvc_ops.embedded.cluster import Cluster

from .floors import where
from .load import BenchError, Load, interleaved
from .options import SMALLEST
from .report import Row, milliseconds, per_second
from .servers import PASSWORD, Client, Site
from .throughput import WARM_UP_SECONDS, Scene

CHANGES = "new prices with a synchronous standby {} ms away, 16 at once"
CHANGES_GOAL = 3.0
# What the standby's answers take longer than on this machine. A standby in the same room is well
# below a millisecond away, one in another building of the same city 1 to 2, in another city 5.
DISTANCES = (0, 2, 5)
# With the usual size a process has five connections for changes, and each waits for the standby.
POOL_SIZE = 32
FEED = "from a new price to `GET /events` of another process, p95, 20 changes/s"
FEED_GOAL = 200.0
PACE_SECONDS = 0.05
WAIT_SECONDS = 20
FIRST_PRICE = 2_000_001
ADMIN = "bench-admin"

# Both servers run as one user, who is not root.
TRUSTING = {"hba_file": "pg_hba.conf"}
# A notification in each transaction, instead of one for a batch of them.
NOTIFY = """
    CREATE FUNCTION notify_change() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN PERFORM pg_notify(''bench'', NEW.id::text); RETURN NULL; END'
"""
NOTIFYING = """
    CREATE OR REPLACE TRIGGER notify_change AFTER UPDATE ON ads
    FOR EACH ROW EXECUTE FUNCTION notify_change()
"""
AS_IT_IS = "DROP TRIGGER IF EXISTS notify_change ON ads"


def rows(scene: Scene) -> list[Row]:
    only = scene.options.only
    distances = [away for away in DISTANCES if only in CHANGES.format(away)]
    rows = _changes(scene, distances) if distances else []
    return [*rows, _feed(scene)] if only in FEED else rows


def _sql(url: str, statement: str) -> Any:
    """The first value of its result."""

    async def ask() -> Any:
        connection = await asyncpg.connect(**where(url))
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    return asyncio.run(ask())


def _changes(scene: Scene, distances: Sequence[int]) -> list[Row]:
    scene.say("changes with a synchronous standby …")
    site = Site(scene.directory / "replicated", SMALLEST)
    site.seed()
    with (
        _replicated(site) as (url, line),
        site.serving(ADSVC_DATABASE_POOL_SIZE=str(POOL_SIZE)) as server,
    ):
        authorization = site.log_in(server)
        client = server.client(Authorization=authorization)
        results = client.ask("/ads/me?limit=1000").json["results"]
        assert isinstance(results, list)
        load = Load(
            server.url,
            [f"/ads/{ad['pk']}" for ad in results],
            {"Authorization": authorization, "Content-Type": "application/json"},
            body=b'{"price": 4711}',
            method="PATCH",
        )
        _sql(url, NOTIFY)

        def changed(trigger: str) -> float:
            _sql(url, trigger)
            return load.run(scene.options.seconds).per_second

        def measured(away: int) -> Row:
            line.delay = away / 1000
            load.run(WARM_UP_SECONDS)
            found = interleaved(
                {"log": lambda: changed(AS_IT_IS), "notices": lambda: changed(NOTIFYING)},
                scene.options.rounds,
            )
            ratios = tuple(a / b for a, b in zip(found["log"], found["notices"], strict=True))
            return Row(
                CHANGES.format(away),
                statistics.median(ratios),
                ours=per_second(found["log"]),
                beside=f"NOTIFY in each transaction: {per_second(found['notices'])}",
                # Where the standby costs nothing, Python decides how many changes there are.
                goal=CHANGES_GOAL if away else None,
                rounds=ratios,
            )

        return [measured(away) for away in distances]


class _Line:
    """Brings what the server at a socket sends at once, and what comes back `delay` s later."""

    def __init__(self, path: Path) -> None:
        self.delay = 0.0
        self._path = path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    @contextmanager
    def open(self) -> Iterator[None]:
        self._start(self._accept)
        try:
            yield
        finally:
            self._listener.close()

    @staticmethod
    def _start(work: Callable[..., None], *arguments: object) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                far = socket.socket(socket.AF_UNIX)
                far.connect(str(self._path))
                late: queue.SimpleQueue[tuple[float, bytes]] = queue.SimpleQueue()
                self._start(self._carry, far, near)
                self._start(self._take, near, late)
                self._start(self._bring, late, far)

    @staticmethod
    def _carry(far: socket.socket, near: socket.socket) -> None:
        with suppress(OSError):
            while piece := far.recv(2**16):
                near.sendall(piece)
            near.shutdown(socket.SHUT_RDWR)

    def _take(self, near: socket.socket, late: "queue.SimpleQueue[tuple[float, bytes]]") -> None:
        piece = b"-"
        while piece:
            try:
                piece = near.recv(2**16)
            except OSError:
                piece = b""
            late.put((time.monotonic() + self.delay, piece))

    @staticmethod
    def _bring(late: "queue.SimpleQueue[tuple[float, bytes]]", far: socket.socket) -> None:
        with suppress(OSError):
            while True:
                due, piece = late.get()
                time.sleep(max(0.0, due - time.monotonic()))
                if not piece:
                    far.shutdown(socket.SHUT_RDWR)
                    return
                far.sendall(piece)


@contextmanager
def _replicated(site: Site) -> Iterator[tuple[str, _Line]]:
    """The database of the site, and the line to a standby that has each change first."""
    directory = site.directory / "standby"
    with EmbeddedPostgres(site.directory / "postgres", options=TRUSTING) as primary:
        line = _Line(primary.socket_path)
        with line.open():
            _copy(line, directory)
            with EmbeddedPostgres(directory, options=TRUSTING):
                _sql(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
                _sql(primary.url, "SELECT pg_reload_conf()")
                try:
                    yield primary.url, line
                finally:
                    # Otherwise the primary's last commits would wait for it.
                    _sql(primary.url, "ALTER SYSTEM RESET synchronous_standby_names")
                    _sql(primary.url, "SELECT pg_reload_conf()")


def _copy(line: _Line, directory: Path) -> None:
    cluster = Cluster(directory)
    directory.mkdir()
    os.chown(directory, *cluster.account)
    directory.chmod(0o700)
    cluster.make_reachable()
    cluster.must_run(
        *("pg_basebackup", "--pgdata=.", "--write-recovery-conf", "--checkpoint=fast"),
        *("--host=127.0.0.1", f"--port={line.port}", "--username=adsvc"),
    )


def _feed(scene: Scene) -> Row:
    """From the statement that changes the price, which is before its commit."""
    scene.say(f"{FEED} …")
    results = scene.client.ask("/ads/me?limit=1000").json["results"]
    assert isinstance(results, list)
    paths = [f"/ads/{ad['pk']}" for ad in results]
    account = {"username": ADMIN, "password": PASSWORD}
    scene.server.client().send_json("/register", account, expect=201)
    _sql(scene.database, f"UPDATE users SET role = 'ADMIN' WHERE username = '{ADMIN}'")  # noqa: S608
    writer, headers = scene.client, {"Content-Type": "application/json"}
    # None is that of an ad already, or it would be no event.
    prices, rounds = count(FIRST_PRICE), []
    with scene.site.serving() as server:
        token = server.client().send_json("/login", account)["access_token"]
        reader = _Reader(server.client(Authorization=f"Bearer {token}"))
        for _ in range(scene.options.rounds):
            number = round(max(scene.options.seconds, 5) / PACE_SECONDS)
            thread = threading.Thread(target=reader.read, args=(number,))
            thread.start()
            for price in islice(prices, number):
                body = json.dumps({"price": price}).encode()
                path = paths[price % len(paths)]
                writer.ask(path, body=body, method="PATCH", headers=headers)
                time.sleep(PACE_SECONDS)
            thread.join()
            rounds.append(reader.delays())
    return Row(
        FEED,
        statistics.median(map(p95, rounds)),
        ours=f"median {milliseconds([delay for found in rounds for delay in found])}",
        unit="ms",
        goal=FEED_GOAL,
        at_least=False,
        rounds=tuple(map(p95, rounds)),
    )


def p95(found: list[float]) -> float:
    return sorted(found)[math.ceil(len(found) * 0.95) - 1]


class _Reader:
    """Follows the log from its present end."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._path = "/events?type=ad.priceChanged"
        self._delays: list[float] = []
        before = ""
        # A page may be empty that is not the last.
        while self._path != before:
            before = self._path
            self._page(0)

    def _page(self, wait: int) -> list[dict[str, Any]]:
        page = self._client.ask(f"{self._path}&wait={wait}").json
        self._path = f"/events?type=ad.priceChanged&after={page['next']}"
        results = page["results"]
        assert isinstance(results, list)
        return results

    def read(self, number: int) -> None:
        end = time.monotonic() + number * PACE_SECONDS + WAIT_SECONDS
        while len(self._delays) < number and time.monotonic() < end:
            events = self._page(1)
            now = time.time() * 1000
            self._delays += [now - event["at"] for event in events]

    def delays(self) -> list[float]:
        """Those in milliseconds since the last time."""
        if not self._delays:
            raise BenchError("No event came.")
        found, self._delays = self._delays, []
        return found
