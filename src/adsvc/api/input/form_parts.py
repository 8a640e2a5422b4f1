"""The parts of a multipart form that an operation asks for, as they come in."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from adsvc.errors import ContentTooLargeError, Fault, TooManyImagesError, faults
from adsvc.limits import Limits

PREFIX = "adsvc-upload-"

IMAGE, PROPERTIES = "image", "properties"


class Part:
    """One part. What is not collected waits in memory."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self.gathered = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise ContentTooLargeError(f"part {self._name}", self._limit)
        self._pieces.append(piece)
        self.gathered += len(piece)

    def collect(self) -> bytes:
        """What has been gathered since the last time."""
        pieces, self._pieces, self.gathered = self._pieces, [], 0
        return b"".join(pieces)


class Parts(Protocol):
    """Those of one name."""

    def begin(self) -> Part | None:
        """None for one that is not wanted, and is not kept."""
        ...

    def faults(self) -> Sequence[Fault]:
        """At the end of the form."""
        ...


class TextPart:
    """The one part of its name."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._part: Part | None = None
        self._begun = 0

    def begin(self) -> Part | None:
        self._begun += 1
        if self._part is not None:
            return None
        self._part = Part(self._name, self._limit)
        return self._part

    def faults(self) -> Sequence[Fault]:
        return _faults(self._name, self._begun)

    @property
    def content(self) -> bytes:
        return self._part.collect() if self._part is not None else b""


class ImageParts:
    """Pictures, each of which goes into a file of its own.

    `most` is how many there may be; without it there has to be exactly one.
    """

    def __init__(self, limits: Limits, most: int | None) -> None:
        self._limits = limits
        self._most = most
        self._parts: list[Part] = []
        self._files: list[Path] = []
        self._begun = 0

    def begin(self) -> Part | None:
        self._begun += 1
        if self._most is None and self._parts:
            return None
        if self._most is not None and len(self._parts) >= self._most:
            raise TooManyImagesError(self._limits.ad_images_max)
        part = Part(IMAGE, self._limits.image_max_bytes)
        self._parts.append(part)
        return part

    def faults(self) -> Sequence[Fault]:
        return _faults(IMAGE, self._begun if self._most is None else len(self._parts[:1]))

    @property
    def gathered(self) -> int:
        return sum(part.gathered for part in self._parts)

    @property
    def files(self) -> Sequence[Path]:
        """Of all parts that have begun when `write_out` was called last."""
        return self._files

    def write_out(self) -> None:
        """In one turn of a thread, and without a file that stays open between two of them."""
        for number, part in enumerate(self._parts):
            if number == len(self._files):
                descriptor, path = tempfile.mkstemp(prefix=PREFIX)
                self._files.append(Path(path))
            elif part.gathered:
                descriptor = os.open(self._files[number], os.O_WRONLY | os.O_APPEND)
            else:
                continue
            try:
                _write(descriptor, part.collect())
            finally:
                os.close(descriptor)

    def remove(self) -> None:
        for path in self._files:
            with suppress(OSError):
                path.unlink()


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _faults(name: str, begun: int) -> Sequence[Fault]:
    """Of a part that has to be there exactly once."""
    if begun == 0:
        return [faults.missing().of_part(name)]
    if begun == 1:
        return []
    fault = faults.wrong_count("parts", upper=1, detail="must be there only once")
    return [fault.of_part(name)]
