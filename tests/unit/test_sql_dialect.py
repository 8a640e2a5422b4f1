"""SQL is either SQLAlchemy's expressions, or text with `$n`: see `adsvc.repositories`."""

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

# In one process, which parses all modules once.
pytestmark = pytest.mark.xdist_group("modules")
SOURCE = Path(__file__).parents[2] / "src"
# Tables are defined with fragments of SQL; a stream needs a statement of SQLAlchemy.
MAY_IMPORT_TEXT = {"adsvc/db/engine.py"}
STATEMENT = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|VALUES)\b")
NAMED = re.compile(r"(?<![:\w\\]):[a-z_]\w*")


@cache
def _modules() -> Sequence[tuple[str, ast.Module]]:
    names = {path: str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py")}
    return [
        (name, ast.parse(path.read_text()))
        for path, name in names.items()
        if not name.startswith("adsvc/models/")
    ]


def test_statements_are_not_made_by_text() -> None:
    importing = {
        name
        for name, module in _modules()
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("sqlalchemy")
        and any(alias.name == "text" for alias in node.names)
    }
    assert importing <= MAY_IMPORT_TEXT


def test_no_statement_has_parameters_by_name() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, module in _modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and STATEMENT.search(node.value)
        and NAMED.search(node.value)
    ]
    assert found == []
