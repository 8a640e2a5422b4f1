"""How long `adsvc serve` takes to its first answer."""

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
    ]


def _seconds(site: Site) -> float:
    began = time.perf_counter()
    with site.serving():
        return time.perf_counter() - began


def _row(work: str, found: list[float], goal: float) -> Row:
    return Row(
        work, statistics.median(found), unit="s", goal=goal, at_least=False, rounds=tuple(found)
    )
