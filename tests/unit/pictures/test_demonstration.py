"""Demonstration data: the same for the same numbers, and each ad with pictures of its thing."""

import asyncio
import io
from typing import cast

import asyncpg
import pytest
from PIL import Image
from sqlalchemy.engine import URL

from adsvc.enums import PriceType
from adsvc.kit.db.database import Database
from adsvc.services.categories.rules import Rules
from adsvc_ops.cli.categories import categories_in
from adsvc_ops.seeding.bulk import BulkRepository
from adsvc_ops.seeding.catalogue import CATALOGUE, FRESH, GOODS, scene_of
from adsvc_ops.seeding.pictures import (
    ADS_PER_THING,
    FEWEST_OF_MANY,
    FEWEST_THINGS,
    SIZE,
    drawn,
    most_things,
    scenes,
)
from adsvc_ops.seeding.rows import LeafCategory, rows


@pytest.mark.heavy
def test_every_scene_is_drawn_from_several_sides() -> None:
    for scene in scenes():
        pictures = drawn(scene, 1)
        assert len({picture.jpeg for picture in pictures}) == len(pictures) > 1, scene
        for picture in pictures:
            image = Image.open(io.BytesIO(picture.jpeg))
            assert image.size == picture.size == SIZE, scene
            # Light, texture and depth have many tones.
            assert len(set(image.convert("L").tobytes())) > 150, scene


@pytest.mark.long
@pytest.mark.heavy
def test_things_of_a_scene_differ_and_are_the_same_for_the_same_number() -> None:
    assert drawn("room", 3) == drawn("room", 3)
    for scene, paths in scenes().items():
        assert len(paths) > 1, scene
        things = {drawn(scene, number)[0].jpeg for number in range(2 * len(paths))}
        assert len(things) == 2 * len(paths), scene


def test_illustrations_are_small() -> None:
    sizes = [path.stat().st_size for paths in scenes().values() for path in paths]
    assert 60 <= len(sizes) <= 80
    assert max(sizes) <= 40 * 1024


@pytest.mark.heavy
def test_every_category_of_the_starter_tree_has_a_scene() -> None:
    tree = {category.slug: category.parent for category in categories_in(None)}
    for slug, goods in GOODS.items():
        root = slug
        while (above := tree[root]) is not None:
            root = above
        for thing in goods.things or ("",):
            assert scene_of(slug, root, thing) in scenes(), (slug, thing)


def test_a_picture_is_that_of_its_thing() -> None:
    assert scene_of("furniture", "home", "oak table") == "table"
    assert scene_of("furniture", "home", "sofa") == "sofa"
    assert scene_of("cars", "vehicles", "") == "car"
    assert scene_of("bicycles", "vehicles", "city bicycle") == "bicycle"
    assert scene_of("lessons", "services", "piano lessons") == "piano"
    assert scene_of("jobs-offered", "jobs", "nurse") == "desk"


@pytest.mark.heavy
def test_no_ad_contradicts_itself() -> None:
    made = {category.slug: category for category in categories_in(None)}
    above = {category.parent for category in made.values()}
    leaves = []
    for number, slug in enumerate(slug for slug in made if slug not in above):
        path = [made[slug]]
        while path[0].parent is not None:
            path.insert(0, made[path[0].parent])
        attributes = [one for category in path for one in category.attributes or ()]
        leaves.append(LeafCategory(number, slug, path[0].slug, attributes, cast("Rules", None)))
    for row in rows(2000, leaves):
        text = f"{row.title}. {row.description.removeprefix(row.title)}"
        if row.leaf.root != "vehicles" or row.leaf.slug == "vehicle-parts":
            assert "all papers" not in text.lower(), text
        negotiable = row.price_type is PriceType.NEGOTIABLE
        assert text.lower().count("price negotiable") <= negotiable, text
        if row.price_type is PriceType.FREE:
            assert not any(word in text for word in ("sale", "Cash", "By owner")), text
        if row.attributes.get("condition") in FRESH:
            assert "some traces" not in text, text
            assert not row.title.startswith(tuple(CATALOGUE["qualities"]["old"])), text


def test_as_many_things_are_drawn_as_file_systems_allow_links() -> None:
    cars = LeafCategory(1, "cars", "vehicles", [], cast("Rules", None))
    furniture = LeafCategory(2, "furniture", "home", [], cast("Rules", None))
    assert most_things([], 0) == {}
    assert most_things([cars], 10) == {"car": FEWEST_THINGS}
    assert most_things([cars], 10 * ADS_PER_THING) == {"car": 10}
    both = most_things([cars, furniture], 10 * ADS_PER_THING)
    assert both["car"] == 5
    assert both["sofa"] == both["shelf"] == FEWEST_OF_MANY


@pytest.mark.heavy
async def test_a_bulk_statement_may_take_longer_than_one_of_a_request(database_url: URL) -> None:
    database = Database(database_url, timeout=0.2)
    other = await asyncpg.connect(database_url.set(drivername="postgresql").render_as_string())
    try:
        async with database.autocommit() as session, asyncio.timeout(20):
            await other.execute("BEGIN; LOCK ads")
            analysis = asyncio.create_task(BulkRepository(session).analyze("ads"))
            await other.execute("SELECT pg_sleep(0.5)")
            await other.execute("COMMIT")
            await analysis
    finally:
        await other.close()
        await database.close()
