"""`adsvc categories`, and the starter tree."""

import json
from pathlib import Path

import pytest

from adsvc.services.categories import changes
from adsvc_ops.cli.categories import LARGEST_FILE_BYTES
from conftest import Environment
from support.running.commands import adsvc, done, refused, run_here, sql

pytestmark = pytest.mark.heavy

ROOTS = ("vehicles", "property", "electronics", "home", "clothing", "jobs", "services")


def tree(environment: Environment) -> dict[str, list[str]]:
    lines = done("categories", "show", environment=environment).splitlines()
    return {line.split("\t")[0].strip(): line.split("\t")[1:] for line in lines}


def file_of(place: Path, content: str) -> str:
    path = place / "categories.yaml"
    path.write_text(content)
    return str(path)


@pytest.mark.long
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


@pytest.mark.long
def test_a_file_or_the_starter_tree_is_named(environment: Environment) -> None:
    for words in ([], ["some.yaml", "--starter"]):
        finished = adsvc("categories", "load", *words, environment=environment)
        assert finished.returncode == 2, words
        assert "--starter" in finished.stderr, words


async def test_ads_move_to_another_category_with_the_attributes_that_fit(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = file_of(
        tmp_path,
        """
        categories:
        - {slug: phones, name: Phones, attributes: [
            {name: brand, type: string}, {name: storage, type: integer},
            {name: dual, type: boolean}]}
        - {slug: tablets, name: Tablets, attributes: [
            {name: brand, type: string}, {name: storage, type: integer, maximum: 100}]}
        """,
    )
    done("categories", "load", own, environment=environment)
    done("seed", "--users", "1", "--ads", "25", "--all-shown", environment=environment)
    await sql(
        environment,
        "UPDATE ads SET category_id = (SELECT id FROM categories WHERE slug = 'phones'),"
        " attribute_words = 'Fairphone', attributes = jsonb_build_object("
        "'brand', 'Fairphone', 'dual', true, 'storage', CASE WHEN id % 2 = 0 THEN 64 ELSE 256 END)",
    )
    monkeypatch.setattr(changes, "ADS_AT_ONCE", 10)
    move = ("categories", "move", "phones", "tablets")
    planned = run_here(*move, "--dry-run", environment=environment)
    assert "Would move 25 ads." in planned.stderr
    assert tree(environment)["phones"][1] == "25"
    moved = run_here(*move, "--delete", environment=environment)
    assert "Moved 25 ads." in moved.stderr
    assert {slug: line[1] for slug, line in tree(environment).items()} == {"tablets": "25"}
    rows = await sql(
        environment,
        "SELECT id % 2, attributes::text, attribute_words, updated_at > created_at,"
        " search @@ to_tsquery('simple', 'fairphone') FROM ads",
    )
    assert {tuple(row) for row in rows} == {
        (0, '{"brand": "Fairphone", "storage": 64}', "Fairphone", True, True),
        (1, '{"brand": "Fairphone"}', "Fairphone", True, True),
    }
    kept = done("audit", "--event", "category_changed", environment=environment)
    assert "phones" in kept.splitlines()[0]


def test_what_cannot_be_moved_is_refused(environment: Environment, tmp_path: Path) -> None:
    own = file_of(
        tmp_path, "categories: [{slug: air, name: A}, {slug: jets, name: J, parent: air}]"
    )
    done("categories", "load", own, environment=environment)
    for names, said in (
        (("air", "nowhere"), "are two categories that exist"),
        (("nowhere", "air"), "are two categories that exist"),
        (("air", "air"), "are two categories that exist"),
        (("air", "jets", "--delete"), "air is not deleted: it has categories below it"),
    ):
        assert said in refused("categories", "move", *names, environment=environment)
