"""Commands about the site as a whole: its settings, secrets, maintenance and places."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from adsvc.enums import MaintenanceMode
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.schemas.console import LARGEST_FACTOR, LONGEST_RULE, AccessRule, ChangeAccessRule
from adsvc.services import installation, rate_limits
from adsvc.services import maintenance as service
from adsvc.services.installation import Renewal, counted
from adsvc.services.maintenance import RETRY_SECONDS, Closure
from adsvc.services.places import geonames
from adsvc.services.places.geonames import Kind, Loaded
from adsvc.services.site import SiteState
from adsvc.settings import load_settings
from adsvc_ops.cli.environment import (
    database_running,
    require_cluster,
    run,
    secret_in,
    with_database,
)
from adsvc_ops.cli.terminal import say
from adsvc_ops.cli.users import OPERATOR

DryRun = Annotated[bool, typer.Option("--dry-run", help="Change nothing, only count.")]

site = typer.Typer(help="Convert what depends on a setting of the site.", no_args_is_help=True)


@site.callback()
def _site() -> None:
    """Convert what depends on a setting of the site."""


@site.command()
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


secrets = typer.Typer(help="The secret that signs and encrypts.", no_args_is_help=True)


@secrets.callback()
def _secrets() -> None:
    """The secret that signs and encrypts."""


@secrets.command()
def rotate(
    *,
    dry_run: DryRun = False,
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


def maintenance(
    mode: Annotated[
        MaintenanceMode | None,
        typer.Argument(help="on closes the site, read-only all changes. Without it, print it."),
    ] = None,
    *,
    text: Annotated[str, typer.Option(help="What users read.")] = "",
    retry_after: Annotated[
        int, typer.Option(min=1, max=86400, help="Seconds after which clients may try again.")
    ] = RETRY_SECONDS,
) -> None:
    """Close the site or all changes, in all processes within a second, or open it again.

    Administrators, logins and health checks get through.
    """

    async def work(database: Database) -> Closure:
        if mode is not None:
            async with database.transaction() as transaction:
                closure = Closure(mode, text, retry_after)
                await service.change(transaction, closure, actor=OPERATOR)
        closure, *_ = await service.current(database)
        return closure

    closure = run(work)
    say(closure.mode, *([closure.text] if closure.text else []))


def access_rules(
    subject: Annotated[
        str | None,
        typer.Argument(help="An address, a network, or user:ID. Without it, print all rules."),
    ] = None,
    factor: Annotated[
        int | None,
        typer.Argument(
            min=0,
            max=LARGEST_FACTOR,
            help="0 refuses the network, 1 removes the rule, more multiplies the rate limits.",
        ),
    ] = None,
    *,
    days: Annotated[int, typer.Option(min=1, max=LONGEST_RULE, help="How long it holds.")] = 7,
    note: Annotated[str, typer.Option(help="Why, for operators.")] = "",
) -> None:
    """Refuse a network for a time, or raise its rate limits or an account's.

    In all processes within a second. Prints subject, factor, end and note, tab-separated.
    """
    if (subject is None) != (factor is None):
        raise typer.BadParameter("name both SUBJECT and FACTOR, or neither")

    async def work(database: Database) -> Sequence[AccessRule]:
        if subject is not None and factor is not None:
            if fault := rate_limits.access_rule_fault(subject, factor, ""):
                raise OperatorError(f"The {fault.location[1:]} {fault.detail}.")
            sent = ChangeAccessRule(subject=subject, factor=factor, days=days, note=note)
            async with database.transaction() as transaction:
                await rate_limits.change_access_rule(transaction, sent, actor=OPERATOR)
        _, rules, *_ = await service.current(database)
        return rules.rules

    for rule in run(work):
        until = datetime.fromtimestamp(rule.until / 1000, UTC).isoformat(timespec="minutes")
        say(rule.subject, rule.factor, until, rule.note)


places = typer.Typer(
    help="Load places and postcodes that adsvc does not come with.", no_args_is_help=True
)

KINDS = {
    Kind.PLACES: "places",
    Kind.POSTCODES: "areas with postcodes",
    Kind.ALTERNATE_NAMES: "places with new names",
}


@places.command()
def load(
    file: Annotated[
        Path, typer.Argument(help="GeoNames' .txt or .zip of places, postcodes or alternate names.")
    ],
) -> None:
    """Replace the places or the postcodes of the file's countries, or add names to places.

    The file is loaded as a whole or, if a line cannot be read, not at all. The number of columns
    shows which of the three it has. GeoNames publishes places and alternate names at
    https://download.geonames.org/export/dump/, and postcodes at .../export/zip/.
    """

    async def work(database: Database) -> Loaded:
        return await geonames.load(database, file)

    with database_running(load_settings()) as settings:
        loaded: Loaded = asyncio.run(with_database(settings, work))
    say(f"Loaded {loaded.places} {KINDS[loaded.kind]}.", *sorted(loaded.countries))
