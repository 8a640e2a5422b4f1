"""Comments in one statement each: the caller, the ad, the comment, the trail, the record."""

from dataclasses import dataclass
from functools import lru_cache

from asyncpg import ForeignKeyViolationError

from adsvc.db.read_pool import Reader, Record, RowWriter
from adsvc.repositories.accounts.rights import (
    CALLER,
    Caller,
    Standing,
    is_author_or_admin,
    standing_of,
)
from adsvc.repositories.ads.visibility import hidden, is_seen
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.repositories.comments.rows import Missing
from adsvc.repositories.versions import version_sql
from adsvc.schemas.base import IMAGE_PATH
from adsvc.versions import ANYTHING, Expected

HIDDEN = hidden("found")
# Parameters: the caller's account and session, the ad.
STANDING = f"""
    SELECT found.author_id AS owner_id, TRUE AS may_change, {HIDDEN}
    FROM ({CALLER}) AS caller LEFT JOIN ads AS found ON found.id = $3
"""
MAY_CHANGE = is_author_or_admin("written")
# What else is to be known of a comment: parameter 4 is its id.
OF_COMMENT = f"""
    SELECT found.author_id AS owner_id, {MAY_CHANGE} AS may_change, {HIDDEN},
        written.author_id AS writer_id, written.author_id = caller.id AS is_own
"""
FROM_COMMENT = """
    LEFT JOIN ads AS found ON found.id = $3
    LEFT JOIN comments AS written ON written.id = $4 AND written.ad_id = found.id
"""


def record_sql(comment: str) -> str:
    """The row of that name as `schemas.comments.Comment` in JSON."""
    return f"""(
        SELECT row_to_json(record) FROM (
            SELECT {comment}.id AS pk, writer.id AS author,
                writer.first_name AS "authorFirstName",
                '{IMAGE_PATH}' || writer.image AS "authorImage",
                (extract(epoch FROM {comment}.created_at) * 1000)::bigint AS "createdAt",
                {comment}.text
            FROM users AS writer WHERE writer.id = {comment}.author_id
        ) AS record
    )"""


CREATE = f"""
    WITH caller AS ({CALLER}), made AS (
        INSERT INTO comments (ad_id, author_id, text)
        SELECT found.id, caller.id, $4::text
        FROM caller JOIN ads AS found ON found.id = $3 AND {is_seen("found")}
        RETURNING id, author_id, created_at, text
    ), told AS MATERIALIZED (
        SELECT {record_sql("made")}::text AS record FROM made
    )
    SELECT found.author_id AS owner_id, TRUE AS may_change, {HIDDEN},
        (SELECT record FROM told), (SELECT {version_sql("record")} FROM told) AS version
    FROM caller LEFT JOIN ads AS found ON found.id = $3
"""

READ = f"""
    {OF_COMMENT}, {record_sql("written")}::text AS record
    FROM ({CALLER}) AS caller {FROM_COMMENT}
"""


@lru_cache
def _change_sql(change: str, *, expected: int | None) -> str:
    """Parameters: caller's account and session, ad, comment, trail, what the change needs.

    `expected` is the number of the one with the versions that the comment may have.
    """
    as_expected = (
        f"AND {version_sql(record_sql('written'))} = ANY(${expected}::text[])" if expected else ""
    )
    where = f"written.id = $4 AND written.ad_id = $3 AND {MAY_CHANGE} {as_expected}"
    return f"""
        WITH caller AS ({CALLER}), changed AS (
            {change.format(where=where)}
            RETURNING written.id, written.ad_id, written.author_id, written.created_at,
                written.text
        ), trail AS (
            INSERT INTO audit_events ({TRAIL_COLUMNS})
            SELECT $5::text, caller.id::text, changed.id::text, changed.ad_id, changed.author_id,
                $6::text, $7::text
            FROM changed JOIN caller ON caller.id <> changed.author_id
        )
        {OF_COMMENT}, (SELECT {record_sql("changed")}::text FROM changed) AS record
        FROM caller {FROM_COMMENT}
    """


UPDATE = """
    UPDATE comments AS written SET text = $8::text, updated_at = now() FROM caller WHERE {where}
"""
DELETE = "DELETE FROM comments AS written USING caller WHERE {where}"


@dataclass(frozen=True, slots=True)
class CommentOutcome:
    standing: Standing
    # Who wrote the comment; None if there is none.
    writer_id: int | None = None
    is_own: bool = False
    # The comment in JSON, as it is now or was until it was deleted; None if there was none to be
    # read or changed.
    record: str | None = None


class CommentChangeRepository:
    def __init__(self, reader: Reader, writer: RowWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def standing(self, caller: Caller, ad_id: int) -> Standing:
        """What `create` would find, whatever the comment."""
        row = await self._reader.fetchrow(
            STANDING, caller.user_id, caller.session_id, ad_id, keep_plan=True
        )
        return standing_of(row)

    async def create(self, caller: Caller, ad_id: int, text: str) -> CommentOutcome | Missing:
        """The comment, or what of its ad and its author was deleted while the statement ran."""
        try:
            row = await self._writer.fetchrow(
                CREATE, caller.user_id, caller.session_id, ad_id, text
            )
        except ForeignKeyViolationError as error:
            return Missing(error.constraint_name)
        if row is None:
            return CommentOutcome(standing_of(row))
        return CommentOutcome(standing_of(row), record=row["record"])

    async def read(self, caller: Caller, ad_id: int, comment_id: int) -> CommentOutcome:
        """The comment, and what a change of it would find."""
        row = await self._reader.fetchrow(
            READ, caller.user_id, caller.session_id, ad_id, comment_id, keep_plan=True
        )
        return _outcome(row)

    async def update(
        self, caller: Caller, ad_id: int, comment_id: int, text: str, trail: Trail,
        *, expected: Expected = ANYTHING,
    ) -> CommentOutcome:  # fmt: skip
        """A change of somebody else's comment is written into the trail along with it."""
        return await self._change(UPDATE, caller, (ad_id, comment_id, *trail, text), expected)

    async def delete(
        self, caller: Caller, ad_id: int, comment_id: int, trail: Trail,
        *, expected: Expected = ANYTHING,
    ) -> CommentOutcome:  # fmt: skip
        """As `update`."""
        return await self._change(DELETE, caller, (ad_id, comment_id, *trail), expected)

    async def _change(
        self, change: str, caller: Caller, values: tuple[object, ...], expected: Expected
    ) -> CommentOutcome:
        number = None
        if expected.versions is not None:
            values = (*values, expected.versions)
            number = len(values) + 2
        sql = _change_sql(change, expected=number)
        row = await self._writer.fetchrow(sql, caller.user_id, caller.session_id, *values)
        return _outcome(row)


def _outcome(row: Record | None) -> CommentOutcome:
    standing = standing_of(row)
    if row is None:
        return CommentOutcome(standing)
    is_own = bool(row["is_own"])
    return CommentOutcome(standing, row["writer_id"], is_own, row["record"])
