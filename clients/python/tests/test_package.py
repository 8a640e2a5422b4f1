"""What the package promises: types, names, its version, its README."""

import inspect
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import adsvc_client
from conftest import REPOSITORY

PACKAGE = Path(__file__).parents[1]
GENERATED = PACKAGE / "src/adsvc_client/_generated"
UGLY = re.compile(r"\bVALUE_\d|\bBody_|\b[aA]ny_?[oO]f")

FORGOTTEN = """
from adsvc_client import AdsvcClient

AdsvcClient().create_ad(price=150, description="Solid oak.", images=["photo.jpg"])
AdsvcClient().create_ad(title="A table", price=150, description="Solid oak.", images=["photo.jpg"])
"""


def test_a_forgotten_title_is_refused_by_mypy(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FORGOTTEN)
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    (fault,) = [line for line in said.stdout.splitlines() if "error:" in line]
    assert fault.startswith('program.py:4: error: Missing named argument "title"')


OPEN_VALUES = """
from typing import assert_never
from adsvc_client.models import Ad

def handle(ad: Ad) -> None:
    match ad.status:
        case "active":
            pass
        case _:
            assert_never(ad.status)
"""


def test_enumerations_of_answers_are_open(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(OPEN_VALUES)
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "program.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    (fault,) = [line for line in said.stdout.splitlines() if "error:" in line]
    assert "program.py:10" in fault
    assert 'expected "Never"' in fault


def test_the_readme_begins_with_a_program_that_runs(
    service: str, photo: Path, tmp_path: Path
) -> None:
    readme = (PACKAGE / "README.md").read_text()
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert found is not None
    program = found[1].replace("http://127.0.0.1:8080", service)
    assert program != found[1]
    (tmp_path / "photo.jpg").write_bytes(photo.read_bytes())
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.endswith("Oak table, seats six 120\n")


def test_names_are_those_of_the_interface() -> None:
    for path in GENERATED.rglob("*.py"):
        assert UGLY.search(path.read_text()) is None, path
        assert UGLY.search(path.stem) is None, path


def test_every_operation_is_a_method_of_both_clients() -> None:
    document = json.loads((REPOSITORY / "openapi.json").read_bytes())
    for item in document["paths"].values():
        for method, operation in item.items():
            if method != "parameters":
                name = re.sub("([A-Z])", r"_\1", operation["operationId"]).lower()
                # Streams are followed by iterators.
                name = name.removeprefix("stream_")
                assert hasattr(adsvc_client.AdsvcClient, name), name
                assert hasattr(adsvc_client.AsyncAdsvcClient, name), name


def test_the_readme_names_each_iterator_over_pages() -> None:
    readme = (PACKAGE / "README.md").read_text()
    methods = inspect.getmembers(adsvc_client.AdsvcClient, inspect.isgeneratorfunction)
    assert len(methods) >= 6
    for name, _ in methods:
        assert name.startswith("_") or f"`{name}`" in readme, name


def test_records_are_imported_as_from_any_package(tmp_path: Path) -> None:
    program = """
from adsvc_client import models
from adsvc_client.models import Ad, AdStatus

def status(ad: Ad) -> AdStatus:
    return ad.status

assert models.Ad is Ad
"""
    (tmp_path / "program.py").write_text(program)
    for command in ([], ["-m", "mypy", "--strict"]):
        subprocess.run([sys.executable, *command, "program.py"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_published(kind: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(tmp_path)]
    subprocess.run(command, cwd=PACKAGE, check=True, capture_output=True)
    (built,) = tmp_path.iterdir()
    document = json.loads((REPOSITORY / "openapi.json").read_bytes())
    assert document["info"]["version"].replace("-dev", ".dev0") == adsvc_client.__version__
    assert built.name.startswith(f"adsvc_client-{adsvc_client.__version__}")
    if kind == "wheel":
        names = zipfile.ZipFile(built).namelist()
        assert "adsvc_client/py.typed" in names
        assert any(name.endswith("licenses/LICENSE") for name in names)
        # Not the generator, nor the tests.
        tops = {name.partition("/")[0] for name in names}
        assert tops == {"adsvc_client", f"adsvc_client-{adsvc_client.__version__}.dist-info"}
        assert not any("generator" in name or "/tests/" in name for name in names)
