"""Room that stays free on the disks: a database without any stops, and cannot start again."""

import asyncio
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from adsvc.cache import SharedValue
from adsvc.errors import DiskNearlyFullError

logger = logging.getLogger("adsvc.disk")

KNOWN_SECONDS = 1.0

# Unless the operator says how much: so many bytes, but no more than that part of a small disk.
USUAL_BYTES = 1024 * 1024 * 1024

USUAL_PART = 10

# A file system runs out of files too; those that have no such limit tell of none.
RESERVED_FILES = 10_000

RESERVED_FILES_PART = 100


class _Room(NamedTuple):
    """How many bytes one of the places can take before its reserve; below 0 it is touched."""

    size: int
    place: str


class DiskReserve:
    """`places` are directories by what they are called in front of clients.

    `size` is in bytes: None for what is usual, 0 for no reserve at all.
    """

    def __init__(self, places: Mapping[str, Path], size: int | None) -> None:
        self._places = places
        self._size = size
        self._known = SharedValue(self._look, lambda _: KNOWN_SECONDS)
        self._was_enough = True
        self._spent = 0

    async def require(self, size: int = 0) -> None:
        """Raises `DiskNearlyFullError` if less than that many bytes are left above the reserve."""
        if self._size == 0:
            return
        room = await self._known.get()
        if room.size - self._spent < size:
            raise DiskNearlyFullError(room.place)

    def spend(self, size: int) -> None:
        """So many bytes have probably been written, which the last look does not know of."""
        self._spent += size

    async def _look(self) -> _Room:
        self._spent = 0
        room = await asyncio.to_thread(self._least_room)
        is_enough = room.size >= 0
        if self._was_enough and not is_enough:
            logger.warning("No pictures are taken: the disk of the %s is nearly full.", room.place)
        elif is_enough and not self._was_enough:
            logger.warning("Pictures are taken again.")
        self._was_enough = is_enough
        return room

    def _least_room(self) -> _Room:
        found = [_Room(USUAL_BYTES, "")]
        for place, directory in self._places.items():
            # A directory that is not there is no question of room.
            with suppress(OSError):
                found.append(_Room(self._room(os.statvfs(directory)), place))
        return min(found)

    def _room(self, disk: os.statvfs_result) -> int:
        if disk.f_favail < min(RESERVED_FILES, disk.f_files // RESERVED_FILES_PART):
            return -1
        total, free = disk.f_blocks * disk.f_frsize, disk.f_bavail * disk.f_frsize
        reserve = min(USUAL_BYTES, total // USUAL_PART) if self._size is None else self._size
        return free - reserve
