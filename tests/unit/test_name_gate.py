"""`tools/names.py`: names that use an everyday verb as a term are found, and no others."""

import subprocess
import sys
from pathlib import Path

import pytest

GATE = Path(__file__).parents[2] / "tools/names.py"


def gate(*directories: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GATE), *map(str, directories)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def told(): ...", "told"),
        ("async def _hear(): ...", "_hear"),
        ("class AskedFor: ...", "AskedFor"),
        ("def f(*, beside=()): ...", "beside"),
        ("KEPT_SECONDS = 60", "KEPT_SECONDS"),
        ("self.heard = 0", "heard"),
        ("for kept in (): ...", "kept"),
        ("import x as usual", "usual"),
    ],
)
def test_an_everyday_verb_as_a_name_fails(tmp_path: Path, source: str, name: str) -> None:
    (tmp_path / "sample.py").write_text(source)
    result = gate(tmp_path)
    assert result.returncode == 1
    assert f"sample.py:1: {name}: " in result.stdout


def test_other_names_texts_and_uses_pass(tmp_path: Path) -> None:
    source = '"""Told by whose kept."""\ncached = other.kept  # usual\nWHOLE, unkept = "told", 1\n'
    (tmp_path / "sample.py").write_text(source)
    result = gate(tmp_path)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.heavy
def test_the_repository_passes() -> None:
    result = gate()
    assert result.returncode == 0, result.stdout
