from dataclasses import dataclass
from datetime import timedelta
from math import ceil, floor

from sqlalchemy import ColumnElement, Double, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import RateLimit


@dataclass(frozen=True, slots=True)
class Allowance:
    granted: bool
    # How many more attempts would be granted now.
    remaining: int
    # In how many seconds one more will be: at least one.
    reset: int


class RateLimitRepository:
    """The generic cell rate algorithm (ITU-T I.371), one row a key, decided in one statement."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def take(self, key: str, *, limit: int, window: int) -> Allowance:
        """Counts one attempt out of `limit` per `window` seconds; a refused one does not count."""
        interval = window / limit
        now = func.clock_timestamp()
        attempt = insert(RateLimit).values(key=key, due_at=now + timedelta(seconds=interval))
        next_due = func.greatest(RateLimit.due_at, now) + timedelta(seconds=interval)
        statement = attempt.on_conflict_do_update(
            index_elements=[RateLimit.key],
            set_={"due_at": next_due},
            where=next_due - now <= timedelta(seconds=window),
        ).returning(_debt())
        debt: float | None = await self._session.scalar(statement)
        if debt is not None:
            return Allowance(
                granted=True,
                remaining=floor((window - debt) / interval + 1e-6),
                reset=max(1, ceil(debt - window + interval)),
            )
        debt = await self._session.scalar(select(_debt()).where(RateLimit.key == key))
        wait = (debt or 0) + interval - window
        return Allowance(granted=False, remaining=0, reset=max(1, ceil(wait)))

    async def refund(self, key: str, *, limit: int, window: int) -> None:
        """Takes one counted attempt back."""
        await self._session.execute(
            update(RateLimit)
            .where(RateLimit.key == key)
            .values(due_at=RateLimit.due_at - timedelta(seconds=window / limit))
        )

    async def forget(self, key: str) -> None:
        await self._session.execute(delete(RateLimit).where(RateLimit.key == key))

    async def delete_expired(self) -> None:
        """Rows whose time has passed say no more than rows that do not exist."""
        await self._session.execute(
            delete(RateLimit).where(RateLimit.due_at < func.clock_timestamp())
        )


def _debt() -> ColumnElement[float]:
    """How far the next due attempt lies in the future, in seconds."""
    return cast(func.extract("epoch", RateLimit.due_at - func.clock_timestamp()), Double)
