"""Second factors. What is used up is deleted or moved on by the statement that compares it."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.pools import Writer
from adsvc.models import RecoveryCode, Totp, UsedChallenge, User

DELETE_EXPIRED = """
    WITH deleted AS (
        DELETE FROM used_challenges WHERE id = ANY (ARRAY(
            SELECT id FROM used_challenges WHERE expires_at <= now()
            ORDER BY expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED
        )) RETURNING TRUE
    )
    SELECT count(*)::int AS deleted FROM deleted
"""


async def delete_expired_challenges(writer: Writer) -> int:
    """Returns how many, up to 1000."""
    row = await writer.fetchrow(DELETE_EXPIRED)
    return 0 if row is None else int(row["deleted"])


class FactorRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def totp(self, user_id: int) -> Totp | None:
        return await self._session.scalar(select(Totp).where(Totp.user_id == user_id))

    async def set_pending(self, user_id: int, pending: bytes) -> None:
        added = insert(Totp).values(user_id=user_id, pending=pending)
        await self._session.execute(
            added.on_conflict_do_update(index_elements=[Totp.user_id], set_={"pending": pending})
        )

    async def confirm(self, user_id: int, pending: bytes, step: int) -> bool:
        """False if the pending secret is another one by now."""
        statement = (
            update(Totp)
            .where(Totp.user_id == user_id, Totp.pending == pending)
            .values(secret=pending, last_step=step, pending=None)
            .returning(Totp.user_id)
        )
        if await self._session.scalar(statement) is None:
            return False
        await self._set_totp(user_id, has_totp=True)
        return True

    async def use_step(self, user_id: int, secret: bytes, step: int) -> bool:
        """False if a code of this step, or of a later one, was used before."""
        statement = (
            update(Totp)
            .where(
                Totp.user_id == user_id,
                Totp.secret == secret,
                or_(Totp.last_step.is_(None), Totp.last_step < step),
            )
            .values(last_step=step)
            .returning(Totp.user_id)
        )
        return await self._session.scalar(statement) is not None

    async def remove_totp(self, user_id: int) -> None:
        """With its recovery codes."""
        await self._session.execute(delete(Totp).where(Totp.user_id == user_id))
        await self.replace_codes(user_id, ())
        await self._set_totp(user_id, has_totp=False)

    async def _set_totp(self, user_id: int, *, has_totp: bool) -> None:
        await self._session.execute(
            update(User).where(User.id == user_id).values(has_totp=has_totp)
        )

    async def replace_codes(self, user_id: int, hashes: Collection[bytes]) -> None:
        await self._session.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
        rows = [{"user_id": user_id, "hash": hash_} for hash_ in hashes]
        if rows:
            await self._session.execute(insert(RecoveryCode).values(rows))

    async def use_code(self, user_id: int, hash_: bytes) -> bool:
        statement = delete(RecoveryCode).where(
            RecoveryCode.user_id == user_id, RecoveryCode.hash == hash_
        )
        return await self._session.scalar(statement.returning(RecoveryCode.user_id)) is not None

    async def codes_left(self, user_id: int) -> int:
        query = select(func.count()).select_from(RecoveryCode)
        return await self._session.scalar(query.where(RecoveryCode.user_id == user_id)) or 0

    async def use_challenge(self, challenge_id: str, expires_at: datetime) -> bool:
        """False if it was used before."""
        added = insert(UsedChallenge).values(id=challenge_id, expires_at=expires_at)
        once = added.on_conflict_do_nothing().returning(UsedChallenge.id)
        return await self._session.scalar(once) is not None
