"""A reserve on the disks, and a bulkhead for uploads, which take memory and space on a disk."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from adsvc.kit.bulkheads.admission import Client, Tally
from adsvc.kit.errors import DiskNearlyFullError, OverloadedError, TooManyUploadsError
from adsvc.kit.invalidation import SharedValue
from adsvc.kit.settings import MEBIBYTE

logger = logging.getLogger("adsvc.disk")

KNOWN_SECONDS = 1.0

# The default reserve in bytes, and the largest part of a small disk that it may take.
DEFAULT_BYTES = 1024 * 1024 * 1024

DEFAULT_PART = 10

# A file system can run out of files too. One without that limit reports none.
RESERVED_FILES = 10_000

RESERVED_FILES_PART = 100

# The largest reserve of a directory of temporary files.
PASSING_BYTES = 64 * 1024 * 1024

# What an embedded database may need for recovery, and for other writes while added text is refused:
# three segments of its log.
RECOVERY_BYTES = 48 * 1024 * 1024


class _FreeSpace(NamedTuple):
    """The bytes left above the reserve of one directory; negative if the reserve is in use."""

    size: int
    directory: str


class DiskSpace(NamedTuple):
    """Space on the disk of one directory, in bytes."""

    free: int
    reserve: int


class DiskReserve:
    """`directories` are keyed by the names that clients read. `content` names the content.

    `size` is in bytes: None means the default, 0 means no reserve. It is never less than `least`.
    Directories that are `passing` have temporary files, and a small reserve only.
    """

    def __init__(
        self,
        directories: Mapping[str, Path],
        size: int | None,
        *,
        content: str = "pictures",
        least: int = 0,
        passing: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        self._directories = {
            **{name: (path, None) for name, path in directories.items()},
            **{name: (path, PASSING_BYTES) for name, path in passing.items()},
        }
        self._size = size
        self._content = content
        self._least = least
        self._known = SharedValue(self._look, lambda _: KNOWN_SECONDS)
        self._was_enough = True
        self._spent = 0
        # By directory, as of the last check.
        self.found: Mapping[str, DiskSpace] = {}

    async def look(self) -> None:
        """Updates `found`, unless it is recent."""
        await self._known.get()

    async def require(self, size: int = 0) -> None:
        """Raises `DiskNearlyFullError` if less than that many bytes are left above the reserve."""
        if self._size == 0 or not self._directories:
            return
        room = await self._known.get()
        if room.size - self._spent < size:
            raise DiskNearlyFullError(room.directory, self._content)

    def spend(self, size: int) -> None:
        """Counts bytes that were probably written after the last check."""
        self._spent += size

    async def _look(self) -> _FreeSpace:
        self._spent = 0
        room = await asyncio.to_thread(self._least_room)
        is_enough = room.size >= 0
        if self._was_enough and not is_enough:
            logger.warning(
                "There is no room for more %s: the disk of the %s is nearly full.",
                *(self._content, room.directory),
            )
        elif is_enough and not self._was_enough:
            logger.warning("There is room for %s again.", self._content)
        self._was_enough = is_enough
        return room

    def _least_room(self) -> _FreeSpace:
        rooms, found = [_FreeSpace(DEFAULT_BYTES, "")], dict[str, DiskSpace]()
        for name, (directory, most) in self._directories.items():
            # A missing directory is reported elsewhere.
            with suppress(OSError):
                disk = os.statvfs(directory)
                free, reserve = disk.f_bavail * disk.f_frsize, self._reserve(disk, most)
                found[name] = DiskSpace(free, reserve)
                files = min(RESERVED_FILES, disk.f_files // RESERVED_FILES_PART)
                rooms.append(_FreeSpace(-1 if disk.f_favail < files else free - reserve, name))
        self.found = found
        return min(rooms)

    def _reserve(self, disk: os.statvfs_result, most: int | None) -> int:
        total = disk.f_blocks * disk.f_frsize
        reserve = min(DEFAULT_BYTES, total // DEFAULT_PART) if self._size is None else self._size
        return max(reserve, self._least) if most is None else min(reserve, most)


# How many bytes ahead of those that have arrived an upload reserves.
GROWTH_BYTES = MEBIBYTE

# The parts of all bytes that an account and a network may use.
ACCOUNT_SHARE, NETWORK_SHARE = 1 / 8, 3 / 4

# An account may exceed its share while all uploads together use less than this part.
SHARED = 1 / 2


class Uploads:
    """Limits the uploads of an account and the bytes of all, and keeps the disk's reserve free.

    An upload counts with the bytes that have arrived, and a little ahead. The size that it declares
    costs nothing.
    """

    def __init__(self, reserve: DiskReserve, *, per_user: int, max_bytes: int) -> None:
        self._reserve = reserve
        self._per_user = per_user
        self.max_bytes = max_bytes
        self._of_account, self._bytes_of = Tally(), Tally()
        self.bytes_under_way = 0

    @asynccontextmanager
    async def room(
        self, client: Client, announced: int | None
    ) -> AsyncIterator["UploadReservation"]:
        """Room for an upload of a declared size during the block.

        An upload without room is refused before it is read.
        """
        if self._of_account[client.account] >= self._per_user:
            raise TooManyUploadsError(self._per_user)
        room = UploadReservation(self, client, announced)
        self._of_account.add(client.account)
        try:
            await self._require(client, announced or GROWTH_BYTES, already_reserved=0)
            await room.grow()
            yield room
            # Counted only now: a failed upload has left nothing on the disk.
            self._reserve.spend(room.taken)
        finally:
            self._count(client, -room.size)
            self._of_account.add(client.account, -1)

    async def reserve(self, client: Client, size: int, *, already_reserved: int) -> None:
        """`already_reserved` is what the same upload has already reserved."""
        await self._require(client, size, already_reserved=already_reserved)
        self._count(client, size)

    async def _require(self, client: Client, size: int, *, already_reserved: int) -> None:
        # A single upload is accepted whatever its size: otherwise it never would be.
        if self.bytes_under_way > already_reserved and not self._has_room(client, size):
            raise OverloadedError
        await self._reserve.require(self.bytes_under_way + size)

    def _has_room(self, client: Client, size: int) -> bool:
        of_all = self.bytes_under_way + size
        if of_all > self.max_bytes:
            return False
        if self._bytes_of[client.outermost] + size > self.max_bytes * NETWORK_SHARE:
            return False
        of_account = self._bytes_of[client.account] + size
        return of_account <= self.max_bytes * ACCOUNT_SHARE or of_all <= self.max_bytes * SHARED

    def _count(self, client: Client, size: int) -> None:
        self.bytes_under_way += size
        for key in (client.account, client.outermost):
            if key is not None:
                self._bytes_of.add(key, size)


class UploadReservation:
    """The bytes that one upload has reserved, and those that have arrived."""

    def __init__(self, uploads: Uploads, client: Client, announced: int | None) -> None:
        self._uploads = uploads
        self._client = client
        self._announced = announced
        self.size = self.taken = 0

    async def take(self, size: int) -> None:
        """Counts bytes that have arrived, and reserves more when the reservation is used up."""
        self.taken += size
        if self.taken > self.size:
            await self.grow()

    async def grow(self) -> None:
        wanted = self.taken + GROWTH_BYTES
        if self._announced is not None:
            wanted = max(self.taken, min(wanted, self._announced))
        more = wanted - self.size
        await self._uploads.reserve(self._client, more, already_reserved=self.size)
        self.size += more
