"""The quota of an account's texts."""

import time
from dataclasses import dataclass

from adsvc.cache import LruCache
from adsvc.db.database import Database
from adsvc.errors import QuotaExceededError
from adsvc.repositories.accounts import texts
from adsvc.settings import Settings

KNOWN_SECONDS = 60
MOST_ACCOUNTS = 10_000


@dataclass(slots=True)
class _Room:
    """How many more requests certainly fit into the quota, until `until`."""

    requests: int
    until: float


class TextQuota:
    """Checks an account's use of its quota, in the database only when it may be near its end.

    Of many requests at once, each is checked before the others write, so together they may exceed
    the quota a little.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._quota = settings.text_quota_bytes
        # For each text that this process does not check, others may write texts of this size
        # together.
        self._largest = 4 * settings.json_body_max_bytes
        self._rooms: LruCache[int, _Room] = LruCache(MOST_ACCOUNTS, lambda _: 1)

    async def require(self, user_id: int) -> None:
        """`QuotaExceededError` for an account whose texts have no room left."""
        if not self._quota:
            return
        room = self._rooms.get(user_id)
        if room is None or room.requests <= 0 or time.monotonic() >= room.until:
            used = await texts.used_by(self._database.reader, user_id)
            if used >= self._quota:
                raise QuotaExceededError(self._quota, used, "texts")
            fit = (self._quota - used) // self._largest
            room = _Room(fit, time.monotonic() + KNOWN_SECONDS)
            self._rooms.keep(user_id, room)
        room.requests -= 1
