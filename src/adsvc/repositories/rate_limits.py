from datetime import timedelta
from math import ceil

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import RateLimit


class RateLimitRepository:
    """The generic cell rate algorithm (ITU-T I.371), one row a key, decided in one statement."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def take(self, key: str, *, limit: int, window: int) -> int:
        """Counts one attempt: 0 if it is within `limit` per `window` seconds, else the seconds
        to wait. A refused attempt counts for nothing.
        """
        interval = timedelta(seconds=window / limit)
        tolerance = timedelta(seconds=window)
        now = func.clock_timestamp()
        attempt = insert(RateLimit).values(key=key, due_at=now + interval)
        next_due = func.greatest(RateLimit.due_at, now) + interval
        statement = attempt.on_conflict_do_update(
            index_elements=[RateLimit.key],
            set_={"due_at": next_due},
            where=next_due - now <= tolerance,
        ).returning(RateLimit.due_at)
        if await self._session.scalar(statement) is not None:
            return 0
        left = func.extract("epoch", RateLimit.due_at + interval - now - tolerance)
        seconds: float | None = await self._session.scalar(select(left).where(RateLimit.key == key))
        return max(1, ceil(seconds or 0))

    async def forget(self, key: str) -> None:
        await self._session.execute(delete(RateLimit).where(RateLimit.key == key))

    async def delete_expired(self) -> None:
        """Rows whose time has passed say no more than rows that do not exist."""
        await self._session.execute(
            delete(RateLimit).where(RateLimit.due_at < func.clock_timestamp())
        )
