"""`adsvc categories`, and the starter tree."""

import json
from pathlib import Path

import pytest

from adsvc_ops.cli.categories import LARGEST_FILE_BYTES
from conftest import Environment
from support.running.commands import adsvc, done, refused

pytestmark = pytest.mark.heavy

ROOTS = ("vehicles", "property", "electronics", "home", "clothing", "jobs", "services")


def tree(environment: Environment) -> dict[str, list[str]]:
    lines = done("categories", "show", environment=environment).splitlines()
    return {line.split("\t")[0].strip(): line.split("\t")[1:] for line in lines}


def file_of(place: Path, content: str) -> str:
    path = place / "categories.yaml"
    path.write_text(content)
    return str(path)


def test_the_starter_tree_is_loaded_once_and_as_often_as_one_likes(
    environment: Environment,
) -> None:
    planned = adsvc("categories", "load", "--starter", "--dry-run", environment=environment)
    assert "added\tvehicles" in planned.stdout
    assert tree(environment) == {}
    told = adsvc("categories", "load", "--starter", environment=environment)
    assert told.stdout == planned.stdout
    # One line for all of them; the trail has each.
    assert told.stderr.count("category_changed") == 1
    kept = done("audit", "--event", "category_changed", environment=environment)
    assert len(kept.splitlines()) == len(told.stdout.splitlines())
    found = tree(environment)
    assert set(ROOTS) <= set(found)
    assert "mileage:integer" in found["cars"][2]
    again = adsvc("categories", "load", "--starter", environment=environment)
    assert (again.stdout, again.returncode) == ("", 0)
    assert "Changed 0 of" in again.stderr


def test_demonstration_ads_are_of_the_categories_that_there_are(
    environment: Environment, tmp_path: Path
) -> None:
    own = file_of(tmp_path, "categories: [{slug: boats, name: Boats}, {slug: air, name: Air}]")
    done("categories", "load", own, environment=environment)
    done("seed", "--users", "1", "--ads", "30", "--all-shown", environment=environment)
    found = tree(environment)
    assert set(found) == {"boats", "air"}
    assert sum(int(line[1]) for line in found.values()) == 30


def test_files_are_yaml_or_json(environment: Environment, tmp_path: Path) -> None:
    # Norway's language is no boolean, and a date no moment.
    text = "categories:\n- slug: boats\n  name: Boats\n  names: {no: Båter, de: 2026-01-01}\n"
    assert "added\tboats" in done(
        "categories", "load", file_of(tmp_path, text), environment=environment
    )
    record = {"slug": "boats", "name": "Boats", "names": {"no": "Båter", "de": "2026-01-01"}}
    same = file_of(tmp_path, json.dumps({"categories": [record]}))
    assert done("categories", "load", same, environment=environment) == ""


def test_bad_files_are_refused_as_a_whole_and_say_where(
    environment: Environment, tmp_path: Path
) -> None:
    bomb = "categories: [{slug: a, name: A, names: &a {de: x}}, {slug: b, name: B, names: *a}]"
    bad = {
        bomb: "line 1, column 79: aliases are not taken",
        "categories: [": "line 1",
        "[" * 5000: "no YAML that can be read",
        "- slug": "key categories",
        "categories: [{slug: a, slug: b, name: A}]": "twice",
        "categories: [{slug: fine, name: A}, {slug: B C, name: B}]": "categories/1/slug",
        "categories: [{slug: a, name: A, parent: nowhere}]": "categories/0/parent",
        "categories: [{slug: a, name: A, parent: a}]": "its own ancestor",
        "#" * (LARGEST_FILE_BYTES + 1): "larger than 2 MiB",
        "categories:\n- {slug: a, name: A, attributes: [{name: x, type: integer}]}\n"
        "- {slug: b, name: B, parent: a, attributes: [{name: x, type: integer}]}\n": (
            "categories/1/attributes/0/name: an ancestor defines it already"
        ),
    }
    for content, complaint in bad.items():
        file = file_of(tmp_path, content)
        said = refused("categories", "load", file, environment=environment)
        assert complaint in said, (content[:80], said)
    (tmp_path / "latin.yaml").write_bytes("categories: [] # Möbel".encode("latin-1"))
    said = refused("categories", "load", str(tmp_path / "latin.yaml"), environment=environment)
    assert "not UTF-8" in said
    said = refused("categories", "load", str(tmp_path / "none.yaml"), environment=environment)
    assert "cannot be read" in said
    assert tree(environment) == {}


def test_a_file_or_the_starter_tree_is_named(environment: Environment) -> None:
    for words in ([], ["some.yaml", "--starter"]):
        finished = adsvc("categories", "load", *words, environment=environment)
        assert finished.returncode == 2, words
        assert "--starter" in finished.stderr, words
