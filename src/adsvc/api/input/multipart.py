"""Multipart forms (RFC 7578), parsed as they arrive."""

import os
import re
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from fastapi import Request
from python_multipart.multipart import MultipartParser, parse_options_header

from adsvc import errors
from adsvc.kit import faults
from adsvc.kit.faults import Fault
from adsvc.kit.http.messages import limited, media_type
from adsvc.kit.process.offload import in_thread
from adsvc.limits import Limits

MAX_PARAMETERS = 20


async def read_parameters(request: Request, limits: Limits) -> dict[str, str]:
    """The parameters of an OAuth 2.0 request. Empty ones count as absent (RFC 6749 §3.2)."""
    if media_type(request) != "application/x-www-form-urlencoded":
        raise errors.UnsupportedMediaTypeError("a body of type application/x-www-form-urlencoded")
    pieces = [piece async for piece in limited(request, "body", limits.json_body_max_bytes)]
    try:
        pairs = parse_qsl(b"".join(pieces).decode(), errors="strict", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise _unexpected_part() from None
    parameters = dict(pairs)
    if len(parameters) != len(pairs) or "\0" in "".join(parameters.values()):
        raise _unexpected_part()
    return parameters


def _unexpected_part() -> errors.InvalidRequestError:
    return errors.InvalidRequestError(faults.malformed("is not a form that this service accepts"))


PREFIX = "adsvc-upload-"

IMAGE, PROPERTIES = "image", "properties"


class FormPart:
    """One part of a form. Its content is in memory until `collect` takes it."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0
        self.gathered = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._limit:
            raise errors.ContentTooLargeError(f"part {self._name}", self._limit)
        self._pieces.append(piece)
        self.gathered += len(piece)

    def collect(self) -> bytes:
        """What has arrived since the last call."""
        pieces, self._pieces, self.gathered = self._pieces, [], 0
        return b"".join(pieces)


class TextPart:
    """The only part with its name: `begin` returns None for one that is ignored."""

    def __init__(self, name: str, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._part: FormPart | None = None
        self._begun = 0

    def begin(self) -> FormPart | None:
        self._begun += 1
        if self._part is not None:
            return None
        self._part = FormPart(self._name, self._limit)
        return self._part

    def faults(self) -> Sequence[Fault]:
        return _faults(self._name, self._begun)

    @property
    def content(self) -> bytes:
        return self._part.collect() if self._part is not None else b""


class ImageParts:
    """Pictures, each written to its own file.

    `most` is how many there may be; without it there has to be exactly one.
    """

    def __init__(self, limits: Limits, most: int | None) -> None:
        self._limits = limits
        self._most = most
        self._parts: list[FormPart] = []
        self._files: list[Path] = []
        self._begun = 0

    def begin(self) -> FormPart | None:
        self._begun += 1
        if self._most is None and self._parts:
            return None
        if self._most is not None and len(self._parts) >= self._most:
            raise errors.TooManyImagesError(self._limits.ad_images_max)
        part = FormPart(IMAGE, self._limits.image_max_bytes)
        self._parts.append(part)
        return part

    def faults(self) -> Sequence[Fault]:
        return _faults(IMAGE, self._begun if self._most is None else len(self._parts[:1]))

    @property
    def gathered(self) -> int:
        return sum(part.gathered for part in self._parts)

    @property
    def files(self) -> Sequence[Path]:
        """The files of all parts that had begun at the last call of `write_out`."""
        return self._files

    def write_out(self) -> None:
        """Writes in one call of a thread. No file stays open between two calls."""
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
    """Faults of a part that has to be there exactly once."""
    if begun == 0:
        return [faults.missing().of_part(name)]
    if begun == 1:
        return []
    fault = faults.wrong_count("parts", upper=1, detail="must be there only once")
    return [fault.of_part(name)]


# RFC 2046 §5.1.1.
BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]")

# Boundaries, part headers, and small parts that are ignored.
FORM_OVERHEAD_BYTES = 64 * 1024

MAX_TEXT_PARTS = 10

# File fields without a file. Each is work, and a body has room for a million of them.
MAX_UNUSED_PARTS = 50

# Pictures are gathered in memory up to this size, because each call of a thread costs the same.
GATHERED_BYTES = 1024 * 1024

# An older file is left over: no upload takes so long.
LEFT_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Form:
    """The parts of a multipart body that operations use."""

    # The files of the pictures, in their order.
    images: Sequence[Path]
    properties: bytes
    # Faults: parts that are missing, or sent too often.
    faults: Sequence[Fault]


@asynccontextmanager
async def read_form(
    request: Request,
    limits: Limits,
    *,
    images: int | None = None,
    with_properties: bool = False,
    take: Callable[[int], Awaitable[None]] | None = None,
) -> AsyncIterator[Form]:
    """The parts `image` and, if it is requested, `properties`; others are ignored.

    `images` is how many pictures there may be: one more raises `TooManyImagesError`. Without it
    there has to be exactly one. `take` is called with the size of each piece, and may refuse the
    rest. Their files are there until the end of the block. Faults of parts
    are returned with the form, so that the rest of the form is validated too.
    """
    if media_type(request) != "multipart/form-data":
        raise errors.UnsupportedMediaTypeError("a body of type multipart/form-data")
    pictures = ImageParts(limits, images)
    properties = TextPart(PROPERTIES, limits.json_body_max_bytes)
    parts: dict[str, TextPart | ImageParts] = {IMAGE: pictures}
    if with_properties:
        parts[PROPERTIES] = properties
    parser = _Parser(_boundary(request), parts, max_files=(images or 1) + 1)
    pieces = limited(request, "body", _largest_form(limits, images or 1))
    try:
        await _receive(pieces, parser, pictures, take)
        found = [fault for part in parts.values() for fault in part.faults()]
        yield Form(pictures.files, properties.content, found)
    finally:
        if pictures.files:
            await in_thread(pictures.remove)


async def _receive(
    pieces: AsyncIterator[bytes],
    parser: "_Parser",
    pictures: ImageParts,
    take: Callable[[int], Awaitable[None]] | None,
) -> None:
    try:
        async for piece in pieces:
            if take is not None:
                await take(len(piece))
            parser.take(piece)
            if pictures.gathered >= GATHERED_BYTES:
                await in_thread(pictures.write_out)
        parser.end()
        await in_thread(pictures.write_out)
    except OSError as error:
        # The disk has no room for the files.
        raise errors.ImageStoreUnavailableError from error


def announced_size(request: Request, limits: Limits, images: int | None = None) -> int | None:
    """The declared length of the form, if there is one; too many bytes are refused elsewhere."""
    declared = request.headers.get("content-length", "")
    if not declared.isdecimal():
        return None
    return min(int(declared[:20]), _largest_form(limits, images or 1))


def _largest_form(limits: Limits, images: int) -> int:
    return images * limits.image_max_bytes + limits.json_body_max_bytes + FORM_OVERHEAD_BYTES


def pictures_in(limits: Limits, size: int) -> float:
    """How many of the largest pictures the bytes of a form are, beside its other parts."""
    return max(0.0, (size - _largest_form(limits, 0)) / limits.image_max_bytes)


def remove_left_files() -> None:
    """Removes the files of a process that was killed."""
    for file in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        # Another process may remove it first, or it may belong to another user.
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > LEFT_SECONDS:
                file.unlink()


def _boundary(request: Request) -> bytes:
    _, options = parse_options_header(request.headers["content-type"])
    boundary = options.get(b"boundary", b"")
    if not BOUNDARY.fullmatch(boundary):
        raise errors.InvalidRequestError(faults.malformed("has no valid multipart boundary"))
    return boundary


class _Parser:
    """Finds the parts in the pieces of a body, and passes their content on."""

    def __init__(
        self, boundary: bytes, parts: Mapping[str, TextPart | ImageParts], *, max_files: int
    ) -> None:
        self._parts = parts
        self._max_files = max_files
        self._part: FormPart | None = None
        self._name = self._value = self._disposition = b""
        self._options: dict[bytes, bytes] = {}
        self._has_begun = True
        self._texts = self._files = self._unused = 0
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
        """Refuses a form that was cut off; the parser would accept it with fewer parts."""
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
        if b"name" not in options:
            raise _not_accepted()
        self._options = options
        # Browsers send an empty part for a file field without a file (HTML, "constructing the entry
        # list"). It begins once it has content.
        self._has_begun = options.get(b"filename") != b""
        self._unused += not self._has_begun
        if self._unused > MAX_UNUSED_PARTS:
            raise _not_accepted()
        self._part = self._begun() if self._has_begun else None

    def _begun(self) -> FormPart | None:
        is_file = b"filename" in self._options
        self._files += is_file
        self._texts += not is_file
        parts = self._parts.get(self._options[b"name"].decode("latin-1"))
        part = parts.begin() if parts is not None else None
        if self._files > self._max_files or self._texts > MAX_TEXT_PARTS:
            raise _not_accepted()
        return part

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if not self._has_begun:
            self._has_begun, self._part = True, self._begun()
        if self._part is not None:
            self._part.add(data[start:end])

    def _on_end(self) -> None:
        self._ended = True


def _not_accepted() -> errors.InvalidRequestError:
    return errors.InvalidRequestError(
        faults.malformed("is not a multipart form that this service accepts")
    )
