"""Phrases that ads have in common, for suggestions while people type.

What one account writes is not suggested: a phrase needs some authors. So it gives nothing of a
single ad away, and an account cannot fill the suggestions with what it likes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from adsvc.kit.db.statements import Row, Statements
from adsvc.repositories.ads.projection import visible

FEWEST_AUTHORS = 5
# Of the newest ads: reading all of a large site would take long, and says what was sold before.
NEWEST_ADS = 5000
# A few accounts with many ads do not make the phrases of all. So more ads are looked at than count.
ADS_OF_AN_AUTHOR = 20
CANDIDATES = 20_000
MOST_PHRASES = 5000
MOST_PLACES = 200

# One word, or two neighbours, or the text of an attribute, such as a model of cars. Long numbers
# are of telephones; stop words say nothing alone. Nine of ten of the ads that have a category are
# in that of the phrase.
# Parameters: names, values and texts of options, which administrators have written; the names of
# attributes of text.
RENEW_PHRASES = rf"""
    WITH newest AS MATERIALIZED (
        SELECT id, author_id, category_id, title, attributes FROM (
            SELECT *, row_number() OVER (PARTITION BY author_id ORDER BY id DESC) AS of_author
            FROM (
                SELECT id, author_id, category_id, title, attributes FROM ads
                WHERE {visible()} ORDER BY id DESC LIMIT {CANDIDATES}
            ) AS candidates
        ) AS numbered
        WHERE of_author <= {ADS_OF_AN_AUTHOR} ORDER BY id DESC LIMIT {NEWEST_ADS}
    ), titles AS MATERIALIZED (
        SELECT id, author_id, category_id, string_to_array(part, ' ') AS words
        FROM newest, regexp_split_to_table(lower(title), '[^\w ]+') AS part
    ), phrases AS (
        SELECT id, author_id, category_id, phrase, false AS is_option
        FROM titles, generate_subscripts(words, 1) AS at, LATERAL (
            VALUES (words[at]), (words[at] || ' ' || nullif(words[at + 1], ''))
        ) AS made (phrase)
        UNION
        SELECT id, author_id, category_id, text, true
        FROM newest, jsonb_each_text(attributes) AS given (name, value)
            JOIN unnest($1::text[], $2::text[], $3::text[]) AS option (name, value, text)
                USING (name, value)
        UNION
        SELECT id, author_id, category_id,
            btrim(regexp_replace(lower(value), '[^\w]+', ' ', 'g')), false
        FROM newest, jsonb_each_text(attributes) AS given (name, value)
        WHERE name = ANY ($4::text[])
    ), counted AS (
        SELECT phrase, count(DISTINCT id) AS ads, count(DISTINCT author_id) AS authors,
            percentile_disc('{{0.05, 0.95}}'::float[]) WITHIN GROUP (ORDER BY category_id) AS ends
        FROM phrases WHERE length(phrase) BETWEEN 2 AND 40 AND phrase !~ '[0-9]{{5}}'
        GROUP BY phrase
        HAVING bool_or(is_option) OR count(DISTINCT author_id) >= {FEWEST_AUTHORS}
    ), found AS MATERIALIZED (
        SELECT phrase, ads, authors, CASE WHEN ends[1] = ends[2] THEN ends[1] END AS category_id
        FROM counted
        WHERE phrase !~ '^[\d ]+$'
            AND numnode(plainto_tsquery('adsvc', phrase))
                = 2 * cardinality(string_to_array(phrase, ' ')) - 1
        ORDER BY authors DESC, ads DESC, phrase LIMIT {MOST_PHRASES}
    ), gone AS (
        DELETE FROM search_phrases WHERE phrase NOT IN (SELECT phrase FROM found)
    ), kept AS (
        INSERT INTO search_phrases AS known (phrase, ads, authors, category_id)
        SELECT phrase, ads, authors, category_id FROM found
        ON CONFLICT (phrase) DO UPDATE
        SET ads = excluded.ads, authors = excluded.authors, category_id = excluded.category_id
        WHERE (known.ads, known.authors, known.category_id)
            IS DISTINCT FROM (excluded.ads, excluded.authors, excluded.category_id)
    )
    SELECT count(*) AS phrases FROM found
"""
# Places that the newest ads name, each of several authors.
SELECT_PLACES = f"""
    SELECT place, count(*) AS ads, count(DISTINCT author_id) AS authors FROM (
        SELECT place, author_id FROM ads WHERE {visible()} ORDER BY id DESC LIMIT {NEWEST_ADS}
    ) AS newest
    WHERE place IS NOT NULL GROUP BY place HAVING count(DISTINCT author_id) >= {FEWEST_AUTHORS}
    ORDER BY authors DESC, ads DESC LIMIT {MOST_PLACES}
"""
SELECT_PHRASES = "SELECT phrase, ads, authors, category_id FROM search_phrases"


class NamedOption(NamedTuple):
    """An option of an attribute whose name is searched for, as a make of cars."""

    attribute: str
    value: str
    text: str


async def renew(db: Statements, options: Sequence[NamedOption], texts: Sequence[str]) -> int:
    """Counts phrases anew; returns how many there are. `texts` are attributes."""
    columns = ([option[at] for option in options] for at in range(3))
    return int(await db.fetchval(RENEW_PHRASES, *columns, texts) or 0)


async def all_places(db: Statements) -> Sequence[Row]:
    """`place`, `ads` and `authors` of each."""
    return await db.fetch(SELECT_PLACES, keep_plan=True)


async def all_phrases(db: Statements) -> Sequence[Row]:
    """`phrase`, `ads`, `authors` and `category_id` of each."""
    return await db.fetch(SELECT_PHRASES, keep_plan=True)
