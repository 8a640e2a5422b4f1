"""Who is told what of one ad, and refused a change of it."""

from typing import NoReturn, Protocol

from adsvc.db.read_pool import Reader
from adsvc.errors import AdGoneError, AdNotFoundError, ForbiddenError, UnauthenticatedError
from adsvc.models import AdStatus
from adsvc.repositories import ListingRepository
from adsvc.repositories.accounts.rights import Standing
from adsvc.repositories.ads.listing import OneAd


class Viewer(Protocol):
    @property
    def user_id(self) -> int: ...
    @property
    def is_admin(self) -> bool: ...


async def extended(reader: Reader, ad_id: int, viewer: Viewer) -> OneAd:
    """The ad with its author's contact, as that viewer is told it.

    Its author and administrators get it whatever its status; the author alone the exact location.
    """
    ads = ListingRepository(reader)
    ad = await ads.get_extended(ad_id)
    if ad is not None and ad.author_id == viewer.user_id:
        # Whose ad it is never changes.
        ad = await ads.get_own(ad_id)
    elif ad is not None and not viewer.is_admin:
        _require_shown(ad)
    if ad is None:
        raise AdNotFoundError
    return ad


async def details(reader: Reader, ad_id: int) -> OneAd:
    """The ad as everybody is told it."""
    ad = await ListingRepository(reader).get_details(ad_id)
    if ad is None:
        raise AdNotFoundError
    _require_shown(ad)
    return ad


def _require_shown(ad: OneAd) -> None:
    if not ad.is_shown:
        refuse(ad.status)


def refuse(status: str) -> NoReturn:
    """What everybody but its author and administrators is told of an ad that is not shown."""
    if status in {AdStatus.SOLD, AdStatus.EXPIRED}:
        raise AdGoneError
    raise AdNotFoundError


def require(standing: Standing) -> None:
    """Raises the refusal of a change that comes first, if there is one.

    Who cannot see the ad is refused as when reading it: a 403 would reveal that there is one.
    """
    if not standing.is_known:
        raise UnauthenticatedError
    if not standing.finds_ad:
        raise AdNotFoundError
    if standing.hidden is not None:
        refuse(standing.hidden)
    if not standing.may_change:
        raise ForbiddenError
