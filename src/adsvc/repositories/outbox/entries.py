import json
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue
from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import OutboxEntry

# Of an entry that is written along with a change, in the same statement: text and jsonb. A trigger
# wakes the workers when that is committed.
OUTBOX_COLUMNS = "kind, payload"


class Entry(NamedTuple):
    """Something to be done when, and only when, a transaction is committed."""

    kind: str
    payload: Mapping[str, JsonValue]

    @property
    def payload_json(self) -> str:
        """For a parameter that is cast by `::text::jsonb`."""
        return json.dumps(self.payload)


class OutboxRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, entry: Entry, *more: Entry) -> None:
        """Written in the session's transaction, and in no other."""
        rows = [{"kind": each.kind, "payload": dict(each.payload)} for each in (entry, *more)]
        await self._session.execute(insert(OutboxEntry), rows)
