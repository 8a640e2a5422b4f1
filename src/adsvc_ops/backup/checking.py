"""Compares what a place of backups holds with its digests."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from adsvc.errors import OperatorError
from adsvc_ops.backup.digests import digest_of, shards_of
from adsvc_ops.backup.manifest import DUMP, LIST, Manifest, StoredFile
from adsvc_ops.backup.pictures import Advance, Progress
from adsvc_ops.backup.place import DamagedError, Place, in_turn

# Each of them in memory.
PICTURES_AT_ONCE = 16


async def faults(
    place: Place, generations: Sequence[str], progress: Progress
) -> AsyncGenerator[str, None]:
    """What is missing or not as it was written, one sentence each.

    A picture that several generations name is read once.
    """
    sound: list[tuple[str, Manifest]] = []
    for generation in generations:
        try:
            manifest = await place.manifest(generation)
        except OperatorError as error:
            yield str(error)
            continue
        found = [fault async for fault in _faults_of(place, generation, manifest, progress)]
        for fault in found:
            yield fault
        if not found:
            sound.append((generation, manifest))
    advance = progress("Reading pictures", sum(manifest.pictures for _, manifest in sound))
    async with aclosing(_picture_faults(place, sound, advance)) as damaged:
        async for fault in damaged:
            yield fault


async def _faults_of(
    place: Place, generation: str, manifest: Manifest, progress: Progress
) -> AsyncIterator[str]:
    advance = progress(f"Reading {generation}", None)
    for file in (DUMP, LIST):
        wanted = manifest.files.get(file)
        if wanted is None:
            yield f"{place.where(generation)}: the manifest does not name {file}."
            continue
        try:
            async for chunk in whole(place, generation, file, wanted):
                advance(0, len(chunk))
        except OperatorError as error:
            yield str(error)


async def _picture_faults(
    place: Place, generations: Sequence[tuple[str, Manifest]], advance: Advance
) -> AsyncGenerator[str, None]:
    known: dict[str, set[str]] = {}

    async def reading() -> AsyncIterator[Coroutine[Any, Any, str | None]]:
        for generation, manifest in generations:
            async for shard, digests in pictures_of(place, generation, manifest):
                read = known.setdefault(shard, set())
                new = [name for name in digests if name not in read]
                read.update(new)
                advance(len(digests) - len(new), 0)
                for name in new:
                    yield _fault_of(place, name, digests[name], advance)

    async with aclosing(in_turn(reading(), PICTURES_AT_ONCE)) as found:
        async for fault in found:
            if fault is not None:
                yield fault


async def _fault_of(place: Place, name: str, digest: str, advance: Advance) -> str | None:
    try:
        advance(1, len(await picture(place, name, digest)))
    except DamagedError as error:
        return str(error)
    return None


async def picture(place: Place, name: str, digest: str) -> bytes:
    """A `DamagedError` if it is not the one of that digest."""
    content = await place.picture(name)
    if await asyncio.to_thread(digest_of, content) != digest:
        raise DamagedError(f"{place.where_picture(name)} is not as it was written.")
    return content


async def whole(
    place: Place, generation: str, file: str, wanted: StoredFile
) -> AsyncGenerator[bytes, None]:
    """The file; a `DamagedError` at its end if it is not the one of that digest."""
    digest = hashlib.sha256()
    async with aclosing(place.read(generation, file, wanted.bytes)) as chunks:
        async for chunk in chunks:
            await asyncio.to_thread(digest.update, chunk)
            yield chunk
    if digest.hexdigest() != wanted.sha256:
        raise DamagedError(f"{place.where(generation, file)} is not as it was written.")


async def pictures_of(
    place: Place, generation: str, manifest: Manifest
) -> AsyncGenerator[tuple[str, dict[str, str]], None]:
    """Shard by shard, names and digests."""
    async with aclosing(place.read(generation, LIST, manifest.files[LIST].bytes)) as chunks:
        async for shard in shards_of(chunks, place.where(generation, LIST)):
            yield shard
