from typing import Annotated

import typer

from adsvc.kit.db.database import Database
from adsvc.kit.storage import open_store
from adsvc.repositories import deletions as deletion_rows
from adsvc.services import installation, retention
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import run
from adsvc_ops.cli.terminal import say
from adsvc_ops.cli.users import OPERATOR

app = typer.Typer(help="Deletions of ads and accounts that can be undone.", no_args_is_help=True)

BATCH = 500

Id = Annotated[int, typer.Argument(metavar="ID", help="As `list` prints it.")]


@app.command("list")
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


@app.command()
def undo(deletion_id: Id) -> None:
    """Bring an ad or account back, with what went with it but for sessions, keys and webhooks."""
    settings = load_settings()

    async def work(database: Database) -> None:
        store = open_store(settings)
        await installation.require_match(database, store)
        async with database.transaction() as transaction:
            await retention.undo_deletion(transaction, store, deletion_id, actor=OPERATOR)

    run(work, settings)


@app.command()
def purge(deletion_id: Id) -> None:
    """Remove at once what a deletion has stored. The regular jobs delete the pictures."""

    async def work(database: Database) -> None:
        async with database.transaction() as transaction:
            await retention.purge_deletion(transaction, deletion_id, actor=OPERATOR)

    run(work)
