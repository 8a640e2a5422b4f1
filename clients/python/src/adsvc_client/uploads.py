"""Files to send: opened for each attempt, and read while they are sent."""

import mimetypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

Upload: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO
"""A path, the content of a file, or a file that is open for reading bytes."""

SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"RIFF", "image/webp"),
)
OpenFile: TypeAlias = tuple[str, BinaryIO | bytes, str]


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
