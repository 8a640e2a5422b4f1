"""The pictures of an ad, in their order. Lists show the first one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adsvc import errors
from adsvc.enums import AuditKind
from adsvc.invalidation import AdChange
from adsvc.kit import faults
from adsvc.kit.db.database import Transaction
from adsvc.kit.pictures.picture import Picture
from adsvc.kit.storage import ImageStore
from adsvc.kit.versions import Expected, Written
from adsvc.models import Ad, AdImage, AdStatus
from adsvc.repositories import images as image_rows
from adsvc.repositories.accounts.callers import CallerAccount
from adsvc.repositories.ads import writes as ad_rows
from adsvc.services import audit
from adsvc.services.images import (
    ReceivedImages,
    StoredImage,
    charge_quota,
    store_image,
    store_images,
)
from adsvc.services.picture_deletion import forget_pictures, move_afterwards
from adsvc.settings import Settings

IMAGE_NOT_FOUND = "This ad has no picture with this id."


def row_of(image: StoredImage) -> Mapping[str, Any]:
    """The columns of `models.AdImage` that follow from the picture."""
    return {
        "name": image.name,
        "width": image.width,
        "height": image.height,
        "placeholder": image.placeholder,
        "digest": image.digest,
        "has_variants": image.thumbnail is not None,
        "has_share": image.thumbnail is not None,
    }


@dataclass(frozen=True, slots=True)
class AdPictures:
    """Changes of the pictures of one ad. The caller has checked that the actor may."""

    transaction: Transaction
    store: ImageStore
    ad: Ad
    actor: CallerAccount
    # The version of the ad that the client expects.
    expected: Expected

    async def add(self, settings: Settings, received: ReceivedImages) -> Written:
        """Adds all pictures after the others, or none. Returns `schemas.ads.Images`."""
        stored = await store_images(self.transaction, settings, self.store, received)
        _, present = await self._lock()
        if len(present) + len(stored) > settings.ad_images_max:
            raise errors.TooManyImagesError(settings.ad_images_max)
        first = max((image.position for image in present), default=-1) + 1
        await image_rows.add_to_ad(
            self.transaction, self.ad.id, [row_of(image) for image in stored], first=first
        )
        await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
        await charge_quota(self.transaction, settings, stored, owner_id=self.ad.author_id)
        return await self._written()

    async def replace_first(
        self, settings: Settings, received: ReceivedImages
    ) -> tuple[str, Picture, str]:
        """Returns the new picture with its name, and the version of the ad.

        Of two replacements at the same time the later one stays.
        """
        stored, picture = await store_image(self.transaction, settings, self.store, received)
        _, present = await self._lock()
        # A draft may have none.
        first, replaced = 0, 0
        for old in present[:1]:
            first = old.position
            replaced = await image_rows.size(self.transaction, old.name)
            await image_rows.delete_image(self.transaction, old.id)
        await image_rows.add_to_ad(self.transaction, self.ad.id, [row_of(stored)], first=first)
        await self._changed(AuditKind.FOREIGN_PICTURE_REPLACED)
        await charge_quota(
            self.transaction, settings, [stored], owner_id=self.ad.author_id, replaced=replaced
        )
        forget_pictures(self.transaction, self.store, [old.name for old in present[:1]])
        return stored.name, picture, await self._version()

    async def replace_all(self, settings: Settings, received: ReceivedImages) -> None:
        """Puts these pictures in the place of all others, unless they are the same."""
        stored = await store_images(self.transaction, settings, self.store, received)
        _, present = await self._lock()
        gone = [image.name for image in present]
        if [image.digest for image in present] == [image.digest for image in stored]:
            gone = [image.name for image in stored]
        else:
            replaced = 0
            for image in present:
                replaced += await image_rows.size(self.transaction, image.name)
                await image_rows.delete_image(self.transaction, image.id)
            rows = [row_of(image) for image in stored]
            await image_rows.add_to_ad(self.transaction, self.ad.id, rows, first=0)
            await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
            owner = self.ad.author_id
            await charge_quota(
                self.transaction, settings, stored, owner_id=owner, replaced=replaced
            )
        forget_pictures(self.transaction, self.store, gone)

    async def order(self, ids: Sequence[int]) -> Written:
        """`schemas.ads.Images`."""
        _, images = await self._lock()
        present = [image.id for image in images]
        if sorted(ids) != sorted(present):
            detail = "must list the ids of all pictures of the ad, each once"
            raise errors.InvalidRequestError(faults.inconsistent(detail).at("/order"))
        if list(ids) != present:
            await image_rows.order(self.transaction, self.ad.id, ids)
            await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
        return await self._written()

    async def delete(self, image_id: int) -> None:
        status, present = await self._lock()
        gone = next((image for image in present if image.id == image_id), None)
        if gone is None:
            raise errors.ImageNotFoundError(IMAGE_NOT_FOUND)
        if len(present) == 1 and status != AdStatus.DRAFT:
            raise errors.LastImageError
        await image_rows.delete_image(self.transaction, image_id)
        await self._changed(AuditKind.FOREIGN_PICTURES_CHANGED)
        forget_pictures(self.transaction, self.store, [gone.name])

    async def _lock(self) -> tuple[str, Sequence[AdImage]]:
        """The ad's status, and its pictures in their order, locked until the transaction ends.

        The ad is locked too, so its version stays the expected one until then.
        """
        ad = await ad_rows.lock(self.transaction, self.ad.id)
        if ad is None:
            raise errors.AdNotFoundError
        await image_rows.lock_share_owner(self.transaction, self.ad.author_id)
        if self.expected.versions is not None:
            self.expected.require(await self._version())
        return ad.status, await image_rows.of_ad(self.transaction, self.ad.id)

    async def _version(self) -> str:
        return (await ad_rows.written(self.transaction, self.actor.id, self.ad.id)).version

    async def _written(self) -> Written:
        """All pictures, and the version of the ad."""
        return Written(await image_rows.record(self.transaction, self.ad.id), await self._version())

    async def _changed(self, event: AuditKind) -> None:
        await image_rows.sync_ad(self.transaction, self.ad.id)
        if self.ad.status in {AdStatus.SUSPENDED, AdStatus.REMOVED}:
            move_afterwards(self.transaction, self.store)
        self.transaction.announce_change(AdChange.presentation_only(self.ad.id).invalidation)
        actor, ad = self.actor.id, self.ad
        audit.record_foreign(
            self.transaction, event, actor=actor, ad_id=ad.id, owner_id=ad.author_id
        )
