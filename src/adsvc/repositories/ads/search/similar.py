"""Ads that are like one ad, at a bounded cost.

Candidates are ads whose titles have its rare words, and the newest of its category. The best of
them are those with most of its words, of its category or one beside it, at about its price and near
it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

from adsvc.enums import AdStatus
from adsvc.kit.db.statements import Row, Statements
from adsvc.repositories.ads.listing import VALID_SECONDS
from adsvc.repositories.ads.places import Circle, distance_sql
from adsvc.repositories.ads.projection import COLUMNS, current_status, record_sql, visible
from adsvc.repositories.ads.search.planner import Part, statistics_of, tsquery
from adsvc.repositories.ads.search_words import Parameters

MOST = 12
# The most candidates by words, and by category.
BY_WORDS = 400
BY_CATEGORY = 200
# Of a long title the rarest words are enough.
MOST_WORDS = 16
# Of a single character there are too many.
SHORTEST_WORD = 2

# How much each likeness counts, from 0 to 1, beside that of the price.
WORDS_COUNT, CATEGORY_COUNTS, PLACE_COUNTS = 3.0, 1.5, 0.5
SIBLING_CATEGORY = 0.5
# At this distance the place counts half, in metres.
NEAR = 25_000
# With less than this part of the words, an ad is similar only if its category is.
FEWEST_WORDS = 0.25

SELECT_SOURCE = f"""
    SELECT {current_status()} AS status, price, category_id, public_latitude, public_longitude,
        tsvector_to_array(ad_words(title)) AS words
    FROM ads WHERE id = $1
"""


@dataclass(frozen=True, slots=True)
class Source:
    """The ad that others are compared with."""

    id: int
    status: AdStatus
    price: int
    category: int | None
    place: Circle | None
    # Of its title alone, as the index has them: each as it stands, and its stem.
    words: Sequence[str]

    @classmethod
    def of_row(cls, ad_id: int, row: Row) -> "Source":
        at = row["public_latitude"], row["public_longitude"]
        place = None if at[0] is None else Circle(*at, NEAR)
        status = AdStatus(row["status"])
        return cls(ad_id, status, row["price"], row["category_id"], place, row["words"])


class SimilarListing(NamedTuple):
    """The best first. `records` are the interface's JSON."""

    ids: Sequence[int]
    records: Sequence[str]
    # For how many seconds all of them are shown; None if without end.
    valid_seconds: float | None


async def read_source(db: Statements, ad_id: int) -> Source | None:
    row = await db.fetchrow(SELECT_SOURCE, ad_id, keep_plan=True)
    return None if row is None else Source.of_row(ad_id, row)


async def similar_to(db: Statements, source: Source, sibling_ids: Sequence[int]) -> SimilarListing:
    """`sibling_ids` are the categories beside that of the ad."""
    known = await statistics_of(db)
    words = [word for word in source.words if len(word) >= SHORTEST_WORD]
    words = sorted(words, key=known.titles.ads_with)[:MOST_WORDS]
    parameters = Parameters()
    candidates = list(_candidates(source, words, known.titles, known.ads, parameters))
    if not candidates:
        return SimilarListing((), (), None)
    weights = [log(2 + known.ads) - log(1 + known.titles.ads_with(word)) for word in words]
    sql = _similar_sql(
        source, candidates, dict(zip(words, weights, strict=True)), sibling_ids, parameters
    )
    [row] = await db.fetch(sql, *parameters.values)
    return SimilarListing(row["id"] or (), row["record"] or (), row["valid_seconds"])


def _candidates(
    source: Source, words: Sequence[str], titles: Part, ads: float, parameters: Parameters
) -> Iterator[str]:
    query = _rare(words, titles, ads)
    if query is not None:
        yield f"""(
            SELECT id FROM ads WHERE title_search @@ {parameters.add(query)}::text::tsquery
                AND {visible()} LIMIT {BY_WORDS}
        )"""
    if source.category is not None:
        # The index has ads that are not shown too, and so the limit comes first.
        yield f"""
            SELECT id FROM (
                SELECT id, status, expires_at FROM ads
                WHERE category_id = {parameters.add(source.category)} ORDER BY id DESC
                LIMIT {BY_CATEGORY}
            ) AS ads WHERE {visible()}
        """


def _rare(words: Sequence[str], titles: Part, ads: float) -> str | None:
    """A `tsquery` for any of the rare words. If there is none, for the rarest ones together."""
    chosen, found = [], 0.0
    for word in words:
        found += titles.ads_with(word)
        if found > BY_WORDS:
            break
        chosen.append(word)
    if chosen or not words:
        return tsquery(chosen) if chosen else None
    found = ads
    for word in words:
        # A word and its stem say the same.
        if any(word.startswith(other) or other.startswith(word) for other in chosen):
            continue
        chosen.append(word)
        found *= titles.ads_with(word) / ads
        if found <= BY_WORDS:
            break
    return " & ".join(tsquery([word]) for word in chosen)


def _similar_sql(
    source: Source,
    candidates: Sequence[str],
    weights: dict[str, float],
    sibling_ids: Sequence[int],
    parameters: Parameters,
) -> str:
    words, parts = list(weights), [weight / sum(weights.values()) for weight in weights.values()]
    alike = f"""(
        SELECT coalesce(sum(part), 0) FROM unnest(
            {parameters.add(words)}::text[], {parameters.add(parts)}::float8[]
        ) AS of_source (word, part) WHERE word = ANY (tsvector_to_array(title_search))
    )"""
    category = (
        f"CASE WHEN category_id = {parameters.add(source.category)}::bigint THEN 1"
        f" WHEN category_id = ANY ({parameters.add(list(sibling_ids))}::bigint[])"
        f" THEN {SIBLING_CATEGORY} ELSE 0 END"
    )
    price = f"{parameters.add(source.price)}::float8"
    ratio = f"(least(price, {price}) + 1) / (greatest(price, {price}) + 1)"
    near = "0"
    if source.place is not None:
        distance = f"coalesce({distance_sql(source.place, parameters)}, 'Infinity'::float8)"
        near = f"{NEAR} / ({NEAR} + {distance})"
    page = f"""
        SELECT {COLUMNS} FROM (
            SELECT ads.*, {alike} AS words, {category} AS category
            FROM ({" UNION ".join(candidates)}) AS candidate
            CROSS JOIN LATERAL (SELECT * FROM ads WHERE ads.id = candidate.id LIMIT 1) AS ads
            WHERE ads.id <> {parameters.add(source.id)}
        ) AS ads
        WHERE category > 0 OR words >= {FEWEST_WORDS}
        ORDER BY {WORDS_COUNT} * words + {CATEGORY_COUNTS} * category + {ratio}
            + {PLACE_COUNTS} * {near} DESC, id DESC
        LIMIT {MOST}
    """
    return f"""
        SELECT array_agg(id) AS id, array_agg(record) AS record, {VALID_SECONDS}
        FROM ({record_sql(page, ("page.id",))}) AS page
    """
