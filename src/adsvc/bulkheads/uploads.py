"""Uploads that are coming in, or wait to be decoded: each takes memory, and room on the disk."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.bulkheads.disk import DiskReserve
from adsvc.errors import OverloadedError, TooManyUploadsError


class Uploads:
    """So many of one account at once, so many bytes of all together, and none into the reserve."""

    def __init__(self, reserve: DiskReserve, *, per_user: int, max_bytes: int) -> None:
        self._reserve = reserve
        self._per_user = per_user
        self._max_bytes = max_bytes
        self._of_user: Counter[int] = Counter()
        self.bytes_under_way = 0

    @asynccontextmanager
    async def room(self, user_id: int, size: int) -> AsyncIterator[None]:
        """Room for an upload of that size, announced or at most, for the length of the block.

        What is under way is counted as announced: half an upload may become a whole one.
        """
        if self._of_user[user_id] >= self._per_user:
            raise TooManyUploadsError(self._per_user)
        # One is taken however large, or none of that size could ever be.
        if self.bytes_under_way and self.bytes_under_way + size > self._max_bytes:
            raise OverloadedError
        self._of_user[user_id] += 1
        self.bytes_under_way += size
        try:
            await self._reserve.require(self.bytes_under_way)
            yield
            # Whatever failed has left nothing behind.
            self._reserve.spend(size)
        finally:
            self.bytes_under_way -= size
            self._of_user[user_id] -= 1
            if not self._of_user[user_id]:
                del self._of_user[user_id]
