"""The ad of the path, for whoever may read or change it."""

from typing import Annotated, NamedTuple

from fastapi import Depends

from adsvc import policies
from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.parameters import AdIdPath, ImageIdPath
from adsvc.errors import AdNotFoundError, ForbiddenError, ImageNotFoundError
from adsvc.models import Ad
from adsvc.models.ads import SHOWN
from adsvc.repositories import AdImageRepository, AdRepository
from adsvc.services.ads.images import IMAGE_NOT_FOUND
from adsvc.services.ads.listing import refuse
from adsvc.settings import AdEditors


async def get_existing_ad(_: CurrentUser, state: AppStateDep, ad_id: AdIdPath) -> Ad:
    async with state.database.autocommit() as session:
        ad = await AdRepository(session).get(ad_id)
    if ad is None:
        raise AdNotFoundError
    return ad


ExistingAd = Annotated[Ad, Depends(get_existing_ad)]


async def get_shown_ad(user: CurrentUser, ad: ExistingAd) -> Ad:
    """The ad, if everybody sees it or it is the caller's, who may be an administrator too."""
    if ad.current_status not in SHOWN and not policies.is_author_or_admin(user, ad):
        refuse(ad.current_status)
    return ad


ShownAd = Annotated[Ad, Depends(get_shown_ad)]


async def get_owned_ad(user: CurrentUser, ad: ShownAd) -> Ad:
    """The ad, if the caller is its author or an administrator. Who cannot see it is not told so."""
    if not policies.is_author_or_admin(user, ad):
        raise ForbiddenError
    return ad


OwnedAd = Annotated[Ad, Depends(get_owned_ad)]


async def get_editable_ad(user: CurrentUser, ad: ShownAd, state: AppStateDep) -> Ad:
    """As `get_owned_ad`, unless the operator lets every user edit every ad that is shown."""
    if state.settings.ad_editors is AdEditors.AUTHENTICATED and ad.current_status in SHOWN:
        return ad
    return await get_owned_ad(user, ad)


EditableAd = Annotated[Ad, Depends(get_editable_ad)]


class ImageOfAd(NamedTuple):
    ad: Ad
    id: int


async def get_existing_ad_image(
    ad: ShownAd, state: AppStateDep, image_id: ImageIdPath
) -> ImageOfAd:
    """The picture, if it belongs to the ad of the path."""
    async with state.database.autocommit() as session:
        if not await AdImageRepository(session).exists(ad.id, image_id):
            raise ImageNotFoundError(IMAGE_NOT_FOUND)
    return ImageOfAd(ad, image_id)


ExistingAdImage = Annotated[ImageOfAd, Depends(get_existing_ad_image)]


async def get_owned_ad_image(user: CurrentUser, image: ExistingAdImage) -> ImageOfAd:
    """The picture, if the caller is its ad's author or an administrator."""
    await get_owned_ad(user, image.ad)
    return image


OwnedAdImage = Annotated[ImageOfAd, Depends(get_owned_ad_image)]
