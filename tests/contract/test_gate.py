"""What the gate of the OpenAPI document refuses. `tools/contract/install` brings its programs."""

import json
import subprocess
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

SCHEMES: list[Change] = [
    lambda schemes: schemes.pop("oauth2"),
    lambda schemes: schemes["bearer"].update(scheme="basic"),
    lambda schemes: schemes["bearer"].update(type="apiKey"),
    lambda schemes: schemes["oauth2"]["flows"]["password"].update(tokenUrl="login"),
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
    done = subprocess.run(
        [TOOLS / tool, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode()


@cache
def _document() -> str:
    return json.dumps(document_with())


def written(
    folder: Path, name: str, change: Change | None = None, *, schemes: Change | None = None
) -> Path:
    document = json.loads(_document())
    if change is not None:
        change(document["paths"])
    if schemes is not None:
        schemes(document["components"]["securitySchemes"])
    file = folder / name
    file.write_text(json.dumps(document))
    return file


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
        status, output = run("compare", base, written(tmp_path, "other.json", schemes=change))
        assert status == 1, number
        assert "[security-scheme-changed]" in output, output


@pytest.mark.skipif(not HAS_LINTERS, reason="the linters are missing")
def test_warnings_of_linters_are_refused(tmp_path: Path) -> None:
    for said, change in LINTED.items():
        status, output = run("lint", written(tmp_path, "faulty.json", change))
        assert status == 1, said
        assert said in output, output
