"""How many entries of the word indexes a search reads, as far as PostgreSQL's statistics tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from adsvc.db.read_pool import Reader, Record
from adsvc.repositories.ads.terms import Terms

# For each word typed and each of the two indexes: how many ads have it, by its stem and as it
# stands; no row if it means nothing. Statistics name the commonest words, and any other is taken
# for a rare one. Without statistics there are few ads, or they are new. A beginning of two letters
# may be that of many rare words besides: how many, nobody counts.
ADS_WITH = """
WITH size AS (
    SELECT greatest(reltuples, 0)::float AS ads FROM pg_class WHERE oid = 'ads'::regclass
), common AS MATERIALIZED (
    SELECT attname AS part, word, frequency FROM pg_stats,
        unnest(most_common_elems::text::text[], most_common_elem_freqs) AS told (word, frequency)
    WHERE schemaname = current_schema AND tablename = 'ads'
        AND attname IN ('search', 'title_search') AND word IS NOT NULL
), parts AS (
    SELECT part, least(min(frequency) / 2 * ads, 2000) AS rare, ads
    FROM common, size GROUP BY part, ads
), typed AS (
    SELECT number, whole, tsvector_to_array(to_tsvector(kind::regconfig, word)) AS words,
        beginning, CASE length(word) WHEN 2 THEN 20 WHEN 3 THEN 4 ELSE 1 END AS tail
    FROM unnest($1::text[], $2::bool[]) WITH ORDINALITY AS typed (word, beginning, number),
        (VALUES ('adsvc', false), ('simple', true)) AS kinds (kind, whole)
)
SELECT number, whole, part, CASE WHEN beginning THEN (
        SELECT coalesce(sum(frequency), 0) * ads FROM common
        WHERE common.part = parts.part AND starts_with(common.word, words[1])
    ) + tail * rare ELSE (
        SELECT min(coalesce(frequency * ads, rare)) FROM unnest(words) AS asked (word)
        LEFT JOIN common ON common.word = asked.word AND common.part = parts.part
    ) END AS ads
FROM typed, parts
WHERE cardinality(words) > 0
"""


@dataclass(frozen=True, slots=True)
class Costs:
    """Entries to be read: of the index of all the words, and of that of titles.

    Infinite where an index is of no use: it has no entries for what is not there.
    """

    anywhere: float
    titles: float


async def costs_of(reader: Reader, terms: Terms) -> Costs:
    groups = terms.wanted
    typed = [(word, False) for words in groups for word in words]
    if terms.prefix:
        typed.append((terms.prefix, True))
    words, beginnings = [word for word, _ in typed], [beginning for _, beginning in typed]
    rows = await reader.fetch(ADS_WITH, words, beginnings, keep_plan=True)
    anywhere, titles = (_cost(rows, part, terms) for part in ("search", "title_search"))
    return Costs(anywhere, titles)


def _cost(rows: Sequence[Record], part: str, terms: Terms) -> float:
    """All that is asked for in one alternative is as rare as the rarest of it."""
    found = {(row["whole"], row["number"]): row["ads"] for row in rows if row["part"] == part}
    # Words that mean nothing by their stems count as they stand if nothing else was typed.
    whole = not terms.excludes and not any(not as_it_stands for as_it_stands, _ in found)
    total, number = 0.0, 0
    for words in terms.wanted:
        numbers = range(number + 1, number + len(words) + 1)
        number += len(words)
        ads = [found[whole, at] for at in numbers if (whole, at) in found]
        if ads:
            total += min(ads)
        elif terms.excludes:
            return inf
    # All words that begin so are read, whatever else is asked for.
    return total + max((found.get((kind, number + 1), 0) for kind in (False, True)), default=0)
