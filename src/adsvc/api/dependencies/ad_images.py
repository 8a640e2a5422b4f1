"""The picture of the path, for whoever may change its ad."""

from typing import Annotated, NamedTuple

from fastapi import Depends

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ads import ShownAd, get_owned_ad
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.parameters import ImageIdPath
from adsvc.errors import ImageNotFoundError
from adsvc.models import Ad
from adsvc.repositories import AdImageRepository
from adsvc.services.ads.images import IMAGE_NOT_FOUND


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
