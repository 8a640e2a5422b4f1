"""The queue of cases, and the details of a case."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from adsvc.db.engine import DatabaseSession
from adsvc.db.faults import violated_constraint
from adsvc.db.statements import Row
from adsvc.errors import AdNotFoundError
from adsvc.models import Ad, Case, CaseKind, CaseStatus, Comment, Message, RemovedComment, Report
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import current_status, visible
from adsvc.repositories.conversation_changes import message_content
from adsvc.repositories.moderation.accounts import ACCOUNT_STATUS
from adsvc.repositories.moderation.decisions import APPEAL_DAYS
from adsvc.repositories.paging import Paged, paged
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


# The content of a thing now, and its status if it is an ad. Parameters: its kind and its id.
CURRENT = f"""
    SELECT {ad_content("ads")} || jsonb_build_object('status', {current_status()}) AS content
    FROM ads WHERE $1::text = 'ad' AND id = $2
    UNION ALL
    SELECT {comment_content("comments")} FROM comments WHERE $1::text = 'comment' AND id = $2
    UNION ALL
    SELECT jsonb_build_object('text', text) FROM messages
    WHERE $1::text = 'message' AND id = $2 AND NOT removed
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
QUEUE = """(
    SELECT * FROM cases WHERE status = '{status}' AND author_id <> $2 AND {beyond}
    ORDER BY (- reports), id LIMIT $1
)"""
BEYOND = "((- reports), id) > ($3::int, $4::bigint)"
# A list does not have what people wrote to each other: reading that is audited.
SUMMARY = f"""
    SELECT id, status, kind, target_id, ad_id, author_id, reports,
        CASE kind WHEN 'message' THEN '{{}}' ELSE snapshot END AS snapshot, created_at, {APPEAL},
        {REASONS}
"""
PAGE = "{summary} FROM ({queues}) AS cases ORDER BY (- reports), id LIMIT $1"
OF_AUTHOR = f"{SUMMARY} FROM cases WHERE author_id = $1 ORDER BY id DESC LIMIT $2"
# In one order, as other transactions do: the ads, and later their cases.
LOCK_ADS = "SELECT author_id FROM ads WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE"
LOCK_CASES = """
    SELECT FROM cases WHERE kind = 'ad' AND target_id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE
"""
# What a decision about ads depends on, a row for each of them. `is_own` says whether the account $2
# must not undo the decision: it made it, or one that the author appealed against.
STANDING = f"""
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
# What moderators see of the author of a thing.
AUTHOR = f"""
    SELECT users.id, username, first_name, role, created_at, {ACCOUNT_STATUS},
        (SELECT count(*) FROM cases WHERE cases.author_id = users.id) AS cases
    FROM users WHERE users.id = $1
"""


class CaseRepository:
    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = session

    async def page(
        self,
        status: CaseStatus | None,
        limit: int,
        *,
        reader_id: int,
        after: tuple[int, int] | None,
    ) -> Paged[Row]:
        """Without the cases about what the reader wrote. `after` has the number of reports and the
        id of the last case before the page.
        """
        beyond, key = ("TRUE", ()) if after is None else (BEYOND, (-after[0], after[1]))
        statuses = CaseStatus if status is None else [status]
        queues = " UNION ALL ".join(QUEUE.format(status=one, beyond=beyond) for one in statuses)
        sql = PAGE.format(summary=SUMMARY, queues=queues)
        return paged(await self._statements.fetch(sql, limit + 1, reader_id, *key), limit)

    async def of_author(self, user_id: int, limit: int) -> Sequence[Row]:
        """The newest cases about what the account wrote."""
        return await self._statements.fetch(OF_AUTHOR, user_id, limit)

    async def get(self, case_id: int) -> Case | None:
        return await self._session.get(Case, case_id)

    async def lock(self, case_id: int) -> Case | None:
        """The case as it is now, locked until the transaction ends."""
        query = select(Case).where(Case.id == case_id).with_for_update()
        return await self._session.scalar(query.execution_options(populate_existing=True))

    async def lock_ads(self, ad_ids: Collection[int]) -> Sequence[int]:
        """Locks the ads until the transaction ends, and returns the ids of their authors."""
        rows = await self._statements.fetch(LOCK_ADS, [*ad_ids])
        return [row["author_id"] for row in rows]

    async def lock_of_ads(self, ad_ids: Collection[int]) -> None:
        """Locks the cases of the ads until the transaction ends."""
        await self._statements.fetch(LOCK_CASES, [*ad_ids])

    async def standing(self, ad_ids: Collection[int], actor_id: int) -> Sequence[Row]:
        """How each ad stands, as `STANDING` has it, by id."""
        return await self._statements.fetch(STANDING, [*ad_ids], actor_id)

    async def open_of_ads(self, ad_ids: Collection[int]) -> Mapping[int, int]:
        """The ids of the cases of the ads, new or old, by ad."""
        rows = await self._statements.fetch(OPEN_AD, [*ad_ids])
        return {row["target_id"]: row["id"] for row in rows}

    async def lock_share_ad(self, ad_id: int) -> None:
        """Keeps the ad from being deleted until the transaction ends; it may change."""
        await self._session.execute(
            select(Ad.id).where(Ad.id == ad_id).with_for_update(read=True, key_share=True)
        )

    async def lock_comment(self, comment_id: int) -> bool:
        """Locks the comment. Returns whether it exists, or was removed and can be restored."""
        for table in (Comment, RemovedComment):
            query = select(table.id).where(table.id == comment_id).with_for_update()
            if await self._session.scalar(query) is not None:
                return True
        return False

    async def lock_message(self, message_id: int) -> bool:
        """Locks the message. Returns whether it exists."""
        query = select(Message.id).where(Message.id == message_id)
        locked = query.with_for_update(key_share=True)
        return await self._session.scalar(locked) is not None

    async def reports(self, case_id: int) -> Sequence[Report]:
        """The first reports of the case."""
        query = select(Report).where(Report.case_id == case_id).order_by(Report.id)
        return (await self._session.scalars(query.limit(MOST_REPORTS))).all()

    async def current(self, case: Case) -> Mapping[str, Any] | None:
        """The content of the thing now; None if it was deleted."""
        found: Mapping[str, Any] | None = await self._statements.fetchval(
            CURRENT, case.kind, case.target_id
        )
        return found

    async def author(self, user_id: int) -> Row | None:
        return await self._statements.fetchrow(AUTHOR, user_id)


# Reports of an account count from this age on.
PROBATION = "1 day"

# A report locks its case, new or old, until the transaction ends.
OPEN_AD = f"""
    INSERT INTO cases AS known (kind, target_id, ad_id, author_id, snapshot)
    SELECT 'ad', id, id, author_id, {ad_content("ads")} FROM ads
    WHERE id = ANY ($1::bigint[]) ORDER BY id
    ON CONFLICT (kind, target_id) DO UPDATE SET kind = known.kind RETURNING id, target_id
