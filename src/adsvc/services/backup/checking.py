"""Holds what a directory of backups contains against its digests."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from adsvc.errors import OperatorError
from adsvc.services.backup.digests import digest_of, shards_of
from adsvc.services.backup.directory import BackupDirectory, Generation
from adsvc.services.backup.making import Progress
from adsvc.services.backup.manifest import DUMP, LIST

# Reading is what takes the time.
THREADS = 4


def faults(
    directory: BackupDirectory, generations: Sequence[Generation], progress: Progress
) -> Iterator[str]:
    """What is missing or not as it was written, one sentence each.

    A picture that several generations name is read once.
    """
    sound = []
    for generation in generations:
        found = list(_faults_of(generation, progress))
        yield from found
        if not found:
            sound.append(generation)
    yield from _picture_faults(directory, sound, progress)


def _faults_of(generation: Generation, progress: Progress) -> Iterator[str]:
    try:
        manifest = generation.manifest()
    except OperatorError as error:
        yield str(error)
        return
    advance = progress(
        f"Reading {generation.name}", sum(one.bytes for one in manifest.files.values())
    )
    for name in (DUMP, LIST):
        path = generation.path / name
        wanted = manifest.files.get(name)
        if wanted is None:
            yield f"{generation.path}: the manifest does not name {name}."
            continue
        fault = _fault_of(path, wanted.sha256)
        if fault is not None:
            yield fault
        advance(wanted.bytes)


def _picture_faults(
    directory: BackupDirectory, generations: Sequence[Generation], progress: Progress
) -> Iterator[str]:
    total = sum(generation.manifest().pictures for generation in generations)
    advance = progress("Reading pictures", total)
    known: dict[str, set[str]] = {}
    with ThreadPoolExecutor(THREADS) as threads:
        for generation in generations:
            for shard, digests in shards_of(generation.path / LIST):
                read = known.setdefault(shard, set())
                new = [name for name in digests if name not in read]
                read.update(new)
                paths = [directory.picture(name) for name in new]
                wanted = [digests[name] for name in new]
                for fault in threads.map(_fault_of, paths, wanted):
                    if fault is not None:
                        yield fault
                advance(len(digests))


def _fault_of(path: Path, digest: str) -> str | None:
    try:
        found = digest_of(path)
    except FileNotFoundError:
        return f"{path} is missing."
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}."
    return None if found == digest else f"{path} is not as it was written."
