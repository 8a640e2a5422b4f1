"""What a page of the storefront asks for: CPU of each read, beside that of a comment.

One connection, one worker. A comment is a write with its whole path: caller, limit, body, insert,
audit. The ratio of the two moves less from machine to machine than either figure.
"""

import os
import statistics
from pathlib import Path

from .load import Load
from .report import Row
from .throughput import WARM_UP_SECONDS, Scene

# By path; the goal is a ratio. `{}` is an ad.
READS = {
    "/users/me": 1.15,
    "/ads/me": 1.4,
    "/users/me/favorites?ad={}": 1.5,
    "/users/me/notifications": 1.3,
    "/conversations": 1.3,
    "/categories": 0.5,
    "/site": 0.5,
}
NAME = "CPU of `GET {}`, beside a comment"
TICKS = os.sysconf("SC_CLK_TCK")


def rows(scene: Scene) -> list[Row]:
    wanted = {path: goal for path, goal in READS.items() if scene.options.only in NAME.format(path)}
    if not wanted:
        return []
    ad = scene.catalogue.ids[0]
    headers = {"Authorization": scene.authorization}
    comments = Load(
        scene.server.url,
        [f"/ads/{each}/comments" for each in scene.catalogue.ids],
        {**headers, "Content-Type": "application/json"},
        body=b'{"text": "Still there?"}',
        connections=1,
    )
    loads = {
        path: Load(scene.server.url, [path.format(ad)], headers, connections=1) for path in wanted
    }
    for load in (comments, *loads.values()):
        load.run(WARM_UP_SECONDS)
    found: dict[str, list[tuple[float, float]]] = {path: [] for path in wanted}
    for _ in range(scene.options.rounds):
        beside = _microseconds(scene, comments)
        for path, load in loads.items():
            found[path].append((_microseconds(scene, load), beside))
    return [_row(path, wanted[path], figures) for path, figures in found.items()]


def _row(path: str, goal: float, figures: list[tuple[float, float]]) -> Row:
    ratios = [ours / beside for ours, beside in figures]
    return Row(
        NAME.format(path.partition("?")[0]),
        statistics.median(ratios),
        ours=f"{statistics.median(ours for ours, _ in figures):.0f} µs",
        beside=f"{statistics.median(beside for _, beside in figures):.0f} µs",
        goal=goal,
        at_least=False,
        rounds=tuple(ratios),
    )


def _microseconds(scene: Scene, load: Load) -> float:
    """CPU of the process for each request."""
    pid = scene.server.process.pid
    began = _cpu(pid)
    outcome = load.run(scene.options.seconds)
    load.note(outcome)
    return (_cpu(pid) - began) / outcome.requests * 1e6


def _cpu(pid: int) -> float:
    """Seconds of CPU of a process and its children that have ended (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
