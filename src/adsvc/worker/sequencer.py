"""Moves what was committed into the log of events, and announces it to every process.

One process does it for all: the one whose session holds the lock. The others stand by, which costs
them nothing: each hears the sequencer anyway, and tries to take over when it hears none.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from adsvc.invalidation import InvalidationKind
from adsvc.kit.counters import SequencerCounts
from adsvc.kit.db.database import Database
from adsvc.kit.db.faults import CONNECTION_FAULTS
from adsvc.kit.db.servers import ServerConnection
from adsvc.kit.invalidation import CONFIDENCE_SECONDS, WAKE_CHANNEL
from adsvc.kit.observability.logging import CountedWarning
from adsvc.kit.process.offload import shielded
from adsvc.repositories.events import Batch, SequencerRepository

logger = logging.getLogger("adsvc.events")
fault = CountedWarning(logger, "This process cannot be the sequencer of events: %s")

# A commit that no process announced is found so late.
POLL_SECONDS = 0.5
# Between two batches, so that one has many changes.
PAUSE_SECONDS = 0.02
# Whether or not there is something to announce.
SIGN_OF_LIFE_SECONDS = 1.0
# Without a sign of life for so long, another process tries to be the sequencer.
ELECTION_SECONDS = 1.3
RETRY_SECONDS = 0.5
CLEANING_SECONDS = 10.0
PARTITIONS_SECONDS = 3600.0
FAREWELL_SECONDS = 1.0

EVERYTHING = [f"{kind}:" for kind in InvalidationKind]


@asynccontextmanager
async def sequencing(
    database: Database, *, event_days: int, counts: SequencerCounts
) -> AsyncIterator[None]:
    """In the block, this process is the sequencer or stands by. The database should listen."""
    task = asyncio.create_task(Sequencer(database, event_days=event_days, counts=counts).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


class Sequencer:
    def __init__(self, database: Database, *, event_days: int, counts: SequencerCounts) -> None:
        self._database = database
        self._counts = counts
        self._event_days = event_days
        self._woken = asyncio.Event()
        # Whether a sign of life is due at once: a process listens since just now.
        self._joined = False

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            silence = self._database.changes.confirmation_age
            if silence < ELECTION_SECONDS:
                await asyncio.sleep(ELECTION_SECONDS - silence)
                continue
            try:
                await self._stand_for_election()
            except CONNECTION_FAULTS as error:
                fault.note(type(error.__cause__ or error).__name__)
            except Exception:
                logger.exception("The sequencer of events failed.")
            # Not all processes at once.
            await asyncio.sleep(RETRY_SECONDS * (0.5 + random.random()))  # noqa: S311 - no secret

    async def _stand_for_election(self) -> None:
        connection = await self._database.connect("sequencer")
        try:
            events = SequencerRepository(connection)
            if await events.lead():
                await self._lead(connection, events)
            elif self._database.changes.confirmation_age > CONFIDENCE_SECONDS:
                await events.end_silent(CONFIDENCE_SECONDS)
        finally:
            connection.terminate()

    async def _lead(self, connection: ServerConnection, events: SequencerRepository) -> None:
        logger.info("This process is the sequencer of events.")
        self._counts.leads = True
        self._counts.elections += 1
        changes = self._database.changes
        by_notification, changes.committed = changes.committed, self._woken.set
        try:
            await connection.add_listener(WAKE_CHANNEL, self._wake)
            await events.keep_partitions(self._event_days)
            # The one before may have ended between a batch and its announcement.
            began = time.monotonic()
            batch = await events.move() or events.last_batch
            await self._announce(events, batch._replace(notices=EVERYTHING), began)
            await self._sequence(connection, events)
        except asyncio.CancelledError:
            await shielded(self._resign(events))
            raise
        finally:
            changes.committed = by_notification
            self._counts.leads = False

    async def _announce(self, events: SequencerRepository, batch: Batch, began: float) -> None:
        await events.announce(batch)
        if batch.changes:
            self._counts.changes.observe(batch.changes)
            self._counts.seconds.observe(time.monotonic() - began)

    @staticmethod
    async def _resign(events: SequencerRepository) -> None:
        """Another process need not wait for silence, and none relies on what it has cached."""
        with suppress(Exception):
            async with asyncio.timeout(FAREWELL_SECONDS):
                await events.resign()

    def _wake(self, _connection: object, _pid: int, _channel: str, payload: str) -> None:
        self._joined |= bool(payload)
        self._woken.set()

    async def _sequence(self, connection: ServerConnection, events: SequencerRepository) -> None:
        announced = cleaned = partitioned = time.monotonic()
        moved = False
        while True:
            self._woken.clear()
            began = time.monotonic()
            batch = await events.move()
            now = time.monotonic()
            if batch is None and (self._joined or now - announced >= SIGN_OF_LIFE_SECONDS):
                await self._database.confirm(connection)
                batch = events.last_batch
            if batch is not None:
                self._joined = False
                await self._announce(events, batch, began)
                announced = now
                moved = True
            if moved and now - cleaned >= CLEANING_SECONDS and await events.delete_moved():
                cleaned, moved = now, False
            if now - partitioned >= PARTITIONS_SECONDS:
                await events.keep_partitions(self._event_days)
                partitioned = now
            await asyncio.sleep(PAUSE_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._woken.wait()
