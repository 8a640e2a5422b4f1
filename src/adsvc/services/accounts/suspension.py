"""Why nobody logs in to an account."""

from adsvc.db.database import Database
from adsvc.errors import AccountSuspendedError
from adsvc.repositories.moderation.accounts import SuspensionRepository


async def require_no_suspension(database: Database, user_id: int) -> None:
    """`AccountSuspendedError` if the account is suspended at this moment."""
    async with database.autocommit() as session:
        suspension = await SuspensionRepository(session).of_account(user_id)
    if suspension is not None:
        raise AccountSuspendedError(suspension.until, suspension.explanation)
