"""The runner of deliveries to receivers that users name: webhooks and browsers.

A claim lasts longer than an attempt may take. If a worker dies during an attempt, or before it has
recorded the result, another one repeats the delivery when the claim has expired.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from asyncpg import PostgresError

from adsvc.db.faults import is_database_fault
from adsvc.invalidation import Invalidation
from adsvc.observability.logging import CountedWarning

if TYPE_CHECKING:
    from adsvc.http.outbound_client import OutboundClient

# A claim lasts this much longer than an attempt may: as `worker.outbox.MARGIN_SECONDS`.
MARGIN_SECONDS = 5.0
# However often notices come.
SHORTEST_PAUSE_SECONDS = 0.05

Delivery = TypeVar("Delivery")


class DeliveryLane(ABC, Generic[Delivery]):
    """Attempts what `claim` returns, each delivery in a task of its own."""

    def __init__(
        self,
        name: str,
        open_client: "Callable[[], OutboundClient]",
        *,
        shutdown_grace_seconds: float,
    ) -> None:
        """`open_client` is called when there is something to send, and never on most sites."""
        self._open_client = open_client
        # For what is under way when the process ends.
        self._shutdown_grace_seconds = shutdown_grace_seconds
        self._under_way: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._name = name
        self._logger = logging.getLogger(f"adsvc.{name}")
        self._waiting = CountedWarning(self._logger, f"{name} waits for the database: %s")

    @cached_property
    def _client(self) -> "OutboundClient":
        return self._open_client()

    @property
    @abstractmethod
    def poll_seconds(self) -> float:
        """How long it may take until something is found whose notice is lost, or which is due."""

    @abstractmethod
    def wake(self, change: Invalidation) -> None:
        """Called for each change that is announced."""

    @abstractmethod
    async def claim(self) -> Sequence[Delivery]:
        """What is due, as far as there is room for it; no other worker gets it meanwhile."""

    @abstractmethod
    async def deliver(self, delivery: Delivery) -> None:
        """Makes an attempt and records its result."""

    async def run(self) -> None:
        """Until it is cancelled. What is under way then gets a moment to end."""
        try:
            while True:
                self._woken.clear()
                try:
                    for delivery in await self.claim():
                        task = asyncio.create_task(self._handle(delivery))
                        self._under_way.add(task)
                        task.add_done_callback(self._ended)
                except Exception as error:  # noqa: BLE001 - it is looked at again
                    self._log_fault("The queue could not be read", error)
                await asyncio.sleep(SHORTEST_PAUSE_SECONDS)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.poll_seconds):
                        await self._woken.wait()
        finally:
            await self._end()

    async def _handle(self, delivery: Delivery) -> None:
        try:
            await self.deliver(delivery)
        except Exception as error:  # noqa: BLE001 - no caller awaits this task
            # The claim expires.
            self._log_fault("A delivery was not made, or not recorded", error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._woken.set()

    async def _end(self) -> None:
        """Claims that remain expire."""
        if self._under_way:
            _, late = await asyncio.wait(self._under_way, timeout=self._shutdown_grace_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        if "_client" in vars(self):
            await self._client.close()

    def _log_fault(self, what: str, error: Exception) -> None:
        if is_database_fault(error) or isinstance(error, PostgresError):
            self._waiting.note(type(error.__cause__ or error).__name__)
        else:
            self._logger.error("%s: %s.", self._name, what, exc_info=error)
