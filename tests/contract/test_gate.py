"""What the gate of the OpenAPI document refuses. `tools/contract/install` brings its programs."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support.contract.documents import Json, document_with

pytestmark = pytest.mark.heavy

TOOLS = Path(__file__).parents[2] / "tools" / "contract"
HAS_LINTERS = (TOOLS / "node_modules" / ".lock").exists()
HAS_OASDIFF = bool(list((TOOLS.parents[1] / ".make").glob("oasdiff-*")))

# Of the paths, or of the security schemes, of a document.
Change = Callable[[Json], object]

SITE, AD, CATEGORY = "/site", "/ads/{id}", "/categories/{slug}"

# What each change would break, and what is said of it.
BREAKING: dict[str, Change] = {
    "response-success-status-removed": lambda paths: paths[CATEGORY]["put"]["responses"].pop("201"),
    "api-operation-id-removed": lambda paths: paths[SITE]["get"].update(operationId="readSite"),
    "required-response-header-removed": (
        lambda paths: paths[SITE]["get"]["responses"]["200"]["headers"].pop("ETag")
    ),
    "optional-response-header-removed": (
        lambda paths: paths["/ads"]["get"]["responses"]["200"]["headers"].pop("Link")
    ),
    "api-security-added": lambda paths: paths[SITE]["get"].update(security=[{"bearer": []}]),
    "api-security-removed": lambda paths: paths[AD]["get"]["security"].pop(),
    "api-removed-without-deprecation": lambda paths: paths[SITE].pop("get"),
    "api-removed-before-sunset": lambda paths: paths["/users/set_password"].pop("post"),
}

# What happens to values and defaults, each in a section of the components.
VALUES: list[tuple[str, str, Change]] = [
    (
        "`AdStatus` may be `frozen` [response-enum-value-added]",
        "schemas",
        lambda schemas: schemas["AdStatus"]["x-extensible-enum"].append("frozen"),
    ),
    (
        "`Decision.kind` may be `price` [response-enum-value-added]",
        "schemas",
        lambda schemas: schemas["Decision"]["properties"]["kind"]["x-extensible-enum"].append(
            "price"
        ),
    ),
    (
        "`Role` takes no more values than are listed [response-enum-closed]",
        "schemas",
        lambda schemas: schemas["Role"].update(enum=schemas["Role"].pop("x-extensible-enum")),
    ),
    (
        "[request-property-enum-value-added]",
        "schemas",
        lambda schemas: schemas["CreateAd"]["properties"]["priceType"]["enum"].append("swap"),
    ),
    (
        "[request-parameter-enum-value-added]",
        "parameters",
        lambda parameters: parameters["PriceTypeParameter"]["schema"]["enum"].append("swap"),
    ),
    (
        "[request-parameter-enum-value-removed]",
        "parameters",
        lambda parameters: parameters["PriceTypeParameter"]["schema"]["enum"].remove("free"),
    ),
    (
        "[request-parameter-default-value-changed]",
        "parameters",
        lambda parameters: parameters["LimitParameter"]["schema"].update(default=10),
    ),
]

SCHEMES: list[Change] = [
    lambda schemes: schemes.pop("bearer"),
    lambda schemes: schemes["bearer"].update(scheme="basic"),
    lambda schemes: schemes["bearer"].update(type="apiKey"),
]

LINTED: dict[str, Change] = {
    # Redocly warns of the one, Spectral of the other.
    "operation-4xx-response": lambda paths: [
        paths[SITE]["get"]["responses"].pop(status)
        for status in list(paths[SITE]["get"]["responses"])
        if status.startswith("4")
    ],
    "operation-description": lambda paths: paths[SITE]["get"].pop("description"),
}


def run(tool: str, *files: Path) -> tuple[int, str]:
    python = [sys.executable] if tool.endswith(".py") else []
    done = subprocess.run(
        [*python, TOOLS / tool, *files],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode()


@cache
def _document() -> str:
    return json.dumps(document_with())


def written(folder: Path, name: str, change: Change | None = None, *, part: str = "paths") -> Path:
    """`part` is what the change is given: the paths, or a section of the components."""
    document = json.loads(_document())
    if change is not None:
        change(document["paths"] if part == "paths" else document["components"][part])
    file = folder / name
    file.write_text(json.dumps(document))
    return file


@pytest.mark.long
@pytest.mark.skipif(not HAS_OASDIFF, reason="oasdiff is missing")
def test_what_would_break_a_client_is_refused(tmp_path: Path) -> None:
    base = written(tmp_path, "base.json")
    assert run("compare", base, written(tmp_path, "same.json"))[0] == 0
    for said, change in BREAKING.items():
        status, output = run("compare", base, written(tmp_path, "revision.json", change))
        assert status == 1, said
        assert f"[{said}]" in output, output


@pytest.mark.skipif(not HAS_OASDIFF, reason="oasdiff is missing")
def test_other_credentials_are_refused(tmp_path: Path) -> None:
    base = written(tmp_path, "base.json")
    for number, change in enumerate(SCHEMES):
        status, output = run(
            "compare", base, written(tmp_path, "other.json", change, part="securitySchemes")
        )
        assert status == 1, number
        assert "[security-scheme-changed]" in output, output


@pytest.mark.long
@pytest.mark.skipif(not HAS_OASDIFF, reason="oasdiff is missing")
def test_values_and_defaults_change_only_by_name(tmp_path: Path) -> None:
    base = written(tmp_path, "base.json")
    for said, part, change in VALUES:
        status, output = run("compare", base, written(tmp_path, "revision.json", change, part=part))
        assert (status, said in output) == (1, True), (said, output)


@pytest.mark.skipif(not HAS_OASDIFF, reason="oasdiff is missing")
def test_a_value_is_accepted_by_its_name_alone(tmp_path: Path) -> None:
    """As the file beside the tools is, of the document that was released last."""
    base = written(tmp_path, "base.json")
    accepted = tmp_path / "accepted.txt"
    accepted.write_text("Why.\n\n  `AdStatus` may be `frozen`\n")

    def unseen(*values: str) -> tuple[int, str]:
        def change(schemas: Json) -> None:
            schemas["AdStatus"]["x-extensible-enum"].extend(values)

        revision = written(tmp_path, "revision.json", change, part="schemas")
        return run("unseen.py", base, revision, accepted)

    assert unseen("frozen") == (0, "")
    status, output = unseen("frozen", "lost")
    assert (status, "`lost`" in output, "`frozen`" in output) == (1, True, False)


@pytest.mark.long
@pytest.mark.skipif(not HAS_LINTERS, reason="the linters are missing")
def test_warnings_of_linters_are_refused(tmp_path: Path) -> None:
    for said, change in LINTED.items():
        status, output = run("lint", written(tmp_path, "faulty.json", change))
        assert status == 1, said
        assert said in output, output


def test_the_gate_runs_each_of_its_checks() -> None:
    """`make gates` succeeds if its script is empty."""
    script = (TOOLS / "check").read_text()
    for tool in ("install", "lint openapi.json", "patterns.py openapi.json", "compare"):
        assert f"tools/contract/{tool}" in script
