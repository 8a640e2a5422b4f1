"""SQL is either SQLAlchemy's expressions, or text with `$n`: see `adsvc.repositories`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
# Tables are defined with fragments of SQL; a stream needs a statement of SQLAlchemy.
MAY_IMPORT_TEXT = {"adsvc/kit/db/database.py"}
STATEMENT = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|VALUES)\b")
NAMED = re.compile(r"(?<![:\w\\]):[a-z_]\w*")


def _modules(*patterns: re.Pattern[str]) -> Iterator[tuple[str, ast.Module]]:
    """Those that have something of each pattern: to parse all of them takes long."""
    for path in SOURCE.rglob("*.py"):
        name, source = str(path.relative_to(SOURCE)), path.read_text()
        if not name.startswith("adsvc/models/") and all(each.search(source) for each in patterns):
            yield name, ast.parse(source)


@pytest.mark.heavy
def test_statements_are_not_made_by_text() -> None:
    importing = {
        name
        for name, module in _modules(re.compile(r"from sqlalchemy"), re.compile(r"\btext\b"))
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("sqlalchemy")
        and any(alias.name == "text" for alias in node.names)
    }
    assert importing <= MAY_IMPORT_TEXT


@pytest.mark.heavy
def test_no_statement_has_parameters_by_name() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, module in _modules(STATEMENT, NAMED)
        for node in ast.walk(module)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and STATEMENT.search(node.value)
        and NAMED.search(node.value)
    ]
    assert found == []
