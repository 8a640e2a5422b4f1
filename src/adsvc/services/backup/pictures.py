"""Copies pictures into a directory of backups, those that it does not hold already."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import NamedTuple

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.pictures.variants import files_of
from adsvc.repositories.operation.backups import NamedPicture
from adsvc.services.backup.digests import NAME, shard_of
from adsvc.services.backup.directory import BackupDirectory
from adsvc.storage import ImageStore
from adsvc.storage.reading import content_if_there

# Pictures of ten megabytes each are in memory at once.
AT_ONCE = 8

Advance = Callable[[int], None]


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


async def copied(
    store: ImageStore,
    directory: BackupDirectory,
    pictures: AsyncIterator[NamedPicture],
    advance: Advance,
) -> AsyncIterator[Shard]:
    """Copies what is new. Killed at any point, what it copied is whole or not there."""
    async for names in _by_shard(pictures):
        shard = shard_of(names[0])
        known = await asyncio.to_thread(directory.known_digests, shard)
        new = [name for name in names if name not in known]
        advance(len(names) - len(new))
        missing: list[str] = []
        for batch in _batches(new):
            found = await _copy(store, directory, batch)
            known |= found
            missing += [name for name in batch if name not in found]
            advance(len(batch))
        if len(missing) < len(new):
            await asyncio.to_thread(directory.keep_digests, shard, known)
        yield Shard(shard, {name: known[name] for name in names if name in known}, missing)


def _batches(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), AT_ONCE):
        yield names[start : start + AT_ONCE]


async def _copy(
    store: ImageStore, directory: BackupDirectory, names: Sequence[str]
) -> dict[str, str]:
    """The digests of those that the store has."""
    try:
        contents = await asyncio.gather(*(content_if_there(store, name) for name in names))
    except ImageStoreUnavailableError as error:
        told = error.__cause__ or error.detail
        raise OperatorError(f"The pictures in {store.location} cannot be read: {told}") from error
    found = {
        name: content for name, content in zip(names, contents, strict=True) if content is not None
    }
    await directory.pictures.put_all(found)
    return {name: hashlib.sha256(content).hexdigest() for name, content in found.items()}
