"""The page about metrics, made of their definitions."""

from collections.abc import Iterator, Sequence

from adsvc.observability.metrics.definitions import GROUPS, Metric, Type

BEGIN = """# Metrics

<!-- Made of src/adsvc/observability/metrics by `make format`. -->

Served at `/metrics` on the listener of `ADSVC_METRICS_PORT`, as Prometheus reads them ([how to
switch it on](operations.md#metrics)). Values are those of all processes of one `adsvc serve`
together. Counters and histograms are summed, those of processes that have ended included, and begin
again at zero only when the service starts. Gauges are those of the processes at work, summed where
nothing else is said.

`adsvc worker` tells those of *Outbox*, *Jobs*, *Database* and *Processes*, the pools of the
database, the ads that have expired and the pictures to be deleted.
"""

TABLE = "| Metric | Type | Labels | Meaning |\n|---|---|---|---|"


def page() -> str:
    """Markdown, with a table for each group."""
    return "\n".join([BEGIN, *_tables()])


def _tables() -> Iterator[str]:
    for title, metrics in GROUPS.items():
        yield f"## {title}\n"
        yield TABLE
        yield from map(_row, metrics)
        yield ""


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    meaning = metric.help
    if metric.type is Type.HISTOGRAM:
        meaning += f" Buckets: {_bounds(metric.bounds)}."
    return f"| `{metric.name}` | {metric.type} | {labels} | {meaning} |"


def _bounds(bounds: Sequence[float]) -> str:
    return ", ".join(f"{bound:g}" for bound in bounds)
