"""Heavy work in threads: a few at once, a few waiting, and the rest refused at once."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from adsvc.errors import OverloadedError

Result = TypeVar("Result")


class WorkPool:
    """Threads of their own for one kind of work, so that no kind can starve another.

    Beyond `workers` running and `queue` waiting, `run` raises `OverloadedError` immediately: a
    caller told no can try again, a caller kept waiting only times out.
    """

    def __init__(self, name: str, *, workers: int, queue: int) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._capacity = workers + queue
        self._admitted = 0

    async def run(self, function: Callable[..., Result], *args: object) -> Result:
        if self._admitted >= self._capacity:
            raise OverloadedError
        self._admitted += 1
        loop = asyncio.get_running_loop()
        work = self._threads.submit(function, *args)
        # The thread tells, not the awaiting task: a caller that goes away leaves it running.
        work.add_done_callback(lambda _: _call_soon(loop, self._release))
        return await asyncio.wrap_future(work)

    def _release(self) -> None:
        self._admitted -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    # Work that outlives its event loop has nobody left to tell.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)
