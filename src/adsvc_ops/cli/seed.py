import asyncio
import secrets
from typing import Annotated

import typer

from adsvc.enums import Role
from adsvc.kit.db.database import Database
from adsvc.kit.errors import OperatorError
from adsvc.repositories.accounts import users as user_rows
from adsvc.services import installation
from adsvc.services.accounts.users import set_role
from adsvc.services.categories.reading import CategoryMemory
from adsvc.settings import load_settings
from adsvc_ops import seeding
from adsvc_ops.cli.categories import categories_in, load_categories
from adsvc_ops.cli.environment import database_running, hash_password, prepared_store, with_database
from adsvc_ops.cli.terminal import progress_bar, say
from adsvc_ops.seeding.rows import LeafCategory, leaf_categories

STAFF = (Role.ADMIN, Role.MODERATOR)
TITLES = ("administrator", "moderator", "seller", "seller", "buyer")
# Staff, two sellers and two buyers.
FEWEST_WITH_ACTIVITY = 6


def seed(
    users: Annotated[int, typer.Option(min=1, help="How many accounts to make.")] = 10,
    ads: Annotated[int, typer.Option(min=0, help="How many ads to make.")] = 200,
    password: Annotated[
        str | None, typer.Option(help="The accounts' common password; made up if left out.")
    ] = None,
    all_shown: Annotated[
        bool, typer.Option("--all-shown", help="No ad is sold, expired, withdrawn or a draft.")
    ] = False,
    activity: Annotated[
        bool,
        typer.Option(
            "--activity",
            help="Also an administrator and a moderator, conversations, offers, comments, reports"
            " and saved searches.",
        ),
    ] = False,
) -> None:
    """Add demonstration accounts and ads, with pictures of scenes that are drawn.

    They are of the categories that there are; without any, the starter tree is loaded first.
    """
    if activity and users < FEWEST_WITH_ACTIVITY:
        raise OperatorError(f"--activity needs at least {FEWEST_WITH_ACTIVITY} users.")
    password = password or secrets.token_urlsafe(12)
    given = load_settings()
    password_hash = hash_password(given, password)
    with database_running(given, make=True) as settings, progress_bar() as progress:
        store = prepared_store(settings)
        bar = progress.add_task("Posting ads", total=ads)

        async def work(database: Database) -> list[str]:
            await installation.bind(database, store)
            return await seeding.seed(
                database,
                store,
                await _leaves(database) if ads else [],
                users=users,
                ads=ads,
                password_hash=password_hash,
                hidden=not all_shown,
                advance=lambda done: progress.advance(bar, done),
            )

        names = asyncio.run(with_database(settings, work))
        if activity:
            # The other commands need no web framework.
            from adsvc_ops.seeding.activity import act  # noqa: PLC0415

            asyncio.run(with_database(settings, lambda database: _appoint(database, names)))
            asyncio.run(act(settings, names[len(STAFF) :], password))
    say(f"Made {users} accounts and {ads} ads.")
    if not activity:
        say(f"Log in as {names[0]} with the password {password}")
        return
    say(f"Log in with the password {password} as")
    for title, name in zip(TITLES, names, strict=False):
        say(f"  {title}: {name}")


async def _appoint(database: Database, names: list[str]) -> None:
    async with database.transaction() as transaction:
        staff = await user_rows.get_all_by_username(transaction, names[: len(STAFF)])
        ids = {user.username: user.id for user in staff}
        for name, role in zip(names, STAFF, strict=False):
            await set_role(transaction, ids[name], role, actor="operator")


async def _leaves(database: Database) -> list[LeafCategory]:
    tree = await CategoryMemory(database).tree()
    if not tree.nodes:
        await load_categories(database, categories_in(None))
        tree = await CategoryMemory(database).tree()
    return leaf_categories(tree)
