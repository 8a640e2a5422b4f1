"""Multipart forms (RFC 7578) with a picture in them, taken apart as they come in."""

import re
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiofiles.tempfile
from fastapi import Request
from python_multipart.multipart import MultipartParser, parse_options_header

from adsvc.api.input.body import limited, media_type
from adsvc.errors import (
    ContentTooLargeError,
    Fault,
    ImageStoreUnavailableError,
    InvalidRequestError,
    UnsupportedMediaTypeError,
)
from adsvc.limits import Limits

# RFC 2046 §5.1.1.
BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")

# Boundaries, part headers and small parts nobody asked for.
FORM_OVERHEAD_BYTES = 64 * 1024

MAX_TEXT_PARTS = 10

# The picture, and `properties` when it comes as a file.
MAX_FILE_PARTS = 2

# So much of a picture waits in memory: to write it is a turn of a thread, however little it is.
GATHERED_BYTES = 1024 * 1024

PREFIX = "adsvc-upload-"

# Longer than any upload takes.
LEFT_SECONDS = 3600

IMAGE, PROPERTIES = "image", "properties"


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a multipart body that operations ask for."""

    # The file that it was received into.
    image: Path
    properties: bytes


@asynccontextmanager
async def read_form(
    request: Request, limits: Limits, *, with_properties: bool = False
) -> AsyncIterator[Form]:
    """The parts `image` and, if asked for, `properties`; others are ignored.

    The picture's file is there until the end of the block.
    """
    if media_type(request) != "multipart/form-data":
        raise UnsupportedMediaTypeError("a body of type multipart/form-data")
    parts = {IMAGE: _Part(IMAGE, limits.image_max_bytes)}
    if with_properties:
        parts[PROPERTIES] = _Part(PROPERTIES, limits.json_body_max_bytes)
    parser = _Parser(_boundary(request), parts)
    total = _largest_form(limits)
    complete = False
    try:
        async with aiofiles.tempfile.NamedTemporaryFile(prefix=PREFIX) as file:
            async for piece in limited(request, "body", total):
                parser.take(piece)
                if parts[IMAGE].gathered >= GATHERED_BYTES:
                    await file.write(parts[IMAGE].collect())
            parser.end()
            for part in parts.values():
                part.check()
            await file.write(parts[IMAGE].collect())
            await file.flush()
            properties = parts[PROPERTIES].collect() if with_properties else b""
            complete = True
            yield Form(Path(str(file.name)), properties)
    except OSError as error:
        if complete:
            # It comes from the block, and is none of the file.
            raise
        # There is no room for the file.
        raise ImageStoreUnavailableError from error


def announced_size(request: Request, limits: Limits) -> int:
    """How many bytes the form may have, as far as its head tells."""
    declared = request.headers.get("content-length", "")
    largest = _largest_form(limits)
    return min(int(declared[:20]), largest) if declared.isdecimal() else largest


def _largest_form(limits: Limits) -> int:
    return limits.image_max_bytes + limits.json_body_max_bytes + FORM_OVERHEAD_BYTES


def remove_left_files() -> None:
    """What a process that was killed could not remove."""
    for file in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        # Another process may do the same at the same time, or the file be another user's.
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > LEFT_SECONDS:
                file.unlink()


def _boundary(request: Request) -> bytes:
    _, options = parse_options_header(request.headers["content-type"])
    boundary = options.get(b"boundary", b"")
    if not BOUNDARY.fullmatch(boundary):
        raise InvalidRequestError(Fault("has no valid multipart boundary"))
    return boundary


class _Part:
    """One that is asked for. Of what is beyond the limit only the size is kept."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self.gathered = 0
        self.times = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._limit:
            self._pieces.append(piece)
            self.gathered += len(piece)

    def collect(self) -> bytes:
        """What has been gathered since the last time."""
        pieces, self._pieces, self.gathered = self._pieces, [], 0
        return b"".join(pieces)

    def check(self) -> None:
        if self.times != 1:
            detail = "must be there" if not self.times else "must be there only once"
            raise InvalidRequestError(Fault(detail, self._name, "parameter"))
        if self._size > self._limit:
            raise ContentTooLargeError(f"part {self._name}", self._limit)


class _Parser:
    """Finds the parts in what it is given, and gives them what is in them."""

    def __init__(self, boundary: bytes, parts: dict[str, _Part]) -> None:
        self._parts = parts
        self._part: _Part | None = None
        self._name = self._value = self._disposition = b""
        self._texts = self._files = 0
        self._ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._on_part_begin,
                "on_header_field": self._on_header_field,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers_finished,
                "on_part_data": self._on_part_data,
                "on_end": self._on_end,
            },
        )

    def take(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except ValueError:
            raise _not_accepted() from None

    def end(self) -> None:
        """Refuses a form that was cut off, which the parser takes for one with fewer parts."""
        try:
            self._parser.finalize()
        except ValueError:
            raise _not_accepted() from None
        if not self._ended:
            raise _not_accepted()

    def _on_part_begin(self) -> None:
        self._name = self._value = self._disposition = b""

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _on_header_end(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name = self._value = b""

    def _on_headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        is_file = b"filename" in options
        self._files += is_file
        self._texts += not is_file
        if b"name" not in options or self._files > MAX_FILE_PARTS or self._texts > MAX_TEXT_PARTS:
            raise _not_accepted()
        self._part = self._parts.get(options[b"name"].decode("latin-1"))
        if self._part is not None:
            self._part.times += 1

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part is not None:
            self._part.add(data[start:end])

    def _on_end(self) -> None:
        self._ended = True


def _not_accepted() -> InvalidRequestError:
    return InvalidRequestError(Fault("is not a multipart form that this service accepts"))
