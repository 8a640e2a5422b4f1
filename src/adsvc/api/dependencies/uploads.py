"""The picture that a form brings, received, decoded and encoded anew."""

from typing import Annotated

from fastapi import Depends, Request

from adsvc.api.app_state import AppStateDep
from adsvc.api.dependencies.ads import received_form
from adsvc.api.dependencies.caller import CurrentUser
from adsvc.api.input.json import parse_json
from adsvc.pictures.picture import Picture
from adsvc.schemas.ads import NewAd
from adsvc.services import images


async def get_uploaded_picture(request: Request, user: CurrentUser, state: AppStateDep) -> Picture:
    async with received_form(request, state, user) as (place, form):
        return await images.normalised(place, state.settings, form.image)


UploadedPicture = Annotated[Picture, Depends(get_uploaded_picture)]


async def get_uploaded_ad(
    request: Request, user: CurrentUser, state: AppStateDep
) -> tuple[NewAd, Picture]:
    """The properties are judged before the picture, which costs more."""
    settings = state.settings
    await images.require_room(state.database, settings, user.id)
    async with received_form(request, state, user, with_properties=True) as (place, form):
        properties = parse_json(form.properties, NewAd, settings)
        return properties, await images.normalised(place, settings, form.image)


UploadedAd = Annotated[tuple[NewAd, Picture], Depends(get_uploaded_ad)]
