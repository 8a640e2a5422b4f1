"""The tables of docs/interface.md list the operations of the document, and what each may answer."""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
METHODS = ("get", "post", "put", "patch", "delete")
# Below the tables it is said which operations may answer these, besides what is listed.
EVERYWHERE = {"304", "400", "408", "431", "500", "503"}
# For a request with an Idempotency-Key, and for one with `validate=true`.
OF_HEADERS = {"Idempotency-Key": {"409", "422"}, "validate": {"204"}}
# A row may stand for several: `/ads/{id}/publish`, `reserve`.
ROW = re.compile(
    r"^\| (`[A-Z]+(?:`, `[A-Z]+)* /[^|\n]+) \|[^|\n]*\|([^|\n]+)\|([^|\n]*)\|[^|\n]*\|$",
    re.MULTILINE,
)


def operations() -> dict[tuple[str, str], tuple[set[str], set[str]]]:
    """What each may answer, and what of that is said of many below the tables."""
    document = json.loads((ROOT / "openapi.json").read_text())

    def name_of(parameter: dict[str, Any]) -> str:
        reference = parameter.get("$ref")
        if reference is not None:
            parameter = document["components"]["parameters"][reference.rpartition("/")[2]]
        return str(parameter["name"])

    found = {}
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                names = {name_of(one) for one in item[method].get("parameters", ())}
                said = EVERYWHERE.union(*(OF_HEADERS.get(name, set()) for name in names))
                found[method.upper(), path] = set(item[method]["responses"]), said
    return found


def told() -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    before: set[str] = set()
    for named, success, refusals in ROW.findall((ROOT / "docs/interface.md").read_text()):
        statuses = set(re.findall(r"\b[2-4]\d\d\b", f"{success} {refusals}"))
        # "The same" is what stands in the row above.
        before = statuses | (before if "the same" in f"{success} {refusals}" else set())
        methods = re.findall(r"[A-Z]{3,}", named)
        first, *others = re.findall(r"`(?:[A-Z]+ )?([a-z/][^`]*)`", named)
        paths = [
            other if "/" in other else f"{first.rpartition('/')[0]}/{other}" for other in others
        ]
        for method in methods:
            found |= {(method, path): before for path in (first, *paths)}
    return found


def test_every_operation_is_told_with_its_statuses() -> None:
    listed, there = told(), operations()
    assert set(listed) == set(there)
    for operation, (answered, said) in there.items():
        assert listed[operation] <= answered, operation
        assert answered - said <= listed[operation], operation
