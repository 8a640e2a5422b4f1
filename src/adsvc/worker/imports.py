"""Handles the rows of imports: fetches their pictures, and writes their ads.

A row is repeated if its worker dies: ads are found by their external ids.
"""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adsvc import __version__, errors
from adsvc.errors import InvalidRequestError, NotDeliveredError, RateLimitedError, RefusalError
from adsvc.kit.deliveries import MARGIN_SECONDS, DeliveryLane
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.http.outbound import Answer, ForbiddenAddressError, UnreachableError
from adsvc.kit.process.offload import in_thread
from adsvc.repositories import imports as import_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.imports import ClaimedRow
from adsvc.schemas.imports import ImportRow
from adsvc.services.imports import Importing, refused
from adsvc.services.rate_limits import Limit, attempts_by, take

if TYPE_CHECKING:
    from adsvc.kit.http.outbound_client import OutboundClient

# Of a process, and of one import; pictures of one host at once.
ROWS_AT_ONCE, ROWS_OF_IMPORT, FETCHES_OF_HOST = 8, 4, 3
ATTEMPT_SECONDS, FETCH_SECONDS = 60.0, 20.0
# Before the second attempt and those that follow.
PAUSES = (10, 60, 300)
POLL_SECONDS = 2.0
# The service is at fault, or has no room: the row is tried again, and this counts as no attempt.
PASSING = (errors.UnavailableError, RateLimitedError)
SERVER_ERRORS = range(500, 600)


class ImportLane(DeliveryLane[ClaimedRow]):
    poll_seconds = POLL_SECONDS

    def __init__(
        self, importing: Importing, client: "OutboundClient", *, shutdown_grace_seconds: float
    ) -> None:
        super().__init__(
            "imports", at_once=ROWS_AT_ONCE, shutdown_grace_seconds=shutdown_grace_seconds
        )
        self._importing, self._client = importing, client
        self._database, self._settings = importing.database, importing.settings
        self._hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(FETCHES_OF_HOST)
        )

    async def claim(self, room: int) -> Sequence[ClaimedRow]:
        seconds = ATTEMPT_SECONDS + MARGIN_SECONDS
        return await import_rows.claim(
            self._database.writer, room, seconds=seconds, of_import=ROWS_OF_IMPORT
        )

    async def rest(self) -> None:
        self._hosts.clear()

    async def send(self, delivery: ClaimedRow) -> None:
        try:
            async with asyncio.timeout(ATTEMPT_SECONDS):
                owner = await self._importing.owner(delivery)
                if delivery.sent is None:
                    outcome = await self._importing.withdraw(delivery, owner)
                else:
                    outcome = await self._put(delivery, owner, delivery.sent)
        except PASSING:
            raise
        except TimeoutError as error:
            raise NotDeliveredError("it took too long") from error
        except RefusalError as error:
            outcome = refused(error, delivery)
        await import_rows.record(self._database.writer, delivery, outcome)

    async def _put(
        self, row: ClaimedRow, owner: CallerAccount, text: str
    ) -> import_rows.RowOutcome:
        sent = ImportRow.model_validate_json(text, context=self._settings)
        addresses = sent.images if row.fetches and not row.dry_run else []
        if not addresses:
            return await self._importing.put(row, owner, sent, ())
        number = min(len(addresses), self._settings.limits_of(owner.plan).uploads)
        counted = attempts_by(Limit.UPLOADS, owner.id, number=number, plan=owner.plan)
        if row.attempts == 1:
            await take(self._database, self._settings, counted)
        with tempfile.TemporaryDirectory(prefix="adsvc-import-") as directory:
            files = [
                await self._fetched(Path(directory), at, address)
                for at, address in enumerate(addresses)
            ]
            return await self._importing.put(row, owner, sent, files)

    async def _fetched(self, directory: Path, at: int, address: str) -> Path:
        """`InvalidRequestError` for an address that has no picture; else it is tried again."""
        most = self._settings.image_max_bytes
        try:
            async with self._hosts[urlsplit(address).netloc.lower()]:
                answer = await self._client.request(
                    address,
                    None,
                    {"user-agent": f"adsvc/{__version__}", "accept": "image/*"},
                    seconds=FETCH_SECONDS,
                    max_bytes=most + 1,
                )
        except (ForbiddenAddressError, ValueError) as error:
            raise _unusable(at, str(error)) from error
        except UnreachableError as error:
            raise NotDeliveredError(f"/images/{at}: {error}") from error
        if answer.status in SERVER_ERRORS:
            raise NotDeliveredError(f"/images/{at}: the answer was {answer.status}")
        if answer.status != 200:  # noqa: PLR2004 - of HTTP
            raise _unusable(at, f"the answer was {answer.status}")
        if len(answer.body) > most:
            raise _unusable(at, f"is larger than {most} bytes")
        file = directory / str(at)
        await in_thread(file.write_bytes, answer.body)
        return file

    def pause_before(self, attempt: int) -> float | None:
        return PAUSES[attempt - 2] if attempt <= len(PAUSES) + 1 else None

    async def delivered(self, delivery: ClaimedRow, answer: Answer | None) -> None:
        """`send` has recorded it."""

    async def failed(self, delivery: ClaimedRow, error: Exception, pause: float | None) -> None:
        if isinstance(error, PASSING):
            if isinstance(error, RateLimitedError):
                # So would all its other rows be.
                await import_rows.pause(self._database.writer, delivery, error.retry_after)
            await import_rows.defer(self._database.writer, delivery, POLL_SECONDS, counts=False)
        elif not isinstance(error, NotDeliveredError):
            # The claim expires.
            raise error
        elif pause is not None:
            await import_rows.defer(self._database.writer, delivery, pause, counts=True)
        else:
            outcome = refused(InvalidRequestError(_fault("/images", str(error))), delivery)
            await import_rows.record(self._database.writer, delivery, outcome)


def _fault(pointer: str, detail: str) -> Fault:
    return Fault(FaultCode.UNUSABLE_IMAGE, detail).at(pointer)


def _unusable(at: int, detail: str) -> InvalidRequestError:
    return InvalidRequestError(_fault(f"/images/{at}", detail))
