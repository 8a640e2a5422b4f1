"""Single letters joined with the words behind them, and the category of a phrase

Revision ID: 0102
Revises: 0101
"""

import sqlalchemy as sa
from alembic import op

revision = "0102"
down_revision = "0101"
branch_labels = None
depends_on = None
# A version before calls the same function, and reads the columns that it knows.
oldest_head = None

SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)

# The same rule as `adsvc.word_forms`.
MORE_WORDS = rf"""
CREATE OR REPLACE FUNCTION more_words(normal text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    forms text[] := '{{}}';
    word text;
    parts text;
    other text;
    others text[];
    joined text := (
        SELECT string_agg(match[2] || match[3], ' ') FROM regexp_matches(
            normal, '(^| )([b-hj-z]) ([^ ''+./_&-]{{3,63}})(?= |$)', 'g'
        ) AS match
    );
BEGIN
    IF normal !~ '[0-9''+./_&-]' AND octet_length(normal) = length(normal) THEN
        RETURN coalesce(joined, '');
    END IF;
    FOR word IN
        SELECT DISTINCT btrim(given, '''+-./_&') FROM unnest(string_to_array(normal, ' ')) AS given
        WHERE given ~ '[^a-z0-9]|[a-z][0-9]|[0-9][a-z]'
    LOOP
        IF word ~ '^[{SPACELESS}]' THEN
            forms := forms || (
                SELECT string_agg(pair, ' ' ORDER BY number) FROM (
                    SELECT number, sign || lead(sign) OVER (ORDER BY number) AS pair
                    FROM unnest(string_to_array(word, NULL)) WITH ORDINALITY AS signs (sign, number)
                ) AS pairs
            );
            CONTINUE;
        END IF;
        CONTINUE WHEN length(word) > 64;
        parts := word;
        IF word ~ '[0-9''+./_&-]' THEN
            parts := btrim(regexp_replace(plain_words(word), ' +', ' ', 'g'));
            IF position(' ' IN parts) > 0 THEN
                forms := forms || replace(parts, ' ', '');
            END IF;
        END IF;
        CONTINUE WHEN octet_length(parts) = length(parts);
        others := ARRAY[folded(parts)];
        IF parts ~ '[äöü]' THEN
            others := others || folded(
                replace(replace(replace(parts, 'ü', 'ue'), 'ö', 'oe'), 'ä', 'ae')
            );
        END IF;
        FOREACH other IN ARRAY others LOOP
            CONTINUE WHEN other = parts;
            forms := forms || other;
            IF position(' ' IN other) > 0 THEN
                forms := forms || replace(other, ' ', '');
            END IF;
        END LOOP;
    END LOOP;
    RETURN concat_ws(' ', array_to_string(forms, ' '), joined);
END $$
"""  # noqa: S608 - no input
# A letter at the end of an ad's own words does not belong to the words of its category.
AD_TEXTS = (
    """
CREATE OR REPLACE FUNCTION ad_title(ad ads) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT concat_ws(
        ', ', (ad).title, (SELECT names FROM category_words WHERE category_id = (ad).category_id)
    )
$$
""",
    """
CREATE OR REPLACE FUNCTION ad_text(ad ads) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT concat_ws(
        ', ', concat_ws(' ', (ad).title, (ad).description, (ad).attribute_words),
        (SELECT words FROM category_words WHERE category_id = (ad).category_id)
    )
$$
""",
)
# A job writes the words of ads that are there.
PENDING = """
UPDATE installation SET reworded = 0 WHERE EXISTS (SELECT FROM ads)
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("search_phrases", sa.Column("category_id", sa.BigInteger()))
    for function in (MORE_WORDS, *AD_TEXTS):
        op.execute(function)
    op.execute("LOCK TABLE ads IN SHARE MODE")
    op.execute(PENDING)
