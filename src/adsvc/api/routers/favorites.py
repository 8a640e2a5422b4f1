"""Ads that an account keeps."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from adsvc.api.app_state import AppStateDep
from adsvc.api.caching import json_response
from adsvc.api.dependencies.bodies import Write
from adsvc.api.dependencies.caller import CurrentUser, requires
from adsvc.api.dependencies.writes import Operation
from adsvc.api.input.parameters import (
    LARGEST_SAFE_INTEGER,
    FavoriteIdPath,
    PageQuery,
    Pairs,
    WholeNumber,
)
from adsvc.api.openapi import answer_responses
from adsvc.api.problems.documentation import refusals
from adsvc.errors import (
    AdGoneError,
    AdNotFoundError,
    InvalidRequestError,
    OwnAdError,
    TooManyError,
    UnauthenticatedError,
)
from adsvc.http.responses import PRIVATE
from adsvc.models import KeyScope
from adsvc.repositories.favorites import FavoriteReadRepository
from adsvc.schemas.favorites import Favorites
from adsvc.services import favorites

router = APIRouter(prefix="/users/me/favorites", tags=["users"])

# So that a page of a listing can mark its favorites by one request.
MOST_NAMED = 100


@Operation(
    router,
    "PUT",
    "/{adId}",
    operation_id="addFavorite",
    summary="Keep an ad as a favorite",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
    refused_with=(AdNotFoundError, AdGoneError, OwnAdError, TooManyError),
)
async def add_favorite(write: Write[None], ad_id: FavoriteIdPath) -> None:
    """Makes an ad that everyone sees a favorite of the caller; one that is a favorite stays one.

    An account may have 1,000 favorites, and none of its own ads. Its author sees how many keep an
    ad, but not who. Counts towards the account's limit on changes.
    """
    await favorites.add(write.transaction, write.user, ad_id)


@Operation(
    router,
    "DELETE",
    "/{adId}",
    operation_id="removeFavorite",
    summary="Remove a favorite",
    requires=KeyScope.ACCOUNT_WRITE,
    status=204,
    refused_with=(AdNotFoundError, AdGoneError, OwnAdError),
)
async def remove_favorite(write: Write[None], ad_id: FavoriteIdPath) -> None:
    """Removes a favorite of the caller, whatever became of the ad. An ad that everyone sees need
    not be one.

    Counts towards the account's limit on changes.
    """
    await favorites.remove(write.transaction, write.user, ad_id)


class FavoritesQuery(PageQuery):
    ad: Annotated[
        list[Annotated[int, WholeNumber(1, LARGEST_SAFE_INTEGER)]],
        Field(
            default_factory=list,
            max_length=MOST_NAMED,
            description="Only these ads, by their ids: those of a listing, for example. All "
            "favorites without it.",
            examples=[[42, 43]],
        ),
    ]


@router.get(
    "",
    operation_id="listMyFavorites",
    summary="List the caller's favorites",
    dependencies=[requires(KeyScope.ACCOUNT_READ)],
    response_model=Favorites,
    responses=answer_responses() | refusals(InvalidRequestError, UnauthenticatedError),
)
async def list_my_favorites(
    request: Request,
    user: CurrentUser,
    state: AppStateDep,
    query: Annotated[FavoritesQuery, Query()],
) -> Response:
    """Returns a page of the caller's favorites, the newest first, each with its ad as it is now."""
    size = query.size(state.settings)
    chosen = sorted(set(query.ad))
    filters: Pairs = [("ad", str(ad_id)) for ad_id in chosen]
    page = query.page(request.url.path, filters, state, size)
    listing = f"favorites {user.id} {chosen}"
    start = page.start(listing)
    found = await FavoriteReadRepository(state.database.reader).page(
        user.id, page.limit, ads=chosen or None, before=int(start[0]) if start else None
    )
    link, following = None, "null"
    if found.last_id is not None:
        cursor, link = page.next(listing, [found.last_id])
        following = f'"{cursor}"'
    # The JSON of `schemas.favorites.Favorites`; its parts are JSON already.
    results = ",".join(found.records)
    body = f'{{"count":{found.total},"results":[{results}],"next":{following}}}'
    return json_response(body.encode(), PRIVATE, link=link).to(request)
