"""Comments: pages, and changes of one statement each."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from asyncpg import ForeignKeyViolationError

from adsvc.kit.db.statements import BEYOND_ALL, PAGE_BYTES, Row, Statements
from adsvc.kit.records import Expected
from adsvc.repositories.accounts.callers import (
    SELECT_CALLER,
    AccessCheck,
    Caller,
    access_check_of,
    is_author_or_admin_sql,
)
from adsvc.repositories.ads.projection import hidden, is_seen, version_sql
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail
from adsvc.repositories.conversations import blocked_sql
from adsvc.schemas.base import IMAGE_PATH


class Missing(Enum):
    """What a new comment lacks, by the constraint that says so."""

    AD = "fk_comments_ad_id_ads"
    AUTHOR = "fk_comments_author_id_users"


OF_AUTHOR = """(
    SELECT id, ad_id, text, created_at, updated_at, '{status}' AS status FROM {table}
    WHERE author_id = $1 AND id > $2 ORDER BY id LIMIT $3
)"""
EXPORTED_COMMENTS = f"""
    {OF_AUTHOR.format(table="comments", status="shown")}
    UNION ALL
    {OF_AUTHOR.format(table="removed_comments", status="removed")}
    ORDER BY id LIMIT $3
"""


async def written_by(db: Statements, author_id: int, limit: int, *, after: int) -> Sequence[Row]:
    """The author's comments with an id above `after`, oldest first, removed ones too."""
    return await db.fetch(EXPORTED_COMMENTS, author_id, after, limit)


# Rows are `schemas.comments.Comment`. Page and count are from the same moment.
SELECT_PAGE = f"""
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


@dataclass(frozen=True, slots=True)
class CommentPage:
    # Each comment as JSON.
    records: Sequence[str]
    # The id of the last one, if more follow.
    last_id: int | None
    # How many comments the ad has in total.
    total: int


async def page(db: Statements, ad_id: int, limit: int, *, before: int | None = None) -> CommentPage:
    """Comments with an id below `before`, newest first."""
    # One more row than the page shows whether another page follows.
    values = (ad_id, BEYOND_ALL if before is None else before, limit + 1)
    [found] = await db.fetch(SELECT_PAGE, *values, keep_plan=True)
    records, ids = found["records"] or (), found["ids"] or ()
    shown = min(limit, len(ids))
    last_id = ids[shown - 1] if found["found"] > shown else None
    return CommentPage(records[:limit], last_id, found["total"])


HIDDEN = hidden("found")
# Whether a block keeps the row `caller` from writing about the ad `found`.
IS_BLOCKED = f"caller.role <> 'ADMIN' AND {blocked_sql('caller.id', 'found.author_id')}"
# Parameters: the caller's account and session, the ad.
ACCESS_CHECK = f"""
    SELECT found.author_id AS owner_id, TRUE AS may_change, {HIDDEN}, {IS_BLOCKED} AS blocked
    FROM ({SELECT_CALLER}) AS caller LEFT JOIN ads AS found ON found.id = $3
"""
MAY_CHANGE = is_author_or_admin_sql("written")
# The author of the ad, too.
MAY_DELETE = (
    f"({MAY_CHANGE} OR caller.id = (SELECT ads.author_id FROM ads WHERE ads.id = written.ad_id))"
)
# What an access check of a comment also needs: parameter 4 is its id.
OF_COMMENT = f"""
    SELECT found.author_id AS owner_id, {MAY_CHANGE} AS may_change,
        {MAY_CHANGE} OR caller.id = found.author_id AS may_delete, {IS_BLOCKED} AS blocked,
        {HIDDEN},
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


INSERT_COMMENT = f"""
    WITH caller AS ({SELECT_CALLER}), made AS (
        INSERT INTO comments (ad_id, author_id, text)
        SELECT found.id, caller.id, $4::text
        FROM caller JOIN ads AS found ON found.id = $3 AND {is_seen("found")}
            AND NOT ({IS_BLOCKED})
        RETURNING id, author_id, created_at, text
    ), written AS MATERIALIZED (
        SELECT {record_sql("made")}::text AS record FROM made
    )
    SELECT found.author_id AS owner_id, TRUE AS may_change, {HIDDEN}, {IS_BLOCKED} AS blocked,
        (SELECT record FROM written), (SELECT {version_sql("record")} FROM written) AS version
    FROM caller LEFT JOIN ads AS found ON found.id = $3
"""

