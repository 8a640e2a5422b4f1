"""Pools of threads and processes for heavy work off the event loop."""

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from adsvc.kit.bulkheads.admission import (
    UNKNOWN_CLIENT,
    Admission,
    Client,
    FairQueue,
    LimitedWork,
    Permit,
    Shares,
    Tally,
    current_connection,
)
from adsvc.kit.counters import WORK_SECONDS, Histogram
from adsvc.kit.errors import AdsvcError, OverloadedError
from adsvc.kit.process.offload import Call, ChildPool, ChildProcess, ProcessFailedError

logger = logging.getLogger("adsvc.work")

Result = TypeVar("Result")

# Heavy work yields to the event loop, on which every request depends. On a busy core Linux gives it
# a tenth of the time at 10, and a seventieth at 19.
NICENESS = 10

RESERVED_SECONDS = 0.5
QUEUED_PER_ACCOUNT = 2


class WorkFailedError(AdsvcError):
    """The process that did the work crashed, or was ended because it took too long."""


class ThreadPool(LimitedWork):
    """Threads for one kind of work, so that no kind can starve another.

    Networks take turns. Work of clients that have disconnected is dropped.
    """

    def __init__(
        self, name: str, *, workers: int, queue: int, shares: Shares | None = None
    ) -> None:
        super().__init__(workers, queue, shares)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=name, initializer=_give_way)

    @asynccontextmanager
    async def slot(self, client: Client = UNKNOWN_CLIENT) -> AsyncIterator["ThreadSlot"]:
        """A place for the work of the block, one piece after the other.

        `OverloadedError` if there is none; `TooManyAtOnceError` if the client has used its share,
        and no place in it gets free within a moment.
        """
        await self.admission.enter_or_wait(client)
        permit = Permit(self.admission, client, uses=1)
        try:
            yield ThreadSlot(self._threads, self._turns, client, permit)
        finally:
            permit.end()

    async def run(self, function: Callable[..., Result], *args: object) -> Result:
        async with self.slot() as slot:
            return await slot.run(function, *args)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class ThreadSlot:
    """Lasts until the block and the work in it have ended: work outlives a cancelled caller."""

    def __init__(
        self, threads: ThreadPoolExecutor, turns: FairQueue, client: Client, permit: Permit
    ) -> None:
        self._threads = threads
        self._turns = turns
        self._client = client
        self._permit = permit

    async def run(self, function: Callable[..., Result], *args: object) -> Result:
        loop = asyncio.get_running_loop()
        await self._turns.begin(self._client.outermost, current_connection.get())
        self._permit.use()
        work = self._threads.submit(function, *args)
        work.add_done_callback(lambda _: _call_in_loop(loop, self._ended))
        return await asyncio.wrap_future(work)

    def _ended(self) -> None:
        self._turns.end(self._client.outermost)
        self._permit.end()


class _Uploads(Admission):
    """An account's work beyond its share takes no place: it waits in the account's own line.

    `adsvc.kit.bulkheads.uploads` limits how much that is.
    """

    def __init__(self, capacity: int, shares: Shares | None, per_account: int) -> None:
        super().__init__(capacity, shares)
        self._per_account = per_account
        self._of_account = Tally()
        # An account may use several networks. A place is returned to the network that it was taken
        # from, whichever of the account's uploads ends first.
        self._placed: dict[Hashable, list[Client]] = {}

    def enter(self, client: Client = UNKNOWN_CLIENT) -> None:
        placed = self._placed.get(client.account, [])
        if client.account is None or len(placed) < self._per_account:
            super().enter(client)
            self._placed[client.account] = [*placed, client]
        self._of_account.add(client.account)

    def leave(self, client: Client = UNKNOWN_CLIENT) -> None:
        account = client.account
        self._of_account.add(account, -1)
        placed = self._placed[account]
        if self._of_account[account] < len(placed):
            # Its own place, or that of another upload, which continues in the account's own line.
            index = placed.index(client) if client in placed else 0
            super().leave(placed.pop(index))
        if account not in self._of_account:
            del self._placed[account]


class ProcessPool(LimitedWork):
    """Processes for work that may crash, hang or exhaust memory without harm to other requests.

    Accounts take turns at each piece of work. With `shares`, an account has at most half of the
    processes, and two more places.
    """

    def __init__(
        self,
        *,
        workers: int,
        queue: int,
        seconds: float,
        prepare: Call | None = None,
        shares: Shares | None = None,
    ) -> None:
        self._workers = ChildPool(prepare)
        half = max(1, workers // 2)
        places = half + QUEUED_PER_ACCOUNT if shares else workers + queue
        self.admission = _Uploads(workers + queue, shares, places)
        self._turns = FairQueue(workers, half if shares else None)
        self._seconds = seconds
        # Seconds until a process was free, and until it had answered.
        self.waits, self.works = Histogram(WORK_SECONDS), Histogram(WORK_SECONDS)

    @contextmanager
    def slot(self, client: Client = UNKNOWN_CLIENT) -> Iterator["Slot"]:
        """A slot for one upload, whose pictures may not have arrived yet."""
        slot = Slot(Permit(self.admission, client), partial(self._run, client))
        try:
            yield slot
        finally:
            slot.leave()

    async def _run(
        self,
        client: Client,
        function: Callable[..., bytes],
        args: Sequence[object],
        file: Path | None,
    ) -> bytes:
        requested_at = time.perf_counter()
        async with self._turns.turn(client.account, current_connection.get()):
            worker = await self._taken()
            began = time.perf_counter()
            self.waits.observe(began - requested_at)
            try:
                async with asyncio.timeout(self._seconds):
                    answer = await worker.call(function, args, file)
            except BaseException as error:
                await asyncio.shield(self._workers.throw_away(worker))
                if isinstance(error, (ProcessFailedError, TimeoutError)):
                    raise WorkFailedError from error
                raise
            self._workers.give_back(worker)
            self.works.observe(time.perf_counter() - began)
            return answer

    async def _taken(self) -> ChildProcess:
        try:
            return await self._workers.take()
        except (ProcessFailedError, OSError) as error:
            # The input is not the cause.
            logger.exception("A process that decodes pictures could not be started.")
            raise OverloadedError from error

    async def close(self) -> None:
        await self._workers.close()


class Slot:
    """Reserved for `RESERVED_SECONDS`, and then for as long as the work runs.

    Without the reservation, all clients of a crowd would send their input, most of them in vain.
    Without its end, a few slow clients could occupy the pool forever.
    """

    def __init__(self, permit: Permit, run: Callable[..., Awaitable[bytes]]) -> None:
        permit.use()
        self._permit = permit
        self._run = run
        self._is_reserved = True
        self._end = asyncio.get_running_loop().call_later(RESERVED_SECONDS, self.leave)

    async def run(
        self, function: Callable[..., bytes], *args: object, file: Path | None = None
    ) -> bytes:
        """Calls the function in a process, with the file's content and the arguments.

        The process is ended after the pool's `seconds`. Raises `WorkFailedError` if it ended before
        the work was done. Function and arguments are pickled; the result is not.
        """
        with self.held():
            return await self._run(function, args, file)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the slot for several runs, one after the other."""
        with self._permit.used():
            self.leave()
            yield

    def leave(self) -> None:
        """Ends the reservation."""
        self._end.cancel()
        if self._is_reserved:
            self._is_reserved = False
            self._permit.end()


def _give_way() -> None:
    # Linux schedules threads one by one; elsewhere this would slow the whole process.
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def _call_in_loop(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    # The event loop may have ended before the work.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(callback)
