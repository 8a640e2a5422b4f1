"""Ads that an account keeps."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from adsvc import errors
from adsvc.api.dependencies.bodies import Call, Page
from adsvc.api.dependencies.endpoints import Endpoint
from adsvc.api.input.parameters import (
    LARGEST_SAFE_INTEGER,
    FavoriteIdPath,
    PageQuery,
    Pairs,
    WholeNumber,
)
from adsvc.enums import KeyScope
from adsvc.repositories import favorites as favorite_rows
from adsvc.schemas.favorites import Favorites
from adsvc.services import favorites

router = APIRouter(prefix="/users/me/favorites", tags=["users"])

# So that a page of a listing can mark its favorites by one request.
MOST_NAMED = 100


@Endpoint(
    router,
    "PUT",
    "/{adId}",
    summary="Keep an ad as a favorite",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
    refused_with=(
        errors.AdNotFoundError,
        errors.AdGoneError,
        errors.OwnAdError,
        errors.TooManyError,
    ),
)
async def add_favorite(call: Call[None], ad_id: FavoriteIdPath) -> None:
    """Makes an ad that everyone sees a favorite of the caller; one that is a favorite stays one.

    An account may have 1,000 favorites, and none of its own ads. Its author sees how many keep an
    ad, but not who. Counts towards the account's limit on changes.
    """
    await favorites.add(call.transaction, call.user, ad_id)


@Endpoint(
    router,
    "DELETE",
    "/{adId}",
    summary="Remove a favorite",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
    refused_with=(errors.AdNotFoundError, errors.AdGoneError, errors.OwnAdError),
)
async def remove_favorite(call: Call[None], ad_id: FavoriteIdPath) -> None:
    """Removes a favorite of the caller, whatever became of the ad. An ad that everyone sees need
    not be one.

    Counts towards the account's limit on changes.
    """
    await favorites.remove(call.transaction, call.user, ad_id)


class FavoritesQuery(PageQuery):
    ad: Annotated[
        list[Annotated[int, WholeNumber(1, LARGEST_SAFE_INTEGER)]],
        Field(default_factory=list, max_length=MOST_NAMED, examples=[[42, 43]]),
    ]
    """Only these ads, by their ids: those of a listing, for example. All favorites without it."""


@Endpoint(
    router,
    "GET",
    "",
    summary="List the caller's favorites",
    requires=KeyScope.ACCOUNT_READ,
    own_list=True,
    query=FavoritesQuery,
    response_model=Favorites,
)
async def list_my_favorites(call: Call[None]) -> Page:
    """Returns a page of the caller's favorites, the newest first, each with its ad as it is now."""
    user_id, chosen = call.caller.user_id, sorted(set(call.query.ad))
    filters: Pairs = [("ad", str(ad_id)) for ad_id in chosen]
    page = call.page(f"favorites {user_id} {chosen}", filters)
    found = await favorite_rows.page(
        call.database.reader, user_id, page.limit, ads=chosen or None, before=page.before
    )
    return Page(found.records, found.last_id, {"count": found.total})
