"""Reports, and the cases that they open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.faults import violated_constraint
from adsvc.errors import AdNotFoundError
from adsvc.models import Case, CaseKind, Report
from adsvc.repositories.accounts.rights import NOT_SUSPENDED
from adsvc.repositories.ads.visibility import visible
from adsvc.repositories.moderation.contents import ad_content, comment_content

# An account has to be so old for its reports to count.
PROBATION = "1 day"

# Whoever opens a case, or reports what has one, has it to themselves until their transaction ends.
OPEN_AD = f"""
    INSERT INTO cases AS known (kind, target_id, ad_id, author_id, snapshot)
    SELECT 'ad', id, id, author_id, {ad_content("ads")} FROM ads WHERE id = :target_id
    ON CONFLICT (kind, target_id) DO UPDATE SET kind = known.kind RETURNING id
"""
OPEN_COMMENT = f"""
    INSERT INTO cases AS known (kind, target_id, ad_id, author_id, snapshot)
    SELECT 'comment', id, ad_id, author_id, {comment_content("comments")}
    FROM comments WHERE id = :target_id
    ON CONFLICT (kind, target_id) DO UPDATE SET kind = known.kind RETURNING id
"""
OPEN = {CaseKind.AD: OPEN_AD, CaseKind.COMMENT: OPEN_COMMENT}
AUTHOR_EXISTS = "fk_cases_author_id_users"
CONTENTS = {
    CaseKind.AD: f"(SELECT {ad_content('ads')} FROM ads WHERE id = cases.target_id)",
    CaseKind.COMMENT: (
        f"(SELECT {comment_content('comments')} FROM comments WHERE id = cases.target_id)"
    ),
}
# An account that is being suspended is waited for, and then its reports do not count.
ADD = f"""
    INSERT INTO reports (case_id, reporter_id, reason, text, counts, snapshot)
    SELECT cases.id, users.id, :reason, :text,
        users.created_at <= now() - interval '{PROBATION}' AND {NOT_SUSPENDED},
        nullif({{content}}, cases.snapshot)
    FROM cases CROSS JOIN users WHERE cases.id = :case_id AND users.id = :reporter_id
    FOR SHARE OF users
    ON CONFLICT (case_id, reporter_id) DO NOTHING
    RETURNING id, reason, text, at, counts
"""
# One that counts has a decided case looked at again.
COUNT = text("""
    UPDATE cases SET reports = reports + 1,
        status = CASE status WHEN 'decided' THEN 'open' ELSE status END,
        changed_at = CASE status WHEN 'decided' THEN now() ELSE changed_at END
    WHERE id = :case_id
""")
# Those before the last decision have been looked at.
HIDE = text(f"""
    WITH enough AS MATERIALIZED (
        SELECT count(*) >= :threshold AS reached FROM reports
        WHERE case_id = :case_id AND counts AND at > coalesce(
            (SELECT max(at) FROM decisions WHERE decisions.case_id = :case_id), '-infinity'
        )
    ), before AS (
        SELECT id, status FROM ads
        WHERE id = :ad_id AND {visible()} AND (SELECT reached FROM enough)
    ), hidden AS (
        UPDATE ads SET status = 'suspended', hidden_from = before.status
        FROM before WHERE ads.id = before.id
        RETURNING ads.id, before.status, author_id, title
    ), told AS (
        INSERT INTO ad_events (ad_id, event, from_status, to_status)
        SELECT id, 'suspended', status, 'suspended' FROM hidden
    )
    SELECT author_id, title FROM hidden
""")


BY_ACCOUNT = text("""
    SELECT reports.id, reason, text, at, kind, target_id
    FROM reports JOIN cases ON cases.id = case_id
    WHERE reporter_id = :user_id AND reports.id > :after ORDER BY reports.id LIMIT :limit
""")


@dataclass(frozen=True, slots=True)
class Reported:
    """A report as it was stored."""

    report: Mapping[str, Any]
    case_id: int


class Hidden(NamedTuple):
    author_id: int
    title: str


class ReportRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, kind: CaseKind, target_id: int, reporter_id: int) -> Report | None:
        query = (
            select(Report)
            .join(Case)
            .where(
                Case.kind == kind, Case.target_id == target_id, Report.reporter_id == reporter_id
            )
        )
        return await self._session.scalar(query)

    async def by_account(
        self, user_id: int, limit: int, *, after: int
    ) -> Sequence[Mapping[str, Any]]:
        """Oldest first, only those with an id above `after`, each with what it is about."""
        values = {"user_id": user_id, "limit": limit, "after": after}
        found = await self._session.execute(BY_ACCOUNT, values)
        return [dict(row) for row in found.mappings()]

    async def add(
        self, kind: CaseKind, target_id: int, reporter_id: int, *, reason: str, words: str
    ) -> Reported | None:
        """None if the thing is gone, or the account has reported it before."""
        values = {"reporter_id": reporter_id, "reason": reason, "text": words}
        try:
            case_id = await self._session.scalar(text(OPEN[kind]), {"target_id": target_id})
            sql = text(ADD.format(content=CONTENTS[kind]))
            added = await self._session.execute(sql, {"case_id": case_id, **values})
        except IntegrityError as error:
            if violated_constraint(error) != AUTHOR_EXISTS:
                raise
            # The thing is going with its author's account at this moment.
            raise AdNotFoundError from error
        row = added.mappings().first()
        if row is None or case_id is None:
            return None
        if row["counts"]:
            await self._session.execute(COUNT, {"case_id": case_id})
        return Reported(dict(row), case_id)

    async def hide(self, case_id: int, ad_id: int, threshold: int) -> Hidden | None:
        """The ad, if so many have reported it that it is hidden now. Its row is locked."""
        values = {"case_id": case_id, "ad_id": ad_id, "threshold": threshold}
        row = (await self._session.execute(HIDE, values)).first()
        return None if row is None else Hidden(*row)
