"""Cases: their queue and details, the reports that open them, and their retention."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy.exc import IntegrityError

from adsvc.enums import CaseKind, CaseStatus, DecisionAction
from adsvc.errors import AdNotFoundError
from adsvc.kit.db.faults import violated_constraint
from adsvc.kit.db.statements import Paged, Row, Statements, paged
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.accounts.users import ACCOUNT_STATUS
from adsvc.repositories.ads.projection import current_status
from adsvc.repositories.conversation_changes import message_content
from adsvc.repositories.moderation.decisions import APPEAL_DAYS
from adsvc.schemas.base import IMAGE_PATH

CATEGORY = "(SELECT slug FROM categories WHERE categories.id = {}.category_id)"

# The files are deleted with the ad; their digests allow comparisons later.
PICTURES = f"""(
    SELECT coalesce(jsonb_agg(
        jsonb_build_object('image', '{IMAGE_PATH}' || name, 'digest', encode(digest, 'hex'))
        ORDER BY position
    ), '[]') FROM ad_images WHERE ad_id = {{}}.id
)"""


def ad_content(ads: str) -> str:
    """The content of the ad of that name, as JSON."""
    return f"""jsonb_build_object(
        'title', {ads}.title, 'description', {ads}.description, 'price', {ads}.price,
        'priceType', {ads}.price_type, 'category', {CATEGORY.format(ads)},
        'attributes', {ads}.attributes, 'place', {ads}.place, 'images', {PICTURES.format(ads)}
    )"""


def comment_content(comments: str) -> str:
    return f"jsonb_build_object('text', {comments}.text)"


def rating_content(ratings: str) -> str:
    return f"jsonb_build_object('text', {ratings}.text, 'stars', {ratings}.stars)"


# The content of a thing now, and its status if it is an ad. Parameters: its kind and its id.
SELECT_CONTENT = f"""
    SELECT {ad_content("ads")} || jsonb_build_object('status', {current_status()}) AS content
    FROM ads WHERE $1::text = 'ad' AND id = $2
    UNION ALL
    SELECT {comment_content("comments")} FROM comments WHERE $1::text = 'comment' AND id = $2
    UNION ALL
    SELECT jsonb_build_object('text', text) FROM messages
    WHERE $1::text = 'message' AND id = $2 AND NOT removed
    UNION ALL
    SELECT {rating_content("ratings")} FROM ratings
    WHERE $1::text = 'rating' AND id = $2 AND NOT removed
"""


# The text of the appeal that waits for a decision.
APPEAL = """(
    SELECT appeal FROM decisions
    WHERE decisions.case_id = cases.id AND appealed_at IS NOT NULL AND ended_at IS NULL
    ORDER BY id DESC LIMIT 1
) AS appeal"""
# Enough for a decision, however many there are.
MOST_REPORTS = 1000
# The most frequent first, then the earliest.
REASONS = f"""ARRAY(
    SELECT reason FROM (
        SELECT id, reason FROM reports WHERE case_id = cases.id LIMIT {MOST_REPORTS}
    ) AS given GROUP BY reason ORDER BY count(*) DESC, min(id)
) AS reasons"""
# The most reported first, then the oldest. Each status has its own partial index.
SELECT_QUEUE = """(
    SELECT * FROM cases WHERE status = '{status}' AND author_id IS DISTINCT FROM $2 AND {beyond}
    ORDER BY (- reports), id LIMIT $1
)"""
BEYOND = "((- reports), id) > ($3::int, $4::bigint)"
# A list does not have what people wrote to each other: reading that is audited.
SELECT_SUMMARY = f"""
    SELECT id, status, kind, target_id, ad_id, author_id, reports,
        CASE kind WHEN 'message' THEN '{{}}' ELSE snapshot END AS snapshot, created_at, {APPEAL},
        {REASONS}
"""
# What a decision about ads depends on, a row for each of them. `is_own` says whether the account $2
# must not undo the decision: it made it, or one that the author appealed against.
SELECT_DECISION_STATES = f"""
    SELECT sought.id, ads.author_id, {current_status()} AS status, cases.status AS case_status,
        hiding.id AS decision_id, hiding.case_id,
        hiding.actor_id IS NOT DISTINCT FROM $2 OR hiding.final AND EXISTS (
            SELECT FROM decisions
            WHERE decisions.case_id = hiding.case_id AND decisions.actor_id = $2
                AND appealed_at IS NOT NULL
        ) AS is_own
    FROM unnest($1::bigint[]) AS sought (id)
    LEFT JOIN ads ON ads.id = sought.id
    LEFT JOIN cases ON cases.kind = 'ad' AND cases.target_id = sought.id
    LEFT JOIN decisions AS hiding ON hiding.case_id = cases.id
        AND hiding.action = 'suspendAd' AND hiding.ended_at IS NULL
    ORDER BY sought.id
