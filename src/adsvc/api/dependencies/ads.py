"""The ad of the path, for whoever may read or change it."""

from typing import Annotated

from fastapi import Depends

from adsvc import policies
from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.parameters import AdIdPath
from adsvc.errors import AdNotFoundError, ForbiddenError
from adsvc.models import Ad
from adsvc.repositories import AdRepository
from adsvc.repositories.ads.visibility import SHOWN
from adsvc.services.ads.viewing import refuse
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
