"""How long `adsvc serve` takes to its first answer, and how much memory before any other."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from .options import Options
from .report import Row
from .servers import Site

PRESENT_SECONDS = 2.5
NEW_SECONDS = 5.0
MOST_ROUNDS = 5
AT_REST_MIB = 85.0
FURTHER_MIB = 45.0
# The further workers are the difference of these numbers.
FEW, MANY = 2, 4
KIB = 1024
# Until what is done at the start, and once after it, has ended.
SETTLE_SECONDS = 5.0


def measure(options: Options, directory: Path, main: Site, say: Callable[[str], None]) -> list[Row]:
    """`main` is a site that nobody serves now, the database stopped as well."""
    say("Starting …")
    present, new = [], []
    for number in range(min(options.rounds, MOST_ROUNDS)):
        new.append(_seconds(Site(directory / f"new-{number}")))
        present.append(_seconds(main))
    return [
        _row(f"`adsvc serve` to its first 200, {main.ads:,} ads present", present, PRESENT_SECONDS),
        _row("`adsvc serve` to its first 200, brand new", new, NEW_SECONDS),
        *_memory(main),
    ]


def _memory(site: Site) -> list[Row]:
    """Of what processes share each has its part (PSS)."""
    found = {}
    for workers in (1, FEW, MANY):
        with site.serving(ADSVC_WORKERS=str(workers)) as server:
            time.sleep(SETTLE_SECONDS)
            found[workers] = sum(map(_proportional, _family(server.process.pid)))
    further = (found[MANY] - found[FEW]) / (MANY - FEW)
    return [
        Row(work, value, ours=f"{value:.0f} MiB", unit="MiB", goal=goal, at_least=False)
        for work, value, goal in (
            ("memory of `adsvc serve` at rest", found[1], AT_REST_MIB),
            (f"memory of each further worker, {MANY} beside {FEW}", further, FURTHER_MIB),
        )
    ]


def _family(pid: int) -> list[int]:
    """The process and those that it has started, without the database."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    name = Path(f"/proc/{pid}/comm").read_text()
    if name.startswith("postgres"):
        return []
    return [pid, *(one for child in children for one in _family(int(child)))]


def _proportional(pid: int) -> float:
    """In MiB."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / KIB


def _seconds(site: Site) -> float:
    began = time.perf_counter()
    with site.serving():
        return time.perf_counter() - began


def _row(work: str, found: list[float], goal: float) -> Row:
    return Row(
        work, statistics.median(found), unit="s", goal=goal, at_least=False, rounds=tuple(found)
    )