"""
LOCKED_IN = {
    CaseKind.AD: ("ads",),
    CaseKind.COMMENT: ("comments", "removed_comments"),
    CaseKind.MESSAGE: ("messages",),
    CaseKind.RATING: ("ratings",),
}
LOCKS = {
    CaseKind.AD: "UPDATE",
    CaseKind.COMMENT: "UPDATE",
    CaseKind.MESSAGE: "NO KEY UPDATE",
    CaseKind.RATING: "NO KEY UPDATE",
}


async def page(
    db: Statements,
    status: CaseStatus | None,
    limit: int,
    *,
    reader_id: int,
    after: tuple[int, int] | None,
) -> Paged[Row]:
    """Without the cases about what the reader wrote. `after` has the number of reports and the id
    of the last case before the page.
    """
    beyond, key = ("TRUE", ()) if after is None else (BEYOND, (-after[0], after[1]))
    statuses = CaseStatus if status is None else [status]
    queues = " UNION ALL ".join(SELECT_QUEUE.format(status=one, beyond=beyond) for one in statuses)
    sql = f"{SELECT_SUMMARY} FROM ({queues}) AS cases ORDER BY (- reports), id LIMIT $1"
    return paged(await db.fetch(sql, limit + 1, reader_id, *key), limit)


async def of_author(db: Statements, user_id: int, limit: int) -> Sequence[Row]:
    """The newest cases about what the account wrote."""
    sql = f"{SELECT_SUMMARY} FROM cases WHERE author_id = $1 ORDER BY id DESC LIMIT $2"
    return await db.fetch(sql, user_id, limit)


async def get(db: Statements, case_id: int) -> Row | None:
    return await db.fetchrow("SELECT * FROM cases WHERE id = $1", case_id)


async def lock(db: Statements, case_id: int) -> Row | None:
    """The case as it is now, locked until the transaction ends."""
    return await db.fetchrow("SELECT * FROM cases WHERE id = $1 FOR UPDATE", case_id)


async def lock_thing(db: Statements, kind: CaseKind, target_id: int) -> bool:
    """Locks the thing. Returns whether it exists; a removed comment can be restored."""
    for table in LOCKED_IN[kind]:
        sql = f"SELECT id FROM {table} WHERE id = $1 FOR {LOCKS[kind]}"
        if await db.fetchrow(sql, target_id) is not None:
            return True
    return False


async def lock_ads(db: Statements, ad_ids: Collection[int]) -> Sequence[int]:
    """Locks the ads until the transaction ends, and returns the ids of their authors.

    In one order, as other transactions do; their cases are locked later.
    """
    sql = "SELECT author_id FROM ads WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE"
    return [row["author_id"] for row in await db.fetch(sql, [*ad_ids])]


async def lock_of_ads(db: Statements, ad_ids: Collection[int]) -> None:
    """Locks the cases of the ads until the transaction ends."""
    sql = """
        SELECT FROM cases WHERE kind = 'ad' AND target_id = ANY ($1::bigint[])
        ORDER BY id FOR UPDATE
    """
    await db.fetch(sql, [*ad_ids])


async def lock_share_ad(db: Statements, ad_id: int) -> None:
    """Keeps the ad from being deleted until the transaction ends; it may change."""
    await db.fetch("SELECT FROM ads WHERE id = $1 FOR KEY SHARE", ad_id)


async def decision_states(db: Statements, ad_ids: Collection[int], actor_id: int) -> Sequence[Row]:
    """Per ad: its author and status, its case, and the decision that hides it."""
    return await db.fetch(SELECT_DECISION_STATES, [*ad_ids], actor_id)


async def open_of_ads(db: Statements, ad_ids: Collection[int]) -> Mapping[int, int]:
    """The ids of the cases of the ads, new or old, by ad."""
    rows = await db.fetch(OPEN_CASE[CaseKind.AD], [*ad_ids])
    return {row["target_id"]: row["id"] for row in rows}


async def set_decided(db: Statements, case_ids: Collection[int]) -> None:
    sql = """
        UPDATE cases SET status = 'decided', changed_at = now() WHERE id = ANY ($1::bigint[])
    """
    await db.fetch(sql, [*case_ids])


async def set_undone(db: Statements, case_ids: Collection[int], *, reopens: bool) -> None:
    """After its decision was undone, a case is open if it was before, or if that `reopens` it."""
    sql = """
        UPDATE cases SET changed_at = now(),
            status = CASE WHEN $2 OR status = 'open' THEN 'open' ELSE 'decided' END
        WHERE id = ANY ($1::bigint[])
    """
    await db.fetch(sql, [*case_ids], reopens)


# What became of the newest other reports of who has reported: enough to trust them or not.
SELECT_REPORTS = f"""
    SELECT reports.*, decided, upheld
    FROM (
        SELECT * FROM reports WHERE case_id = $1 ORDER BY id LIMIT {MOST_REPORTS}
    ) AS reports, LATERAL (
        SELECT count(*) AS decided, count(*) FILTER (WHERE EXISTS (
            SELECT FROM decisions WHERE decisions.case_id = others.case_id
                AND action <> '{DecisionAction.DISMISS}' AND ended_at IS NULL
        )) AS upheld
        FROM (
            SELECT case_id FROM reports AS made JOIN cases ON cases.id = case_id
            WHERE made.reporter_id = reports.reporter_id AND case_id <> $1 AND status = 'decided'
            ORDER BY made.id DESC LIMIT 50
        ) AS others
    ) AS others ORDER BY reports.id
