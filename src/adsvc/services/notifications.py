"""Notifications: in which ways accounts want them."""

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.database import Transaction
from adsvc.enums import NotificationType
from adsvc.errors import UnauthenticatedError
from adsvc.repositories import UserRepository
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.notifications import USUAL, WAYS, NotificationRepository
from adsvc.schemas.notifications import Preferences, UpdatePreferences


async def mark_read(transaction: Transaction, user: CallerAccount, up_to: int) -> None:
    await NotificationRepository(transaction.session).mark_read(user.id, up_to)


async def preferences(session: AsyncSession, user: CallerAccount) -> Preferences:
    return _record(await NotificationRepository(session).ways(user.id))


async def choose(
    transaction: Transaction, user: CallerAccount, sent: UpdatePreferences
) -> Preferences:
    if not await UserRepository(transaction.session).lock_unless_suspended(user.id):
        raise UnauthenticatedError
    stored = NotificationRepository(transaction.session)
    ways = await stored.ways(user.id)
    for kind, chosen in sent.model_dump(by_alias=True, exclude_unset=True).items():
        ways[kind] = ways.get(kind, {}) | chosen
    await stored.set_ways(user.id, ways)
    return _record(ways)


def _record(chosen: Mapping[str, Mapping[str, bool]]) -> Preferences:
    return Preferences.model_validate(
        {
            kind: {way: way in USUAL[kind] for way in WAYS} | dict(chosen.get(kind, {}))
            for kind in NotificationType
        }
    )
