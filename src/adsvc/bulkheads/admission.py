"""Admission control: a limited number at once, a limited queue, the rest refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.errors import OverloadedError


class Admission:
    """Counts what is admitted, and refuses more than the capacity with `OverloadedError`.

    A caller that is refused at once can try again. One that is kept waiting only times out.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._admitted = 0

    @property
    def is_full(self) -> bool:
        return self._admitted >= self._capacity

    def enter(self) -> None:
        if self.is_full:
            raise OverloadedError
        self._admitted += 1

    def leave(self) -> None:
        self._admitted -= 1


class Bulkhead:
    """Limits work that another server does: so many at once, so many waiting, the rest refused."""

    def __init__(self, *, workers: int, queue: int, patience: float) -> None:
        self._admission = Admission(workers + queue)
        self._slots = asyncio.Semaphore(workers)
        self._patience = patience

    @property
    def is_full(self) -> bool:
        """Whether `slot` would raise `OverloadedError`."""
        return self._admission.is_full

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Raises `OverloadedError` at once, or when no slot is free within `patience`."""
        self._admission.enter()
        try:
            try:
                async with asyncio.timeout(self._patience):
                    await self._slots.acquire()
            except TimeoutError:
                raise OverloadedError from None
            try:
                yield
            finally:
                self._slots.release()
        finally:
            self._admission.leave()
