"""Saved searches and favorites. The worker finds which ads match: `services.following`."""

from typing import Annotated

from pydantic import Field

from adsvc import errors
from adsvc.api.dependencies.access import own_search
from adsvc.api.dependencies.calls import Call, Page
from adsvc.api.dependencies.endpoints import Router
from adsvc.api.finding import canonical_query
from adsvc.api.input.parameters import (
    LARGEST_SAFE_INTEGER,
    FavoriteIdPath,
    PageQuery,
    Pairs,
    SearchIdPath,
    WholeNumber,
)
from adsvc.enums import Feature, KeyScope
from adsvc.errors import SearchNotFoundError, TooManyError
from adsvc.kit.db.statements import page_of_records
from adsvc.repositories import following as following_rows
from adsvc.schemas.following import (
    CreateSearch,
    Favorites,
    SavedSearch,
    SavedSearches,
    UpdateSearch,
)
from adsvc.services import following

searches_router = Router(
    "/users/me/searches", tag="users", requires=KeyScope.ACCOUNT_WRITE, reads=KeyScope.ACCOUNT_READ
)


@searches_router.post(
    "",
    summary="Save a search",
    features=(Feature.SEARCHES,),
    status=201,
    responses={
        200: {"description": "It was saved before: the first one", "model": SavedSearch},
        201: {"description": "Saved", "model": SavedSearch},
    },
    refused_with=(TooManyError,),
)
async def save_search(call: Call[CreateSearch]) -> SavedSearch:
    """Saves a query of `GET /ads`, and returns it with its id. From now on, ads that become visible
    or come to match are counted, and notified of as `notify` says.

    The query is validated as there, and kept in one spelling; the same query again returns the
    search that exists, with 200. One that has neither words, category, attribute, place nor author
    is refused as `too-broad`. Of too many words it has the ones that `GET /ads` searches for now.
    Unknown parameters are left out; with `Prefer: handling=strict` both are refused. How many
    an account may have depends on its plan. Counts towards its limit on changes.
    """
    state, sent = call.state, call.content
    query = await canonical_query(state, call.request.scope["headers"], sent.query)
    row, is_new = await following.create_search(call, query, sent)
    call.status = 201 if is_new else 200
    return SavedSearch.model_validate(row)


@searches_router.get(
    "",
    summary="List the caller's saved searches",
    features=(Feature.SEARCHES,),
    own_list=True,
    query=PageQuery,
    response_model=SavedSearches,
)
async def list_my_searches(call: Call[None]) -> Page:
    """Returns a page of the caller's saved searches, the newest first, with the number of new
    matches of each.
    """
    user_id = call.caller.user_id
    page = call.page(f"searches {user_id}")
    async with call.database.autocommit() as session:
        rows = await following_rows.list_of_user(
            session, user_id, before=page.before, limit=page.limit + 1
        )
    records = [SavedSearch.model_validate(row).model_dump_json(by_alias=True) for row in rows]
    return Page(*page_of_records(records, [row["id"] for row in rows], page.limit))


@searches_router.patch(
    "/{id}",
    summary="Change a saved search",
    features=(Feature.SEARCHES,),
    access=own_search,
)
async def update_search(call: Call[UpdateSearch], search_id: int) -> SavedSearch:
    """Changes the name, or when new matches are notified of, and returns the search.

    After `never`, notifications begin with what matches from then on. Counts towards the account's
    limit on changes.
    """
    db, user_id = call.transaction, call.user.id
    changes = {"name": None, "notify": None, **call.content.changes()}
    if not await following_rows.update(db, search_id, user_id, **changes):
        raise SearchNotFoundError
    [row] = await following_rows.list_of_user(db, user_id, search_id)
    return SavedSearch.model_validate(row)


@searches_router.delete(
    "/{id}",
    summary="Delete a saved search",
    limit=None,
    refused_with=(SearchNotFoundError,),
)
async def delete_search(call: Call[None], search_id: SearchIdPath) -> None:
    """Deletes a saved search of the caller. Its notifications stay."""
    if not await following_rows.delete_search(call.transaction, search_id, call.user.id):
        raise SearchNotFoundError


@searches_router.post(
    "/{id}/seen",
    summary="Mark a search's matches as seen",
    features=(Feature.SEARCHES,),
    refused_with=(SearchNotFoundError,),
)
async def mark_search_seen(call: Call[None], search_id: SearchIdPath) -> None:
    """Sets `newCount` to 0. Alerts that would end, because they were not opened for 180 days, go
    on.

    Counts towards the account's limit on changes.
    """
    if not await following_rows.mark_seen(call.transaction, search_id, call.user.id):
        raise SearchNotFoundError


favorites_router = Router(
    "/users/me/favorites", tag="users", requires=KeyScope.ACCOUNT_WRITE, reads=KeyScope.ACCOUNT_READ
)

# So that a page of a listing can mark its favorites by one request.
MOST_NAMED = 100


@favorites_router.put(
    "/{adId}",
    summary="Keep an ad as a favorite",
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
    await following.add_favorite(call.transaction, call.user, ad_id)


@favorites_router.delete(
    "/{adId}",
    summary="Remove a favorite",
    refused_with=(errors.AdNotFoundError, errors.AdGoneError, errors.OwnAdError),
)
async def remove_favorite(call: Call[None], ad_id: FavoriteIdPath) -> None:
    """Removes a favorite of the caller, whatever became of the ad. An ad that everyone sees need
    not be one.

    Counts towards the account's limit on changes.
    """
    await following.remove_favorite(call.transaction, call.user, ad_id)


class FavoritesQuery(PageQuery):
    ad: Annotated[
        list[Annotated[int, WholeNumber(1, LARGEST_SAFE_INTEGER)]],
        Field(default_factory=list, max_length=MOST_NAMED, examples=[[42, 43]]),
    ]
    """Only these ads, by their ids: those of a listing, for example. All favorites without it."""


@favorites_router.get(
    "",
    summary="List the caller's favorites",
    own_list=True,
    query=FavoritesQuery,
    response_model=Favorites,
)
async def list_my_favorites(call: Call[None]) -> Page:
    """Returns a page of the caller's favorites, the newest first, each with its ad as it is now."""
    user_id, chosen = call.caller.user_id, sorted(set(call.query.ad))
    filters: Pairs = [("ad", str(ad_id)) for ad_id in chosen]
    page = call.page(f"favorites {user_id} {chosen}", filters)
    found = await following_rows.favorites_page(
        call.database.reader, user_id, page.limit, ads=chosen or None, before=page.before
    )
    return Page(found.records, found.last_id, {"count": found.total})
