import asyncio
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import typer
from pydantic import SecretStr
from pydantic_settings import DotEnvSettingsSource

from adsvc.errors import AdsvcError, ConfigurationError
from adsvc.kit.db.database import Database
from adsvc.kit.storage import open_store
from adsvc.repositories.operation import jobs as job_rows
from adsvc.repositories.operation.jobs import TEST_ALERT
from adsvc.settings import LOCAL_STORE, Settings, load_what_is_valid
from adsvc_ops.cli.environment import (
    present_secret,
    require_cluster,
    run_in_transaction,
    with_database,
)
from adsvc_ops.cli.terminal import say, say_document, shown
from adsvc_ops.doctor import CHECKS, OF_THE_MACHINE, Check, checks_without, examine
from adsvc_ops.doctor.findings import CheckContext, Finding, Severity, fault
from adsvc_ops.embedded import EmbeddedPostgres

COLOURS = {Severity.OK: "green", Severity.WARNING: "yellow", Severity.FAULT: "red"}

# A placeholder that is never connected to.
NOWHERE = "postgresql://nowhere/"

SETTINGS = "settings"


class Found(NamedTuple):
    check: str
    finding: Finding

    @property
    def name(self) -> str:
        """A finding can be ignored by this name, or by the name of its check."""
        return f"{self.check}/{self.finding.part}" if self.finding.part else self.check

    def is_ignored(self, names: Collection[str]) -> bool:
        return self.finding.severity is not Severity.OK and not {self.check, self.name}.isdisjoint(
            names
        )


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A finding to accept, by its name in the first column; may be repeated. "
            "Adds to ADSVC_DOCTOR_IGNORE.",
        ),
    ] = None,
    test_alert: Annotated[
        bool, typer.Option("--test-alert", help="Only fire the alert AdsvcTest.")
    ] = False,
) -> None:
    """Check the installation for mistakes, and say what to do about them.

    The exit code is 1 if there is a fault that is not ignored; a warning alone is none.
    """
    if test_alert:
        run_in_transaction(lambda it: job_rows.record(it, TEST_ALERT, seconds=0, succeeded=True))
        say("AdsvcTest fires within a minute, for three. Only its mail shows that all parts work.")
        return
    settings, faults, fields = load_what_is_valid()
    ignored = {*(ignore or ()), *settings.doctor_ignore}
    for name in ignored:
        if name.partition("/")[0] not in {SETTINGS, *CHECKS}:
            there_are = ", ".join(CHECKS)
            raise ConfigurationError(
                f"There is no check {shown(name)}. The checks are: {there_are}."
            )
    found = [Found(SETTINGS, fault(message, "See docs/settings.md.")) for message in faults]
    found += _examined(settings, fields)
    if as_json:
        say_document(json.dumps([_row(one, ignored) for one in found], indent=2))
    else:
        _print(found, ignored)
    if any(one.finding.severity is Severity.FAULT and not one.is_ignored(ignored) for one in found):
        raise typer.Exit(1)


def _row(one: Found, ignored: Collection[str]) -> Mapping[str, object]:
    severity, seen, advice, part = one.finding
    row = {"check": one.check, "name": one.name, "level": severity, "seen": seen}
    return {**row, "advice": advice, "part": part, "ignored": one.is_ignored(ignored)}


def _examined(settings: Settings, at_fault: Collection[str]) -> list[Found]:
    """Runs the checks that the valid settings allow."""
    found = []
    try:
        # The extra for buckets may not be installed.
        open_store(settings)
    except AdsvcError as error:
        found.append(Found(SETTINGS, fault(str(error), "See docs/settings.md.")))
        settings = settings.model_copy(update={"image_store": LOCAL_STORE})
        at_fault = {*at_fault, "image_store"}
    checks = checks_without(at_fault)
    absent = settings.model_copy(update={"database_url": SecretStr(NOWHERE)})
    if checks.keys() <= OF_THE_MACHINE.keys():
        return found + _looked_at(absent, checks)
    try:
        with _database_as_it_is(settings) as ready:
            return found + _looked_at(ready, checks)
    except AdsvcError as error:
        # A variable with a spelling error may be the reason, which the checks of the machine find.
        advice = "Otherwise only the machine was checked."
        of_the_machine = {name: check for name, check in checks.items() if name in OF_THE_MACHINE}
        found += _looked_at(absent, of_the_machine)
        return [*found, Found("database", fault(str(error), advice))]


@contextmanager
def _database_as_it_is(settings: Settings) -> Iterator[Settings]:
    """The settings with the address of the database. Creates and migrates nothing."""
    if not settings.uses_embedded_database:
        yield settings
        return
    require_cluster(settings)
    with EmbeddedPostgres(settings.data_dir / "postgres") as postgres:
        secret = present_secret(settings)
        update = {"database_url": SecretStr(postgres.url), "jwt_secret": secret}
        yield settings.model_copy(update=update)


def _looked_at(settings: Settings, checks: Mapping[str, Check]) -> list[Found]:
    dotenv = _capitals(DotEnvSettingsSource(Settings).env_vars)
    # As settings are read: the environment outranks the file.
    variables = {**dotenv, **_capitals(os.environ)}

    async def look(database: Database) -> list[Found]:
        it = CheckContext(settings, variables, tuple(dotenv), database, open_store(settings))
        return [Found(*pair) async for pair in examine(it, checks)]

    found: list[Found] = asyncio.run(with_database(settings, look))
    return found


def _capitals(variables: Mapping[str, str | None]) -> dict[str, str]:
    """An empty value counts as unset."""
    return {name.upper(): value for name, value in variables.items() if value}


def _print(found: list[Found], ignored: Collection[str]) -> None:
    from rich.console import Console  # noqa: PLC0415 - takes memory
    from rich.table import Table  # noqa: PLC0415

    table = Table()
    # Names, paths and addresses are shown in full, even on a narrow terminal.
    table.add_column("check", overflow="fold")
    table.add_column("")
    table.add_column("found", overflow="fold")
    table.add_column("what to do", overflow="fold")
    for one in found:
        severity, seen, advice, _ = one.finding
        state = f"[{COLOURS[severity]}]{severity}[/]"
        if one.is_ignored(ignored):
            state = f"[dim]{severity}, ignored[/]"
        table.add_row(shown(one.name), state, shown(seen), shown(advice))
    Console().print(table)
