"""The set-up of a new installation in the browser, by a link that is valid once."""

import asyncio

from adsvc.enums import AuditKind, Role, StarterTree
from adsvc.errors import SetupEndedError
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Statements
from adsvc.kit.records import ANYTHING
from adsvc.kit.security.tokens import LinkToken
from adsvc.models.accounts import User
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.operation import site as site_rows
from adsvc.schemas.auth import SetUp
from adsvc.services import audit
from adsvc.services.accounts import users
from adsvc.services.accounts.credentials import Credentials
from adsvc.services.accounts.sessions import ClientRequest
from adsvc.services.categories import changes
from adsvc.services.categories.changes import starter
from adsvc.services.site import SiteState
from adsvc.settings import Settings

LINK_SECONDS = 30 * 60


async def new_link(database: Database, settings: Settings) -> str | None:
    """The address of the set-up, and the end of links before it. None if there is an
    administrator.
    """
    token = LinkToken.new().text
    async with database.transaction() as transaction:
        is_new = await site_rows.set_link(transaction, token, LINK_SECONDS)
    return f"{settings.link_base}/setup?token={token}" if is_new else None


async def require_valid(db: Statements, token: str) -> None:
    if not await site_rows.is_link_valid(db, token):
        raise SetupEndedError


async def set_up(
    request: ClientRequest, credentials: Credentials, site: SiteState, sent: SetUp
) -> User:
    """The first administrator. `SetupEndedError`, or as `users.register` and `SiteState.change`."""
    transaction: Transaction = request.transaction
    if not await site_rows.is_link_valid(transaction, sent.token, locks=True):
        raise SetupEndedError
    user = await users.register(request, credentials, sent)
    await user_rows.set_role(transaction, user.id, Role.ADMIN)
    audit.record(transaction, AuditKind.ROLE_CHANGED, actor=user.id, target=user.id)
    if sent.site is not None:
        members = sent.site.model_dump(mode="json", by_alias=True, exclude_unset=True)
        await site.change(transaction, members, actor=user.id, expected=ANYTHING)
    # To read the file takes as long as many requests.
    tree = await asyncio.to_thread(starter, StarterTree(sent.categories))
    await changes.load(transaction, tree, actor=user.id)
    await site_rows.void_link(transaction)
    return user
