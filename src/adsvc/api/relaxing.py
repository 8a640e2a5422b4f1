"""Relaxed queries as clients send and get them.

Of more words than are searched for the rarest count. They are looked up in the database; before
that, a request is validated and counted with a query that is as short and needs no look-up.
"""

from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlencode

from adsvc.api.app_state import AppState
from adsvc.api.input.filters import KNOWN, NOT_SAVED, FilterQuery, known_pairs, typed
from adsvc.api.input.parameters import Pairs, pairs_of, refuse_unknown
from adsvc.api.near_places import with_points
from adsvc.errors import InvalidRequestError
from adsvc.http.responses import Header, prefers_strict
from adsvc.repositories.ads import terms
from adsvc.services.ads.relaxing import (
    QueryChange,
    QueryChangeKind,
    RelaxedListing,
    changed,
    with_rarest_words,
)


def shortened(state: AppState, headers: Iterable[Header], q: str | None) -> str | None:
    """The query without its last words, if it has too many and the client is not strict.

    None if all its words count. Its phrases, excluded words and `or` always do.
    """
    most = state.settings.search_words_max
    # So many words have at least a letter each, and something between them.
    if q is None or len(q) < 2 * most or prefers_strict(headers):
        return None
    with suppress(InvalidRequestError):
        dropped = terms.excess_words(q := typed(q), most, {})
        if dropped:
            return changed(q, tuple(QueryChange(QueryChangeKind.DROPPED, at) for at in dropped))
    return None


async def shortest(state: AppState, q: str) -> str:
    """The query with its rarest words, as many as are searched for."""
    q, most = typed(q), state.settings.search_words_max
    return changed(q, await with_rarest_words(state.database.list_reader, q, most))


def understood(filters: Pairs, q: str, relaxed: RelaxedListing) -> str:
    """The query of `GET /ads` that has the same matches as the relaxed one.

    A place is the point that saved searches and addresses of the storefront have.
    """
    given, near = {"q": changed(q, relaxed.changes)}, relaxed.ads.near
    for change in relaxed.changes:
        if change.kind is QueryChangeKind.PLACE and near is not None:
            given |= {"near": f"{near.latitude},{near.longitude}", "radius": str(near.radius)}
        elif change.kind is QueryChangeKind.CATEGORY:
            given["category"] = change.to
    pairs = [(name, value) for name, value in filters if name not in {*NOT_SAVED, *given}]
    return urlencode([*((name, value) for name, value in given.items() if value.strip()), *pairs])


def with_q(pairs: Pairs, q: str) -> Pairs:
    return [(name, q if name == "q" else value) for name, value in pairs]


async def canonical_query(state: AppState, headers: Iterable[Header], text: str) -> str:
    """The filters of a query of `GET /ads` in the one spelling that searches are saved in.

    Of a long query they have the words that `GET /ads` searches for. Raises the faults that such a
    request would have. If the client is strict, an unknown parameter is one.
    """
    query = await with_points(state, text.removeprefix("?").encode())
    pairs = [pair for pair in pairs_of(query) if pair[0] not in NOT_SAVED]
    if prefers_strict(headers):
        refuse_unknown(dict(pairs), KNOWN)
    q = dict(pairs).get("q", "")
    shorter = shortened(state, headers, q)
    checked = FilterQuery.from_pairs(pairs if shorter is None else with_q(pairs, shorter))
    checked.filter(await state.categories.tree(), most_words=state.settings.search_words_max)
    if shorter is not None:
        pairs = with_q(pairs, await shortest(state, q))
    return urlencode(known_pairs(pairs))
