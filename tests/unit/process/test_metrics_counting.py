"""Metrics: counted, merged over processes, and exported."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from adsvc.kit.counters import Histogram, RequestCounts
from adsvc.kit.metrics.exporter import Totals, text
from adsvc.kit.metrics.snapshot import Buckets, Merge, MetricsSnapshot, Publisher, Type, merged
from adsvc.metrics import definitions
from adsvc.metrics.definitions import METRICS, new_snapshot


def test_clients_cannot_make_up_labels() -> None:
    counts = RequestCounts()
    for method in ("GET", "PROPFIND", "BREW", "MKCOL"):
        for route in (None, "/ads"):
            counts.count(route, method, 405, 0.5)
    assert {key: count for key, count in counts.totals.items() if count} == {
        ("unmatched", "GET", 405): 1,
        ("/ads", "GET", 405): 1,
        ("unmatched", "OTHER", 405): 3,
        ("/ads", "OTHER", 405): 3,
    }


def test_a_duration_is_in_the_bucket_that_ends_at_it_or_above() -> None:
    histogram = Histogram((0.1, 1.0))
    for seconds in (0.0, 0.1, 0.11, 1.0, 1.1, 100.0):
        histogram.observe(seconds)
    assert histogram.counts == [2, 2, 2]
    assert histogram.total == sum((0.0, 0.1, 0.11, 1.0, 1.1, 100.0))
    counts = RequestCounts()
    for seconds in (0.001, 0.0011, 11.0):
        counts.count("/ads", "GET", 200, seconds)
    [durations] = counts.durations.values()
    assert (durations.counts[0], durations.counts[1], durations.counts[-1]) == (1, 1, 1)


def some(value: float) -> MetricsSnapshot:
    """One value of each metric."""
    snapshot = new_snapshot()
    for metric in METRICS.values():
        labels = tuple(f"a {label}" for label in metric.labels)
        if metric.type is Type.HISTOGRAM:
            histogram = Histogram(metric.bounds)
            for _ in range(round(value)):
                histogram.observe(0.02)
            snapshot.set_histogram(metric.name, histogram, *labels)
        else:
            snapshot.set(metric.name, value, *labels)
    return snapshot


def test_figures_of_processes_arrive_and_are_summed() -> None:
    together = merged(
        METRICS, (MetricsSnapshot.decoded(some(value).encoded(), METRICS) for value in (2, 3))
    )
    for metric in METRICS.values():
        [value] = together.values[metric.name].values()
        if isinstance(value, Buckets):
            assert (sum(value.counts), round(value.total, 6)) == (5, 0.1), metric.name
        else:
            expected = {Merge.SUM: 5, Merge.MAX: 3, Merge.MIN: 2}[metric.merge]
            assert value == expected, metric.name


def test_every_metric_has_a_help_text_and_a_valid_name() -> None:
    families = {
        family.name: family for family in text_string_to_metric_families(text(some(2)).decode())
    }
    for metric in METRICS.values():
        family = families.pop(metric.name.removesuffix("_total"))
        assert family.documentation == metric.help
        assert family.type == metric.type
        assert family.samples, metric.name
        assert metric.name.startswith("adsvc_")
        assert re.fullmatch(r"[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.type is Type.COUNTER), metric.name
        assert metric.type is not Type.HISTOGRAM or metric.name.endswith(("_seconds", "_changes"))
    assert families == {}


def test_the_page_about_metrics_is_made_of_them() -> None:
    page = definitions.page()
    for name in METRICS:
        assert page.count(f"\n| `{name}` |") == 1, name
    told = (Path(__file__).parents[3] / "docs/metrics.md").read_text()
    assert told == f"{page}\n", "make format"


async def until_told(tell: Callable[[], Awaitable[object]], expected: object) -> None:
    async with asyncio.timeout(20):
        while await tell() != expected:  # noqa: ASYNC110
            # A socket has no event for what the other end has read.
            await asyncio.sleep(0)


async def test_counters_of_a_process_that_was_killed_stay_and_its_gauges_go(tmp_path: Path) -> None:
    totals = Totals(METRICS)
    path = str(tmp_path / "socket")
    counted = [5.0, 100.0]

    def take(process: int) -> MetricsSnapshot:
        snapshot = new_snapshot()
        snapshot.set("adsvc_ads_expired_total", counted[process])
        snapshot.set("adsvc_http_connections", 7)
        return snapshot

    async def told() -> tuple[float, float, float]:
        values = (await totals.now()).values
        names = ("adsvc_ads_expired_total", "adsvc_http_connections", "adsvc_processes")
        first, second, third = (sum(map(float, values.get(name, {}).values())) for name in names)  # type: ignore[arg-type]
        return first, second, third

    async with await asyncio.start_unix_server(totals.receive, path):
        async with Publisher(path, lambda: take(0)).running():
            dying = asyncio.create_task(_tell_and_hang_up(path, take(1)))
            await dying
            await until_told(told, (105, 7, 1))
            counted[0] = 6
            # It answers at once and does not wait for its period.
            assert await told() == (106, 7, 1)
            counted[0] = 8
        # It has sent the rest before it ended.
        await until_told(told, (108, 0, 0))


async def _tell_and_hang_up(path: str, snapshot: MetricsSnapshot) -> None:
    """As a process that is killed: in the middle of a message."""
    _, writer = await asyncio.open_unix_connection(path)
    data = snapshot.encoded()
    framed = len(data).to_bytes(4, "big") + data
    writer.write(framed + framed[:-3])
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def test_a_process_that_hangs_holds_up_no_scrape(tmp_path: Path) -> None:
    totals = Totals(METRICS)
    path = str(tmp_path / "socket")
    async with await asyncio.start_unix_server(totals.receive, path):
        _, writer = await asyncio.open_unix_connection(path)
        data = some(3).encoded()
        writer.write(len(data).to_bytes(4, "big") + data)

        async def told() -> object:
            return (await totals.now()).values.get("adsvc_ads_expired_total")

        # It never answers. What it sent before counts.
        await until_told(told, {(): 3.0})
        writer.close()
        await writer.wait_closed()