"""
OPEN_COMMENT = f"""
    INSERT INTO cases AS known (kind, target_id, ad_id, author_id, snapshot)
    SELECT 'comment', id, ad_id, author_id, {comment_content("comments")}
    FROM comments WHERE id = ANY ($1::bigint[])
    ON CONFLICT (kind, target_id) DO UPDATE SET kind = known.kind RETURNING id
"""
OPEN_MESSAGE = f"""
    INSERT INTO cases AS known (kind, target_id, ad_id, author_id, snapshot)
    SELECT 'message', reported.id, ad_id, author_id, {message_content("reported")}
    FROM messages AS reported JOIN conversations ON conversations.id = conversation_id
    JOIN users ON users.id = author_id WHERE reported.id = ANY ($1::bigint[])
    ON CONFLICT (kind, target_id) DO UPDATE SET kind = known.kind RETURNING id
"""
OPEN = {
    CaseKind.AD: OPEN_AD,
    CaseKind.COMMENT: OPEN_COMMENT,
    CaseKind.MESSAGE: OPEN_MESSAGE,
}
AUTHOR_EXISTS = "fk_cases_author_id_users"
CONTENTS = {
    CaseKind.AD: f"(SELECT {ad_content('ads')} FROM ads WHERE id = cases.target_id)",
    CaseKind.COMMENT: (
        f"(SELECT {comment_content('comments')} FROM comments WHERE id = cases.target_id)"
    ),
    # It never changes.
    CaseKind.MESSAGE: "cases.snapshot",
}
# Waits for a transaction that suspends the account; then its reports do not count.
ADD = f"""
    INSERT INTO reports (case_id, reporter_id, reason, text, counts, snapshot)
    SELECT cases.id, users.id, $3, $4,
        users.created_at <= now() - interval '{PROBATION}' AND {NOT_SUSPENDED},
        nullif({{content}}, cases.snapshot)
    FROM cases CROSS JOIN users WHERE cases.id = $1 AND users.id = $2
    FOR SHARE OF users
    ON CONFLICT (case_id, reporter_id) DO NOTHING
    RETURNING id, reason, text, at, counts
"""
# A report that counts opens a decided case again.
COUNT = """
    UPDATE cases SET reports = reports + 1,
        status = CASE status WHEN 'decided' THEN 'open' ELSE status END,
        changed_at = CASE status WHEN 'decided' THEN now() ELSE changed_at END
    WHERE id = $1
"""
# Reports before the last decision do not count.
HIDE = f"""
    WITH enough AS MATERIALIZED (
        SELECT count(*) >= $3 AS reached FROM reports
        WHERE case_id = $1 AND counts AND at > coalesce(
            (SELECT max(at) FROM decisions WHERE decisions.case_id = $1), '-infinity'
        )
    ), before AS (
        SELECT id, status FROM ads
        WHERE id = $2 AND {visible()} AND (SELECT reached FROM enough)
    ), hidden AS (
        UPDATE ads SET status = 'suspended', hidden_from = before.status
        FROM before WHERE ads.id = before.id
        RETURNING ads.id, before.status, author_id, title
    ), history AS (
        INSERT INTO ad_events (ad_id, event, from_status, to_status)
        SELECT id, 'suspended', status, 'suspended' FROM hidden
    )
    SELECT author_id, title FROM hidden
