"""An ad's life: which steps there are, and who takes them. The clock takes the last one."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from adsvc.db.database import Database
from adsvc.db.pools import RowWriter
from adsvc.errors import AdNotFoundError, IllegalTransitionError
from adsvc.invalidation import Invalidation, Kind
from adsvc.models import AdStatus
from adsvc.repositories import AdChangeRepository, AdDeletionRepository, LifecycleRepository
from adsvc.repositories.accounts.callers import Caller
from adsvc.repositories.ads.lifecycle import EXPIRY, Step
from adsvc.schemas.ads import Sale
from adsvc.services import audit
from adsvc.services.ads.listing import require
from adsvc.services.ads.writing import refuse_overtaken
from adsvc.services.deletions import delete_pictures
from adsvc.settings import Settings
from adsvc.storage import ImageStore
from adsvc.versions import Expected, Written

DRAFT, ACTIVE, RESERVED = AdStatus.DRAFT, AdStatus.ACTIVE, AdStatus.RESERVED

SOLD, WITHDRAWN, EXPIRED = AdStatus.SOLD, AdStatus.WITHDRAWN, AdStatus.EXPIRED

ANEW = (("expires_at", EXPIRY),)

NEVER = (("expires_at", "NULL"),)

SALE = (("sold_at", "now()"), ("price", "coalesce({price}::int, found.price)"))

# By the names of their operations.
STEPS = {
    "publish": Step("published", (DRAFT, WITHDRAWN, EXPIRED), ACTIVE, ANEW),
    "reserve": Step("reserved", (ACTIVE,), RESERVED),
    "release": Step("released", (RESERVED,), ACTIVE),
    "sell": Step("sold", (ACTIVE, RESERVED), SOLD, (*NEVER, *SALE)),
    "withdraw": Step("withdrawn", (DRAFT, ACTIVE, RESERVED, EXPIRED), WITHDRAWN, NEVER),
    "renew": Step("renewed", (ACTIVE, EXPIRED), ACTIVE, ANEW),
}

# How often what has expired is looked for.
PERIOD_SECONDS = 0.5

# So few that an author who changes an ad meanwhile does not notice.
BATCH = 200

PAUSE_SECONDS = 0.05


def steps_from(status: AdStatus) -> Sequence[str]:
    return [name for name, step in STEPS.items() if status in step.sources]


@dataclass(frozen=True, slots=True)
class LifeWrite:
    """A step that somebody wants to take in an ad's life, if there is one and they may."""

    database: Database
    settings: Settings
    caller: Caller
    ad_id: int
    writer: RowWriter

    @property
    def _changes(self) -> AdChangeRepository:
        return AdChangeRepository(self.database.reader, self.database.writer, everybody=False)

    async def require_owned(self) -> None:
        """Raises what `take` would refuse the caller with, whatever the step."""
        require(await self._changes.check_access(self.caller, self.ad_id))

    async def take(self, name: str, expected: Expected, price: int | None = None) -> Written:
        """The ad as `schemas.ads.Ad`. Of two who take a step at once one is refused.

        Whether the ad is as expected is asked before whether its status allows the step.
        """
        event = audit.Event.FOREIGN_AD_CHANGED
        caller, ad_id, bus = self.caller, self.ad_id, self.database.changes
        ad = Invalidation(Kind.AD, str(ad_id))
        try:
            taken = await LifecycleRepository(self.writer).take(
                caller, ad_id, STEPS[name], audit.trail(event),
                days=self.settings.ad_days, price=price, expected=expected,
            )  # fmt: skip
        except BaseException:
            # It may have been committed all the same.
            bus.apply(ad)
            raise
        require(taken.access)
        if taken.source is None or taken.owner_id is None:
            # Deleted a moment ago.
            raise AdNotFoundError
        if not taken.is_expected:
            await refuse_overtaken(self._changes, caller, ad_id, expected)
        if taken.written is None:
            raise IllegalTransitionError(taken.source, steps_from(taken.source))
        bus.apply(ad)
        audit.tell_foreign(
            event, actor=caller.user_id, target=ad_id, ad_id=ad_id, owner_id=taken.owner_id
        )
        return taken.written

    async def sell(self, sale: Sale, expected: Expected) -> Written:
        return await self.take("sell", expected, sale.price)


async def mark_expired(database: Database) -> int:
    """Marks all ads that have expired, a few at a time, and returns how many there were.

    One process at a time does. Only counts, and what other processes keep, depend on the mark: who
    sees an ad goes by the clock.
    """
    lives = LifecycleRepository(database.writer)
    total = marked = await lives.mark_expired(BATCH)
    while marked == BATCH:
        await asyncio.sleep(PAUSE_SECONDS)
        marked = await lives.mark_expired(BATCH)
        total += marked
    return total


@dataclass(frozen=True, slots=True)
class AdDeletion:
    """The deletion of an ad that somebody wants, if the ad is there and they may."""

    database: Database
    store: ImageStore
    caller: Caller
    ad_id: int

    @property
    def _changes(self) -> AdChangeRepository:
        return AdChangeRepository(self.database.reader, self.database.writer, everybody=False)

    async def require_owned(self) -> None:
        """Raises what `delete` would refuse the caller with."""
        require(await self._changes.check_access(self.caller, self.ad_id))

    async def delete(self, expected: Expected) -> None:
        """Its pictures are gone too when this returns."""
        event = audit.Event.FOREIGN_AD_DELETED
        caller, ad_id, bus = self.caller, self.ad_id, self.database.changes
        ad = Invalidation(Kind.AD, str(ad_id))
        try:
            deleted = await AdDeletionRepository(self.database.writer).delete(
                caller, ad_id, audit.trail(event), expected=expected
            )
        except BaseException:
            # It may have been committed all the same.
            bus.apply(ad)
            raise
        require(deleted.access)
        if deleted.images is None or deleted.owner_id is None:
            await refuse_overtaken(self._changes, caller, ad_id, expected)
        bus.apply(ad)
        audit.tell_foreign(
            event, actor=caller.user_id, target=ad_id, ad_id=ad_id, owner_id=deleted.owner_id
        )
        await delete_pictures(self.database, self.store, deleted.images)
