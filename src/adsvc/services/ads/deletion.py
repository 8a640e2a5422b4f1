from dataclasses import dataclass

from adsvc.db.database import Database
from adsvc.invalidation import Invalidation, Kind
from adsvc.repositories import AdChangeRepository, AdDeletionRepository
from adsvc.repositories.accounts.rights import Caller
from adsvc.services import audit
from adsvc.services.ads.overtaken import refuse_overtaken
from adsvc.services.ads.viewing import require
from adsvc.services.deletions import delete_pictures
from adsvc.storage import ImageStore
from adsvc.versions import Expected


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
        require(await self._changes.standing(self.caller, self.ad_id))

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
        require(deleted.standing)
        if deleted.images is None or deleted.owner_id is None:
            await refuse_overtaken(self._changes, caller, ad_id, expected)
        bus.apply(ad)
        audit.tell_foreign(
            event, actor=caller.user_id, target=ad_id, ad_id=ad_id, owner_id=deleted.owner_id
        )
        await delete_pictures(self.database, self.store, deleted.images)
