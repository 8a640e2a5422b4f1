"""Commands that print what is generated from the code: pages, and the OpenAPI document."""

import ast
import inspect
import json
from collections.abc import Iterator
from enum import Enum
from itertools import pairwise

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from adsvc.kit.settings import groups as kit_groups
from adsvc.limits import Limits
from adsvc.metrics.definitions import page as metrics_page
from adsvc.settings import groups, load_settings
from adsvc_ops.cli.terminal import say_document

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

BEGIN = """# Settings

<!-- Generated from the groups of settings by `make format`. -->

Read from the environment, or from a file `.env` in the directory where the command runs
([.env.example](../.env.example)), and checked at start: a value that cannot work is named, and no
port is opened. An empty value counts as unset.
"""

TABLE = "| Variable | Default | Meaning |\n|---|---|---|"


def settings_page() -> str:
    """Markdown, with a table for each group."""
    return "\n".join([BEGIN, *(line for group in GROUPS for line in _table(group))])


def _table(group: type[BaseModel]) -> Iterator[str]:
    meanings = dict(_meanings(group))
    title, *more = (inspect.getdoc(group) or "").split("\n\n")
    yield f"## {title.removesuffix('.')}\n"
    yield from (f"{paragraph}\n" for paragraph in more)
    yield TABLE
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


def settings() -> None:
    """Print docs/settings.md."""
    say_document(settings_page())


def metrics() -> None:
    """Print docs/metrics.md."""
    say_document(metrics_page())


def openapi() -> None:
    """Print the contract: the OpenAPI document with the limits in force."""
    from adsvc.main import create_app  # noqa: PLC0415 - the other commands need no web framework

    document = create_app(load_settings()).openapi()
    say_document(json.dumps(document, indent=2))
