"""Work that no cancellation may leave half done."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def shielded(work: Coroutine[Any, Any, Result]) -> Result:
    """Whoever is cancelled meanwhile goes on, cancelled, only when the work has ended."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def in_thread(function: Callable[..., Result], *args: object) -> Result:
    """As `asyncio.to_thread`, but whoever is cancelled goes on only when the thread has ended.

    A thread cannot be interrupted: otherwise it would write what its caller has just removed.
    """
    return await shielded(asyncio.to_thread(function, *args))
