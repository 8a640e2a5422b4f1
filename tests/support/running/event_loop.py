"""Finds what holds the event loop: nothing that a client sends may do so.

What counts is the processor's time of a step, which a busy machine does not stretch as it does that
of a clock. A step is what runs until the loop gets its turn again.
"""

import asyncio
import gc
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import coroutine
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

MOST_SECONDS = 0.1
READING_LASTS = 0.005
FULL_COLLECTION = 2
# An operator's command (`adsvc_ops`) has an event loop to itself, where no client waits.
SERVICE = str(Path(__file__).parents[3] / "src/adsvc") + "/"


class _Reading(threading.local):
    """When the time of this thread's processor was last read, and what it was."""

    at = 0.0
    processor = 0.0
    # Of the full collections of garbage, which come to any step.
    collecting = 0.0


class EventLoopWatch:
    """Measures the application's steps, and none of the test's own.

    A request of a test's client runs in the test's task; `watched` measures the application in it.
    Tasks of the application, and what servers call, are measured as the loop runs them.

    To read the time of the processor is a system call. A step that was short by the clock needs
    none: the time is read when a step begins, unless this thread read it `READING_LASTS` seconds
    before.
    """

    def __init__(self) -> None:
        self.stalls: list[str] = []
        self._reading = _Reading()
        self._began_collecting = 0.0

    @contextmanager
    def installed(self) -> Iterator[None]:
        run = asyncio.Handle._run
        watch = self

        def measured(handle: asyncio.Handle) -> None:
            name = _name_if_of_the_service(handle)
            if name is None:
                run(handle)
                return
            began = watch.begin_step()
            try:
                run(handle)
            finally:
                watch.end_step(began, name)

        asyncio.Handle._run = measured  # type: ignore[method-assign, assignment]
        gc.callbacks.append(self._collected)
        try:
            yield
        finally:
            gc.callbacks.remove(self._collected)
            asyncio.Handle._run = run  # type: ignore[method-assign]

    def begin_step(self) -> float:
        reading, now = self._reading, time.perf_counter()
        if now - reading.at > READING_LASTS:
            reading.at, reading.processor = now, time.thread_time()
        reading.collecting = 0.0
        return now

    def end_step(self, began: float, name: str) -> None:
        if time.perf_counter() - began <= MOST_SECONDS:
            return
        reading = self._reading
        spent = time.thread_time() - reading.processor - reading.collecting
        reading.at = 0.0
        if spent > MOST_SECONDS:
            self.stalls.append(f"{spent:.2f} s: {name}")

    def _collected(self, phase: str, about: dict[str, int]) -> None:
        if about["generation"] < FULL_COLLECTION:
            return
        if phase == "start":
            self._began_collecting = time.thread_time()
        else:
            self._reading.collecting += time.thread_time() - self._began_collecting

    def watched(self, app: ASGIApp) -> ASGIApp:
        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            name = f"{scope.get('method')} {scope['path'][:200]}"
            await self._stepwise(app(scope, receive, send), name)

        return call

    @coroutine
    def _stepwise(self, awaited: Awaitable[None], name: str) -> Iterator[Any]:
        running = awaited.__await__()
        proceed: Callable[[Any], Any] = running.send
        value: Any = None
        while True:
            try:
                began = self.begin_step()
                try:
                    waits_for = proceed(value)
                finally:
                    self.end_step(began, name)
            except StopIteration:
                return
            try:
                value = yield waits_for
            except BaseException as error:  # noqa: BLE001 - also a cancellation goes on to it
                value, proceed = error, running.throw
            else:
                proceed = running.send

    def require_none(self) -> None:
        found, self.stalls = self.stalls, []
        assert not found, f"The event loop was held for more than {MOST_SECONDS} s: {found}"


def _name_if_of_the_service(handle: asyncio.Handle) -> str | None:
    """None for the steps of tests, and of what they are run by."""
    callback = handle._callback  # type: ignore[attr-defined]
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        code = getattr(owner.get_coro(), "cr_code", None)
        if code is None or not code.co_filename.startswith(SERVICE):
            return None
        name: str = code.co_qualname
        return name
    module = getattr(callback, "__module__", None) or ""
    return repr(callback) if module.startswith("adsvc.") else None


watch = EventLoopWatch()
