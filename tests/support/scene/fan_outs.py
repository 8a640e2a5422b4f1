"""The work that follows from events of ads, done in the test's own time."""

import asyncio

from adsvc.repositories import notices
from adsvc.services import following as following_services
from adsvc.worker.consumers import following
from support.scene.api import Api

WAIT_SECONDS = 20


# Events that the sequencer has yet to move.
WAITING = """
    SELECT id FROM changes WHERE type IS NOT NULL AND xid >= (
        SELECT pg_snapshot_xmin(snapshot::pg_snapshot)::text::bigint
        FROM event_batches ORDER BY id DESC LIMIT 1
    )
"""


async def queue(api: Api) -> None:
    """Looks at all that was committed so far."""
    step = following(api.state.database, "favorites", notices.queue)
    async with asyncio.timeout(WAIT_SECONDS):
        # Nothing announces that there are none.
        while await api.sql(WAITING):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    while await step():
        pass


async def work(api: Api) -> None:
    """The same, and sends what follows from it, as the lane of a worker does."""
    await queue(api)
    while await following_services.send_notices(api.state.database):
        pass
