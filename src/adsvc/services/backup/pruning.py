"""Removes old backups, and the pictures that no other one names."""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby

from adsvc.errors import OperatorError
from adsvc.services.backup.digests import digest_of, shards_of
from adsvc.services.backup.directory import BackupDirectory, Generation
from adsvc.services.backup.manifest import LIST
from adsvc.storage.local import SHARDS


def prune(directory: BackupDirectory, keep: int) -> list[str]:
    """The names of the backups that it removed: all but so many, the newest."""
    generations = directory.generations()
    old, kept = generations[:-keep], generations[-keep:]
    if not old:
        return []
    for generation in kept:
        _require_whole_list(generation)
    with directory.written():
        directory.remove(old)
        _remove_pictures(directory, kept)
    return [generation.name for generation in old]


def _require_whole_list(generation: Generation) -> None:
    """A damaged list may not name what it should, and pictures would go for good."""
    if digest_of(generation.path / LIST) != generation.manifest().files[LIST].sha256:
        raise OperatorError(f"{generation.path} is damaged. No older backup was removed.")


def _remove_pictures(directory: BackupDirectory, kept: Sequence[Generation]) -> None:
    unnamed = set(SHARDS)
    for shard, names in _named(kept):
        unnamed.discard(shard)
        directory.keep_only(shard, names)
    for shard in unnamed:
        directory.keep_only(shard, frozenset())


def _named(kept: Sequence[Generation]) -> Iterator[tuple[str, frozenset[str]]]:
    """What any of them names, one directory after the other: the lists are in that order."""
    lists = [shards_of(generation.path / LIST) for generation in kept]
    for shard, entries in groupby(merge(*lists, key=lambda one: one[0]), lambda one: one[0]):
        yield shard, frozenset(name for _, digests in entries for name in digests)
