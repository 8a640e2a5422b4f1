"""A directory of backups: who may use it, which generations it holds, and how one comes to be."""

import fcntl
import os
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from adsvc.errors import ImageStoreUnavailableError, OperatorError
from adsvc.services.backup.digests import read_list, write_list
from adsvc.services.backup.manifest import MANIFEST, Manifest, read_manifest
from adsvc.storage import LocalImageStore
from adsvc.storage.files import sync_directories, unlinked

PICTURES, DIGESTS, LOCK = "pictures", "digests", ".lock"
# In the order of time, and a name on every file system.
STAMP = "%Y%m%dT%H%M%SZ"
GENERATION = re.compile(r"[0-9]{8}T[0-9]{6}Z")
PARTIAL = re.compile(r"\.[0-9]{8}T[0-9]{6}Z\.(partial|removed)")


class Generation(NamedTuple):
    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def manifest(self) -> Manifest:
        return read_manifest(self.path / MANIFEST)


class BackupDirectory:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.pictures = LocalImageStore(self.path / PICTURES)

    def prepare(self) -> None:
        """Makes it, for its owner alone, or an `OperatorError` says why it can hold no backups."""
        with self.written():
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not (self.path / PICTURES).is_dir() and any(self.path.iterdir()):
                raise OperatorError(
                    f"{self.path} is not empty and holds no backups. Name another directory."
                )
            (self.path / LOCK).touch(mode=0o600)
            (self.path / DIGESTS).mkdir(exist_ok=True)
            self.pictures.prepare()

    @contextmanager
    def locked(self, *, alone: bool) -> Iterator[None]:
        """`alone` to write; many may read."""
        try:
            descriptor = os.open(self.path / LOCK, os.O_RDONLY)
        except FileNotFoundError:
            raise OperatorError(f"{self.path} holds no backups.") from None
        except OSError as error:
            raise OperatorError(f"{self.path} cannot be read: {error.strerror}.") from error
        try:
            _lock(descriptor, self.path, alone=alone)
            yield
        finally:
            os.close(descriptor)

    @contextmanager
    def written(self) -> Iterator[None]:
        """What its disk refuses during the block becomes an `OperatorError`."""
        try:
            yield
        except (OSError, ImageStoreUnavailableError) as error:
            cause = error.__cause__ or error
            told = getattr(cause, "strerror", None) or cause
            raise OperatorError(f"{self.path} cannot be written: {told}.") from error

    def generations(self) -> list[Generation]:
        """The whole ones, the oldest first."""
        return sorted(
            Generation(path) for path in self.path.iterdir() if GENERATION.fullmatch(path.name)
        )

    def leftovers(self) -> list[Path]:
        """What a command left that was killed."""
        return sorted(path for path in self.path.iterdir() if PARTIAL.fullmatch(path.name))

    def begin(self) -> Path:
        """The directory of a new generation; what killed backups left goes."""
        for path in self.leftovers():
            shutil.rmtree(path)
        moment = datetime.now(UTC)
        while (self.path / moment.strftime(STAMP)).exists():
            moment += timedelta(seconds=1)
        partial = self.path / f".{moment.strftime(STAMP)}.partial"
        partial.mkdir(mode=0o700)
        return partial

    def finish(self, partial: Path) -> Generation:
        """From here on it is a backup, also after a power cut."""
        sync_directories([partial])
        final = self.path / partial.name.removeprefix(".").removesuffix(".partial")
        partial.rename(final)
        sync_directories([self.path])
        return Generation(final)

    def discard(self, partial: Path) -> None:
        with suppress(OSError):
            shutil.rmtree(partial)

    def remove(self, generations: Sequence[Generation]) -> None:
        """Their pictures stay, as others may name them."""
        for generation in generations:
            # Killed in the middle, it leaves nothing that looks like a backup.
            removed = self.path / f".{generation.name}.removed"
            generation.path.rename(removed)
            shutil.rmtree(removed)

    def known_digests(self, shard: str) -> dict[str, str]:
        """Of the pictures that are in this directory for certain."""
        path = self.path / DIGESTS / shard
        if not path.exists():
            return {}
        present = self.files(shard)
        return {name: digest for name, digest in read_list(path) if name in present}

    def keep_digests(self, shard: str, digests: dict[str, str]) -> None:
        write_list(self.path / DIGESTS / shard, digests)

    def keep_only(self, shard: str, names: Collection[str]) -> None:
        """Removes the other pictures of that directory."""
        digests = self.known_digests(shard)
        gone = [name for name in self.files(shard) if name not in names]
        if gone:
            self.keep_digests(shard, {name: digests[name] for name in digests if name in names})
            unlinked(self.path / PICTURES / shard, gone)

    def files(self, shard: str) -> set[str]:
        directory = self.path / PICTURES / shard
        with suppress(FileNotFoundError), os.scandir(directory) as entries:
            return {entry.name for entry in entries}
        return set()

    def picture(self, name: str) -> Path:
        return self.pictures.path(name)


def _lock(descriptor: int, path: Path, *, alone: bool) -> None:
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OperatorError(f"Another command uses {path} now. Try again later.") from None


def located(path: Path) -> tuple[BackupDirectory, Generation]:
    """The generation at that path, or the newest of the directory."""
    path = path.absolute()
    if GENERATION.fullmatch(path.name):
        return BackupDirectory(path.parent), Generation(path)
    directory = BackupDirectory(path)
    generations = directory.generations() if path.is_dir() else []
    if not generations:
        raise OperatorError(f"There is no whole backup in {path}.")
    return directory, generations[-1]
