"""Attempts to send mails, for the question why an account got none."""

from uuid import UUID

from sqlalchemy import select

from adsvc.enums import MailOutcome
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Statements, paged
from adsvc.models.operation import MailAttempt

# Of an account that exists. Its deletion waits, and removes the row.
ADD = """
    INSERT INTO mail_attempts (user_id, letter, message_id, attempt, outcome, answer)
    SELECT id, $2, $3, $4, $5, $6 FROM users WHERE id = $1 FOR KEY SHARE
"""
DAYS = 7
# The oldest have the lowest ids.
DELETE_OLD = f"""
    WITH deleted AS (
        DELETE FROM mail_attempts
        WHERE id = ANY (ARRAY(SELECT id FROM mail_attempts ORDER BY id LIMIT 1000))
            AND created_at < now() - interval '{DAYS} days'
        RETURNING TRUE
    )
    SELECT count(*)::int AS deleted FROM deleted
"""


async def add(
    db: Statements,
    user_id: int,
    letter: str,
    message_id: UUID,
    attempt: int,
    outcome: MailOutcome,
    answer: str,
) -> None:
    await db.fetch(ADD, user_id, letter, message_id, attempt, outcome.value, answer)


async def page(
    db: DatabaseSession, user_id: int, limit: int, *, before: int | None = None
) -> Paged[MailAttempt]:
    """Those to an account with an id below `before`, the newest first."""
    found = select(MailAttempt).where(
        MailAttempt.user_id == user_id, MailAttempt.id < (before or BEYOND_ALL)
    )
    found = found.order_by(MailAttempt.id.desc()).limit(limit + 1)
    return paged((await db.scalars(found)).all(), limit)


async def delete_old(db: Statements) -> int:
    """Deletes at most 1000. Returns how many."""
    return int(await db.fetchval(DELETE_OLD) or 0)
