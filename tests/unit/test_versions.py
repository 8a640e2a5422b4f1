"""The version is the same in all files, and shipped files name a released one."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from adsvc import __version__

ROOT = Path(__file__).parents[2]
# Of manifests, and of kustomize, which names it once for all of them.
IMAGE = re.compile(r"registry\.example\.com/adsvc(?:-backup)?(?::|\n +newTag: )([^\s`'\"]+)")
RELEASE = re.compile(r"^## (?:\[)?(\d+\.\d+\.\d+)", re.MULTILINE)


def plain(version: str) -> tuple[str, bool]:
    """Between releases Python writes `0.3.0.dev0`, and other languages `0.3.0-dev`."""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)([.-]dev\d*)?", version)
    assert found is not None, version
    return found[1], found[2] is not None


def released() -> str:
    """The last version that has a heading of its own in the changelog."""
    return str(RELEASE.findall((ROOT / "CHANGELOG.md").read_text())[0])


def stated() -> Iterator[tuple[str, str]]:
    typescript = ROOT / "clients/typescript"
    yield "openapi.json", json.loads((ROOT / "openapi.json").read_text())["info"]["version"]
    yield "package.json", json.loads((typescript / "package.json").read_text())["version"]
    for path in (
        "clients/python/src/adsvc_client/_generated/version.py",
        "clients/typescript/src/generated/version.gen.ts",
    ):
        yield path, re.findall(r'(?i)version(?:__)? = "(\S+)"', (ROOT / path).read_text())[0]
    for name in ("pyproject.toml", "clients/python/pyproject.toml"):
        # It is read from the files above.
        assert "version" in tomllib.loads((ROOT / name).read_text())["project"]["dynamic"], name


def test_one_version_stands_everywhere() -> None:
    for where, version in stated():
        assert plain(version) == plain(__version__), where


def test_what_is_shipped_names_the_version_that_it_comes_with() -> None:
    """Manifests use commands and settings that the last release may not have."""
    last = released()
    version, is_coming = plain(__version__)
    assert version > last if is_coming else version == last
    assert (ROOT / f"docs/openapi/{last}.json").exists()
    places = [*(ROOT / "deploy").rglob("*"), *(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    images = [
        (path.name, tag)
        for path in places
        if path.is_file() and path.suffix != ".json"
        for tag in IMAGE.findall(path.read_text())
    ]
    assert len(images) >= 9
    assert [name for name, _ in images].count("kustomization.yaml") == 2
    for where, tag in images:
        assert tag == version, where
