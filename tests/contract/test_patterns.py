"""The patterns of the document work where generators put them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GATE = ROOT / "tools" / "contract" / "patterns.py"

pytestmark = pytest.mark.heavy

# What each engine reads in another way, or not at all.
FOREIGN = {
    r"^[^\u2028]*$": ("php", "go"),
    r"^[^\x7f-\x9f]*$": ("ruby",),
    "^(?!x)$": ("go",),
    "^a{1,2000}$": ("go",),
    "^[^\u00a0]$": (),
    r"^\p{L}$": (),
}


def gate(document: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GATE), str(document)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_patterns_of_the_document_work_in_other_languages() -> None:
    done = gate(ROOT / "openapi.json")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("pattern", FOREIGN)
def test_a_pattern_that_not_all_languages_have_is_refused(tmp_path: Path, pattern: str) -> None:
    document = tmp_path / "openapi.json"
    schema = {"type": "object", "properties": {"pattern": {"type": "string", "pattern": pattern}}}
    document.write_text(json.dumps({"components": {"schemas": {"Thing": schema}}}))
    done = gate(document)
    assert done.returncode == 1
    names = {"ruby": "Ruby: ", "php": "PHP (PCRE2): ", "go": "Go (RE2): "}
    for tool in FOREIGN[pattern]:
        assert shutil.which(tool) is None or names[tool] in done.stdout, done.stdout


def test_a_missing_language_is_one_line(tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps({"pattern": "^[a-z]+$"}))
    command = [sys.executable, str(GATE), str(document)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": str(tmp_path)}
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    required = {"PATH": str(tmp_path), "TOOLS_REQUIRED": "1"}
    assert subprocess.run(command, capture_output=True, check=False, env=required).returncode == 1
