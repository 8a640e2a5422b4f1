"""Multipart forms (RFC 7578) with pictures in them, taken apart as they come in."""

import re
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fastapi import Request
from python_multipart.multipart import MultipartParser, parse_options_header

from adsvc.api.input.body import limited, media_type
from adsvc.api.input.form_parts import IMAGE, PREFIX, PROPERTIES, ImageParts, Part, Parts, TextPart
from adsvc.bulkheads.uploads import Room
from adsvc.errors import (
    Fault,
    ImageStoreUnavailableError,
    InvalidRequestError,
    UnsupportedMediaTypeError,
    faults,
)
from adsvc.limits import Limits
from adsvc.process.cancellation import in_thread

# RFC 2046 §5.1.1.
BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")

# Boundaries, part headers and small parts nobody asked for.
FORM_OVERHEAD_BYTES = 64 * 1024

MAX_TEXT_PARTS = 10

# So much of the pictures waits in memory: to write it is a turn of a thread, however little it is.
GATHERED_BYTES = 1024 * 1024

# Longer than any upload takes.
LEFT_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a multipart body that operations ask for."""

    # The files that the pictures were received into, in their order.
    images: Sequence[Path]
    properties: bytes
    # Parts that are missing, or there too often.
    faults: Sequence[Fault]


@asynccontextmanager
async def read_form(
    request: Request,
    limits: Limits,
    *,
    images: int | None = None,
    with_properties: bool = False,
    room: Room | None = None,
) -> AsyncIterator[Form]:
    """The parts `image` and, if asked for, `properties`; others are ignored.

    `images` is how many there may be: the next raises `TooManyImagesError`. Without it there has to
    be exactly one. Their files are there until the end of the block. What is missing, or there too
    often, is told with the form, so that the rest of it is judged too.
    """
    if media_type(request) != "multipart/form-data":
        raise UnsupportedMediaTypeError("a body of type multipart/form-data")
    pictures = ImageParts(limits, images)
    properties = TextPart(PROPERTIES, limits.json_body_max_bytes)
    parts: dict[str, Parts] = {IMAGE: pictures}
    if with_properties:
        parts[PROPERTIES] = properties
    parser = _Parser(_boundary(request), parts, max_files=(images or 1) + 1)
    pieces = limited(request, "body", _largest_form(limits, images or 1))
    try:
        await _receive(pieces, parser, pictures, room)
        found = [fault for part in parts.values() for fault in part.faults()]
        yield Form(pictures.files, properties.content, found)
    finally:
        if pictures.files:
            await in_thread(pictures.remove)


async def _receive(
    pieces: AsyncIterator[bytes], parser: "_Parser", pictures: ImageParts, room: Room | None
) -> None:
    try:
        async for piece in pieces:
            if room is not None:
                await room.take(len(piece))
            parser.take(piece)
            if pictures.gathered >= GATHERED_BYTES:
                await in_thread(pictures.write_out)
        parser.end()
        await in_thread(pictures.write_out)
    except OSError as error:
        # There is no room for the files.
        raise ImageStoreUnavailableError from error


def announced_size(request: Request, limits: Limits, images: int | None = None) -> int | None:
    """How many bytes the form has, if its head says so; too many are refused elsewhere."""
    declared = request.headers.get("content-length", "")
    if not declared.isdecimal():
        return None
    return min(int(declared[:20]), _largest_form(limits, images or 1))


def _largest_form(limits: Limits, images: int) -> int:
    return images * limits.image_max_bytes + limits.json_body_max_bytes + FORM_OVERHEAD_BYTES


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
        raise InvalidRequestError(faults.malformed("has no valid multipart boundary"))
    return boundary


class _Parser:
    """Finds the parts in what it is given, and gives them what is in them."""

    def __init__(self, boundary: bytes, parts: Mapping[str, Parts], *, max_files: int) -> None:
        self._parts = parts
        self._max_files = max_files
        self._part: Part | None = None
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
        parts = self._parts.get(options.get(b"name", b"").decode("latin-1"))
        self._part = parts.begin() if parts is not None else None
        if b"name" not in options or self._files > self._max_files or self._texts > MAX_TEXT_PARTS:
            raise _not_accepted()

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._part is not None:
            self._part.add(data[start:end])

    def _on_end(self) -> None:
        self._ended = True


def _not_accepted() -> InvalidRequestError:
    return InvalidRequestError(
        faults.malformed("is not a multipart form that this service accepts")
    )
