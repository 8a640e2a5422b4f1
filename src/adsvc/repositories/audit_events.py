from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import and_, func, or_, select, tuple_
from sqlalchemy.orm import aliased

from adsvc.kit.db.database import DatabaseSession
from adsvc.models.operation import AuditEvent

# The columns of a row that a statement writes with its change.
TRAIL_COLUMNS = "event, actor, target, ad_id, owner_id, request_id, address"


class Trail(NamedTuple):
    """The values that such a statement cannot know itself."""

    event: str
    request_id: str | None
    address: str | None


# How many events of the first filter one statement compares with the others.
EXAMINED = 2_000


# Where a page begins: the time and the id of the last event before it.
Position = tuple[datetime, int]


class AuditFilter(NamedTuple):
    """What events have in common. Of several filters the first one selects the fewest events."""

    ad_id: int | None = None
    owner_id: int | None = None
    actor: str | None = None
    event: str | None = None


async def list_since(
    db: DatabaseSession,
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
    return (await db.scalars(query.order_by(AuditEvent.id).limit(limit))).all()


async def page(
    db: DatabaseSession,
    sought: AuditFilter,
    limit: int,
    *,
    before: datetime | None = None,
    after: Position | None = None,
) -> tuple[Sequence[AuditEvent], Position | None]:
    """The newest first, from before a moment, and from after a position.

    With the position of the last one, if more may follow: a page may be short, but not empty, and
    still have a next one.
    """
    wanted = [(name, value) for name, value in sought._asdict().items() if value is not None]
    order = (AuditEvent.at.desc(), AuditEvent.id.desc())
    found = select(AuditEvent).order_by(*order)
    found = found.where(*(getattr(AuditEvent, name) == value for name, value in wanted[:1]))
    if before is not None:
        found = found.where(AuditEvent.at < before)
    number = func.row_number().over(order_by=order).label("number")
    while True:
        rest = found
        if after is not None:
            rest = found.where(tuple_(AuditEvent.at, AuditEvent.id) < tuple_(*after))
        if len(wanted) <= 1:
            rows = (await db.scalars(rest.limit(limit + 1))).all()
            return rows[:limit], _position(rows[limit - 1]) if len(rows) > limit else None
        numbered = rest.add_columns(number).limit(EXAMINED).subquery()
        examined = aliased(AuditEvent, numbered)
        others = [getattr(examined, name) == value for name, value in wanted[1:]]
        # With the last one that is examined, from where the search goes on.
        matching = select(examined, numbered.c.number).where(
            or_(and_(*others), numbered.c.number == EXAMINED)
        )
        read = (await db.execute(matching.order_by(numbered.c.number).limit(limit + 1))).all()
        rows = [
            event
            for event, _ in read
            if all(getattr(event, name) == value for name, value in wanted[1:])
        ]
        if len(rows) > limit:
            return rows[:limit], _position(rows[limit - 1])
        last = [event for event, number in read if number == EXAMINED]
        after = _position(last[0]) if last else None
        if rows or after is None:
            return rows, after


def _position(event: AuditEvent) -> Position:
    return event.at, event.id
