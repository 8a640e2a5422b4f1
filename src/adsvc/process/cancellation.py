"""Work that a cancellation does not interrupt."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def shielded(work: Coroutine[Any, Any, Result]) -> Result:
    """If the caller is cancelled, the `CancelledError` is raised when the work has ended."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def in_thread(function: Callable[..., Result], *args: object) -> Result:
    """As `asyncio.to_thread`, but a caller that is cancelled still waits for the thread.

    A thread cannot be interrupted: it could write a file after its caller has cleaned up.
    """
    return await shielded(asyncio.to_thread(function, *args))
