import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adsvc.settings import Settings

# How soon a worker notices that it has become an orphan.
CHECK_SECONDS = 1.0


@asynccontextmanager
async def ended_with_parent(settings: Settings) -> AsyncIterator[None]:
    """Ends a worker whose parent was killed: it would go on holding the port, unsupervised."""
    parent = os.getppid()

    async def watch() -> None:
        # There is no event to wait for: a killed process tells nobody.
        while os.getppid() == parent:  # noqa: ASYNC110
            await asyncio.sleep(CHECK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    if settings.workers == 1:
        yield
        return
    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
