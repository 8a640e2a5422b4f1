"""Queries of more words than are searched for: their rarest words count.

The words are looked up in the database. Before that, a request is validated and counted with a
query that is as short and needs no look-up.
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
from adsvc.repositories.ads.search import planner


def shortened(state: AppState, headers: Iterable[Header], q: str | None) -> str | None:
    """The query without its last words, if it has too many and the client is not strict.

    None if all its words count. Its phrases, excluded words and `or` always do.
    """
    most = state.settings.search_words_max
    # So many words have at least a letter each, and something between them.
    if q is None or len(q) < 2 * most or prefers_strict(headers):
        return None
    with suppress(InvalidRequestError):
        shorter, dropped = terms.shortened(typed(q), most, {})
        return shorter if dropped else None
    return None


async def with_rarest_words(state: AppState, q: str) -> tuple[str, list[str]]:
    """The query that is searched for, and the words that were left out."""
    most = state.settings.search_words_max
    return await planner.rarest(state.database.list_reader, typed(q), most)


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
        fewer, _ = await with_rarest_words(state, q)
        pairs = with_q(pairs, fewer)
    return urlencode(known_pairs(pairs))
