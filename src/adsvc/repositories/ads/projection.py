"""An ad's members, and the SQL that makes each of them."""

from collections.abc import Sequence

from adsvc.schemas.base import IMAGE_PATH

COLUMNS = "id, author_id, image, price, title, created_at, updated_at"


def record_sql(page: str, key: Sequence[str]) -> str:
    """The rows of a page as records of the interface (`schemas.ads.Ad`) in JSON, with their keys.

    PostgreSQL writes JSON for less than it costs to hand over values of which to make it.
    """
    return f"""
        SELECT {", ".join(f"page.{column}" for column in key)}, row_to_json(ad)::text AS record
        FROM ({page}) AS page CROSS JOIN LATERAL (
            SELECT page.id AS pk, page.author_id AS author, '{IMAGE_PATH}' || page.image AS image,
                page.price, page.title,
                (extract(epoch FROM page.created_at) * 1000)::bigint AS "createdAt",
                (extract(epoch FROM page.updated_at) * 1000)::bigint AS "updatedAt"
        ) AS ad
    """
