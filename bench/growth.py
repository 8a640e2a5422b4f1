"""What requests cost as the table grows, the memory of answers switched off."""

import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from . import finding
from .floors import PAGE
from .load import Load, interleaved
from .options import Options
from .report import Curve, Row, milliseconds
from .servers import Server, Site
from .throughput import FIRST_PAGE, WARM_UP_SECONDS, page_paths, walk

# A deep page lies beyond this part of the listing.
DEEP = 0.9
WALKED_PAGES = 100
GOAL = 1.3
NAME = "growth"
# Several that ask the same at once would share one answer, and seem many times as quick.
CONNECTIONS = 1
# Of words that many ads have, whose matches are counted.
GOAL_OF_WORDS = 4.0
# Milliseconds for the first page of a search, at the largest table.
FINDING_GOAL = 20.0
# They come with every letter.
SUGGESTIONS_GOAL = 10.0
TYPED = {finding.SUGGESTIONS, finding.PLACES_TYPED}
# Every twentieth ad is one, so that all tables fill a page with them.
COMMON = "table"
# One ad in three hundred.
RARE = "oak table"


def site_of(directory: Path, size: int) -> Site:
    return Site(directory / f"ads-{size}", size)


def measure(
    options: Options, directory: Path, main: Site, say: Callable[[str], None]
) -> tuple[list[Row], list[Curve]]:
    sizes = options.sizes
    with ExitStack() as stack:
        loads: dict[str, dict[int, Load]] = {}
        sought: list[str] = []
        for size in sizes:
            site = main if size == main.ads else site_of(directory, size)
            if site is not main:
                say(f"Making {size:,} ads …")
                site.seed()
            server = stack.enter_context(site.serving(ADSVC_ANSWERS_MAX_BYTES="0"))
            searches = finding.paths(server.client())
            sought = list(searches)
            for work, load in _loads(server, size, site.log_in(server)).items():
                loads.setdefault(work, {})[size] = replace(load, connections=CONNECTIONS)
            for work, paths in searches.items():
                loads.setdefault(work, {})[size] = Load(server.url, paths, connections=CONNECTIONS)
        found = {work: _cost(options, work, of_sizes, say) for work, of_sizes in loads.items()}
    curves = [
        Curve(work, {size: statistics.median(costs[size]) for size in sizes})
        for work, costs in found.items()
    ]
    rows = [_row(work, costs, sizes) for work, costs in found.items() if work not in sought]
    for work in sought:
        rows += [_finding_row(work, found[work], size) for size in sizes if size >= main.ads]
    return rows, curves


def _loads(server: Server, size: int, authorization: str) -> dict[str, Load]:
    catalogue = walk(server.client(), size, WALKED_PAGES)
    deep = page_paths(catalogue)[round(len(catalogue.places) * DEEP) :]
    ids = catalogue.ids[:: max(1, size // 100_000)]
    # In steps that fit no page of the index, so that neighbours do not follow each other.
    scattered = [ids[number * 7919 % len(ids)] for number in range(len(ids))]
    return {
        "first page": Load(server.url, [FIRST_PAGE]),
        "deep page": Load(server.url, deep),
        "count": Load(server.url, ["/ads?limit=1"]),
        "GET /ads/{id}": Load(
            server.url,
            [f"/ads/{ad_id}" for ad_id in scattered],
            {"Authorization": authorization},
        ),
        f"q={COMMON}": Load(server.url, [f"/ads?limit={PAGE}&q={COMMON}"]),
        f"q={RARE}": Load(server.url, [f"/ads?limit={PAGE}&q={RARE.replace(' ', '+')}"]),
    }


def _cost(
    options: Options, work: str, loads: dict[int, Load], say: Callable[[str], None]
) -> dict[int, list[float]]:
    """Milliseconds that a request takes which is alone, by the number of ads."""
    say(f"Growth: {work} …")
    for load in loads.values():
        load.run(WARM_UP_SECONDS)

    def cost(load: Load) -> float:
        return 1000 / load.run(options.seconds).per_second

    measures = {str(size): (lambda load=load: cost(load)) for size, load in loads.items()}
    found = interleaved(measures, options.rounds)
    return {size: found[str(size)] for size in loads}


def _row(work: str, costs: dict[int, list[float]], sizes: Sequence[int]) -> Row:
    smallest, largest = costs[sizes[0]], costs[sizes[-1]]
    ratios = tuple(b / a for a, b in zip(smallest, largest, strict=True))
    return Row(
        f"{NAME} {sizes[0]:,} → {sizes[-1]:,} ads: {work}",
        statistics.median(ratios),
        ours=milliseconds(largest),
        beside=f"smallest table: {milliseconds(smallest)}",
        goal=GOAL_OF_WORDS if work.startswith("q=") else GOAL,
        at_least=False,
        rounds=ratios,
    )


def _finding_row(work: str, costs: dict[int, list[float]], size: int) -> Row:
    smallest, here = min(costs), costs[size]
    return Row(
        f"{size:,} ads: {work}",
        statistics.median(here),
        ours=milliseconds(here),
        beside=f"{smallest:,} ads: {milliseconds(costs[smallest])}",
        unit="ms",
        goal=SUGGESTIONS_GOAL if work in TYPED else FINDING_GOAL,
        at_least=False,
        rounds=tuple(here),
    )
