"""Snapshots in Prometheus' text format."""

from collections.abc import Iterable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.core import (
    Metric as Family,
)
from prometheus_client.registry import Collector

from adsvc.observability.metrics.definitions import METRICS, Metric, Type
from adsvc.observability.metrics.snapshots import Buckets, Labels, Snapshot, Value

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class _Families(Collector):
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterable[Family]:
        for name, metric in METRICS.items():
            series = self._snapshot.values.get(name, {})
            yield _family(metric, series)


def _family(metric: Metric, series: dict[Labels, Value]) -> Family:
    if metric.type is Type.HISTOGRAM:
        histogram = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
        for labels, value in sorted(series.items()):
            assert isinstance(value, Buckets)  # noqa: S101 - as its definition says
            histogram.add_metric(labels, list(_cumulative(metric, value)), value.total)
        return histogram
    kind = CounterMetricFamily if metric.type is Type.COUNTER else GaugeMetricFamily
    family = kind(metric.name, metric.help, labels=metric.labels)
    for labels, value in sorted(series.items()):
        assert not isinstance(value, Buckets)  # noqa: S101 - as its definition says
        family.add_metric(labels, value)
    return family


def _cumulative(metric: Metric, value: Buckets) -> Iterator[tuple[str, float]]:
    """Prometheus' buckets contain all below them."""
    bounds = [*map(repr, metric.bounds), "+Inf"]
    return zip(bounds, accumulate(value.counts), strict=True)


def text(snapshot: Snapshot) -> bytes:
    """Every metric has its help, also one without a value."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families(snapshot))
    return generate_latest(registry)
