import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import typer
from pydantic import SecretStr
from pydantic_settings import DotEnvSettingsSource
from rich.console import Console
from rich.table import Table

from adsvc.cli.environment import require_cluster, with_database
from adsvc.cli.terminal import say_document, shown
from adsvc.db.database import Database
from adsvc.embedded import EmbeddedPostgres
from adsvc.errors import AdsvcError
from adsvc.services.doctor.examination import CHECKS, OF_THE_MACHINE, Check, examine
from adsvc.services.doctor.findings import Finding, Installation, Level, fault
from adsvc.settings import Settings, load_settings
from adsvc.storage import open_store

COLOURS = {Level.OK: "green", Level.WARNING: "yellow", Level.FAULT: "red"}

# Nobody connects to it.
NOWHERE = "postgresql://nowhere/"

Findings = list[tuple[str, Finding]]


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Look at what may be wrong with the installation, and say what to do.

    The exit code is 1 if there is a fault; a warning alone is none.
    """
    found = _examined()
    if as_json:
        rows = [{"check": name, **finding._asdict()} for name, finding in found]
        say_document(json.dumps(rows, indent=2))
    else:
        _print(found)
    if any(finding.level is Level.FAULT for _, finding in found):
        raise typer.Exit(1)


def _examined() -> Findings:
    """Settings that cannot work, or no database, are findings too."""
    try:
        given = load_settings()
        # The package may lack what it takes.
        open_store(given)
    except AdsvcError as error:
        return [("settings", fault(str(error), "See docs/settings.md."))]
    try:
        with _database_as_it_is(given) as settings:
            return _looked_at(settings, CHECKS)
    except AdsvcError as error:
        # A variable that is spelled wrongly may be why.
        absent = given.model_copy(update={"database_url": SecretStr(NOWHERE)})
        advice = "Only the machine was looked at besides."
        return [*_looked_at(absent, OF_THE_MACHINE), ("database", fault(str(error), advice))]


@contextmanager
def _database_as_it_is(settings: Settings) -> Iterator[Settings]:
    """Nothing is made, and nothing migrated."""
    if not settings.uses_embedded_database:
        yield settings
        return
    require_cluster(settings)
    with EmbeddedPostgres(settings.data_dir / "postgres") as postgres:
        yield settings.model_copy(update={"database_url": SecretStr(postgres.url)})


def _looked_at(settings: Settings, checks: Mapping[str, Check]) -> Findings:
    async def look(database: Database) -> Findings:
        it = Installation(settings, _variables(), database, open_store(settings))
        return [pair async for pair in examine(it, checks)]

    found: Findings = asyncio.run(with_database(settings, look))
    return found


def _variables() -> dict[str, str]:
    """As settings are read: those of the file first, in any case, and none that is empty."""
    given = {**DotEnvSettingsSource(Settings).env_vars, **os.environ}
    return {name.upper(): value for name, value in given.items() if value}


def _print(found: Findings) -> None:
    table = Table("check", "")
    # Paths and addresses are told to their end, however narrow the terminal is.
    table.add_column("what is so", overflow="fold")
    table.add_column("what to do", overflow="fold")
    for name, (level, seen, advice) in found:
        table.add_row(name, f"[{COLOURS[level]}]{level}[/]", shown(seen), shown(advice))
    Console().print(table)
