"""A new comment in one statement: the caller, the ad, the comment, the record."""

from dataclasses import dataclass

from asyncpg import ForeignKeyViolationError

from adsvc.db.read_pool import Reader, RowWriter
from adsvc.repositories.accounts.rights import (
    CALLER,
    Caller,
    Standing,
    is_author_or_admin,
    standing_of,
)
from adsvc.repositories.ads.visibility import current_status, visible
from adsvc.repositories.comments.rows import Missing
from adsvc.schemas.base import IMAGE_PATH

# Whoever sees an ad may comment on it.
SEEN = f"({visible('found')} OR {is_author_or_admin('found')})"
HIDDEN = f"CASE WHEN NOT {SEEN} THEN {current_status('found')} END AS hidden"
# Parameters: the caller's account and session, the ad.
STANDING = f"""
    SELECT found.author_id AS owner_id, TRUE AS may_change, {HIDDEN}
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
        SELECT found.id, caller.id, $4::text
        FROM caller JOIN ads AS found ON found.id = $3 AND {SEEN}
        RETURNING id, created_at, text
    )
    SELECT found.author_id AS owner_id, TRUE AS may_change, {HIDDEN}, (
        SELECT row_to_json(comment)::text FROM (SELECT {RECORD} FROM made) AS comment
    ) AS record
    FROM caller LEFT JOIN ads AS found ON found.id = $3
"""


@dataclass(frozen=True, slots=True)
class NewComment:
    standing: Standing
    # The status of an ad that the caller does not see.
    hidden: str | None = None
    # In JSON; None if there is none.
    record: str | None = None


class CommentChangeRepository:
    def __init__(self, reader: Reader, writer: RowWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def standing(self, caller: Caller, ad_id: int) -> NewComment:
        """What `create` would find, whatever the comment."""
        row = await self._reader.fetchrow(
            STANDING, caller.user_id, caller.session_id, ad_id, keep_plan=True
        )
        return NewComment(standing_of(row), row["hidden"] if row else None)

    async def create(self, caller: Caller, ad_id: int, text: str) -> NewComment | Missing:
        """Or what was deleted while the statement ran."""
        try:
            row = await self._writer.fetchrow(
                CREATE, caller.user_id, caller.session_id, ad_id, text
            )
        except ForeignKeyViolationError as error:
            return Missing(error.constraint_name)
        if row is None:
            return NewComment(standing_of(row))
        return NewComment(standing_of(row), row["hidden"], row["record"])
