import json
from collections.abc import Sequence
from typing import Annotated

import typer

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.models.operation import MailAttempt
from adsvc.repositories import mail_attempts
from adsvc.repositories import outbox as outbox_rows
from adsvc.repositories.outbox import ListedEntry
from adsvc_ops.cli.environment import run
from adsvc_ops.cli.terminal import say
from adsvc_ops.cli.users import Name, existing_user

app = typer.Typer(
    help="Work that follows changes, such as mails: waiting entries and dead letters.",
    no_args_is_help=True,
)

BATCH = 500


@app.command("list")
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


@app.command()
def show(name: Name) -> None:
    """Print the mails of the last week to an account, tab-separated: when, letter, outcome, answer.

    The server's answer, or why nothing was sent. The newest are first, at most 500.
    """

    async def work(database: Database) -> Sequence[MailAttempt]:
        async with database.transaction() as transaction:
            user = await existing_user(transaction, name)
            rows, _ = await mail_attempts.page(transaction, user.id, BATCH)
            return rows

    for row in run(work):
        at = row.created_at.isoformat(timespec="seconds")
        say(at, row.letter, row.outcome, row.answer, row.message_id)


@app.command()
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
