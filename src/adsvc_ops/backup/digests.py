"""Digests of files, and lists of them as `sha256sum --check` reads and writes them."""

import hashlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping

from adsvc.errors import OperatorError

# No name leads out of its directory, whoever wrote the list.
NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{1,127}")
LINE = re.compile(rb"([0-9a-f]{64})  (..)/(\S+)")


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def shard_of(name: str) -> str:
    """The directory of the picture, as the image store has it."""
    return name[:2]


def lines_of(digests: Mapping[str, str]) -> Iterator[str]:
    for name, digest in sorted(digests.items()):
        yield f"{digest}  {shard_of(name)}/{name}\n"


def rendered(digests: Mapping[str, str]) -> bytes:
    return "".join(lines_of(digests)).encode()


def parsed(lines: bytes, origin: str, before: int = 0) -> Iterator[tuple[str, str]]:
    """Names and digests. An `OperatorError` names what is no list, by the lines `before` it too."""
    for number, line in enumerate(lines.removesuffix(b"\n").split(b"\n") if lines else (), 1):
        found = LINE.fullmatch(line)
        if found is not None:
            digest, shard, name = (part.decode("ascii", "replace") for part in found.groups())
            if NAME.fullmatch(name) and shard_of(name) == shard:
                yield name, digest
                continue
        raise OperatorError(f"{origin}: line {before + number} is no digest of a picture.")


async def shards_of(
    chunks: AsyncIterator[bytes], origin: str
) -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A list by the pictures' directories, one of them in memory at a time."""
    digests: dict[str, str] = {}
    shard, rest, before = "", b"", 0
    async for chunk in chunks:
        lines, newline, rest = (rest + chunk).rpartition(b"\n")
        for name, digest in parsed(lines + newline, origin, before):
            if digests and shard_of(name) != shard:
                yield shard, digests
                digests = {}
            shard = shard_of(name)
            digests[name] = digest
        before += lines.count(b"\n") + len(newline)
    if rest:
        raise OperatorError(f"{origin}: line {before + 1} is no digest of a picture.")
    if digests:
        yield shard, digests
