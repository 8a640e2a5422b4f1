from typing import Annotated

import typer

from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.services.site import SiteState
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import run
from adsvc_ops.cli.terminal import say
from adsvc_ops.cli.users import OPERATOR

app = typer.Typer(help="Convert what depends on a setting of the site.", no_args_is_help=True)


@app.callback()
def _site() -> None:
    """Convert what depends on a setting of the site."""


@app.command()
def set_decimals(
    decimals: Annotated[int, typer.Argument(help="Digits behind the mark of a price: 0, 2 or 3.")],
    *,
    dry_run: Annotated[bool, typer.Option(help="Only say how many prices would change.")] = False,
) -> None:
    """Convert all prices to another smallest unit. Fewer decimals round them, half up.

    Ads cannot be changed meanwhile. Prints each column, its prices and those rounded,
    tab-separated.
    """
    if decimals not in {0, 2, 3}:
        raise OperatorError("Prices have 0, 2 or 3 decimals.")
    settings = load_settings()

    async def work(database: Database) -> None:
        site = SiteState(database, settings)
        async with database.transaction() as transaction:
            for row in await site.set_decimals(
                transaction, decimals, actor=OPERATOR, dry_run=dry_run
            ):
                say(row["name"], row["prices"], row["rounded"])

    run(work, settings)
