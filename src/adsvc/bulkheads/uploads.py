"""A bulkhead for uploads, each of which takes memory and room on the disk."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.bulkheads.disk import DiskReserve
from adsvc.errors import OverloadedError, TooManyUploadsError
from adsvc.limits import MEBIBYTE

# By how much an upload grows at a time whose size nobody has announced.
GROWTH_BYTES = 4 * MEBIBYTE


class Uploads:
    """Limits the uploads of an account and the bytes of all, and keeps the disk's reserve free."""

    def __init__(self, reserve: DiskReserve, *, per_user: int, max_bytes: int) -> None:
        self._reserve = reserve
        self._per_user = per_user
        self.max_bytes = max_bytes
        self._of_user: Counter[int] = Counter()
        self.bytes_under_way = 0

    @asynccontextmanager
    async def room(self, user_id: int, size: int) -> AsyncIterator["Room"]:
        """Reserves room for an upload of that size during the block.

        An upload counts with its announced size from the start, or as it grows beyond that.
        """
        if self._of_user[user_id] >= self._per_user:
            raise TooManyUploadsError(self._per_user)
        room = Room(self)
        self._of_user[user_id] += 1
        try:
            await room.grow(size)
            yield room
            # Only now: an upload that failed has left nothing on the disk.
            self._reserve.spend(room.size)
        finally:
            self.bytes_under_way -= room.size
            self._of_user[user_id] -= 1
            if not self._of_user[user_id]:
                del self._of_user[user_id]

    async def reserve(self, size: int, *, beside: int) -> None:
        """`beside` is what the same upload has reserved before."""
        # A single upload is accepted whatever its size. Otherwise it never would be.
        if self.bytes_under_way > beside and self.bytes_under_way + size > self.max_bytes:
            raise OverloadedError
        self.bytes_under_way += size
        try:
            await self._reserve.require(self.bytes_under_way)
        except BaseException:
            self.bytes_under_way -= size
            raise


class Room:
    """What one upload has reserved."""

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads
        self._taken = 0
        self.size = 0

    async def grow(self, size: int) -> None:
        await self._uploads.reserve(size, beside=self.size)
        self.size += size

    async def take(self, size: int) -> None:
        """Called with what has come in; reserves more when there is more than was reserved."""
        self._taken += size
        if self._taken > self.size:
            await self.grow(max(self._taken - self.size, GROWTH_BYTES))
