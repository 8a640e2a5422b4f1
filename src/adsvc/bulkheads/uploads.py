"""A bulkhead for uploads, each of which takes memory and room on the disk."""

from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from adsvc.bulkheads.clients import Party
from adsvc.bulkheads.disk import DiskReserve
from adsvc.errors import OverloadedError, TooManyUploadsError
from adsvc.limits import MEBIBYTE

# How far ahead of what has come in an upload reserves room.
GROWTH_BYTES = MEBIBYTE

# Of the bytes of all, what an account has at any time, and what a network may have as a whole.
ACCOUNT_SHARE, NETWORK_SHARE = 1 / 8, 3 / 4

# An account may have more than its share for as long as all together have less than this.
SHARED = 1 / 2


class Uploads:
    """Limits the uploads of an account and the bytes of all, and keeps the disk's reserve free.

    An upload counts with what has come in, and a little ahead: what it announces costs a client
    nothing.
    """

    def __init__(self, reserve: DiskReserve, *, per_user: int, max_bytes: int) -> None:
        self._reserve = reserve
        self._per_user = per_user
        self.max_bytes = max_bytes
        self._of_account: Counter[Hashable] = Counter()
        self._bytes_of: Counter[Hashable] = Counter()
        self.bytes_under_way = 0

    @asynccontextmanager
    async def room(self, party: Party, announced: int | None) -> AsyncIterator["Room"]:
        """For an upload during the block, which announces that many bytes.

        One for which there would be no room now is refused before it is read.
        """
        if self._of_account[party.account] >= self._per_user:
            raise TooManyUploadsError(self._per_user)
        room = Room(self, party, announced)
        self._of_account[party.account] += 1
        try:
            await self._require(party, announced or GROWTH_BYTES, beside=0)
            await room.grow()
            yield room
            # Only now: an upload that failed has left nothing on the disk.
            self._reserve.spend(room.taken)
        finally:
            self._count(party, -room.size)
            self._of_account[party.account] -= 1
            if not self._of_account[party.account]:
                del self._of_account[party.account]

    async def reserve(self, party: Party, size: int, *, beside: int) -> None:
        """`beside` is what the same upload has reserved before."""
        await self._require(party, size, beside=beside)
        self._count(party, size)

    async def _require(self, party: Party, size: int, *, beside: int) -> None:
        # A single upload is accepted whatever its size. Otherwise it never would be.
        if self.bytes_under_way > beside and not self._has_room(party, size):
            raise OverloadedError
        await self._reserve.require(self.bytes_under_way + size)

    def _has_room(self, party: Party, size: int) -> bool:
        of_all = self.bytes_under_way + size
        if of_all > self.max_bytes:
            return False
        if self._bytes_of[party.widest] + size > self.max_bytes * NETWORK_SHARE:
            return False
        of_account = self._bytes_of[party.account] + size
        return of_account <= self.max_bytes * ACCOUNT_SHARE or of_all <= self.max_bytes * SHARED

    def _count(self, party: Party, size: int) -> None:
        self.bytes_under_way += size
        for key in (party.account, party.widest):
            if key is not None:
                self._bytes_of[key] += size
                if not self._bytes_of[key]:
                    del self._bytes_of[key]


class Room:
    """What one upload has reserved, and what has come in of it."""

    def __init__(self, uploads: Uploads, party: Party, announced: int | None) -> None:
        self._uploads = uploads
        self._party = party
        self._announced = announced
        self.size = self.taken = 0

    async def take(self, size: int) -> None:
        """Called with what has come in; reserves more when there is more than was reserved."""
        self.taken += size
        if self.taken > self.size:
            await self.grow()

    async def grow(self) -> None:
        wanted = self.taken + GROWTH_BYTES
        if self._announced is not None:
            wanted = max(self.taken, min(wanted, self._announced))
        more = wanted - self.size
        await self._uploads.reserve(self._party, more, beside=self.size)
        self.size += more
