"""A small tree of categories with attributes of every type, and ads in it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text

from support.scene.api import Api
from support.scene.listings import announce_all


def enum(name: str, *options: str) -> dict[str, Any]:
    values = [{"value": option} for option in options]
    return {"name": name, "type": "enum", "options": values, "filterable": True}


def of_type(kind: str, name: str, *, filterable: bool = True) -> dict[str, Any]:
    return {"name": name, "type": kind, "filterable": filterable}


# By slug: the parent, and what each defines itself. One name has two types, in two branches.
TREE: Mapping[str, tuple[str | None, Sequence[dict[str, Any]]]] = {
    "vehicles": (None, [enum("fuel", "diesel", "petrol", "electric"), of_type("integer", "year")]),
    "cars": (
        "vehicles",
        [
            of_type("integer", "mileage"), of_type("boolean", "damaged"),
            of_type("date", "tested"), of_type("string", "model", filterable=False),
            of_type("integer", "keys", filterable=False),
        ],
    ),
    "bikes": ("vehicles", [of_type("number", "frame")]),
    "property": (None, [of_type("number", "area"), of_type("boolean", "balcony")]),
    "flats": ("property", [of_type("integer", "rooms")]),
    "fashion": (None, []),
    "clothes": ("fashion", [enum("size", "S", "M", "36", "it's: large")]),
    "shoes": ("fashion", [of_type("integer", "size")]),
}  # fmt: skip

INSERT_CATEGORY = """
    INSERT INTO categories (slug, parent_id, name, attributes)
    SELECT :slug, (SELECT id FROM categories WHERE slug = :parent), :slug, CAST(:own AS jsonb)
    RETURNING id
"""
INSERT_ADS = """
    INSERT INTO ads (
        author_id, title, description, price, price_type, image, created_at, updated_at,
        category_id, attributes, attribute_words,
        latitude, longitude, public_latitude, public_longitude
    )
    SELECT author, title, coalesce(description, 'Nothing more to say.'), coalesce(price, 1),
        coalesce(price_type, 'fixed'), md5(n::text || title) || '.jpg', moment, moment,
        categories.id, coalesce(ad.attributes, '{}'), coalesce(words, ''),
        point[1], point[2], point[1], point[2]
    FROM ROWS FROM (
        json_to_recordset(CAST(:rows AS json)) AS (
            author bigint, title text, description text, price int, price_type text,
            created bigint, category text, attributes jsonb, words text, point float[]
        )
    ) WITH ORDINALITY AS ad (
        author, title, description, price, price_type, created, category, attributes, words,
        point, n
    )
    LEFT JOIN categories ON slug = category,
    LATERAL (SELECT coalesce(to_timestamp(created / 1000.0), now()) AS moment) AS at
    ORDER BY n RETURNING id
"""


async def insert_tree(api: Api) -> None:
    async with api.state.database.autocommit() as session:
        for slug, (parent, own) in TREE.items():
            values = {"slug": slug, "parent": parent, "own": json.dumps(own)}
            await session.execute(text(INSERT_CATEGORY), values)
    announce_all(api)


async def insert_ads_of_tree(api: Api, author: int, rows: Sequence[dict[str, Any]]) -> list[int]:
    """The ids, in that order; only `title` has to be there."""
    values = [{"author": author, **row} for row in rows]
    async with api.state.database.autocommit() as session:
        found = await session.scalars(text(INSERT_ADS), {"rows": json.dumps(values)})
        ids = sorted(found)
    announce_all(api)
    return ids
