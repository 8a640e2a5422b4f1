"""What is kept of things that were removed, and of cases, and for how long."""

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.repositories.moderation.decision_sql import APPEAL_DAYS

# An appeal may still come, or has come.
MAY_COME_BACK = f"""EXISTS (
    SELECT FROM cases LEFT JOIN decisions
        ON case_id = cases.id AND action = '{{action}}' AND ended_at IS NULL
    WHERE kind = '{{kind}}' AND target_id = {{table}}.id
        AND (cases.status = 'appealed' OR at > now() - interval '{APPEAL_DAYS} days')
)"""
DELETE_ADS = text(f"""
    WITH gone AS (
        DELETE FROM ads WHERE id IN (
            SELECT id FROM ads WHERE status = 'removed'
                AND NOT {MAY_COME_BACK.format(action="removeAd", kind="ad", table="ads")}
            ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
""")
REMOVED = MAY_COME_BACK.format(action="removeComment", kind="comment", table="removed_comments")
DELETE_COMMENTS = text(f"""
    WITH gone AS (
        DELETE FROM removed_comments WHERE id IN (
            SELECT id FROM removed_comments
            WHERE removed_at < now() - interval '{APPEAL_DAYS} days' AND NOT {REMOVED}
            ORDER BY removed_at LIMIT :limit FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
""")
# Why somebody is restricted is known for as long as they are.
HOLDS = """(
    action IN ('suspendAd', 'suspendAccount') AND ended_at IS NULL
    AND (until IS NULL OR until > now())
)"""
AGE = "now() - make_interval(days => CAST(:days AS int))"
DELETE_CASES = text(f"""
    WITH gone AS (
        DELETE FROM cases WHERE id IN (
            SELECT id FROM cases WHERE status = 'decided' AND changed_at < {AGE}
                AND NOT EXISTS (SELECT FROM decisions WHERE case_id = cases.id AND {HOLDS})
            ORDER BY changed_at LIMIT :limit FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
""")
DELETE_DECISIONS = text(f"""
    WITH gone AS (
        DELETE FROM decisions WHERE id IN (
            SELECT id FROM decisions WHERE case_id IS NULL AND at < {AGE} AND NOT {HOLDS}
            ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED
        ) RETURNING TRUE
    )
    SELECT count(*) FROM gone
""")


class RetentionRepository:
    """Each deletes at most so many, and says how many they were."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def delete_removed_ads(self, limit: int) -> int:
        return await self._deleted(DELETE_ADS, limit=limit)

    async def delete_removed_comments(self, limit: int) -> int:
        return await self._deleted(DELETE_COMMENTS, limit=limit)

    async def delete_cases(self, days: int, limit: int) -> int:
        """With their reports and decisions: those that were decided so long ago."""
        return await self._deleted(DELETE_CASES, days=days, limit=limit)

    async def delete_decisions(self, days: int, limit: int) -> int:
        """Those about accounts that came without a case."""
        return await self._deleted(DELETE_DECISIONS, days=days, limit=limit)

    async def _deleted(self, statement: TextClause, **values: int) -> int:
        return int(await self._session.scalar(statement, values) or 0)
