"""The runner of all deliveries: mails, webhooks and Web Push.

A claim lasts longer than an attempt may take. If a worker dies during an attempt, or before it has
recorded the result, another one repeats the delivery when the claim has expired.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from asyncpg import PostgresError

from adsvc.kit.db.faults import is_database_fault
from adsvc.kit.errors import NotDeliveredError, UndeliverableError
from adsvc.kit.http.outbound import Answer, UnreachableError
from adsvc.kit.invalidation import OUTBOX, Invalidation
from adsvc.kit.observability.logging import CountedWarning

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A delivery that is this worker's for a while."""

    id: int
    # Begun so far, this one included.
    attempts: int
    claimed_until: datetime

    @property
    def identity(self) -> tuple[int, int, datetime]:
        """What no other claim has."""
        return self.id, self.attempts, self.claimed_until


class Circuit(NamedTuple):
    """After so many failures in a row it opens; each pause is twice as long as the one before."""

    failures: int
    first_seconds: float
    longest_seconds: float


# Assignments after a success.
CLOSED = "failures = 0, failing_since = NULL, paused_until = NULL"


def after_failure(failures: str, first_seconds: str, longest_seconds: str) -> str:
    """Assignments after a failure. The arguments are parameters with the members of `Circuit`."""
    return f"""
        failures = failures + 1, failing_since = coalesce(failing_since, now()),
        paused_until = CASE WHEN failures + 1 >= {failures}::int THEN now() + make_interval(
            secs => least({longest_seconds}::float8, {first_seconds}::float8 * 2 ^ least(
                failures + 1 - {failures}::int, 20
            ))
        ) END
    """


def has_failed_for(seconds: str) -> str:
    """Whether every attempt of the last so many seconds has failed."""
    return f"failing_since < now() - make_interval(secs => {seconds}::float8)"


# A claim lasts this much longer than an attempt may. Clocks of machines play no part, but the
# result has to be written in time.
MARGIN_SECONDS = 5.0
# However often notices come.
SHORTEST_PAUSE_SECONDS = 0.05
SUCCESS = range(200, 300)

Delivery = TypeVar("Delivery", bound=Claimed)


class DeliveryLane(ABC, Generic[Delivery]):
    """Attempts what `claim` returns, each delivery in a task of its own."""

    def __init__(
        self, name: str, *, at_once: int, least_room: int = 1, shutdown_grace_seconds: float
    ) -> None:
        """`at_once` is for this process. With less than `least_room` left nothing is claimed."""
        self._at_once, self._least_room = at_once, least_room
        # How long deliveries may still take when the process ends.
        self._shutdown_grace_seconds = shutdown_grace_seconds
        self._under_way: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._name = name
        self._logger = logging.getLogger(f"adsvc.{name}")
        self._waiting = CountedWarning(self._logger, f"{name} waits for the database: %s")

    @property
    @abstractmethod
    def poll_seconds(self) -> float:
        """How long it may take until something is found whose notice is lost, or which is due."""

    @property
    def shortest_pause_seconds(self) -> float:
        """Between two claims."""
        return SHORTEST_PAUSE_SECONDS

    @property
    def room(self) -> int:
        """How many deliveries may begin now."""
        room = self._at_once - len(self._under_way)
        return room if room >= self._least_room else 0

    @abstractmethod
    async def claim(self, room: int) -> Sequence[Delivery]:
        """What is due, as far as there is room for it; no other worker gets it meanwhile."""

    @abstractmethod
    async def send(self, delivery: Delivery) -> Answer | None:
        """Makes an attempt. Returns the answer of HTTP.

        After an `UndeliverableError` there is no other attempt.
        """

    @abstractmethod
    def pause_before(self, attempt: int) -> float | None:
        """Seconds before that attempt, which is not the first; None if it is not made."""

    @abstractmethod
    async def delivered(self, delivery: Delivery, answer: Answer | None) -> None:
        """Records what `send` has returned."""

    @abstractmethod
    async def failed(self, delivery: Delivery, error: Exception, pause: float | None) -> None:
        """Records what `send` has raised. Without a `pause` the delivery is given up.

        If this raises, the claim expires, and the delivery is attempted again.
        """

    async def rest(self) -> None:
        """Called when nothing was under way, and no notice came, for `poll_seconds`."""

    def wake(self, change: Invalidation) -> None:
        """Called for each change that is announced."""
        if change.kind == OUTBOX:
            self._woken.set()

    async def run(self) -> None:
        """Until it is cancelled. What is under way then gets a moment to end."""
        try:
            while True:
                self._woken.clear()
                await self._take()
                await asyncio.sleep(self.shortest_pause_seconds)
                await self._wait()
        finally:
            await self._end()

    async def _take(self) -> int:
        """Begins as many deliveries as there is room for. Returns their number."""
        room = self.room
        if room == 0:
            return 0
        try:
            claimed = await self.claim(room)
        except Exception as error:  # noqa: BLE001 - it is looked at again
            self._log_fault("The queue could not be read", error)
            return 0
        for delivery in claimed:
            task = asyncio.create_task(self._handle(delivery))
            self._under_way.add(task)
            task.add_done_callback(self._ended)
        return len(claimed)

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.poll_seconds):
                await self._woken.wait()
                return
        if not self._under_way:
            await self.rest()

    async def _handle(self, delivery: Delivery) -> None:
        try:
            try:
                answer = await self.send(delivery)
            except Exception as error:  # noqa: BLE001 - whatever it was
                is_last = isinstance(error, UndeliverableError)
                pause = None if is_last else self.pause_before(delivery.attempts + 1)
                await self.failed(delivery, error, pause)
            else:
                await self.delivered(delivery, answer)
        except Exception as error:  # noqa: BLE001 - no caller awaits this task
            # The claim expires.
            self._log_fault("A delivery was not made, or not recorded", error)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        if self._at_once - len(self._under_way) >= self._least_room:
            self._woken.set()

    async def _end(self) -> None:
        """Claims that remain expire."""
        if self._under_way:
            self._logger.info(
                "Waiting for %d entries that are being delivered.", len(self._under_way)
            )
            _, late = await asyncio.wait(self._under_way, timeout=self._shutdown_grace_seconds)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _log_fault(self, what: str, error: Exception) -> None:
        if is_database_fault(error) or isinstance(error, PostgresError):
            self._waiting.note(type(error.__cause__ or error).__name__)
        else:
            self._logger.error("%s: %s.", self._name, what, exc_info=error)


async def post(
    client: "OutboundClient",
    url: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    final: Container[int],
) -> Answer:
    """The answer that accepts it.

    `DeliveryError` otherwise: with `final` statuses an `UndeliverableError`.
    """
    try:
        answer = await client.request(url, content, headers, seconds=seconds)
    except UnreachableError as error:
        raise NotDeliveredError(str(error)) from error
    if answer.status in SUCCESS:
        return answer
    refused = UndeliverableError if answer.status in final else NotDeliveredError
    raise refused(f"the answer was {answer.status}", answer.status, answer.body)
