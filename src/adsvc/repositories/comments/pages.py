"""Pages of comments as JSON: a thousand long ones must not hold up the event loop."""

from collections.abc import Sequence
from dataclasses import dataclass

from adsvc.db.read_pool import Reader
from adsvc.schemas.base import IMAGE_PATH

# Bytes of the texts on a page, after which it ends before its limit.
PAGE_BYTES = 128 * 1024

# In the shape of `schemas.comments.Comment`. Page and count tell of the same moment.
PAGE = f"""
    WITH page AS MATERIALIZED (
        SELECT id, author_id, created_at, text,
            sum(octet_length(text)) OVER (ORDER BY id DESC) - octet_length(text) AS before
        FROM (
            SELECT id, author_id, created_at, text FROM comments
            WHERE ad_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
        ) AS newest
    )
    SELECT array_agg(row_to_json(comment)::text ORDER BY pk DESC) AS records,
        array_agg(pk ORDER BY pk DESC) AS ids,
        (SELECT count(*) FROM page) AS found,
        coalesce((SELECT comments FROM ad_comment_totals WHERE ad_id = $1), 0) AS total
    FROM (
        SELECT page.id AS pk, author_id AS author, first_name AS "authorFirstName",
            '{IMAGE_PATH}' || image AS "authorImage",
            (extract(epoch FROM page.created_at) * 1000)::bigint AS "createdAt", text
        FROM page JOIN users ON users.id = author_id WHERE page.before <= {PAGE_BYTES}
    ) AS comment
"""

BEYOND_ALL = 2**63 - 1


@dataclass(frozen=True, slots=True)
class CommentPage:
    # Each comment as JSON.
    records: Sequence[str]
    # The id of the last one, if more follow.
    last_id: int | None
    # How many comments the ad has in all.
    total: int


class CommentPageRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def page(self, ad_id: int, limit: int, *, before: int | None = None) -> CommentPage:
        """Newest first, only comments with an id below `before`."""
        # One comment more than asked for tells whether there is another page.
        values = (ad_id, BEYOND_ALL if before is None else before, limit + 1)
        [found] = await self._reader.fetch(PAGE, *values, keep_plan=True)
        records, ids = found["records"] or (), found["ids"] or ()
        shown = min(limit, len(ids))
        last_id = ids[shown - 1] if found["found"] > shown else None
        return CommentPage(records[:limit], last_id, found["total"])
