"""Imports: a feed is the desired state of an account's ads, and only what differs is written."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from adsvc import errors
from adsvc.enums import AdStatus, ImportMode, ImportRowStatus, ImportStatus
from adsvc.kit import faults
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.bulkheads.pools import ProcessPool
from adsvc.kit.bulkheads.uploads import DiskReserve
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.statements import Row, Statements
from adsvc.kit.faults import Fault, FaultCode
from adsvc.kit.invalidation import OUTBOX
from adsvc.kit.records import ANYTHING
from adsvc.kit.storage import ImageStore
from adsvc.models.ads import SHOWN
from adsvc.repositories import imports as import_rows
from adsvc.repositories.accounts import users as user_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads import writes as ad_rows
from adsvc.repositories.imports import ClaimedRow, KnownAd, NewRow, RowOutcome
from adsvc.schemas.ads import CreateAd
from adsvc.schemas.imports import ImportRow
from adsvc.schemas.problem import detail_of
from adsvc.services.ads import writing
from adsvc.services.ads.lifecycle import publish, take_step
from adsvc.services.ads.writing import AdWrite, Author
from adsvc.services.categories.reading import CategoryMemory
from adsvc.services.images import KINDS, ReceivedImages, require_picture_quota
from adsvc.services.rate_limits import TextQuota
from adsvc.settings import Settings

MOST_ROWS = 10_000
MOST_BYTES = 16 * 1024 * 1024
RETENTION_DAYS = 30
# Of a row, and of one of them.
MOST_FAULTS, LONGEST_POINTER = 10, 200
# After these an ad of a feed is shown again.
ENDED = frozenset({AdStatus.DRAFT, AdStatus.WITHDRAWN, AdStatus.EXPIRED})
NO_IMPORT = "You have no import with this id."


class FeedRow(NamedTuple):
    """A row of a feed, from 1: its record as JSON, or what is wrong with it."""

    number: int
    # None if it cannot be read.
    external_id: str | None
    # The rest is of the record. Without one the row is refused.
    sent: str | None = None
    status: str | None = None
    digest: bytes | None = None
    images_digest: bytes | None = None
    has_images: bool = False
    faults: str | None = None

    @classmethod
    def of(cls, number: int, row: ImportRow) -> Self:
        text = row.model_dump_json(by_alias=True, exclude_unset=True)
        images = row.images or ()
        digests = _digest(text), _digest("\n".join(images))
        return cls(number, row.external_id, text, row.status, *digests, bool(images))

    @classmethod
    def refused(cls, number: int, external_id: str | None, *wrong: Fault) -> Self:
        return cls(number, external_id, faults=_json(wrong))


def _json(wrong: Sequence[Fault]) -> str:
    """The first of them. A pointer is as long as the client wants it."""
    bounded = (
        fault if len(fault.pointer or "") <= LONGEST_POINTER else fault.at("")
        for fault in wrong[:MOST_FAULTS]
    )
    details = [detail_of(fault).model_dump(by_alias=True, exclude_none=True) for fault in bounded]
    return json.dumps(details)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def changes_of(feed: Sequence[FeedRow], known: Mapping[str, KnownAd]) -> Sequence[NewRow]:
    """The rows that change something, or are refused."""
    changes = []
    for row in feed:
        ad = None if row.sent is None else known.get(row.external_id or "")
        is_there = ad is not None and (row.status == ad.status or ad.status not in ENDED)
        if ad is not None and is_there and ad.is_unchanged and ad.digest == row.digest:
            continue
        changes.append(
            NewRow(
                row.number,
                row.external_id,
                None if ad is None else ad.id,
                row.sent,
                row.digest,
                row.images_digest,
                row.has_images and (ad is None or ad.images_digest != row.images_digest),
                ImportRowStatus.FAILED if row.sent is None else ImportRowStatus.PENDING,
                row.faults,
            )
        )
    return changes


async def begin(
    transaction: Transaction,
    owner_id: int,
    feed: Sequence[FeedRow],
    mode: ImportMode,
    *,
    dry_run: bool,
) -> Row:
    """The import. `ImportInProgressError` while another one of the account runs.

    Nothing is withdrawn if a row has no external id that can be read: it might be that of any ad.
    """
    named = {row.external_id for row in feed}
    is_full = mode is ImportMode.FULL and None not in named
    known = await import_rows.known(transaction, owner_id, [*named], is_full=is_full)
    changes = [*changes_of(feed, known)]
    unchanged = len(feed) - len(changes)
    shown = {name: ad for name, ad in known.items() if ad.status in SHOWN}
    gone = shown.keys() - named if is_full else set()
    withdrawal = (None, None, None, False, ImportRowStatus.PENDING, None)
    changes += [
        NewRow(number, name, known[name].id, *withdrawal)
        for number, name in enumerate(sorted(gone), len(feed) + 1)
    ]
    status = ImportStatus.RUNNING
    if all(row.status is not ImportRowStatus.PENDING for row in changes):
        status = ImportStatus.DONE
    elif 2 * len(gone) > len(shown) and not dry_run:
        status = ImportStatus.WAITING
    import_id = await import_rows.add(
        transaction,
        owner_id,
        mode,
        status,
        changes,
        dry_run=dry_run,
        rows=len(feed),
        unchanged=unchanged,
    )
    if import_id is None:
        raise errors.ImportInProgressError
    transaction.announce(OUTBOX)
    return await existing(transaction, owner_id, import_id)


async def existing(db: Statements, owner_id: int, import_id: int) -> Row:
    found = await import_rows.of_owner(db, owner_id, import_id)
    if not found:
        raise errors.NotFoundError(NO_IMPORT)
    return found[0]


async def confirm(transaction: Transaction, owner_id: int, import_id: int) -> Row:
    if not await import_rows.confirm(transaction, import_id):
        raise errors.ImportNotWaitingError
    transaction.announce(OUTBOX)
    return await existing(transaction, owner_id, import_id)


@dataclass(frozen=True, slots=True)
class Importing:
    """Handles rows of imports."""

    database: Database
    settings: Settings
    store: ImageStore
    pool: ProcessPool
    categories: CategoryMemory
    quota: TextQuota
    reserve: DiskReserve

    async def owner(self, row: ClaimedRow) -> CallerAccount:
        async with self.database.autocommit() as session:
            user = await user_rows.get_unless_suspended(session, row.owner_id)
        if user is None:
            raise errors.UnauthenticatedError
        return CallerAccount.of(user)

    async def withdraw(self, row: ClaimedRow, owner: CallerAccount) -> RowOutcome:
        """What is no longer shown, or there, is as the feed has it."""
        if not row.dry_run and row.ad_id is not None:
            try:
                async with self.database.statement() as statement:
                    caller = Author(owner.id)
                    await take_step(statement, caller, row.ad_id, "withdraw", ANYTHING, days=0)
            except (errors.IllegalTransitionError, errors.AdNotFoundError):
                pass
        return RowOutcome(ImportRowStatus.WITHDRAWN, row.ad_id)

    async def put(
        self, row: ClaimedRow, owner: CallerAccount, sent: ImportRow, files: Sequence[Path]
    ) -> RowOutcome:
        """Refusals of the ad, such as `InvalidRequestError`."""
        members = {name: getattr(sent, name) for name in sent.model_fields_set - {"images"}}
        ad = CreateAd.model_construct(**members)
        if row.dry_run:
            return await self._validate(owner, ad, sent)
        await self.quota.require(owner.id)
        await self.reserve.require()
        common = (self.database, self.settings, owner, self.categories, self.store)
        # Without pictures it takes no place from others.
        with self.pool.slot(Client(owner.id)) if files else nullcontext() as slot:
            received = None if slot is None else ReceivedImages(files, slot)
            record, is_new = await writing.put(*common, sent.external_id, ad, received)
        written = record.written
        has_ended = json.loads(written.record)["status"] in ENDED
        if has_ended and sent.status != AdStatus.DRAFT:
            async with self.database.statement() as statement:
                write = AdWrite(*common[:2], Author(owner.id), record.id, self.categories)
                written = await publish(statement, write, ANYTHING)
        status = ImportRowStatus.CREATED if is_new else ImportRowStatus.UPDATED
        changed = datetime.fromtimestamp(json.loads(written.record)["updatedAt"] / 1000, UTC)
        return RowOutcome(status, record.id, revision=changed)

    async def _validate(self, owner: CallerAccount, ad: CreateAd, sent: ImportRow) -> RowOutcome:
        members = ad.changes()
        async with self.database.autocommit() as session:
            found = await ad_rows.by_external_id(session, owner.id, sent.external_id)
        if found is not None:
            caller = Author(owner.id)
            write = AdWrite(self.database, self.settings, caller, found.id, self.categories)
            await write.validate(members, ())
            return RowOutcome(ImportRowStatus.UPDATED, found.id)
        await writing.classify_new(members, self.settings, self.categories)
        if not sent.images and sent.status != AdStatus.DRAFT:
            raise errors.InvalidRequestError(faults.missing().at("/image"))
        await require_picture_quota(self.database, self.settings, owner.id)
        return RowOutcome(ImportRowStatus.CREATED)


def refused(error: errors.RefusalError, row: ClaimedRow) -> RowOutcome:
    """The row is at fault, or its account; pictures are those of `images`."""
    found = error.faults if isinstance(error, errors.InvalidRequestError) else ()
    placed = [_placed(each) for each in found]
    if isinstance(error, errors.UnsupportedImageError):
        placed = [Fault(FaultCode.UNUSABLE_IMAGE, KINDS).at("/images")]
    placed = placed or [Fault(FaultCode.REFUSED, error.detail).at("")]
    return RowOutcome(ImportRowStatus.FAILED, row.ad_id, _json(placed))


def _placed(fault: Fault) -> Fault:
    """One of a picture is that of `images`."""
    if fault.pointer not in {"/image", None}:
        return fault
    number = fault.figures.get("number")
    at = f"/{number - 1}" if isinstance(number, int) else ""
    return Fault(fault.code, fault.detail).at(f"/images{at}")
