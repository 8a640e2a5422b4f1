"""Metrics: counted, merged over processes, and exported."""

import asyncio
import re
import subprocess
from contextlib import closing
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.parser import text_string_to_metric_families

from adsvc.kit.counters import Histogram, RequestCounts
from adsvc.kit.exporter import MetricsFiles, forget_killed, publishing
from adsvc.metrics import METRICS
from documents import metrics_page


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


def values_in(directory: Path) -> dict[str, dict[tuple[str, ...], float]]:
    """Of the processes together, by sample and by the values of its labels."""
    forget_killed(str(directory))
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in MultiProcessCollector(None, str(directory)).collect():
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def written(files: MetricsFiles, value: int) -> None:
    """One value of each metric."""
    for metric in METRICS.values():
        labels = tuple(f"a {label}" for label in metric.labels)
        if metric.type == "histogram":
            histogram = Histogram(metric.bounds)
            for _ in range(value):
                histogram.observe(0.02)
            files.set_histogram(metric.name, histogram, *labels)
        else:
            files.set(metric.name, value, *labels)


def test_figures_of_processes_are_merged_and_counters_outlive_them(tmp_path: Path) -> None:
    with closing(MetricsFiles(str(tmp_path), METRICS)) as two:
        written(two, 2)
        with closing(MetricsFiles(str(tmp_path), METRICS)) as three:
            written(three, 3)
            found = values_in(tmp_path)
        after = values_in(tmp_path)
    for metric in METRICS.values():
        if metric.type == "histogram":
            assert [*found[f"{metric.name}_count"].values()] == [5], metric.name
            [total] = found[f"{metric.name}_sum"].values()
            assert round(total, 6) == 0.1, metric.name
        else:
            expected = {"livesum": 5, "livemax": 3, "livemin": 2}[metric.mode]
            assert [*found[metric.name].values()] == [expected], metric.name
    assert after["adsvc_ads_expired_total"] == {(): 5}
    assert after["adsvc_http_connections"] == {(): 2}


def test_every_metric_has_a_help_text_and_a_valid_name(tmp_path: Path) -> None:
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(tmp_path))
    with closing(MetricsFiles(str(tmp_path), METRICS)) as files:
        written(files, 2)
        text = generate_latest(registry).decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for metric in METRICS.values():
        family = families.pop(metric.name.removesuffix("_total"))
        assert family.documentation == metric.help
        assert family.type == metric.type
        assert family.samples, metric.name
        assert metric.name.startswith("adsvc_")
        assert re.fullmatch(r"[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.type == "counter"), metric.name
        assert metric.type != "histogram" or metric.name.endswith(("_seconds", "_changes"))
    assert families == {}


def test_the_page_about_metrics_is_made_of_them() -> None:
    page = metrics_page()
    for name in METRICS:
        assert page.count(f"\n| `{name}` |") == 1, name
    told = (Path(__file__).parents[3] / "docs/metrics.md").read_text()
    assert told == f"{page}\n", "make format"


def test_gauges_of_a_process_that_was_killed_go(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    with closing(MetricsFiles(str(tmp_path), METRICS)) as files:
        written(files, 7)
        for file in tmp_path.iterdir():
            kind, _, owner = file.stem.rpartition("_")
            file.rename(file.with_stem(f"{kind}_{process.pid}-{owner.partition('-')[2]}"))
        found = values_in(tmp_path)
    assert found["adsvc_ads_expired_total"] == {(): 7}
    assert "adsvc_http_connections" not in found


async def test_what_was_counted_last_is_written_at_the_end(tmp_path: Path) -> None:
    counted = 5

    def write(files: MetricsFiles) -> None:
        files.set("adsvc_ads_expired_total", counted)

    async with publishing(str(tmp_path), METRICS, write):
        async with asyncio.timeout(20):
            while not values_in(tmp_path).get("adsvc_processes"):  # noqa: ASYNC110
                await asyncio.sleep(0)
        counted = 8
    assert values_in(tmp_path)["adsvc_ads_expired_total"] == {(): 8}
    assert "adsvc_processes" not in values_in(tmp_path)