"""


async def reports(db: Statements, case_id: int) -> Sequence[Row]:
    """The first reports of the case."""
    return await db.fetch(SELECT_REPORTS, case_id)


async def current(db: Statements, case: Row) -> Mapping[str, Any] | None:
    """The content of the thing now; None if it was deleted."""
    content: Mapping[str, Any] | None = await db.fetchval(
        SELECT_CONTENT, case["kind"], case["target_id"]
    )
    return content


async def author(db: Statements, user_id: int) -> Row | None:
    """What moderators see of the author of a thing."""
    sql = f"""
        SELECT users.id, username, first_name, role, created_at, {ACCOUNT_STATUS},
            (SELECT count(*) FROM cases WHERE cases.author_id = users.id) AS cases
        FROM users WHERE users.id = $1
    """
    return await db.fetchrow(sql, user_id)


# Reports of an account count from this age on.
PROBATION = "1 day"

# Parameter: the things. Each case, new or old, is locked until the transaction ends.
OPEN_CASE = {
    kind: f"""
        INSERT INTO cases AS known (kind, target_id, ad_id, author_id, snapshot)
        SELECT '{kind}', {things} ORDER BY 2
        ON CONFLICT (kind, target_id) DO UPDATE SET kind = known.kind RETURNING id, target_id
    """
    for kind, things in {
        CaseKind.AD: f"""id, id, author_id, {ad_content("ads")}
            FROM ads WHERE id = ANY ($1::bigint[])""",
        CaseKind.COMMENT: f"""id, ad_id, author_id, {comment_content("comments")}
            FROM comments WHERE id = ANY ($1::bigint[])""",
        CaseKind.MESSAGE: f"""reported.id, ad_id, author_id, {message_content("reported")}
            FROM messages AS reported JOIN conversations ON conversations.id = conversation_id
            JOIN users ON users.id = author_id WHERE reported.id = ANY ($1::bigint[])""",
        CaseKind.RATING: f"""ratings.id, ad_id, author_id, {rating_content("ratings")}
            FROM ratings JOIN deals ON deals.id = deal_id WHERE ratings.id = ANY ($1::bigint[])""",
    }.items()
}
AUTHOR_EXISTS = "fk_cases_author_id_users"
CONTENTS = {
    CaseKind.AD: f"(SELECT {ad_content('ads')} FROM ads WHERE id = cases.target_id)",
    CaseKind.COMMENT: (
        f"(SELECT {comment_content('comments')} FROM comments WHERE id = cases.target_id)"
    ),
    # These never change.
    CaseKind.MESSAGE: "cases.snapshot",
    CaseKind.RATING: "cases.snapshot",
}
# Waits for a transaction that suspends the account; then its reports do not count.
ADD_REPORT = f"""
    INSERT INTO reports (case_id, reporter_id, reason, text, counts, snapshot)
    SELECT cases.id, users.id, $3, $4,
        users.created_at <= now() - interval '{PROBATION}' AND {NOT_SUSPENDED},
        nullif({{content}}, cases.snapshot)
    FROM cases CROSS JOIN users WHERE cases.id = $1 AND users.id = $2
    FOR SHARE OF users
    ON CONFLICT (case_id, reporter_id) DO NOTHING
    RETURNING id, case_id, reason, text, at, counts
