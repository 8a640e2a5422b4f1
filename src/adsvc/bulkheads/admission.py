"""A few at once, a few waiting, the rest refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.errors import OverloadedError


class Admission:
    """Lets so many in, and refuses the next at once with `OverloadedError`.

    A caller told no can try again; a caller kept waiting only times out.
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
    """A few at once, a few waiting, the rest refused: for work that another server does."""

    def __init__(self, *, workers: int, queue: int, patience: float) -> None:
        self._admission = Admission(workers + queue)
        self._turns = asyncio.Semaphore(workers)
        self._patience = patience

    @property
    def is_full(self) -> bool:
        """Whether `turn` would raise `OverloadedError`."""
        return self._admission.is_full

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Raises `OverloadedError` at once, or when the turn has not come within `patience`."""
        self._admission.enter()
        try:
            try:
                async with asyncio.timeout(self._patience):
                    await self._turns.acquire()
            except TimeoutError:
                raise OverloadedError from None
            try:
                yield
            finally:
                self._turns.release()
        finally:
            self._admission.leave()
