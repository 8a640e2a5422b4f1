"""Threads of a pool, kept busy for as long as a test needs."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from adsvc.work import ThreadPool


@contextmanager
def busy(pool: ThreadPool) -> Iterator[None]:
    """All the work that the pool admits is under way and does not end before the block does."""
    done = Event()
    admission = pool._admission
    admitted = [pool._threads.submit(done.wait, 60) for _ in range(admission._capacity)]
    admission._admitted += len(admitted)
    try:
        yield
    finally:
        done.set()
        admission._admitted -= len(admitted)
