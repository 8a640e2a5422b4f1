"""Ads that accounts keep. They change nothing of the ad, nor what is cached of it."""

from adsvc.errors import AdNotFoundError, OwnAdError, TooManyError, UnauthenticatedError
from adsvc.kit.db.database import Database, Transaction
from adsvc.models.ads import SHOWN, Ad
from adsvc.repositories import deals, follower_notices
from adsvc.repositories import favorites as favorite_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads import writes as ad_rows
from adsvc.services.ads import listing

# Of one account.
MOST_FAVORITES = 1000
# Of one ad, in one transaction of the worker.
WATCHERS_AT_ONCE = 2000
# How often ads that expire are looked for.
ENDINGS_SECONDS = 60


async def add(transaction: Transaction, user: CallerAccount, ad_id: int) -> None:
    """Nothing if it is one already. `TooManyError`, whoever adds others at this moment."""
    session = transaction
    ad = await _shown(transaction, user, ad_id)
    if not await user_rows.lock_unless_suspended(session, user.id):
        raise UnauthenticatedError
    if await favorite_rows.has(session, user.id, ad_id):
        return
    if await favorite_rows.count(session, user.id) >= MOST_FAVORITES:
        raise TooManyError(MOST_FAVORITES, "favorites of an account")
    await favorite_rows.add(session, user.id, ad_id, ad.price)


async def remove(transaction: Transaction, user: CallerAccount, ad_id: int) -> None:
    """A favorite can be removed whatever became of the ad."""
    if not await favorite_rows.delete_favorite(transaction, user.id, ad_id):
        await _shown(transaction, user, ad_id)


async def send_notices(database: Database) -> bool:
    """Notifies the next accounts of a batch. Whether there may be more."""
    async with database.transaction() as transaction:
        return await follower_notices.send_batch(transaction, WATCHERS_AT_ONCE)


async def queue_endings(database: Database) -> int:
    """Of ads and of deals: also shows ratings that have waited for the other one."""
    shown = await deals.show_overdue(database.writer)
    return shown + await follower_notices.queue_endings(database.writer)


async def _shown(transaction: Transaction, user: CallerAccount, ad_id: int) -> Ad:
    """The ad of another account, as everyone sees it."""
    ad = await ad_rows.get(transaction, ad_id)
    if ad is None:
        raise AdNotFoundError
    if ad.author_id == user.id:
        raise OwnAdError
    if ad.current_status not in SHOWN:
        listing.raise_hidden(ad.current_status)
    return ad
