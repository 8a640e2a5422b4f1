"""Digests of files, and lists of them as `sha256sum --check` reads and writes them."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Self

from adsvc.errors import OperatorError
from adsvc.storage.files import write_all

# No name leads out of its directory, whoever wrote the list.
NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{1,127}")
LINE = re.compile(r"([0-9a-f]{64})  (..)/(\S+)\n")


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def shard_of(name: str) -> str:
    """The directory of the picture, as the image store has it."""
    return name[:2]


def lines_of(digests: Mapping[str, str]) -> Iterator[str]:
    for name, digest in sorted(digests.items()):
        yield f"{digest}  {shard_of(name)}/{name}\n"


def read_list(path: Path) -> Iterator[tuple[str, str]]:
    """Names and digests. An `OperatorError` names what is no list."""
    with path.open(encoding="ascii", errors="replace") as file:
        for number, line in enumerate(file, 1):
            found = LINE.fullmatch(line)
            if found is None or not NAME.fullmatch(found[3]) or shard_of(found[3]) != found[2]:
                raise OperatorError(f"{path}: line {number} is no digest of a picture.")
            yield found[3], found[1]


def shards_of(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A list by the pictures' directories, one of them in memory at a time."""
    for shard, entries in groupby(read_list(path), lambda entry: shard_of(entry[0])):
        yield shard, dict(entries)


def write_list(path: Path, digests: Mapping[str, str]) -> None:
    """Durable, and whole or not there."""
    write_all({path: "".join(lines_of(digests)).encode()})


class ListWriter:
    """Writes a list piece by piece; durable when the block has ended."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("x", encoding="ascii")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._file as file:
            file.flush()
            os.fsync(file.fileno())

    def add(self, lines: Iterable[str]) -> None:
        self._file.writelines(lines)
