"""A reserve on the disks. A database without free space stops, and cannot start again."""

import asyncio
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from adsvc.cache import SharedValue
from adsvc.errors import DiskNearlyFullError

logger = logging.getLogger("adsvc.disk")

KNOWN_SECONDS = 1.0

# The default reserve in bytes, and the largest part of a small disk that it may take.
DEFAULT_BYTES = 1024 * 1024 * 1024

DEFAULT_PART = 10

# A file system can run out of files too. One without such a limit reports none.
RESERVED_FILES = 10_000

RESERVED_FILES_PART = 100

# The largest reserve where files are soon deleted again.
PASSING_BYTES = 64 * 1024 * 1024

# What an embedded database may need for its recovery, and writes besides while nothing that adds
# text is taken: three segments of its log.
RECOVERY_BYTES = 48 * 1024 * 1024


class _Room(NamedTuple):
    """The bytes left above the reserve of one directory; negative if the reserve is in use."""

    size: int
    directory: str


class DiskSpace(NamedTuple):
    """In bytes, of the disk of one directory."""

    free: int
    reserve: int


class DiskReserve:
    """`directories` are keyed by the names that clients read. `kept` is what is kept there.

    `size` is in bytes: None means the default, 0 means no reserve. It is never less than `least`.
    In directories that are `passing` files are deleted soon: they have a small reserve only.
    """

    def __init__(
        self,
        directories: Mapping[str, Path],
        size: int | None,
        *,
        kept: str = "pictures",
        least: int = 0,
        passing: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        self._directories = {
            **{name: (path, None) for name, path in directories.items()},
            **{name: (path, PASSING_BYTES) for name, path in passing.items()},
        }
        self._size = size
        self._kept = kept
        self._least = least
        self._known = SharedValue(self._look, lambda _: KNOWN_SECONDS)
        self._was_enough = True
        self._spent = 0
        # By directory, as it was at the last look.
        self.found: Mapping[str, DiskSpace] = {}

    async def look(self) -> None:
        """Has `found` be of a moment ago."""
        await self._known.get()

    async def require(self, size: int = 0) -> None:
        """Raises `DiskNearlyFullError` if less than that many bytes are left above the reserve."""
        if self._size == 0 or not self._directories:
            return
        room = await self._known.get()
        if room.size - self._spent < size:
            raise DiskNearlyFullError(room.directory, self._kept)

    def spend(self, size: int) -> None:
        """Counts bytes that were probably written after the last look."""
        self._spent += size

    async def _look(self) -> _Room:
        self._spent = 0
        room = await asyncio.to_thread(self._least_room)
        is_enough = room.size >= 0
        if self._was_enough and not is_enough:
            logger.warning(
                "There is no room for more %s: the disk of the %s is nearly full.",
                *(self._kept, room.directory),
            )
        elif is_enough and not self._was_enough:
            logger.warning("There is room for %s again.", self._kept)
        self._was_enough = is_enough
        return room

    def _least_room(self) -> _Room:
        rooms, found = [_Room(DEFAULT_BYTES, "")], dict[str, DiskSpace]()
        for name, (directory, most) in self._directories.items():
            # A missing directory is reported elsewhere.
            with suppress(OSError):
                disk = os.statvfs(directory)
                free, reserve = disk.f_bavail * disk.f_frsize, self._reserve(disk, most)
                found[name] = DiskSpace(free, reserve)
                rooms.append(_Room(-1 if _lacks_files(disk) else free - reserve, name))
        self.found = found
        return min(rooms)

    def _reserve(self, disk: os.statvfs_result, most: int | None) -> int:
        total = disk.f_blocks * disk.f_frsize
        reserve = min(DEFAULT_BYTES, total // DEFAULT_PART) if self._size is None else self._size
        return max(reserve, self._least) if most is None else min(reserve, most)


def _lacks_files(disk: os.statvfs_result) -> bool:
    return disk.f_favail < min(RESERVED_FILES, disk.f_files // RESERVED_FILES_PART)