SELECT_COMMENT = f"""
    {OF_COMMENT}, {record_sql("written")}::text AS record
    FROM ({SELECT_CALLER}) AS caller {FROM_COMMENT}
"""


@lru_cache
def _change_sql(change: str, *, expected: int | None) -> str:
    """Parameters: caller's account and session, ad, comment, trail, values of the change.

    `expected` is the number of the parameter with the versions that the comment may have.
    """
    as_expected = (
        f"AND {version_sql(record_sql('written'))} = ANY(${expected}::text[])" if expected else ""
    )
    where = f"written.id = $4 AND written.ad_id = $3 {as_expected}"
    return f"""
        WITH caller AS ({SELECT_CALLER}), changed AS (
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


UPDATE_COMMENT = """
    UPDATE comments AS written SET text = $8::text, updated_at = now() FROM caller
    JOIN ads AS found ON found.id = $3 WHERE {where} AND {may_change} AND NOT ({is_blocked})
""".replace("{may_change}", MAY_CHANGE).replace("{is_blocked}", IS_BLOCKED)
DELETE_COMMENT = (
    "DELETE FROM comments AS written USING caller WHERE {where} AND {may_delete}".replace(
        "{may_delete}", MAY_DELETE
    )
)


@dataclass(frozen=True, slots=True)
class CommentOutcome:
    access: AccessCheck
    # The account that wrote the comment; None if there is no comment.
    writer_id: int | None = None
    is_own: bool = False
    may_delete: bool = False
    # The comment as JSON, as it is now or was before its deletion; None if it was neither read nor
    # changed.
    record: str | None = None


async def check_access(db: Statements, caller: Caller, ad_id: int) -> AccessCheck:
    """The access check of `create`."""
    row = await db.fetchrow(ACCESS_CHECK, caller.user_id, caller.session_id, ad_id, keep_plan=True)
    return access_check_of(row)


async def create(db: Statements, caller: Caller, ad_id: int, text: str) -> CommentOutcome | Missing:
    """The comment; or `Missing` if its ad or its author was deleted meanwhile."""
    try:
        row = await db.fetchrow(INSERT_COMMENT, caller.user_id, caller.session_id, ad_id, text)
    except ForeignKeyViolationError as error:
        return Missing(error.constraint_name)
    if row is None:
        return CommentOutcome(access_check_of(row))
    return CommentOutcome(access_check_of(row), record=row["record"])


async def read(db: Statements, caller: Caller, ad_id: int, comment_id: int) -> CommentOutcome:
    """The comment, with the access check of a change."""
    row = await db.fetchrow(
        SELECT_COMMENT, caller.user_id, caller.session_id, ad_id, comment_id, keep_plan=True
    )
    return _outcome(row)


# A comment: its ad, and its own id.
CommentKey = tuple[int, int]


async def update(
    db: Statements, caller: Caller, key: CommentKey, text: str, trail: Trail, expected: Expected
) -> CommentOutcome:
    """Changes the comment. One of another account is also written to the audit trail."""
    return await _change(db, UPDATE_COMMENT, caller, (*key, *trail, text), expected)


async def delete(
    db: Statements, caller: Caller, key: CommentKey, trail: Trail, expected: Expected
) -> CommentOutcome:
    """As `update`."""
    return await _change(db, DELETE_COMMENT, caller, (*key, *trail), expected)


async def _change(
    db: Statements, change: str, caller: Caller, values: tuple[object, ...], expected: Expected
) -> CommentOutcome:
    number = None
    if expected.versions is not None:
        values = (*values, expected.versions)
        number = len(values) + 2
    sql = _change_sql(change, expected=number)
    row = await db.fetchrow(sql, caller.user_id, caller.session_id, *values)
    return _outcome(row)


def _outcome(row: Row | None) -> CommentOutcome:
    access = access_check_of(row)
    if row is None:
        return CommentOutcome(access)
    is_own = bool(row["is_own"])
    may_delete = bool(row["may_delete"])
    return CommentOutcome(access, row["writer_id"], is_own, may_delete, row["record"])
