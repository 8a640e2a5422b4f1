"""Writes the pages that are generated from the code: docs/settings.md and docs/metrics.md."""

import ast
import inspect
from collections.abc import Iterator
from enum import Enum
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from adsvc.kit.counters import Metric
from adsvc.kit.settings import groups as kit_groups
from adsvc.limits import Limits
from adsvc.metrics import GROUPS as METRIC_GROUPS
from adsvc.settings import groups

GROUPS: tuple[type[BaseModel], ...] = (
    kit_groups.ServerSettings,
    groups.SiteSettings,
    kit_groups.DatabaseSettings,
    kit_groups.StoreSettings,
    groups.AccessSettings,
    groups.AdSettings,
    groups.ConversationSettings,
    groups.ModerationSettings,
    groups.RateLimitSettings,
    groups.JobSettings,
    groups.NotificationSettings,
    groups.WebhookSettings,
    groups.MailSettings,
    groups.SearchSettings,
    groups.ImageSettings,
    kit_groups.TransportSettings,
    Limits,
)

SETTINGS = """# Settings

<!-- Generated from the groups of settings by `make format`. -->

Read from the environment, or from a file `.env` in the directory where the command runs
([.env.example](../.env.example)), and checked at start: a value that cannot work is named, and no
port is opened. An empty value counts as unset.
"""

SETTINGS_TABLE = "| Variable | Default | Meaning |\n|---|---|---|"


def settings_page() -> str:
    """Markdown, with a table for each group."""
    return "\n".join([SETTINGS, *(line for group in GROUPS for line in _table(group))])


def _table(group: type[BaseModel]) -> Iterator[str]:
    meanings = dict(_meanings(group))
    title, *more = (inspect.getdoc(group) or "").split("\n\n")
    yield f"## {title.removesuffix('.')}\n"
    yield from (f"{paragraph}\n" for paragraph in more)
    yield SETTINGS_TABLE
    for name, field in group.model_fields.items():
        cells = (f"`ADSVC_{name.upper()}`", _default(field), meanings[name].replace("|", "\\|"))
        yield f"| {' | '.join(cells)} |"
    yield ""


def _meanings(group: type[BaseModel]) -> Iterator[tuple[str, str]]:
    """The docstring below each setting, from the source: Python does not keep them."""
    lines = [line for node in ast.parse(inspect.getsource(group)).body for line in _body(node)]
    for setting, below in pairwise(lines):
        match setting, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                yield name, " ".join(text.split()).removesuffix(".")


def _body(node: ast.stmt) -> list[ast.stmt]:
    return node.body if isinstance(node, ast.ClassDef) else []


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return (inspect.getdoc(field.default_factory) or "").removesuffix(".")
    value = field.default
    match value:
        case None | () | "":
            return ""
        case Enum():
            text = str(value.value)
        case bool():
            text = str(value).lower()
        case tuple():
            text = ",".join(value)
        case _:
            text = str(value)
    return f"`{text}`"


METRICS_PAGE = """# Metrics

<!-- Generated from src/adsvc/metrics by `make format`. -->

Served at `/metrics` on the listener of `ADSVC_METRICS_PORT`, as Prometheus reads them ([how to
switch it on](operations/monitoring.md#metrics)). Values are those of all processes of one `adsvc
serve` together. Counters and histograms are summed, those of processes that have ended included,
and begin again at zero only when the service starts. Gauges are those of the processes at work,
summed where nothing else is said.

`adsvc worker` has those of *Event log*, *Outbox*, *Webhooks*, *Jobs*, *Database* and *Processes*,
the pools of the database, the ads that have expired and the pictures to be deleted.
"""

METRICS_TABLE = "| Metric | Type | Labels | Meaning |\n|---|---|---|---|"


def metrics_page() -> str:
    """Markdown, with a table for each group."""
    return "\n".join([METRICS_PAGE, *_metrics()])


def _metrics() -> Iterator[str]:
    for title, metrics in METRIC_GROUPS.items():
        yield f"## {title}\n"
        yield METRICS_TABLE
        yield from map(_row, metrics)
        yield ""


def _row(metric: Metric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    meaning = metric.help
    if metric.type == "histogram":
        meaning += f" Buckets: {', '.join(f'{bound:g}' for bound in metric.bounds)}."
    return f"| `{metric.name}` | {metric.type} | {labels} | {meaning} |"


if __name__ == "__main__":
    for name, page in (("settings", settings_page()), ("metrics", metrics_page())):
        Path("docs", f"{name}.md").write_text(f"{page}\n", encoding="utf-8")