"""
# A report that counts opens a decided case again.
COUNT_REPORT = """
    UPDATE cases SET reports = reports + 1,
        status = CASE status WHEN 'decided' THEN 'open' ELSE status END,
        changed_at = CASE status WHEN 'decided' THEN now() ELSE changed_at END
    WHERE id = $1
"""


async def find_report(
    db: Statements, kind: CaseKind, target_id: int, reporter_id: int
) -> Row | None:
    sql = """
        SELECT reports.* FROM reports JOIN cases ON cases.id = case_id
        WHERE kind = $1 AND target_id = $2 AND reporter_id = $3
    """
    return await db.fetchrow(sql, kind.value, target_id, reporter_id)


async def reports_by(db: Statements, user_id: int, limit: int, *, after: int) -> Sequence[Row]:
    """The account's reports with an id above `after`, oldest first, each with its thing."""
    sql = """
        SELECT reports.id, reason, text, at, kind, target_id
        FROM reports JOIN cases ON cases.id = case_id
        WHERE reporter_id = $1 AND reports.id > $2 ORDER BY reports.id LIMIT $3
    """
    return await db.fetch(sql, user_id, after, limit)


async def add_report(
    db: Statements, kind: CaseKind, target_id: int, reporter_id: int, *, reason: str, words: str
) -> Row | None:
    """None if the thing was deleted, or the account has reported it before."""
    sql = ADD_REPORT.format(content=CONTENTS[kind])
    try:
        case_id = await db.fetchval(OPEN_CASE[kind], [target_id])
        row = await db.fetchrow(sql, case_id, reporter_id, reason, words)
    except IntegrityError as error:
        if violated_constraint(error) != AUTHOR_EXISTS:
            raise
        # The author's account is being deleted, with the thing.
        raise AdNotFoundError from error
    if row is not None and row["counts"]:
        await db.fetch(COUNT_REPORT, case_id)
    return row


async def count_reports(db: Statements, case_id: int) -> int:
    """How many reports there are that count, since the last decision."""
    sql = """
        SELECT count(*) FROM reports
        WHERE case_id = $1 AND counts AND at > coalesce(
            (SELECT max(at) FROM decisions WHERE decisions.case_id = $1), '-infinity'
        )
    """
    return int(await db.fetchval(sql, case_id))


# Longer ago than this.
AGE = "now() - make_interval(days => $2::int)"
# An appeal is still possible, or was made.
MAY_COME_BACK = f"""EXISTS (
    SELECT FROM cases LEFT JOIN decisions
        ON case_id = cases.id AND action = '{{action}}' AND ended_at IS NULL
    WHERE kind = '{{kind}}' AND target_id = {{table}}.id
        AND (cases.status = 'appealed' OR at > {AGE})
)"""
AD_MAY_COME_BACK = MAY_COME_BACK.format(action="removeAd", kind="ad", table="ads")
COMMENT_MAY_COME_BACK = MAY_COME_BACK.format(
    action="removeComment", kind="comment", table="removed_comments"
)
# Reasons for a restriction are kept while it is in force.
IN_FORCE = """(
    action IN ('suspendAd', 'suspendAccount') AND ended_at IS NULL
    AND (until IS NULL OR until > now())
)"""
# What reaches the end of its retention: the table, which rows, and the order in which they do.
DELETE_EXPIRED = {
    "ads": (f"status = 'removed' AND NOT {AD_MAY_COME_BACK}", "id"),
    "removed_comments": (f"removed_at < {AGE} AND NOT {COMMENT_MAY_COME_BACK}", "removed_at"),
    "cases": (
        f"""status = 'decided' AND changed_at < {AGE}
            AND NOT EXISTS (SELECT FROM decisions WHERE case_id = cases.id AND {IN_FORCE})""",
        "changed_at",
    ),
    # Of accounts, without a case.
    "decisions": (f"case_id IS NULL AND at < {AGE} AND NOT {IN_FORCE}", "id"),
}


async def delete_expired(db: Statements, limit: int, case_days: int) -> Mapping[str, int]:
    """Deletes removed ads and comments whose appeal is over, cases that were decided so many days
    ago, with their reports and decisions, and decisions as old. Returns how many of each table.
    """
    deleted = {}
    for table, (is_expired, order) in DELETE_EXPIRED.items():
        days = case_days if table in ("cases", "decisions") else APPEAL_DAYS
        sql = f"""
            DELETE FROM {table} WHERE id IN (
                SELECT id FROM {table} WHERE {is_expired}
                ORDER BY {order} LIMIT $1 FOR UPDATE SKIP LOCKED
            ) RETURNING id
        """
        deleted[table] = len(await db.fetch(sql, limit, days))
    return deleted
