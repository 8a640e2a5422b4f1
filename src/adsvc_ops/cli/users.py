import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Annotated

import typer

from adsvc.db.database import Database, Transaction
from adsvc.errors import OperatorError
from adsvc.models import Role, User
from adsvc.observability import logging
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.mail_tokens import note_bounce
from adsvc.schemas.names import as_seen, fault_of
from adsvc.services.accounts import factors, users
from adsvc.services.accounts.password_rules import weakness_of
from adsvc.settings import Settings, load_settings
from adsvc_ops.cli.environment import hash_password, run
from adsvc_ops.cli.terminal import say, shown

app = typer.Typer(
    help="List accounts, make administrators and moderators, set passwords.", no_args_is_help=True
)

OPERATOR = "operator"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The user name, in any case.")]


@app.command("list")
def list_users() -> None:
    """Print id, role and user name of every account, tab-separated."""

    async def work(database: Database) -> None:
        # A cursor on the server lives in a transaction.
        async with database.transaction() as transaction:
            async for user in user_rows.stream(transaction):
                say(user.id, user.role, user.username)

    run(work)


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
    async def work(database: Database) -> None:
        async with database.transaction() as transaction:
            user = await user_rows.get_by_username(transaction, name)
            if user is None:
                raise OperatorError(f"There is no account named {shown(name)}.")
            await change(transaction, user)

    settings = load_settings()
    logging.configure(settings.log_format)
    run(work, settings)
