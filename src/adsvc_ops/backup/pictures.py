"""Copies pictures into a place of backups, those that it does not hold already."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, NamedTuple

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.pictures.variants import files_of
from adsvc.storage import ImageStore
from adsvc.storage.protocol import content_if_there
from adsvc_ops.backup.database import NamedPicture
from adsvc_ops.backup.digests import NAME, digest_of, shard_of
from adsvc_ops.backup.place import Place, in_turn

# So many files are read and written at once, each of them in memory: pictures have up to ten
# megabytes. Those of a batch become durable together.
BATCH, BATCHES_AT_ONCE = 8, 4
# What is there already is looked up for so many directories in advance.
SHARDS_AHEAD = 8

# Is told how many further parts of a step are done, and of how many bytes they were.
Advance = Callable[[int, int], None]
# Begins a step of so many parts, None if nobody knows.
Progress = Callable[[str, int | None], Advance]


class Shard(NamedTuple):
    """The pictures of one directory that rows name, by their digests."""

    name: str
    digests: dict[str, str]
    # The store did not have them.
    missing: list[str]


def files_named(picture: NamedPicture) -> list[str]:
    """The picture's files: itself, and its variants if it has any."""
    return files_of([picture.name]) if picture.has_variants else [picture.name]


async def _by_shard(pictures: AsyncIterator[NamedPicture]) -> AsyncIterator[list[str]]:
    """The files of one directory after the other."""
    names: list[str] = []
    async for picture in pictures:
        if not NAME.fullmatch(picture.name):
            raise OperatorError(f"A row names the picture {picture.name!r}, which no service made.")
        if names and shard_of(names[-1]) != shard_of(picture.name):
            yield names
            names = []
        names += files_named(picture)
    if names:
        yield names


@dataclass
class _Directory:
    """One whose pictures are being copied."""

    digests: dict[str, str]
    names: list[str]
    missing: list[str]
    # That were copied.
    new: int = 0


async def copied(
    store: ImageStore, place: Place, pictures: AsyncIterator[NamedPicture], advance: Advance
) -> AsyncGenerator[Shard, None]:
    """Copies what is new. Killed at any point, what it copied is whole or not there."""

    async def known() -> AsyncIterator[Coroutine[Any, Any, _Directory]]:
        async for names in _by_shard(pictures):
            yield _known(place, names)

    async def batches() -> AsyncIterator[Coroutine[Any, Any, _Directory | None]]:
        async with aclosing(in_turn(known(), SHARDS_AHEAD)) as directories:
            async for directory in directories:
                new = [name for name in directory.names if name not in directory.digests]
                advance(len(directory.names) - len(new), 0)
                several = list(batched(new, BATCH)) or [[]]
                for batch in several:
                    yield _copy(store, place, directory, batch, advance, last=batch is several[-1])

    async def kept() -> AsyncIterator[Coroutine[Any, Any, Shard]]:
        async with aclosing(in_turn(batches(), BATCHES_AT_ONCE)) as copying:
            async for done in copying:
                if done is not None:
                    yield _kept(place, done)

    async with aclosing(in_turn(kept(), SHARDS_AHEAD)) as shards:
        async for shard in shards:
            yield shard


async def _known(place: Place, names: list[str]) -> _Directory:
    return _Directory(await place.known_digests(shard_of(names[0])), names, [])


async def _kept(place: Place, directory: _Directory) -> Shard:
    """All of its batches have ended."""
    shard, digests = shard_of(directory.names[0]), directory.digests
    if directory.new:
        await place.keep_digests(shard, digests)
    named = {name: digests[name] for name in directory.names if name in digests}
    return Shard(shard, named, directory.missing)


async def _copy(
    store: ImageStore,
    place: Place,
    directory: _Directory,
    names: Sequence[str],
    advance: Advance,
    *,
    last: bool,
) -> _Directory | None:
    """The directory, with its last batch: those before have ended then."""
    try:
        contents = await asyncio.gather(*(content_if_there(store, name) for name in names))
    except ImageStoreUnavailableError as error:
        told = error.__cause__ or error.detail
        raise OperatorError(f"The pictures in {store.location} cannot be read: {told}") from error
    found = {
        name: content for name, content in zip(names, contents, strict=True) if content is not None
    }
    if found:
        await place.put(found)
    digests = await asyncio.to_thread(
        lambda: {name: digest_of(content) for name, content in found.items()}
    )
    directory.digests |= digests
    directory.missing += [name for name in names if name not in found]
    directory.new += len(found)
    advance(len(names), sum(map(len, found.values())))
    return directory if last else None


def batched(names: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]
