import os
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from adsvc.enums import DecisionAction, DecisionGround, Role
from adsvc.errors import OperatorError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Row
from adsvc.kit.observability import logging
from adsvc.kit.storage import open_store
from adsvc.models.accounts import User
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.accounts.mail_tokens import note_bounce
from adsvc.repositories.moderation.decisions import Reasons
from adsvc.schemas.base import as_seen, fault_of
from adsvc.schemas.moderation import ExpelledContent
from adsvc.services import installation
from adsvc.services.accounts import factors, users
from adsvc.services.accounts.credentials import weakness_of
from adsvc.services.accounts.export import Exports
from adsvc.services.moderation.decisions import Deciding, lock_account
from adsvc.services.picture_deletion import move_afterwards
from adsvc.settings import Settings, load_settings
from adsvc_ops.cli.environment import hash_password, run, run_in_transaction
from adsvc_ops.cli.terminal import say, shown

app = typer.Typer(
    help="List accounts, make administrators and moderators, set passwords.", no_args_is_help=True
)

OPERATOR = "operator"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The user name, in any case.")]


@app.command("list")
def list_users() -> None:
    """Print id, role and user name of every account, tab-separated."""

    # A cursor on the server lives in a transaction.
    async def work(transaction: Transaction) -> None:
        async for user in user_rows.stream(transaction):
            say(user.id, user.role, user.username)

    run_in_transaction(work)


@app.command()
def check() -> None:
    """Print accounts whose name could not be registered now: id, name, why, whom it looks like.

    They are older than the rule, or were imported. They stay, and log in as before.
    """

    async def work(database: Database) -> tuple[int, int]:
        async with database.transaction() as transaction:
            users = user_rows.stream(transaction)
            found = [
                (user.id, user.username, fault)
                async for user in users
                if (fault := fault_of(user.username)) is not None
            ]
        async with database.autocommit() as session:
            for user_id, username, fault in found:
                alike = await user_rows.get_by_username(session, as_seen(username))
                other = f"looks like account {alike.id}" if alike and alike.id != user_id else ""
                say(user_id, username, fault, other)
            return len(found), await user_rows.count_bcrypt_hashes(session)

    found, costly = run(work)
    say(f"{found} accounts have a name that could not be registered now.", to_errors=True)
    if costly:
        note = "have a bcrypt hash until their next login; until then every login takes as long"
        say(f"{costly} accounts {note}.", to_errors=True)


@app.command()
def bounced(
    addresses: Annotated[
        list[str] | None, typer.Argument(metavar="[ADDRESS]...", help="Mail addresses.")
    ] = None,
) -> None:
    """Mark mail addresses as not verified, because mails to them came back for good.

    Without arguments they are read from standard input, one a line. Their accounts then get no
    mail about notifications until they verify an address again.
    """
    bad = addresses or [line.strip() for line in sys.stdin if line.strip()]

    async def work(database: Database) -> int:
        return sum([len(await note_bounce(database.writer, address)) for address in bad])

    count = run(work)
    say(f"Addresses that are verified no longer: {count}.")


class Promotion(StrEnum):
    ADMIN = "admin"
    MODERATOR = "moderator"


PROMOTIONS = {
    Promotion.ADMIN: (Role.ADMIN, "an administrator"),
    Promotion.MODERATOR: (Role.MODERATOR, "a moderator"),
}


@app.command()
def promote(
    name: Name,
    role: Annotated[Promotion, typer.Option(help="What it becomes.")] = Promotion.ADMIN,
) -> None:
    """Make an account an administrator or a moderator, from its next request on."""
    given, title = PROMOTIONS[role]
    _set_role(name, given)
    say(f"{name} is {title} now.")


@app.command()
def demote(name: Name) -> None:
    """Make an account an ordinary one again, from its next request on."""
    _set_role(name, Role.USER)
    say(f"{name} is an ordinary user now.")


@app.command("set-password")
def set_password(name: Name) -> None:
    """Set an account's password, from a prompt at the terminal or from standard input."""
    settings = load_settings()
    password = _read_password(settings)
    password_hash = hash_password(settings, password)

    async def change(transaction: Transaction, user: User) -> None:
        names = (user.username, user.first_name, user.last_name)
        weakness = weakness_of(password, settings, *names)
        if weakness is not None:
            raise OperatorError(f"The password {weakness}.")
        await users.overwrite_password(transaction, user, password_hash, actor=OPERATOR)

    _change(name, change)
    say(f"The password of {name} is set.")


