"""The queue of cases, and what is to be known about one."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import Ad, Case, CaseStatus, Comment, RemovedComment, Report
from adsvc.repositories.moderation.accounts import STANDING
from adsvc.repositories.moderation.contents import CURRENT

Row = Mapping[str, Any]

# The text of the appeal that is to be decided.
APPEAL = """(
    SELECT appeal FROM decisions
    WHERE decisions.case_id = cases.id AND appealed_at IS NOT NULL AND ended_at IS NULL
    ORDER BY id DESC LIMIT 1
) AS appeal"""
# The most reported first, of equals the oldest. Each status has its own part of the index.
QUEUE = """(
    SELECT * FROM cases WHERE status = '{status}' AND {beyond}
    ORDER BY (- reports), id LIMIT :limit
)"""
BEYOND = "((- reports), id) > (CAST(:fewest AS int), CAST(:id AS bigint))"
PAGE = f"""
    SELECT id, status, kind, target_id, ad_id, author_id, reports, snapshot, created_at, {APPEAL}
    FROM ({{queues}}) AS cases ORDER BY (- reports), id LIMIT :limit
"""
# Enough to decide by, however many have reported one thing.
MOST_REPORTS = 1000
# What moderators have to know of whoever wrote a thing.
AUTHOR = text(f"""
    SELECT users.id, username, first_name, role, created_at, {STANDING},
        (SELECT count(*) FROM cases WHERE cases.author_id = users.id) AS cases
    FROM users WHERE users.id = :user_id
""")


class CaseRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def page(
        self, status: CaseStatus | None, limit: int, *, after: tuple[int, int] | None
    ) -> Sequence[Row]:
        """`after` are the number of reports, and the id, of the last one before the page."""
        values, beyond = dict[str, object](limit=limit), "TRUE"
        if after is not None:
            values |= {"fewest": -after[0], "id": after[1]}
            beyond = BEYOND
        statuses = CaseStatus if status is None else [status]
        queues = " UNION ALL ".join(QUEUE.format(status=one, beyond=beyond) for one in statuses)
        found = await self._session.execute(text(PAGE.format(queues=queues)), values)
        return [dict(row) for row in found.mappings()]

    async def get(self, case_id: int) -> Case | None:
        return await self._session.get(Case, case_id)

    async def lock(self, case_id: int) -> Case | None:
        """As it is now, and stays until the transaction ends."""
        query = select(Case).where(Case.id == case_id).with_for_update()
        return await self._session.scalar(query.execution_options(populate_existing=True))

    async def keep_ad(self, ad_id: int) -> None:
        """Nobody deletes it until the transaction ends; it may change."""
        await self._session.execute(
            select(Ad.id).where(Ad.id == ad_id).with_for_update(read=True, key_share=True)
        )

    async def lock_comment(self, comment_id: int) -> bool:
        """Whether it is there, or was removed and can come back; it stays as it is."""
        for table in (Comment, RemovedComment):
            query = select(table.id).where(table.id == comment_id).with_for_update()
            if await self._session.scalar(query) is not None:
                return True
        return False

    async def reports(self, case_id: int) -> Sequence[Report]:
        """The first of them."""
        query = select(Report).where(Report.case_id == case_id).order_by(Report.id)
        return (await self._session.scalars(query.limit(MOST_REPORTS))).all()

    async def current(self, case: Case) -> Mapping[str, Any] | None:
        """What the thing says now; None if it is gone."""
        values = {"kind": case.kind, "target_id": case.target_id}
        found: Mapping[str, Any] | None = await self._session.scalar(text(CURRENT), values)
        return found

    async def author(self, user_id: int) -> Row | None:
        found = await self._session.execute(AUTHOR, {"user_id": user_id})
        return next((dict(row) for row in found.mappings()), None)
