"""`python -m bench`: everything, in a temporary directory that is gone afterwards."""

import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import NoReturn

from . import (
    account,
    caches,
    fleet,
    growth,
    log,
    object_store,
    peers,
    proxy,
    seeing,
    stalls,
    starts,
    streams,
    talking,
    throughput,
)
from .load import BenchError, require_wrk
from .machine import is_quiet, machine, versions
from .options import Options
from .report import Curve, Report, Row

MEMORY_MIB = 150.0


def say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def _run(options: Options, directory: Path) -> Report:
    site = growth.site_of(directory, options.ads)
    say(f"Making {options.ads:,} ads …")
    site.seed()
    rows: list[Row] = []
    compared: list[Row] = []
    curves: Sequence[Curve] = ()
    with site.database() as database, site.serving() as server:
        at_rest = server.resident
        with throughput.scene(options, directory, site, server, database, say) as scene:
            rows += throughput.rows(scene)
            rows += seeing.rows(scene)
            rows += account.rows(scene)
            if not options.only:
                rows += proxy.rows(scene)
                if options.peers:
                    compared = peers.rows(scene, at_rest)
            rows += object_store.rows(scene)
            rows += fleet.rows(scene)
            rows += caches.rows(scene)
            rows += log.rows(scene)
            rows += streams.rows(scene)
            rows += talking.rows(scene)
            if not options.only:
                # Last, as so many logins end the session that the others use.
                rows += stalls.rows(scene)
        rows.append(_memory(server.resident, at_rest))
    if not options.only:
        rows += starts.measure(options, directory, site, say)
    if options.only in {"", growth.NAME}:
        grown, curves = growth.measure(options, directory, site, say)
        rows += grown
    return Report(
        date=f"{datetime.now(UTC):%Y-%m-%d}",
        machine=machine(),
        versions=versions(),
        ads=options.ads,
        rounds=options.rounds,
        seconds=options.seconds,
        rows=[*rows, *compared],
        curves=curves,
    )


def _memory(resident: float, at_rest: float) -> Row:
    return Row(
        "memory of one worker after the load",
        resident,
        ours=f"{resident:.0f} MiB",
        beside=f"at rest: {at_rest:.0f} MiB",
        unit="MiB",
        goal=MEMORY_MIB,
        at_least=False,
    )


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    # Whatever comes now, what was started is ended first; all of that is bounded in time.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        require_wrk()
        options = Options.from_environment()
        if not is_quiet():
            say("The machine is busy with something else; the figures will show it.")
        with tempfile.TemporaryDirectory(prefix="adsvc-bench-") as directory:
            report = _run(options, Path(directory).resolve())
    except (BenchError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: interrupted; everything it started has ended.", file=sys.stderr)
        return 130
    if not options.only:
        report.write(options.out)
    with suppress(BrokenPipeError):
        print(report.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