@app.command("reset-factors")
def reset_factors(name: Name) -> None:
    """Remove an account's second factors, for who has lost them, and end its sessions."""

    async def change(transaction: Transaction, user: User) -> None:
        await factors.reset(transaction, user, actor=OPERATOR)

    _change(name, change)
    say(f"{name} has no second factor now, and logs in with the password alone.")


@app.command()
def expel(
    name: Name,
    *,
    by: Annotated[
        str, typer.Option("--as", metavar="ADMIN", help="The administrator who decides.")
    ],
    explanation: Annotated[str, typer.Option(help="The reasons, which the owner receives.")] = "",
    ground: Annotated[DecisionGround, typer.Option(help="What was broken.")] = DecisionGround.TERMS,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing, only count.")] = False,
) -> None:
    """Suspend an account, and remove its ads, pictures, comments, messages and ratings.

    `POST /users/ID/restore`, or the console, brings all back.
    """
    if not (dry_run or explanation.strip()):
        raise OperatorError("The owner receives the reasons: name an --explanation.")
    reasons = Reasons(
        DecisionAction.SUSPEND_ACCOUNT, ground=ground.value, explanation=explanation.strip()
    )
    settings = load_settings()

    async def work(transaction: Transaction) -> ExpelledContent:
        actor = CallerAccount.of(await existing_user(transaction, by))
        if actor.role is not Role.ADMIN:
            raise OperatorError(f"{shown(by)} is no administrator.")
        user = await existing_user(transaction, name)
        move_afterwards(transaction, open_store(settings))
        return await Deciding(transaction, actor).expel(user.id, reasons, dry_run=dry_run)

    found = run_in_transaction(work, settings)
    for kind, number in found.model_dump().items():
        say(kind, number)


@app.command()
def export(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, for the owner's data.")],
) -> None:
    """Write everything that is stored about an account to a file, as its owner could get it."""

    async def work(database: Database) -> None:
        async with database.transaction() as transaction:
            user = await existing_user(transaction, name)
            try:
                descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except OSError as error:
                raise OperatorError(f"{file} cannot be written: {error.strerror}.") from error
            users.record_export(transaction, user.id, actor=OPERATOR)
            owner = CallerAccount.of(user)
        with os.fdopen(descriptor, "wb") as target:
            async for piece in Exports(database).pieces(owner):
                target.write(piece)

    run(work)
    say(f"{file} has the data of {name}.", to_errors=True)


@app.command()
def delete(
    name: Name,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing, only count.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Answer the question.")] = False,
    now: Annotated[bool, typer.Option("--now", help="For good: it cannot be undone.")] = False,
) -> None:
    """Delete an account with its ads, pictures, comments and sessions.

    `adsvc deletions undo` brings it back within ADSVC_UNDO_DAYS.
    """
    settings = load_settings()

    async def look(transaction: Transaction) -> tuple[int, Row]:
        user = await existing_user(transaction, name)
        return user.id, await user_rows.count_content(transaction, user.id)

    async def work(database: Database) -> None:
        store = open_store(settings)
        await installation.require_match(database, store)
        async with database.transaction() as transaction:
            await lock_account(transaction, user_id)
            days = 0 if now else settings.undo_days
            await users.remove(transaction, store, user_id, actor=OPERATOR, days=days)

    user_id, found = run_in_transaction(look, settings)
    for kind, number in found.items():
        say(kind, number)
    if dry_run:
        return
    if not yes:
        typer.confirm(
            f"Delete {shown(name)} and all that{' for good' * now}?", abort=True, err=True
        )
    run(work, settings)
    say(f"{name} is deleted.")


async def existing_user(transaction: Transaction, name: str) -> User:
    user = await user_rows.get_by_username(transaction, name)
    if user is None:
        raise OperatorError(f"There is no account named {shown(name)}.")
    return user


def _read_password(settings: Settings) -> str:
    if sys.stdin.isatty():
        password: str = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
    else:
        password = sys.stdin.readline().rstrip("\n")
    lower, upper = settings.password_min_length, settings.password_max_length
    if not lower <= len(password) <= upper or "\0" in password:
        raise OperatorError(f"The password must have {lower} to {upper} characters.")
    return password


def _set_role(name: str, role: Role) -> None:
    async def change(transaction: Transaction, user: User) -> None:
        await users.set_role(transaction, user.id, role, actor=OPERATOR)

    _change(name, change)


def _change(name: str, change: Callable[[Transaction, User], Awaitable[None]]) -> None:
    async def work(transaction: Transaction) -> None:
        await change(transaction, await existing_user(transaction, name))

    settings = load_settings()
    logging.configure(settings.log_format)
    run_in_transaction(work, settings)
