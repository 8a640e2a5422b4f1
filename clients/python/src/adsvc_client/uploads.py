"""Files to send: opened for each attempt, and read while they are sent."""

import mimetypes
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias, TypeVar, cast

import httpx2

from ._generated.types import Unset

Upload: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO
"""A path, the content of a file, or a file that is open for reading bytes."""

Text: TypeAlias = str | os.PathLike[str] | bytes | Iterable[str] | Iterable[bytes]
"""A text, a path to a file with it, or its lines or other pieces, such as an open file."""

Progress: TypeAlias = Callable[[int, int], None]
"""Takes the bytes of a body that were sent, and how many there are."""

PIECE = 64 * 1024
SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"RIFF", "image/webp"),
)
OpenFile: TypeAlias = tuple[str, BinaryIO | bytes, str]


T = TypeVar("T", bound=Unset)


def several(uploads: Sequence[Upload] | Upload | T) -> Sequence[Upload] | T:
    """A single upload as a list of one."""
    if isinstance(uploads, list | tuple | Unset):
        return uploads
    if isinstance(uploads, str | bytes | os.PathLike) or hasattr(uploads, "read"):
        return [cast("Upload", uploads)]
    return list(uploads)


@contextmanager
def opened(upload: Upload) -> Iterator[OpenFile]:
    """Its name, content and type. A file that was open already stays open, and is rewound."""
    if isinstance(upload, bytes):
        yield "upload", upload, type_of_bytes(upload)
    elif isinstance(upload, str | os.PathLike):
        path = Path(upload)
        with path.open("rb") as file:
            yield path.name, file, type_of_name(path.name) or _type_of_file(file)
    else:
        name = Path(str(getattr(upload, "name", "upload"))).name
        upload.seek(0)
        yield name, upload, type_of_name(name) or _type_of_file(upload)


class Counted(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """The body of a request, which calls `progress` while it is sent."""

    def __init__(self, request: httpx2.Request, progress: Progress) -> None:
        self._body = request.stream
        self._total = int(request.headers.get("Content-Length", 0))
        self._progress = progress

    def __iter__(self) -> Iterator[bytes]:
        sent = 0
        for chunk in cast("Iterable[bytes]", self._body):
            for begin in range(0, len(chunk), PIECE):
                piece = chunk[begin : begin + PIECE]
                yield piece
                sent += len(piece)
                self._progress(sent, self._total)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def text_of(text: Text) -> bytes:
    if isinstance(text, str):
        return text.encode()
    if isinstance(text, os.PathLike):
        return Path(text).read_bytes()
    if isinstance(text, bytes):
        return text
    return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in text)


def type_of_rows(content: bytes) -> str:
    """Of objects, or of comma-separated values, which begin with names of columns."""
    is_ndjson = content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return "application/x-ndjson" if is_ndjson else "text/csv"


def repeatable(upload: Upload) -> Upload:
    """An upload that can be sent more than once: a stream that cannot be rewound is read now."""
    if isinstance(upload, str | bytes | os.PathLike) or upload.seekable():
        return upload
    return upload.read()


def type_of_name(name: str) -> str | None:
    kind, _ = mimetypes.guess_type(name)
    return kind


def type_of_bytes(beginning: bytes) -> str:
    for signature, kind in SIGNATURES:
        if beginning.startswith(signature):
            return kind
    return "application/octet-stream"


def _type_of_file(file: BinaryIO) -> str:
    kind = type_of_bytes(file.read(16))
    file.seek(0)
    return kind