"""


BY_ACCOUNT = """
    SELECT reports.id, reason, text, at, kind, target_id
    FROM reports JOIN cases ON cases.id = case_id
    WHERE reporter_id = $1 AND reports.id > $2 ORDER BY reports.id LIMIT $3
"""


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report as it was stored."""

    report: Row
    case_id: int


class Hidden(NamedTuple):
    author_id: int
    title: str


class ReportRepository:
    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = session

    async def find(self, kind: CaseKind, target_id: int, reporter_id: int) -> Report | None:
        query = (
            select(Report)
            .join(Case)
            .where(
                Case.kind == kind, Case.target_id == target_id, Report.reporter_id == reporter_id
            )
        )
        return await self._session.scalar(query)

    async def by_account(self, user_id: int, limit: int, *, after: int) -> Sequence[Row]:
        """The account's reports with an id above `after`, oldest first, each with its thing."""
        return await self._statements.fetch(BY_ACCOUNT, user_id, after, limit)

    async def add(
        self, kind: CaseKind, target_id: int, reporter_id: int, *, reason: str, words: str
    ) -> StoredReport | None:
        """None if the thing was deleted, or the account has reported it before."""
        sql = ADD.format(content=CONTENTS[kind])
        try:
            case_id = await self._statements.fetchval(OPEN[kind], [target_id])
            row = await self._statements.fetchrow(sql, case_id, reporter_id, reason, words)
        except IntegrityError as error:
            if violated_constraint(error) != AUTHOR_EXISTS:
                raise
            # The author's account is being deleted, with the thing.
            raise AdNotFoundError from error
        if row is None or case_id is None:
            return None
        if row["counts"]:
            await self._statements.fetch(COUNT, case_id)
        return StoredReport(row, case_id)

    async def hide(self, case_id: int, ad_id: int, threshold: int) -> Hidden | None:
        """Hides the ad if it has enough reports, and returns it. Its row is locked."""
        row = await self._statements.fetchrow(HIDE, case_id, ad_id, threshold)
        return None if row is None else Hidden(**row)


# An appeal is still possible, or was made.
MAY_COME_BACK = f"""EXISTS (
    SELECT FROM cases LEFT JOIN decisions
        ON case_id = cases.id AND action = '{{action}}' AND ended_at IS NULL
    WHERE kind = '{{kind}}' AND target_id = {{table}}.id
        AND (cases.status = 'appealed' OR at > now() - interval '{APPEAL_DAYS} days')
)"""
DELETE_ADS = f"""
    WITH gone AS (
        DELETE FROM ads WHERE id IN (
            SELECT id FROM ads WHERE status = 'removed'
                AND NOT {MAY_COME_BACK.format(action="removeAd", kind="ad", table="ads")}
            ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
"""
REMOVED = MAY_COME_BACK.format(action="removeComment", kind="comment", table="removed_comments")
DELETE_COMMENTS = f"""
    WITH gone AS (
        DELETE FROM removed_comments WHERE id IN (
            SELECT id FROM removed_comments
            WHERE removed_at < now() - interval '{APPEAL_DAYS} days' AND NOT {REMOVED}
            ORDER BY removed_at LIMIT $1 FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
"""
# Reasons for a restriction are kept while it is in force.
IN_FORCE = """(
    action IN ('suspendAd', 'suspendAccount') AND ended_at IS NULL
    AND (until IS NULL OR until > now())
)"""
AGE = "now() - make_interval(days => $2::int)"
DELETE_CASES = f"""
    WITH gone AS (
        DELETE FROM cases WHERE id IN (
            SELECT id FROM cases WHERE status = 'decided' AND changed_at < {AGE}
                AND NOT EXISTS (SELECT FROM decisions WHERE case_id = cases.id AND {IN_FORCE})
            ORDER BY changed_at LIMIT $1 FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
"""
DELETE_DECISIONS = f"""
    WITH gone AS (
        DELETE FROM decisions WHERE id IN (
            SELECT id FROM decisions WHERE case_id IS NULL AND at < {AGE} AND NOT {IN_FORCE}
            ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
"""


class RetentionRepository:
    """Deletes what has reached the end of its retention. Each method returns how many."""

    def __init__(self, session: DatabaseSession) -> None:
        self._statements = session

    async def delete_removed_ads(self, limit: int) -> int:
        return await self._delete(DELETE_ADS, limit)

    async def delete_removed_comments(self, limit: int) -> int:
        return await self._delete(DELETE_COMMENTS, limit)

    async def delete_cases(self, days: int, limit: int) -> int:
        """Deletes cases that were decided so long ago, with their reports and decisions."""
        return await self._delete(DELETE_CASES, limit, days)

    async def delete_decisions(self, days: int, limit: int) -> int:
        """Deletes decisions about accounts that have no case."""
        return await self._delete(DELETE_DECISIONS, limit, days)

    async def _delete(self, sql: str, *values: int) -> int:
        return int(await self._statements.fetchval(sql, *values))
