"""Ads that accounts keep."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, MOST_LARGE_RECORDS, Statements, page_of_records
from adsvc.models.following import Favorite
from adsvc.repositories.ads.projection import contacts_sql, favorites_sql
from adsvc.repositories.notifications import followed_ad

# Rows are `schemas.favorites.Favorite`.
RECORD = f"""
    SELECT kept.ad_id AS pk, (extract(epoch FROM kept.added_at) * 1000)::bigint AS "addedAt",
        kept.price AS "priceThen", {followed_ad("kept.ad_id")} AS ad
"""  # noqa: S608 - no input
# Parameter 4: only these ads; null for all.
CHOSEN = "user_id = $1 AND ($4::bigint[] IS NULL OR ad_id = ANY ($4))"
SELECT_PAGE = f"""
    WITH kept AS MATERIALIZED (
        SELECT * FROM favorites WHERE {CHOSEN} AND id < $2 ORDER BY id DESC LIMIT $3
    )
    SELECT array_agg(row_to_json(record)::text ORDER BY id DESC) AS records,
        array_agg(id ORDER BY id DESC) AS ids,
        (SELECT count(*) FROM favorites WHERE {CHOSEN}) AS total
    FROM kept CROSS JOIN LATERAL ({RECORD}) AS record
"""  # noqa: S608 - no input
# Rows are `schemas.favorites.ExportedFavorite`.
SELECT_EXPORT = """
    SELECT id, row_to_json(record)::text AS record
    FROM favorites CROSS JOIN LATERAL (
        SELECT ad_id AS pk, (extract(epoch FROM added_at) * 1000)::bigint AS "addedAt",
            price AS "priceThen"
    ) AS record
    WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
"""


COUNT_INTEREST = f"""
    SELECT id, {favorites_sql("id")} AS favorites, {contacts_sql("id")} AS contacts
    FROM unnest($1::bigint[]) AS wanted (id)
"""  # noqa: S608 - no input


@dataclass(frozen=True, slots=True)
class FavoritePage:
    # Each as JSON.
    records: Sequence[str]
    # The id of the last one, if more follow.
    last_id: int | None
    total: int


async def page(
    db: Statements, user_id: int, limit: int, *, ads: Sequence[int] | None, before: int | None
) -> FavoritePage:
    """An account's favorites with an id below `before`, newest first; only these ads.

    A page has at most `PAGE_BYTES`.
    """
    limit = min(limit, MOST_LARGE_RECORDS)
    # One more row than the page shows whether another page follows.
    values = (user_id, BEYOND_ALL if before is None else before, limit + 1, ads)
    [found] = await db.fetch(SELECT_PAGE, *values)
    return FavoritePage(*page_of_records(found["records"], found["ids"], limit), found["total"])


async def counts(db: Statements, ad_id: int) -> tuple[int, int]:
    """How many accounts keep the ad, and how many have read the phone number of its author."""
    row = await db.fetch_by_id(COUNT_INTEREST, ad_id)
    return (0, 0) if row is None else (row["favorites"], row["contacts"])


async def exported(
    db: Statements, user_id: int, limit: int, *, after: int
) -> Sequence[tuple[int, str]]:
    """Those with an id above `after`, oldest first: each one's id and JSON."""
    rows = await db.fetch(SELECT_EXPORT, user_id, after, limit, keep_plan=True)
    return [(row["id"], row["record"]) for row in rows]


async def has(db: DatabaseSession, user_id: int, ad_id: int) -> bool:
    query = select(Favorite.id).where(Favorite.user_id == user_id, Favorite.ad_id == ad_id)
    return await db.scalar(query) is not None


async def count(db: DatabaseSession, user_id: int) -> int:
    query = select(func.count()).select_from(Favorite).where(Favorite.user_id == user_id)
    return await db.scalar(query) or 0


async def add(db: DatabaseSession, user_id: int, ad_id: int, price: int) -> None:
    statement = insert(Favorite).values(user_id=user_id, ad_id=ad_id, price=price)
    await db.execute(statement)


async def delete_favorite(db: DatabaseSession, user_id: int, ad_id: int) -> bool:
    """Whether the account had it."""
    statement = delete(Favorite).where(Favorite.user_id == user_id, Favorite.ad_id == ad_id)
    return await db.scalar(statement.returning(Favorite.id)) is not None
