"""Finds code that asks a pool for a connection while it holds one.

Enough of such requests hold all connections, and each waits for one more.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import pytest
from greenlet import getcurrent  # type: ignore[import-untyped]
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine

from adsvc.kit.db import database
from adsvc.kit.db.statements import Pool, Work


@dataclass(eq=False)
class Hold:
    """A connection in use; `is_active` until it is back in its pool."""

    purpose: str
    is_active: bool = True


# Connections of this pool are held while others are taken, and never taken while any is held.
LASTING = "lasting"
# Tasks inherit it: a task often waits for those that it starts.
held: ContextVar[tuple[Hold, ...]] = ContextVar("held", default=())


def _frames() -> Iterator[FrameType]:
    """The callers, the nearest first. SQLAlchemy runs its part of them in a greenlet."""
    frame: FrameType | None = sys._getframe(1)
    greenlet = getcurrent()
    while frame is not None:
        yield frame
        frame = frame.f_back
        if frame is None and greenlet.parent is not None:
            greenlet = greenlet.parent
            frame = greenlet.gr_frame


def _is_of_test() -> bool:
    """Whether a test holds the connection itself: it may do what the service may not."""
    for frame in _frames():
        path = frame.f_code.co_filename
        if "/tests/" in path and path != __file__:
            return True
        if "/src/adsvc" in path and "/kit/db/" not in path and "/repositories/" not in path:
            return False
    return False


def _place(frame: FrameType) -> str:
    return f"  {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"


@dataclass
class ConnectionWatch:
    """`found` has the stack of each request for a connection that was made while holding one."""

    found: list[str] = field(default_factory=list)

    def take(self, purpose: str) -> Hold:
        holding = [hold for hold in held.get() if hold.is_active]
        if any(hold.purpose != LASTING or purpose == LASTING for hold in holding):
            places = "\n".join(place for place in map(_place, _frames()) if "/src/adsvc" in place)
            names = ", ".join(hold.purpose for hold in holding)
            self.found.append(f"{purpose} was requested while {names} was held\n{places}")
        hold = Hold(purpose)
        if not _is_of_test():
            held.set((*holding, hold))
        return hold

    def watch(self, engine: AsyncEngine, purpose: str) -> None:
        def taken(_: object, record: Any, __: object) -> None:
            record.info["hold"] = self.take(purpose)

        def returned(_: object, record: Any) -> None:
            if (hold := record.info.pop("hold", None)) is not None:
                hold.is_active = False

        event.listen(engine.sync_engine, "checkout", taken)
        event.listen(engine.sync_engine, "checkin", returned)


@contextmanager
def watched_pools() -> Iterator[ConnectionWatch]:
    """Watches the pools of all databases that are opened in the block."""
    watch = ConnectionWatch()
    new_session_engine, run = database.new_session_engine, Pool.run

    def new_watched_engine(*given: Any, **options: Any) -> AsyncEngine:
        new = new_session_engine(*given, **options)
        watch.watch(new, options.get("purpose", "sessions"))
        return new

    async def watched_run(pool: Pool, work: Work, **options: Any) -> Any:
        hold = watch.take(pool._options["purpose"])
        try:
            return await run(pool, work, **options)
        finally:
            hold.is_active = False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "new_session_engine", new_watched_engine)
        patch.setattr(Pool, "run", watched_run)
        yield watch
