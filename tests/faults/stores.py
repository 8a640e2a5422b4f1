"""Image stores that fail for real, under a service that runs."""

import fcntl
import os
import resource
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from faults.served import Service

KIBIBYTE = 1024
# Neither is a picture of the drills, but the one before it breaks, and the log, fit in.
LARGEST_FILE = 128 * KIBIBYTE
LEFT_FREE = 64 * KIBIBYTE
STORE_SIZE = "4m"
# From <linux/fs.h>.
FS_IOC_GETFLAGS, FS_IOC_SETFLAGS = 0x80086601, 0x40086602
FS_IMMUTABLE_FL = 0x10


@contextmanager
def small_disk(directory: Path, size: str = STORE_SIZE) -> Iterator[None]:
    """A file system of its own, before the service is started."""
    directory.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "adsvc", str(directory)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
    try:
        yield
    finally:
        # The service may still be reading from it.
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextmanager
def full(service: Service) -> Iterator[None]:
    """Somebody else's file takes nearly all the room, so that writing begins and cannot end."""
    filler = service.image_dir / "filler"
    with filler.open("wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(KIBIBYTE))
        file.truncate(file.tell() - LEFT_FREE)
    yield
    filler.unlink()


@contextmanager
def read_only(service: Service) -> Iterator[None]:
    """As Linux leaves a file system on whose disk it has met an error."""
    command = ["mount", "-o", "remount,{}", str(service.image_dir)]
    subprocess.run([word.format("ro") for word in command], check=True)
    yield
    subprocess.run([word.format("rw") for word in command], check=True)


@contextmanager
def limited(service: Service) -> Iterator[None]:
    """No file of the process can grow beyond that size."""
    before = resource.prlimit(service.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(service.pid, resource.RLIMIT_FSIZE, (LARGEST_FILE, before[1]))
    yield
    resource.prlimit(service.pid, resource.RLIMIT_FSIZE, before)


def _shards(service: Service) -> list[Path]:
    return sorted(path for path in service.image_dir.iterdir() if path.is_dir())


def _let_write(shard: Path, *, allowed: bool) -> None:
    if os.geteuid():
        shard.chmod(0o755 if allowed else 0o555)
        return
    # Permissions do not count for root; this does.
    descriptor = os.open(shard, os.O_RDONLY)
    try:
        [flags] = struct.unpack("l", fcntl.ioctl(descriptor, FS_IOC_GETFLAGS, bytes(8)))
        flags = flags & ~FS_IMMUTABLE_FL if allowed else flags | FS_IMMUTABLE_FL
        fcntl.ioctl(descriptor, FS_IOC_SETFLAGS, struct.pack("l", flags))
    except OSError as error:
        pytest.skip(f"root can be forbidden nothing here: {error.strerror}")
    finally:
        os.close(descriptor)


@contextmanager
def forbidden(service: Service) -> Iterator[None]:
    shards = _shards(service)
    try:
        for shard in shards:
            _let_write(shard, allowed=False)
        yield
    finally:
        # Otherwise they could not be removed.
        for shard in shards:
            _let_write(shard, allowed=True)


@contextmanager
def replaced(service: Service) -> Iterator[None]:
    """Files stand where the directories were, which stops everybody."""
    kept = service.image_dir.with_name("kept")
    shards = _shards(service)
    kept.mkdir()
    for shard in shards:
        shard.rename(kept / shard.name)
        shard.touch()
    yield
    for shard in shards:
        shard.unlink()
        (kept / shard.name).rename(shard)
    kept.rmdir()


@dataclass(frozen=True)
class Fault:
    breaking: Callable[[Service], AbstractContextManager[None]]
    on_small_disk: bool = False
    # Whether what is there can still be read.
    readable: bool = True


FAULTS = {
    "full": Fault(full, on_small_disk=True),
    "read-only": Fault(read_only, on_small_disk=True),
    "limited": Fault(limited),
    "forbidden": Fault(forbidden),
    "replaced": Fault(replaced, readable=False),
}
