"""Many ads, inserted into the database at once, and walks through their listings."""

import json
from collections.abc import Sequence
from typing import Any

import httpx2
from sqlalchemy import text

from adsvc.invalidation import InvalidationKind
from adsvc.kit.invalidation import Invalidation
from adsvc.repositories.ads.search import planner
from support.scene.api import Api, Person

INSERT = """
    INSERT INTO ads (
        author_id, title, description, price, price_type, image, created_at, updated_at
    )
    SELECT author, title, coalesce(description, 'Nothing more to say.'), coalesce(price, 1),
           coalesce(price_type, 'fixed'), md5(n::text || title) || '.jpg', moment, moment
    FROM ROWS FROM (
             json_to_recordset(CAST(:rows AS json))
             AS (
                 author bigint, title text, description text, price int, price_type text,
                 created bigint
             )
         ) WITH ORDINALITY
         AS row (author, title, description, price, price_type, created, n),
         LATERAL (SELECT coalesce(to_timestamp(created / 1000.0), now()) AS moment) AS at
    ORDER BY n RETURNING id
"""


async def insert_ads(api: Api, author: int, rows: Sequence[dict[str, Any]]) -> list[int]:
    """The ids, in that order. `created` is in milliseconds; only `title` has to be there."""
    values = [{"author": author, **row} for row in rows]
    async with api.state.database.autocommit() as session:
        found = await session.scalars(text(INSERT), {"rows": json.dumps(values)})
        ids = sorted(found)
    announce_all(api)
    return ids


async def delete_ads(api: Api, ids: Sequence[int]) -> None:
    async with api.state.database.autocommit() as session:
        await session.execute(text("DELETE FROM ads WHERE id = ANY(:ids)"), {"ids": list(ids)})
    announce_all(api)


def announce_all(api: Api) -> None:
    """What was written past the application it would hear of only a moment later."""
    for kind in InvalidationKind:
        api.state.database.changes.apply(Invalidation(kind))


async def analyze(api: Api) -> None:
    """Has PostgreSQL count how common the words are, and the application look at it."""
    await api.sql("ANALYZE ads")
    # Kept for half a minute.
    planner._cached.clear()


STRICT = {"Prefer": "handling=strict"}


async def listed(
    client: httpx2.AsyncClient | Person,
    path: str = "/ads",
    headers: dict[str, str] | None = None,
    /,
    **query: str | int,
) -> dict[str, Any]:
    """What the path answers. With `STRICT`, a search on which nothing matches is not relaxed."""
    # Empty parameters would take the place of those in the path.
    answer = await client.get(path, params=query or None, headers=headers or {})
    assert answer.status_code == 200, answer.text
    record: dict[str, Any] = answer.json()
    return record


async def ids_of(client: httpx2.AsyncClient | Person, /, **query: str | int) -> list[int]:
    return [ad["pk"] for ad in (await listed(client, **query))["results"]]


async def titles_of(client: httpx2.AsyncClient | Person, /, **query: str | int) -> list[str]:
    return [ad["title"] for ad in (await listed(client, **query))["results"]]


async def faulty_parameters(client: httpx2.AsyncClient, /, **query: str) -> list[str]:
    """Those that the refusal names."""
    answer = await client.get("/ads", params=query)
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return [fault["parameter"] for fault in answer.json()["errors"]]
