"""Views of ads, and what else their authors see of them."""

from collections.abc import Sequence
from typing import NamedTuple

from adsvc.enums import AdStatus, PriceType
from adsvc.kit.db.statements import Statements
from adsvc.models.ads import SHOWN_SQL
from adsvc.repositories.ads.projection import VIEWS_OF_DAY, favorites_sql, talks_sql, views_sql


class Noted(NamedTuple):
    """Someone has seen an ad, or is the alias of an account that has."""

    # Since 1970.
    day: int
    ad_id: int
    # A hash that differs each day.
    visitor: int
    account: int | None
    is_alias: bool


NOTED = """
    SELECT date '1970-01-01' + day AS day, ad_id, visitor, account, is_alias
    FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[])
        AS noted (day, ad_id, visitor, account, is_alias)
"""
# In one order, as other transactions lock ads.
ADD_ROWS = f"""
    INSERT INTO ad_views (ad_id, day)
    SELECT DISTINCT ads.id, day FROM ({NOTED}) AS noted JOIN ads ON ads.id = ad_id
    WHERE account IS DISTINCT FROM author_id ORDER BY 1, 2
    ON CONFLICT DO NOTHING
"""
# Processes that see the same visitor count it once: of two updates at once the second one sees what
# the first has written.
ADD_VISITORS = f"""
    WITH added AS (
        SELECT ads.id, day,
            coalesce(array_agg(visitor) FILTER (
                WHERE NOT is_alias AND account IS DISTINCT FROM author_id
            ), '{{}}') AS visitors,
            coalesce(array_agg(visitor) FILTER (WHERE is_alias), '{{}}') AS aliases
        FROM ({NOTED}) AS noted JOIN ads ON ads.id = ad_id GROUP BY ads.id, day
    ), locked AS MATERIALIZED (
        SELECT added.* FROM added JOIN ad_views ON ad_id = added.id AND ad_views.day = added.day
        ORDER BY added.id, added.day FOR NO KEY UPDATE OF ad_views
    )
    UPDATE ad_views SET aliases = ARRAY(SELECT DISTINCT unnest(ad_views.aliases || locked.aliases)),
        visitors = ARRAY(
            SELECT unnest(ad_views.visitors || locked.visitors)
            EXCEPT SELECT unnest(ad_views.aliases || locked.aliases)
        )
    FROM locked WHERE ad_views.ad_id = locked.id AND ad_views.day = locked.day
"""
# Visitors are forgotten when their day is over and all processes have written; their number stays.
# Of days that no curve shows the sum stays, under one day.
CURVE_DAYS = 30
LONG_AGO = "date '1970-01-01'"
FORGET_VISITORS = """
    UPDATE ad_views SET views = views + cardinality(visitors), visitors = '{}', aliases = '{}'
    WHERE (ad_id, day) IN (
        SELECT ad_id, day FROM ad_views
        WHERE day < (now() AT TIME ZONE 'UTC' - interval '10 minutes')::date
            AND aliases || visitors <> '{}'
        ORDER BY ad_id, day LIMIT 1000
    ) RETURNING TRUE
"""
ADD_UP = f"""
    WITH old AS (
        DELETE FROM ad_views WHERE (ad_id, day) IN (
            SELECT ad_id, day FROM ad_views
            WHERE day < (now() AT TIME ZONE 'UTC')::date - {CURVE_DAYS} AND day > {LONG_AGO}
                AND visitors = '{{}}'
            ORDER BY ad_id, day LIMIT 1000
        ) RETURNING ad_id, views
    ), summed AS (
        INSERT INTO ad_views AS known (ad_id, day, views)
        SELECT ad_id, {LONG_AGO}, sum(views) FROM old GROUP BY ad_id ORDER BY ad_id
        ON CONFLICT (ad_id, day) DO UPDATE SET views = known.views + excluded.views
    )
    SELECT TRUE FROM old
"""
# Ads of the category with a word of the title in common; of the newest so many.
LOOKED_AT = 1000
FEWEST_SIMILAR = 5
SIMILAR_DAYS = 90
SELECT_STATS = f"""
    SELECT {views_sql("source.id")} AS views, {favorites_sql("source.id")} AS saves,
        {talks_sql("source.id")} AS conversations, (
            SELECT json_agg(json_build_object(
                'date', date::date, 'views', coalesce({VIEWS_OF_DAY}, 0)
            ) ORDER BY date)
            FROM generate_series(
                (now() AT TIME ZONE 'UTC')::date - {CURVE_DAYS - 1},
                (now() AT TIME ZONE 'UTC')::date, interval '1 day'
            ) AS date LEFT JOIN ad_views ON ad_views.ad_id = source.id AND day = date::date
        ) AS days, (
            SELECT CASE WHEN count(*) >= {FEWEST_SIMILAR} THEN json_build_object(
                'low', percentile_disc(0.25) WITHIN GROUP (ORDER BY price),
                'median', percentile_disc(0.5) WITHIN GROUP (ORDER BY price),
                'high', percentile_disc(0.75) WITHIN GROUP (ORDER BY price), 'count', count(*)
            ) END
            FROM (
                SELECT * FROM ads WHERE category_id = source.category_id
                ORDER BY id DESC LIMIT {LOOKED_AT}
            ) AS ads
            WHERE ads.id <> source.id
                AND price_type IN ('{PriceType.FIXED}', '{PriceType.NEGOTIABLE}')
                AND (status IN ({SHOWN_SQL}) OR status = '{AdStatus.SOLD}'
                    AND sold_at > now() - interval '{SIMILAR_DAYS} days')
                AND tsvector_to_array(ad_words(title)) && source.words
        ) AS "similarPrice"
    FROM (
        SELECT id, category_id, tsvector_to_array(ad_words(title)) AS words
        FROM ads WHERE id = $1
    ) AS source
"""


async def add(db: Statements, noted: Sequence[Noted]) -> None:
    columns = [list(column) for column in zip(*noted, strict=True)]
    await db.fetch(ADD_ROWS, *columns)
    await db.fetch(ADD_VISITORS, *columns)


async def stats(db: Statements, ad_id: int) -> str | None:
    """`schemas.ads.AdStats` in JSON; None if the ad was deleted."""
    sql = f"SELECT row_to_json(stats)::text AS record FROM ({SELECT_STATS}) AS stats"
    row = await db.fetchrow(sql, ad_id)
    return None if row is None else row["record"]


async def forget_visitors(db: Statements) -> int:
    """Of days that are over, and adds old days up; returns how many rows, at most 2000."""
    return len(await db.fetch(FORGET_VISITORS)) + len(await db.fetch(ADD_UP))
