import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from adsvc.enums import AuditKind
from adsvc.kit.db.database import Database
from adsvc.models.operation import AuditEvent
from adsvc.repositories import audit_events as audit_rows
from adsvc.services.audit import as_record
from adsvc_ops.cli.environment import run
from adsvc_ops.cli.terminal import say_document

BATCH = 1000
AGO = re.compile(r"([0-9]{1,6})([smhd])")
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
FOLLOW_SECONDS = 1.0
# Ids are given out before the commit: one that is lower may become visible later. No transaction
# of the service lasts as long as this.
LATECOMERS = timedelta(seconds=60)
# Far more than are written in that time.
REMEMBERED = 100_000


def _moment(text: str) -> datetime:
    """`90m`, `24h` or `7d` ago, or a moment in ISO 8601: in UTC if it names no time zone."""
    if ago := AGO.fullmatch(text):
        return datetime.now(UTC) - timedelta(seconds=int(ago[1]) * SECONDS[ago[2]])
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("must be like 24h, 7d or 2026-11-22T10:00") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def audit(
    since: Annotated[
        datetime | None,
        typer.Option(parser=_moment, metavar="WHEN", help="24h, 7d, or a moment in ISO 8601."),
    ] = None,
    event: Annotated[
        list[AuditKind] | None,
        typer.Option(help="Only events of this kind; may come several times."),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on with what happens next.")] = False,
) -> None:
    """Print the audit trail, one JSON object a line, the oldest first."""

    async def work(database: Database) -> None:
        async for row in _trail(database, since, event or [], follow=follow):
            say_document(_line(row))

    run(work)


def _line(row: AuditEvent) -> str:
    record = {"at": row.at.astimezone(UTC).isoformat(timespec="milliseconds"), "event": row.event}
    return json.dumps({**record, **as_record(row), "omitted": row.omitted})


async def _trail(
    database: Database, since: datetime | None, events: list[AuditKind], *, follow: bool
) -> AsyncIterator[AuditEvent]:
    printed: deque[int] = deque(maxlen=REMEMBERED)
    async for row in _rows_since(database, since, events):
        printed.append(row.id)
        yield row
    seen = set(printed)
    while follow:
        await asyncio.sleep(FOLLOW_SECONDS)
        rows = [row async for row in _rows_since(database, LATECOMERS, events)]
        for row in rows:
            if row.id not in seen and (since is None or row.at >= since):
                yield row
        seen = {row.id for row in rows}


async def _rows_since(
    database: Database, since: datetime | timedelta | None, events: list[AuditKind]
) -> AsyncIterator[AuditEvent]:
    last = 0
    while True:
        async with database.autocommit() as session:
            rows = await audit_rows.list_since(session, since, events, BATCH, after=last)
        for row in rows:
            yield row
        if len(rows) < BATCH:
            return
        last = rows[-1].id
