import asyncio
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *args: object) -> Result:
    """As `asyncio.to_thread`, but whoever is cancelled goes on only when the thread has ended.

    A thread cannot be interrupted: otherwise it would write what its caller has just removed.
    """
    work = asyncio.create_task(asyncio.to_thread(function, *args))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        raise
