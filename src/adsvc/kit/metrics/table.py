"""What a table of metrics is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

LAG_SECONDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
STALL_SECONDS = (0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Type(StrEnum):
    """As Prometheus names them."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Merge(StrEnum):
    """What becomes of the values of several processes. Counters and histograms are summed."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"


@dataclass(frozen=True, slots=True)
class Metric:
    """`bounds` are those of a histogram's buckets, without infinity."""

    name: str
    type: Type
    help: str
    labels: Sequence[str] = ()
    bounds: Sequence[float] = ()
    merge: Merge = Merge.SUM


def counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name, Type.COUNTER, text, labels)


def gauge(name: str, text: str, *labels: str, merge: Merge = Merge.SUM) -> Metric:
    return Metric(name, Type.GAUGE, text, labels, merge=merge)


def histogram(name: str, text: str, bounds: Sequence[float], *labels: str) -> Metric:
    return Metric(name, Type.HISTOGRAM, text, labels, bounds)


# By name. Only what it lists can be set.
Table = Mapping[str, Metric]
