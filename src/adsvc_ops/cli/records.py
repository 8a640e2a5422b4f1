"""Commands that list what has happened: the audit trail, the outbox, deletions."""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from adsvc.enums import AuditKind
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.storage import open_store
from adsvc.models.operation import AuditEvent, MailAttempt
from adsvc.repositories import audit_events as audit_rows
from adsvc.repositories import deletions as deletion_rows
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import ListedEntry
from adsvc.services import installation, retention
from adsvc.services.audit import as_record
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import run, run_in_transaction
from adsvc_ops.cli.terminal import say, say_document
from adsvc_ops.cli.users import OPERATOR, Name, existing_user

EVENTS_AT_ONCE = 1000
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
            rows = await audit_rows.list_since(session, since, events, EVENTS_AT_ONCE, after=last)
        for row in rows:
            yield row
        if len(rows) < EVENTS_AT_ONCE:
            return
        last = rows[-1].id


outbox = typer.Typer(
    help="Work that follows changes, such as mails: waiting entries and dead letters.",
    no_args_is_help=True,
)

BATCH = 500


@outbox.command("list")
def list_entries(
    dead: Annotated[bool, typer.Option("--dead", help="Only dead letters.")] = False,
) -> None:
    """Print id, state, kind, time, attempts, payload and last error, tab-separated."""

    async def work(database: Database) -> None:
        last = 0
        while entries := await outbox_rows.list_after(database.reader, last, BATCH, dead=dead):
            for entry in entries:
                _say(entry)
            last = entries[-1].id
        status = await outbox_rows.status(database.reader)
        say(f"{status.pending} are waiting, {status.dead} are dead letters.", to_errors=True)

    run(work)


def _say(entry: ListedEntry) -> None:
    state = "waiting" if entry.dead_at is None else "dead"
    written = entry.created_at.isoformat(timespec="seconds")
    payload = json.dumps(entry.payload, ensure_ascii=False)
    say(entry.id, state, entry.kind, written, entry.attempts, payload, entry.error or "")


@outbox.command()
def show(name: Name) -> None:
    """Print the mails of the last week to an account, tab-separated: when, letter, outcome, answer.

    The server's answer, or why nothing was sent. The newest are first, at most 500.
    """

    async def work(transaction: Transaction) -> Sequence[MailAttempt]:
        user = await existing_user(transaction, name)
        rows, _ = await outbox_rows.attempts(transaction, user.id, BATCH)
        return rows

    for row in run_in_transaction(work):
        at = row.created_at.isoformat(timespec="seconds")
        say(at, row.letter, row.outcome, row.answer, row.message_id)


@outbox.command()
def retry(
    ids: Annotated[
        list[int] | None, typer.Argument(metavar="[ID]...", help="Ids of dead letters.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All dead letters.")] = False,
) -> None:
    """Retry dead letters."""
    if bool(ids) == everything:
        raise typer.BadParameter("name ids, or --all")

    async def work(database: Database) -> Sequence[int]:
        return await outbox_rows.retry(database.writer, None if everything else ids)

    again: Sequence[int] = run(work)
    missing = sorted(set(ids or []) - set(again))
    say(f"Dead letters retried: {len(again)}.")
    if missing:
        raise OperatorError(f"Not a dead letter, or missing: {', '.join(map(str, missing))}")


deletions = typer.Typer(
    help="Deletions of ads and accounts that can be undone.", no_args_is_help=True
)

Id = Annotated[int, typer.Argument(metavar="ID", help="As `list` prints it.")]


@deletions.command("list")
def list_deletions() -> None:
    """Print id, kind, id of the ad or account, title or name, moment and end, tab-separated."""

    async def work(database: Database) -> None:
        before: int | None = None
        async with database.autocommit() as session:
            while True:
                rows, last = await deletion_rows.page(session, BATCH, before=before)
                for row in rows:
                    moments = (row.created_at, row.ends_at)
                    texts = (each.isoformat(timespec="minutes") for each in moments)
                    say(row.id, row.kind, row.target_id, row.label, *texts)
                if last is None:
                    return
                before = last.id

    run(work)


@deletions.command()
def undo(deletion_id: Id) -> None:
    """Bring an ad or account back, with what went with it but for sessions, keys and webhooks."""
    settings = load_settings()

    async def work(database: Database) -> None:
        store = open_store(settings)
        await installation.require_match(database, store)
        async with database.transaction() as transaction:
            await retention.undo_deletion(transaction, store, deletion_id, actor=OPERATOR)

    run(work, settings)


@deletions.command()
def purge(deletion_id: Id) -> None:
    """Remove at once what a deletion has stored. The regular jobs delete the pictures."""
    run_in_transaction(lambda it: retention.purge_deletion(it, deletion_id, actor=OPERATOR))
