"""Pools that have no room left, for as long as a test needs."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from adsvc.work import ProcessPool, ThreadPool


@contextmanager
def busy(pool: ThreadPool | ProcessPool) -> Iterator[None]:
    """All that the pool admits is admitted, and is not done before the block is."""
    with ExitStack() as stack:
        for _ in range(pool._admission._capacity):
            stack.enter_context(pool._admission.one())
        yield
