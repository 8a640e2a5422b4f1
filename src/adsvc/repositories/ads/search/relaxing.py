"""How many ads have each word of a query, and how many of its words one ad has."""

from collections.abc import Mapping, Sequence

from adsvc.kit.db.statements import Statements
from adsvc.repositories.ads.criteria import AdFilter
from adsvc.repositories.ads.listing import conditions_sql
from adsvc.repositories.ads.projection import visible
from adsvc.repositories.ads.search import planner
from adsvc.repositories.ads.search.statements import EXAMINED, query_sql
from adsvc.repositories.ads.search.words import queries_of, single_words
from adsvc.repositories.ads.search_words import Parameters

# Ads with a word are counted up to here. Beyond, the statistics are exact enough.
MOST_COUNTED = 50
# To match a word with an ad takes some microseconds.
MOST_COMPARED = 500

# One plan for all words. It reads the index: a plan that knew of the limit could read the table.
COUNT_ADS = f"""
    SELECT (
        SELECT count(*) FROM (
            SELECT FROM (
                SELECT FROM ads WHERE search @@ query::tsquery AND {visible()} OFFSET 0
            ) AS matching LIMIT {MOST_COUNTED}
        ) AS few
    ) AS ads
    FROM unnest($1::text[]) WITH ORDINALITY AS typed (query, number) ORDER BY number
"""
# Flags of the words that an ad has, and how many of the compared ads have the same ones.
Combination = tuple[Sequence[bool], int]


async def ads_with(db: Statements, typed: Sequence[str]) -> Mapping[str, float]:
    """How many ads have each word: exactly where few do. Stop words are absent.

    A text may be of several words. Its estimate is that of the rarest, which says little.
    """
    words = await single_words(db, typed)
    counts, rare = await planner.ads_with(db, words)
    uncommon = [
        word
        for word, ads in counts.items()
        if ads <= (planner.ENTRIES if words[word].has_several else rare)
    ]
    if not uncommon:
        return counts
    typed_queries = [words[word].whole for word in uncommon]
    rows = await db.fetch(COUNT_ADS, typed_queries, keep_plan=True)
    exact = dict(zip(uncommon, (row["ads"] for row in rows), strict=True))
    return counts | {
        word: ads if ads < MOST_COUNTED else max(ads, counts[word]) for word, ads in exact.items()
    }


async def combinations(
    db: Statements, ads: AdFilter, counts: Mapping[str, float]
) -> Sequence[Combination]:
    """Which of the words, in their order, ads within the filter have together.

    `counts` are those of `ads_with`. An ad with all but a few words has one of the rarest. If all
    words are common, the newest ads are compared.
    """
    parameters = Parameters()
    words = await single_words(db, counts)
    matches = {word: query_sql(words[word].whole, parameters) for word in counts}
    some, read = [], 0.0
    for word in sorted(counts, key=lambda word: counts[word]):
        read += counts[word]
        if read > EXAMINED:
            break
        some.append(matches[word])
    fits = conditions_sql(ads, parameters)
    if ads.terms is not None:
        query = (await queries_of(db, [ads.terms]))[ads.terms]
        fits += f" AND search @@ {query_sql(query.begun, parameters)}"
    # As many ads with each of the rare words: the first ones may all have the same word. A plan
    # that knew of the limit could read the table.
    compared = " UNION ALL ".join(
        f"(SELECT search FROM (SELECT search FROM ads WHERE {fits} AND search @@ {match} OFFSET 0)"
        f" AS matching LIMIT {MOST_COMPARED // len(some)})"
        for match in some
    )
    if not some:
        newest = f"SELECT * FROM ads WHERE {visible()} ORDER BY id DESC LIMIT {EXAMINED}"
        compared = f"SELECT search FROM ({newest}) AS ads WHERE {fits} LIMIT {MOST_COMPARED}"
    flags = ", ".join(f"search @@ {match}" for match in matches.values())
    rows = await db.fetch(
        f"""
        SELECT flags, count(*) AS ads FROM (
            SELECT ARRAY[{flags}] AS flags FROM ({compared}) AS compared
        ) AS flagged GROUP BY flags
        """,
        *parameters.values,
    )
    return [(row["flags"], row["ads"]) for row in rows]
