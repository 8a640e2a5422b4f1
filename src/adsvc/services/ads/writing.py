from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from adsvc.db.database import Database, Transaction
from adsvc.errors import (
    AdNotFoundError,
    Fault,
    InvalidRequestError,
    OverloadedError,
    UnauthenticatedError,
)
from adsvc.invalidation import Invalidation, Kind
from adsvc.models.ads.ad import POINT
from adsvc.points import public_point
from adsvc.repositories import AdChangeRepository, AdImageRepository, AdRepository
from adsvc.repositories.accounts.callers import Account
from adsvc.repositories.accounts.rights import Caller
from adsvc.repositories.ads.writes.changes import AdChange, Described
from adsvc.schemas.ads.ad import CreateAd, CreateOrUpdateAd
from adsvc.schemas.ads.locations import Location
from adsvc.services import audit
from adsvc.services.ads.images import row_of
from adsvc.services.ads.judgement import all_faults, describe_new
from adsvc.services.ads.overtaken import refuse_overtaken, require_expected
from adsvc.services.ads.viewing import require
from adsvc.services.categories.judgement import POINTER, Description
from adsvc.services.categories.memory import CategoryMemory
from adsvc.services.images import ReceivedImages, account_for, store_images
from adsvc.settings import AdEditors, Settings
from adsvc.storage import ImageStore
from adsvc.versions import Expected, Written

# How often a change that others overtake is tried; each time one of theirs has succeeded.
ATTEMPTS = 20


class NewRecord(NamedTuple):
    id: int
    # As `schemas.ads.ad.Ad`.
    written: Written


async def create(
    transaction: Transaction,
    settings: Settings,
    store: ImageStore,
    author: Account,
    properties: CreateAd,
    received: ReceivedImages,
    *,
    categories: CategoryMemory,
) -> NewRecord:
    """The pictures are durable before the rows that name them are committed."""
    values = _columns(properties)
    try:
        values |= await describe_new(values, settings, categories)
    except InvalidRequestError as error:
        raise await all_faults(error, settings, categories, received) from None
    images = await store_images(transaction, settings, store, received)
    values |= {
        "author_id": author.id,
        "image": images[0].name,
        "thumbnail": images[0].thumbnail,
        "image_count": len(images),
    }
    ads = AdRepository(transaction.session)
    ad = await ads.add(values, days=settings.ad_days)
    if ad is None:
        # The author's account went away while the picture was being uploaded.
        raise UnauthenticatedError
    rows = [row_of(image) for image in images]
    await AdImageRepository(transaction.session).add(ad.id, rows, first=0)
    await account_for(transaction, settings, images, owner_id=author.id)
    transaction.announce(Kind.AD, ad.id)
    return NewRecord(ad.id, await ads.written(author.id, ad.id))


def _columns(properties: CreateOrUpdateAd) -> dict[str, Any]:
    """What is stored of the members that were sent."""
    values = properties.changes()
    if "location" in values:
        location = properties.location
        values |= dict.fromkeys(POINT) if location is None else _points(location)
        del values["location"]
    return values


def _points(location: Location) -> dict[str, float]:
    exact = location.latitude, location.longitude
    return dict(zip(POINT, (*exact, *public_point(*exact)), strict=True))


@dataclass(frozen=True, slots=True)
class AdWrite:
    """A change that somebody wants to make of an ad, if there is one and they may."""

    database: Database
    settings: Settings
    caller: Caller
    ad_id: int
    categories: CategoryMemory

    @property
    def _changes(self) -> AdChangeRepository:
        everybody = self.settings.ad_editors is AdEditors.AUTHENTICATED
        return AdChangeRepository(self.database.reader, self.database.writer, everybody=everybody)

    async def require_editable(self) -> None:
        """Raises what `update` would refuse the caller with, whatever the change."""
        require(await self._changes.standing(self.caller, self.ad_id))

    async def require_expected(self, expected: Expected) -> None:
        """Raises what `update` would refuse the client of another version with."""
        await require_expected(self._changes, self.caller, self.ad_id, expected)

    async def judge(self, sent: Mapping[str, Any], found: Sequence[Fault]) -> None:
        """Raises what is wrong with the description, where it can be judged."""
        described = Description.taken_from(dict(sent), required=self.settings.category_required)
        if described is not None and not any(fault.pointer == POINTER for fault in found):
            await self._described(described)

    async def update(self, changes: CreateOrUpdateAd, expected: Expected) -> Written:
        """The changed ad as `schemas.ads.ad.Ad`."""
        values = _columns(changes)
        described = Description.taken_from(values, required=self.settings.category_required)
        if described is not None:
            return await self._describe(values, described, expected)
        changed = await self._updated(values, expected)
        if changed.written is None:
            await refuse_overtaken(self._changes, self.caller, self.ad_id, expected)
        return changed.written

    async def _describe(
        self, values: dict[str, Any], described: Description, expected: Expected
    ) -> Written:
        """What is stored is read, judged together with what is sent, and replaced.

        If it has changed in between, all of that happens again. Attributes are judged only where
        the ad is the version that the client expects.
        """
        for _ in range(ATTEMPTS):
            await self.require_editable()
            await self.require_expected(expected)
            before, columns = await self._described(described)
            changed = await self._updated({**values, **columns}, expected, before)
            if changed.written is not None:
                return changed.written
        raise OverloadedError

    async def _described(self, described: Description) -> tuple[Described, dict[str, Any]]:
        """What is stored, and the columns that are to be."""
        before = await self._changes.described(self.ad_id)
        if before is None:
            raise AdNotFoundError
        tree = await self.categories.tree(knows=partial(described.node, before=before))
        return before, described.applied(tree, before)

    async def _updated(
        self, values: Mapping[str, object], expected: Expected, before: Described | None = None
    ) -> AdChange:
        event = audit.Event.FOREIGN_AD_CHANGED
        caller, ad_id, bus = self.caller, self.ad_id, self.database.changes
        ad = Invalidation(Kind.AD, str(ad_id))
        try:
            changed = await self._changes.update(
                caller, ad_id, values, audit.trail(event), before=before, expected=expected
            )
        except BaseException:
            # It may have been committed all the same.
            bus.apply(ad)
            raise
        require(changed.standing)
        bus.apply(ad)
        if changed.written is not None and changed.owner_id is not None:
            audit.tell_foreign(
                event, actor=caller.user_id, target=ad_id, ad_id=ad_id, owner_id=changed.owner_id
            )
        return changed
