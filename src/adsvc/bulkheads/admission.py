"""Admission control: a limited number at once, a limited queue, the rest refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple, Self

from adsvc.errors import OverloadedError


class Admission:
    """Counts what is admitted, and refuses more than the capacity with `OverloadedError`.

    A caller that is refused at once can try again. One that is kept waiting only times out.
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.admitted = 0
        # How often there was no room.
        self.refused = 0

    @property
    def is_full(self) -> bool:
        return self.admitted >= self.capacity

    def enter(self) -> None:
        if self.is_full:
            self.refused += 1
            raise OverloadedError
        self.admitted += 1

    def leave(self) -> None:
        self.admitted -= 1


class Load(NamedTuple):
    """Of a pool or bulkhead. `refused` is how often there was no room since it was made."""

    capacity: int
    running: int
    waiting: int
    refused: int

    @classmethod
    def of(cls, admission: Admission, workers: int) -> Self:
        running = min(admission.admitted, workers)
        waiting = admission.admitted - running
        return cls(admission.capacity, running, waiting, admission.refused)


class Bulkhead:
    """Limits work that another server does: so many at once, so many waiting, the rest refused."""

    def __init__(self, *, workers: int, queue: int, patience: float) -> None:
        self._admission = Admission(workers + queue)
        self._workers = workers
        self._slots = asyncio.Semaphore(workers)
        self._patience = patience

    @property
    def is_full(self) -> bool:
        """Whether `slot` would raise `OverloadedError`."""
        return self._admission.is_full

    @property
    def load(self) -> Load:
        return Load.of(self._admission, self._workers)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Raises `OverloadedError` at once, or when no slot is free within `patience`."""
        self._admission.enter()
        try:
            try:
                async with asyncio.timeout(self._patience):
                    await self._slots.acquire()
            except TimeoutError:
                self._admission.refused += 1
                raise OverloadedError from None
            try:
                yield
            finally:
                self._slots.release()
        finally:
            self._admission.leave()
