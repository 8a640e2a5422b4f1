"""A bulkhead for uploads, each of which takes memory and room on the disk."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.bulkheads.disk import DiskReserve
from adsvc.errors import OverloadedError, TooManyUploadsError


class Uploads:
    """Limits the uploads of an account and the bytes of all, and keeps the disk's reserve free."""

    def __init__(self, reserve: DiskReserve, *, per_user: int, max_bytes: int) -> None:
        self._reserve = reserve
        self._per_user = per_user
        self._max_bytes = max_bytes
        self._of_user: Counter[int] = Counter()
        self.bytes_under_way = 0

    @asynccontextmanager
    async def room(self, user_id: int, size: int) -> AsyncIterator[None]:
        """Reserves room for an upload of that size, announced or at most, during the block.

        An upload counts with its whole size from the start.
        """
        if self._of_user[user_id] >= self._per_user:
            raise TooManyUploadsError(self._per_user)
        # A single upload is accepted whatever its size. Otherwise it never would be.
        if self.bytes_under_way and self.bytes_under_way + size > self._max_bytes:
            raise OverloadedError
        self._of_user[user_id] += 1
        self.bytes_under_way += size
        try:
            await self._reserve.require(self.bytes_under_way)
            yield
            # Only now: an upload that failed has left nothing on the disk.
            self._reserve.spend(size)
        finally:
            self.bytes_under_way -= size
            self._of_user[user_id] -= 1
            if not self._of_user[user_id]:
                del self._of_user[user_id]
