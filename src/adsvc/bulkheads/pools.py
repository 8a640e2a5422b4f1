"""Pools of threads and processes for heavy work off the event loop."""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from adsvc.bulkheads.admission import Admission, Load
from adsvc.errors import AdsvcError, OverloadedError
from adsvc.measures import WORK_SECONDS, Histogram
from adsvc.process.processes import Call, ProcessFailedError, Worker, Workers

logger = logging.getLogger("adsvc.work")

Result = TypeVar("Result")

# Heavy work yields to the event loop, on which every request depends. On a busy core Linux leaves
# it a tenth at 10, and a seventieth at 19.
NICENESS = 10

KEPT_SECONDS = 0.5


class WorkFailedError(AdsvcError):
    """The process that did the work crashed, or was ended because it took too long."""


class ThreadPool:
    """Threads for one kind of work, so that no kind can starve another."""

    def __init__(self, name: str, *, workers: int, queue: int) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=name, initializer=_give_way)
        self._admission = Admission(workers + queue)
        self._size = workers

    @property
    def is_full(self) -> bool:
        """Whether `run` would raise `OverloadedError`."""
        return self._admission.is_full

    @property
    def load(self) -> Load:
        return Load.of(self._admission, self._size)

    async def run(self, function: Callable[..., Result], *args: object) -> Result:
        self._admission.enter()
        loop = asyncio.get_running_loop()
        work = self._threads.submit(function, *args)
        # The thread frees the slot: the work outlives a caller that was cancelled.
        work.add_done_callback(lambda _: _call_soon(loop, self._admission.leave))
        return await asyncio.wrap_future(work)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class ProcessPool:
    """Processes for work that may crash, hang or exhaust memory without harm to other requests."""

    def __init__(
        self, *, workers: int, queue: int, seconds: float, prepare: Call | None = None
    ) -> None:
        self._workers = Workers(prepare)
        self._admission = Admission(workers + queue)
        self._size = workers
        self._free = asyncio.Semaphore(workers)
        self._seconds = seconds
        # Until a process was free, and until it had answered.
        self.waits, self.works = Histogram(WORK_SECONDS), Histogram(WORK_SECONDS)

    @property
    def is_full(self) -> bool:
        """Whether `slot` would raise `OverloadedError`."""
        return self._admission.is_full

    @property
    def load(self) -> Load:
        return Load.of(self._admission, self._size)

    @contextmanager
    def slot(self) -> Iterator["Slot"]:
        """For one piece of work, whose input may still have to be received."""
        slot = Slot(self._admission, self._run)
        try:
            yield slot
        finally:
            slot.leave()

    async def _run(
        self, function: Callable[..., bytes], args: Sequence[object], file: Path | None
    ) -> bytes:
        asked = time.perf_counter()
        async with self._free:
            worker = await self._taken()
            began = time.perf_counter()
            self.waits.observe(began - asked)
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await worker.ask(function, args, file)
            except BaseException as error:
                await asyncio.shield(self._workers.throw_away(worker))
                if isinstance(error, (ProcessFailedError, TimeoutError)):
                    raise WorkFailedError from error
                raise
            self._workers.give_back(worker)
            self.works.observe(time.perf_counter() - began)
            return answer

    async def _taken(self) -> Worker:
        try:
            return await self._workers.take()
        except (ProcessFailedError, OSError) as error:
            # The input is not at fault.
            logger.exception("A process for pictures cannot be started.")
            raise OverloadedError from error

    async def close(self) -> None:
        await self._workers.close()


class Slot:
    """Reserved for `KEPT_SECONDS`, and then for as long as the work runs.

    Without the reservation all clients of a crowd would send their input, most of them in vain.
    Without its end a few slow clients could occupy the pool for good.
    """

    def __init__(self, admission: Admission, run: Callable[..., Awaitable[bytes]]) -> None:
        admission.enter()
        self._admission = admission
        self._run = run
        self._held = True
        self._depth = 0
        self._end = asyncio.get_running_loop().call_later(KEPT_SECONDS, self.leave)

    async def run(
        self, function: Callable[..., bytes], *args: object, file: Path | None = None
    ) -> bytes:
        """What the function makes of the file's content and the arguments, in a process.

        The process is ended after the pool's `seconds`. Raises `WorkFailedError` if it ended before
        the work did. Function and arguments are pickled; the result is not.
        """
        with self.held():
            return await self._run(function, args, file)

    @contextmanager
    def held(self) -> Iterator[None]:
        """For several runs one after another, which take one place."""
        self._end.cancel()
        begins = not self._depth
        if begins and not self._held:
            self._admission.enter()
            self._held = True
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if begins:
                self.leave()

    def leave(self) -> None:
        self._end.cancel()
        if self._held:
            self._held = False
            self._admission.leave()


def _give_way() -> None:
    # Linux schedules threads one by one; elsewhere this would slow the whole process.
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    # The work may outlive its event loop.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)
