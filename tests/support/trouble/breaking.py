"""Image stores that fail for real."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def gone(directory: Path) -> Iterator[None]:
    """A file stands where the directory was, which stops root too."""
    moved = directory.with_name("kept")
    directory.rename(moved)
    directory.touch()
    yield
    directory.unlink()
    moved.rename(directory)


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """No file of this process can grow beyond that size, as on a disk that fills up."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
