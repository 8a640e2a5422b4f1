from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import AuditEvent

# How many one statement deletes. The next one deletes the rest, so that none takes long.
DELETED_AT_ONCE = 10_000


# The columns of a row that a statement writes with its change.
TRAIL_COLUMNS = "event, actor, target, ad_id, owner_id, request_id, address"


class Trail(NamedTuple):
    """The values that such a statement cannot know itself."""

    event: str
    request_id: str | None
    address: str | None


class AuditEventRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, event: AuditEvent) -> None:
        """Written in the session's transaction."""
        self._session.add(event)

    async def list_since(
        self,
        since: datetime | timedelta | None,
        events: Collection[str],
        limit: int,
        *,
        after: int = 0,
    ) -> Sequence[AuditEvent]:
        """Events in the order in which they were written, with ids above `after`.

        An age is by the database's clock.
        """
        query = select(AuditEvent).where(AuditEvent.id > after)
        if isinstance(since, timedelta):
            query = query.where(AuditEvent.at >= func.now() - since)
        elif since is not None:
            query = query.where(AuditEvent.at >= since)
        if events:
            query = query.where(AuditEvent.event.in_(events))
        return (await self._session.scalars(query.order_by(AuditEvent.id).limit(limit))).all()

    async def delete_older_than(self, age: timedelta) -> int:
        """Returns how many there were, up to `DELETED_AT_ONCE`."""
        oldest = (
            select(AuditEvent.id)
            .where(AuditEvent.at < func.now() - age)
            .order_by(AuditEvent.at)
            .limit(DELETED_AT_ONCE)
        )
        statement = delete(AuditEvent).where(AuditEvent.id.in_(oldest)).returning(AuditEvent.id)
        return len((await self._session.scalars(statement)).all())
