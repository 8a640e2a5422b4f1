"""Work outside the event loop: in threads, and in child processes without the parent's secrets.

The pools of anyio and of the standard library pass on the environment with its secrets, and
unpickle what comes back.
"""

import asyncio
import os
import pickle
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any, Self, TypeVar

from adsvc.kit.errors import AdsvcError
from adsvc.kit.process.child import DONE, LENGTH

Result = TypeVar("Result")


async def shielded(work: Coroutine[Any, Any, Result]) -> Result:
    """Waits until the work has ended, even if the caller is cancelled meanwhile."""
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


CHILD = Path(__file__).with_name("child.py")
START_SECONDS = 30
IDLE_SECONDS = 300
CHUNK_BYTES = 1024 * 1024

# The most memory that a compromised child can make this process use.
ANSWER_MAX_BYTES = 256 * 1024 * 1024

# The variables that an interpreter may need to start.
INHERITED = ("LD_LIBRARY_PATH", "PYTHONHOME")

Call = tuple[Callable[..., bytes], Sequence[object]]


class ProcessFailedError(AdsvcError):
    """The process ended before it answered, or answered that it failed."""


class ChildProcess:
    """One child process. It handles one call at a time, and none after an error."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, prepare: Call | None) -> Self:
        """Starts a child, which first calls `prepare`, to give up permissions for example."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-E", str(CHILD)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={name: os.environ[name] for name in INHERITED if name in os.environ},
            cwd="/",
            limit=CHUNK_BYTES,
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                worker._send("\n".join(map(os.path.abspath, sys.path)).encode())
                if prepare is not None:
                    await worker.call(*prepare)
        except TimeoutError as error:
            await worker.end()
            raise ProcessFailedError("It did not start.") from error
        except BaseException:
            await worker.end()
            raise
        return worker

    async def call(
        self, function: Callable[..., bytes], args: Sequence[object], file: Path | None = None
    ) -> bytes:
        """Calls the function in the child, with the file's content and the arguments."""
        try:
            self._send(pickle.dumps((function, args)))
            await self._send_file(file)
            return await self._answer()
        except (OSError, asyncio.IncompleteReadError) as error:
            raise ProcessFailedError(type(error).__name__) from error

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        self._process.stdin.write(len(data).to_bytes(LENGTH, "big") + data)

    async def _send_file(self, path: Path | None) -> None:
        """Sends the file in pieces, because the child cannot open files.

        The parent keeps one piece in memory. A file that ends early leaves the child waiting until
        its time is over.
        """
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - it is a pipe
        if path is None:
            self._send(b"")
            return
        file = await asyncio.to_thread(path.open, "rb")
        with file:
            left = os.fstat(file.fileno()).st_size
            stdin.write(left.to_bytes(LENGTH, "big"))
            while left:
                piece = await asyncio.to_thread(file.read, min(left, CHUNK_BYTES))
                if not piece:
                    raise ProcessFailedError("The file ends early.")
                left -= len(piece)
                stdin.write(piece)
                await stdin.drain()

    async def _answer(self) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - it is a pipe
        head = await stdout.readexactly(1 + LENGTH)
        size = int.from_bytes(head[1:], "big")
        if size > ANSWER_MAX_BYTES:
            raise ProcessFailedError("It answers without end.")
        answer = await stdout.readexactly(size)
        if head[:1] != DONE:
            raise ProcessFailedError(answer[:100].decode("ascii", "replace"))
        return answer


class ChildPool:
    """Child processes, started on demand and reused until they have been idle for a while."""

    def __init__(self, prepare: Call | None) -> None:
        self._prepare = prepare
        # The one that has been idle the longest comes first.
        self._idle: deque[tuple[float, ChildProcess]] = deque()
        self._all: set[ChildProcess] = set()
        self._pruning: set[asyncio.Task[None]] = set()

    async def take(self) -> ChildProcess:
        while self._idle:
            _, worker = self._idle.pop()
            if not worker.has_ended:
                return worker
            self._all.discard(worker)
        worker = await ChildProcess.start(self._prepare)
        self._all.add(worker)
        return worker

    def give_back(self, worker: ChildProcess) -> None:
        loop = asyncio.get_running_loop()
        self._idle.append((loop.time(), worker))
        loop.call_later(IDLE_SECONDS + 1, self._prune)

    async def throw_away(self, worker: ChildProcess) -> None:
        self._all.discard(worker)
        await worker.end()

    def _prune(self) -> None:
        now = asyncio.get_running_loop().time()
        while self._idle and now - self._idle[0][0] > IDLE_SECONDS:
            _, worker = self._idle.popleft()
            task = asyncio.create_task(self.throw_away(worker))
            self._pruning.add(task)
            task.add_done_callback(self._pruning.discard)

    async def close(self) -> None:
        self._idle.clear()
        while self._all:
            await self.throw_away(next(iter(self._all)))
