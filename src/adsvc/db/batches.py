"""Reads by id that are asked for together become one statement.

A statement costs the event loop several times what one more row of it does.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

# The largest batch: enough for the requests of one turn, few enough for a statement to stay short.
MOST = 100

Fetch = Callable[[list[int]], Awaitable[Sequence[Mapping[str, Any]]]]

Waiting = tuple[int, "asyncio.Future[Mapping[str, Any] | None]"]


class BatchLoader:
    """Collects the ids that are asked for in one turn of the event loop, and fetches their rows.

    `fetch` gives rows that have an `id`. What it raises reaches everybody in the batch. Nobody
    joins a batch that has been sent: each row is as new as if it had been asked for alone.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._waiting: list[Waiting] = []
        self._sent: set[asyncio.Task[None]] = set()

    async def load(self, identifier: int) -> Mapping[str, Any] | None:
        """The row, or None if there is none. One caller's cancellation does not touch others."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        row: asyncio.Future[Mapping[str, Any] | None] = loop.create_future()
        self._waiting.append((identifier, row))
        return await row

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for at in range(0, len(waiting), MOST):
            # The event loop alone does not keep a task alive.
            sent = asyncio.create_task(self._answer(waiting[at : at + MOST]))
            self._sent.add(sent)
            sent.add_done_callback(self._sent.discard)

    async def _answer(self, waiting: Sequence[Waiting]) -> None:
        try:
            rows = await self._fetch([identifier for identifier, _ in waiting])
            found = {row["id"]: row for row in rows}
        except Exception as error:  # noqa: BLE001 - it is theirs
            for _, row in waiting:
                if not row.done():
                    row.set_exception(error)
            return
        for identifier, row in waiting:
            if not row.done():
                row.set_result(found.get(identifier))
