"""Functions that return what they found only when a test lets them."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

Result = TypeVar("Result")


@dataclass
class Delay:
    """The first call is kept waiting with its result; later ones are not."""

    _found: asyncio.Event = field(default_factory=asyncio.Event)
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    async def begun(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """The work, when it has come to where it waits."""
        task = asyncio.create_task(work)
        async with asyncio.timeout(20):
            await self._found.wait()
        return task

    async def ended(self, task: asyncio.Task[Result]) -> Result:
        self._released.set()
        return await task

    async def pass_through(self) -> None:
        if not self._found.is_set():
            self._found.set()
            await self._released.wait()


@contextmanager
def delayed(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, *, before: bool = False
) -> Iterator[Delay]:
    """With `before` it waits before it does anything at all."""
    delay, function = Delay(), getattr(owner, name)

    async def call(*arguments: Any, **options: Any) -> Any:
        if before:
            await delay.pass_through()
        result = await function(*arguments, **options)
        if not before:
            await delay.pass_through()
        return result

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, call)
        yield delay
