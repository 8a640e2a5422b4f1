"""What the gate of the OpenAPI document refuses. `tools/contract/install` brings its programs."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from support.contract.documents import Json, document_with

pytestmark = pytest.mark.heavy

TOOLS = Path(__file__).parents[2] / "tools" / "contract"
HAS_LINTERS = (TOOLS / "node_modules" / ".lock").exists()
HAS_OASDIFF = bool(list((TOOLS.parents[1] / ".make").glob("oasdiff-*")))

Change = Callable[[Json], object]

SITE, AD, CATEGORY = "/site", "/ads/{id}", "/categories/{slug}"

# What each change would break, and what is said of it.
BREAKING: dict[str, Change] = {
    "removed the success response": lambda paths: paths[CATEGORY]["put"]["responses"].pop("201"),
    "api operation id": lambda paths: paths[SITE]["get"].update(operationId="readSite"),
    "required response header `etag` removed": (
        lambda paths: paths[SITE]["get"]["responses"]["200"]["headers"].pop("ETag")
    ),
    "optional response header `link` removed": (
        lambda paths: paths["/ads"]["get"]["responses"]["200"]["headers"].pop("Link")
    ),
    "security scheme": lambda paths: paths[SITE]["get"].update(security=[{"bearer": []}]),
    "the security scheme `oauth2` was removed": lambda paths: paths[AD]["get"]["security"].pop(),
    "api removed": lambda paths: paths[SITE].pop("get"),
    "deprecated": lambda paths: paths["/users/set_password"].pop("post"),
}

LINTED: dict[str, Change] = {
    # Redocly and Spectral each warn of one, and have an error of the other.
    "operation-4xx-response": lambda paths: [
        paths[SITE]["get"]["responses"].pop(status)
        for status in list(paths[SITE]["get"]["responses"])
        if status.startswith("4")
    ],
    "operation-description": lambda paths: paths[SITE]["get"].pop("description"),
    "path-declaration-must-exist": lambda paths: paths.update({"/a/{}": paths.pop(SITE)}),
    "no-unresolved-refs": lambda paths: paths[SITE]["get"]["responses"].update(
        {"400": {"$ref": "#/components/responses/Nothing"}}
    ),
}


def run(tool: str, *files: Path) -> tuple[int, str]:
    done = subprocess.run(
        [TOOLS / tool, *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.returncode, done.stdout.decode()


def written(folder: Path, name: str, change: Change | None = None) -> Path:
    document = document_with()
    if change is not None:
        change(document["paths"])
    file = folder / name
    file.write_text(json.dumps(document))
    return file


@pytest.mark.skipif(not HAS_OASDIFF, reason="oasdiff is missing")
def test_what_would_break_a_client_is_refused(tmp_path: Path) -> None:
    base = written(tmp_path, "base.json")
    assert run("compare", base, written(tmp_path, "same.json")) == (0, "")
    for said, change in BREAKING.items():
        status, output = run("compare", base, written(tmp_path, "revision.json", change))
        assert status == 1, said
        assert said in output.lower(), output


@pytest.mark.skipif(not HAS_LINTERS, reason="the linters are missing")
def test_warnings_of_linters_are_refused(tmp_path: Path) -> None:
    assert run("lint", written(tmp_path, "document.json")) == (0, "")
    for said, change in LINTED.items():
        status, output = run("lint", written(tmp_path, "faulty.json", change))
        assert status == 1, said
        assert said in output, output
