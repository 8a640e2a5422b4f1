"""Removes old backups, and the pictures that no other one names."""

from collections.abc import AsyncIterator, Sequence

from adsvc.errors import OperatorError
from adsvc.storage.local import SHARDS
from adsvc_ops.backup import checking
from adsvc_ops.backup.manifest import LIST, Manifest
from adsvc_ops.backup.place import DamagedError, Place


async def prune(place: Place, keep: int) -> list[str]:
    """The names of the backups that it removed: all but so many, the newest."""
    generations = await place.generations()
    old, kept = generations[:-keep], generations[-keep:]
    if not old:
        return []
    manifests = [(generation, await place.manifest(generation)) for generation in kept]
    for generation, manifest in manifests:
        await _require_whole_list(place, generation, manifest)
    await place.remove(old)
    unnamed = set(SHARDS)
    async for shard, names in _named(place, manifests):
        unnamed.discard(shard)
        await place.keep_only(shard, names)
    for shard in unnamed:
        await place.keep_only(shard, frozenset())
    return old


async def _require_whole_list(place: Place, generation: str, manifest: Manifest) -> None:
    """A damaged list may not name what it should, and pictures would go for good."""
    try:
        async for _ in checking.whole(place, generation, LIST, manifest.files[LIST]):
            pass
    except DamagedError as error:
        told = f"{place.where(generation)} is damaged. No older backup was removed."
        raise OperatorError(told) from error


async def _named(
    place: Place, kept: Sequence[tuple[str, Manifest]]
) -> AsyncIterator[tuple[str, frozenset[str]]]:
    """What any of them names, one shard after the other: the lists are in that order."""
    lists = [checking.pictures_of(place, *one) for one in kept]
    heads = [await anext(shards, None) for shards in lists]
    while shard := min((head[0] for head in heads if head is not None), default=None):
        names: set[str] = set()
        for number, head in enumerate(heads):
            if head is not None and head[0] == shard:
                names.update(head[1])
                heads[number] = await anext(lists[number], None)
        yield shard, frozenset(names)
