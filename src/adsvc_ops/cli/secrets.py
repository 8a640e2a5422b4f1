import asyncio
from typing import Annotated

import typer

from adsvc.kit.db.database import Database
from adsvc.services import installation
from adsvc.services.installation import Renewal, counted
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import database_running, require_cluster, secret_in, with_database
from adsvc_ops.cli.terminal import say
from adsvc_ops.cli.users import OPERATOR

app = typer.Typer(help="The secret that signs and encrypts.", no_args_is_help=True)


@app.callback()
def main() -> None:
    """The secret that signs and encrypts."""


@app.command()
def rotate(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing, only count.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Give up stored secrets that cannot be read.")
    ] = False,
) -> None:
    """Make ADSVC_JWT_SECRET the secret of the installation, and encrypt stored secrets with it.

    ADSVC_JWT_SECRET_PREVIOUS is the secret before. It may be interrupted and repeated, beside
    running services that have both secrets.
    """
    settings = load_settings()
    if settings.uses_embedded_database:
        require_cluster(settings)
        # A file that was removed to have another secret is made anew.
        settings = settings.model_copy(update={"jwt_secret": secret_in(settings)})
    with database_running(settings) as ready:

        async def work(database: Database) -> Renewal:
            return await installation.rotate_secret(
                database, ready, dry_run=dry_run, force=force, actor=OPERATOR
            )

        found = asyncio.run(with_database(ready, work))
    say(f"{'To be encrypted' if dry_run else 'Encrypted'} anew: {counted(found.renewed)}.")
    if found.unreadable:
        say(f"Not readable: {counted(found.unreadable)}.", to_errors=True)
