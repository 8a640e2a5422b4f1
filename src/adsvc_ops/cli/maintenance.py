from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from adsvc.enums import MaintenanceMode
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database
from adsvc.schemas.console import LARGEST_FACTOR, LONGEST_RULE, AccessRule, ChangeAccessRule
from adsvc.services import maintenance as service
from adsvc.services import rate_limits
from adsvc.services.maintenance import RETRY_SECONDS, Closure
from adsvc_ops.cli.environment import run
from adsvc_ops.cli.terminal import say
from adsvc_ops.cli.users import OPERATOR


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
