"""The quota of an account's texts."""

import time

from adsvc.errors import QuotaExceededError
from adsvc.kit.bulkheads.buckets import Lease
from adsvc.kit.db.database import Database
from adsvc.kit.invalidation import LruCache
from adsvc.repositories.accounts import text_quota
from adsvc.settings import Settings

KNOWN_SECONDS = 60
MOST_ACCOUNTS = 10_000


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
        # Requests that certainly fit into the quota.
        self._leases: LruCache[int, Lease] = LruCache(MOST_ACCOUNTS)

    async def require(self, user_id: int) -> None:
        """`QuotaExceededError` for an account whose texts have no room left."""
        if not self._quota:
            return
        lease = self._leases.get(user_id)
        if lease is None or time.monotonic() >= lease.ends or not lease.spend():
            used = await text_quota.used_by(self._database.reader, user_id)
            if used >= self._quota:
                raise QuotaExceededError(self._quota, used, "texts")
            fit = (self._quota - used) // self._largest
            # This one is among them.
            lease = Lease(time.monotonic() + KNOWN_SECONDS, max(0, fit - 1))
            self._leases.keep(user_id, lease)
