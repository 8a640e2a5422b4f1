"""Blocks: accounts that others do not want to hear from."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.engine import Statements
from adsvc.db.pools import Row


def blocked_sql(one: str, other: str) -> str:
    """Whether one of these accounts has blocked the other."""
    return (
        f"EXISTS (SELECT FROM blocks WHERE owner_id = {one} AND blocked_id = {other}"
        f" OR owner_id = {other} AND blocked_id = {one})"
    )


LOCK = "SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE"
ADD = """
    WITH found AS (SELECT id FROM users WHERE id = $2), added AS (
        INSERT INTO blocks (owner_id, blocked_id)
        SELECT $1, id FROM found
        WHERE (SELECT count(*) FROM blocks WHERE owner_id = $1) < $3
        ON CONFLICT DO NOTHING RETURNING TRUE
    )
    SELECT EXISTS (SELECT FROM added)
        OR EXISTS (SELECT FROM blocks WHERE owner_id = $1 AND blocked_id = $2) AS blocked
    FROM found
"""
REMOVE = "DELETE FROM blocks WHERE owner_id = $1 AND blocked_id = $2"
OF_ACCOUNT = """
    SELECT users.id, first_name, image, blocks.created_at AS at
    FROM blocks JOIN users ON users.id = blocked_id
    WHERE owner_id = $1 ORDER BY blocks.created_at DESC, users.id DESC
"""


class BlockRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._statements = Statements(session)

    async def add(self, owner_id: int, blocked_id: int, most: int) -> bool | None:
        """False if the account has blocked so many; None if there is no account to block.

        Of one account, blocks are added one after another.
        """
        await self._statements.fetch(LOCK, owner_id)
        blocked: bool | None = await self._statements.fetchval(ADD, owner_id, blocked_id, most)
        return blocked

    async def remove(self, owner_id: int, blocked_id: int) -> None:
        await self._statements.fetch(REMOVE, owner_id, blocked_id)

    async def of_account(self, owner_id: int) -> Sequence[Row]:
        """All blocked accounts, the latest first."""
        return await self._statements.fetch(OF_ACCOUNT, owner_id)
