"""How much the texts of one account may take."""

from adsvc.db.database import Database
from adsvc.errors import QuotaExceededError
from adsvc.repositories.accounts import texts
from adsvc.settings import Settings


async def require_room_for_text(database: Database, settings: Settings, user_id: int) -> None:
    """`QuotaExceededError` for an account whose texts have no room left.

    Of many requests at once each has looked before the others wrote, so the last ones may go a
    little beyond.
    """
    quota = settings.text_quota_bytes
    if quota and (used := await texts.used_by(database.reader, user_id)) >= quota:
        raise QuotaExceededError(quota, used, "texts")
