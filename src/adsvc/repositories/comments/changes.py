"""A new comment in one statement: the caller, the ad, the comment, the record."""

from dataclasses import dataclass

from asyncpg import ForeignKeyViolationError

from adsvc.db.read_pool import Reader, Writer
from adsvc.repositories.comments.rows import Missing
from adsvc.repositories.rights import CALLER, Caller, Standing, standing_of
from adsvc.schemas.base import IMAGE_PATH

# Parameters: the caller's account and session, the ad. Everybody may comment.
STANDING = f"""
    SELECT found.author_id AS owner_id, TRUE AS may_change
    FROM ({CALLER}) AS caller LEFT JOIN ads AS found ON found.id = $3
"""

# As `schemas.comments.Comment`.
RECORD = f"""
    made.id AS pk, caller.id AS author, caller.first_name AS "authorFirstName",
    '{IMAGE_PATH}' || caller.image AS "authorImage",
    (extract(epoch FROM made.created_at) * 1000)::bigint AS "createdAt", made.text
"""

CREATE = f"""
    WITH caller AS ({CALLER}), made AS (
        INSERT INTO comments (ad_id, author_id, text)
        SELECT ads.id, caller.id, $4::text FROM caller JOIN ads ON ads.id = $3
        RETURNING id, created_at, text
    )
    SELECT found.author_id AS owner_id, TRUE AS may_change, (
        SELECT row_to_json(comment)::text FROM (SELECT {RECORD} FROM made) AS comment
    ) AS record
    FROM caller LEFT JOIN ads AS found ON found.id = $3
"""


@dataclass(frozen=True, slots=True)
class NewComment:
    standing: Standing
    # In JSON; None if there is none.
    record: str | None = None


class CommentChangeRepository:
    def __init__(self, reader: Reader, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer

    async def standing(self, caller: Caller, ad_id: int) -> Standing:
        row = await self._reader.fetchrow(
            STANDING, caller.user_id, caller.session_id, ad_id, keep_plan=True
        )
        return standing_of(row)

    async def create(self, caller: Caller, ad_id: int, text: str) -> NewComment | Missing:
        """Or what was deleted while the statement ran."""
        try:
            row = await self._writer.fetchrow(
                CREATE, caller.user_id, caller.session_id, ad_id, text
            )
        except ForeignKeyViolationError as error:
            return Missing(error.constraint_name)
        return NewComment(standing_of(row), row["record"] if row else None)
