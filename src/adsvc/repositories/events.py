"""The log of events, as all processes read it."""

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from adsvc.db.pools import Reader, Row

EPOCH = "SELECT epoch FROM event_log"
LAST_EVENT = "SELECT last_event_id AS id FROM event_batches ORDER BY event_batches.id DESC LIMIT 1"

PAGE = """
    SELECT id, day, at, type, ad_id, user_id, data::text FROM events
    WHERE id > $1 AND day >= $2 AND ($3::text[] IS NULL OR type = ANY($3)) ORDER BY id LIMIT $4
"""


class EventRepository:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def epoch(self) -> UUID:
        [row] = await self._reader.fetch(EPOCH, keep_plan=True)
        epoch: UUID = row["epoch"]
        return epoch

    async def last_id(self) -> int:
        [row] = await self._reader.fetch(LAST_EVENT, keep_plan=True)
        last: int = row["id"]
        return last

    async def after(
        self, event_id: int, since: date, types: Sequence[str] | None, limit: int
    ) -> Sequence[Row]:
        """`since` is a day on which no later event was moved: partitions before it are not read."""
        return await self._reader.fetch(PAGE, event_id, since, types, limit)
