"""Words of ads in parts and joined, with and without marks

Revision ID: 0069
Revises: 0068
"""

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None
# A version before calls the same functions. It finds words of one part as it did.
oldest_head = None

# Letters of two cases, for databases whose locale knows only those of ASCII.
CASES = [
    (letter, letter.lower())
    for letter in map(chr, range(0xC0, 0x590))
    if letter != letter.lower() and len(letter.lower()) == 1
]
UPPER, LOWER = ("".join(letters) for letters in zip(*CASES, strict=True))
SPACELESS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u064b-\u065f\u0670"
    r"\u1ab0-\u1abd\u1dc0-\u1dff\u20d0-\u20dc\ufe20-\ufe2f"
)
APOSTROPHES_AND_DASHES = (
    "\u2019\u2018\u201b\u02bc\u02b9`\xb4\u2032\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
)
SIGMAS = "\u03c2\u03c3"
INVISIBLE = r"\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"

# The same rules as `adsvc.word_forms`.
NORMAL_WORDS = rf"""
CREATE FUNCTION normal_words(words text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF octet_length(words) = length(words) THEN
        words := lower(words);
    ELSE
        IF words ~ '[{APOSTROPHES_AND_DASHES}]' THEN
            words := translate(words, '{APOSTROPHES_AND_DASHES}', '''''''''''''''''-------');
        END IF;
        words := lower(normalize(regexp_replace(words, '[{INVISIBLE}]+', '', 'g'), NFKC));
        IF lower('Ä') = 'Ä' THEN
            words := translate(words, '{UPPER}', '{LOWER}');
        END IF;
        words := regexp_replace(words, '([{SPACELESS}]+)', ' \1 ', 'g');
    END IF;
    -- Twenty times as fast as `translate`.
    RETURN regexp_replace(words, '[\t\n\r!"#$%()*,:;<=>?@[\\\]^`{{|}}~]', ' ', 'g');
END $$
"""
PLAIN_WORDS = rf"""
CREATE FUNCTION plain_words(normal text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    normal := regexp_replace(normal, '[''+./_&-]', ' ', 'g');
    normal := regexp_replace(normal, '([0-9])([^0-9 ])', '\1 \2', 'g');
    normal := regexp_replace(normal, '([^0-9 ])([0-9])', '\1 \2', 'g');
    IF octet_length(normal) > length(normal) THEN
        normal := regexp_replace(normal, '([{SPACELESS}])', '\1 ', 'g');
    END IF;
    RETURN normal;
END $$
"""
FOLDED = rf"""
CREATE FUNCTION folded(normal text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT replace(replace(replace(replace(translate(
        normalize(regexp_replace(normalize(normal, NFKD), '[{MARKS}]+', '', 'g'), NFC),
        'łøđı{SIGMAS[0]}', 'lodi{SIGMAS[1]}'
    ), 'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'), 'þ', 'th')
$$
"""
MORE_WORDS = rf"""
CREATE FUNCTION more_words(normal text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    forms text[] := '{{}}';
    word text;
    parts text;
    other text;
    others text[];
BEGIN
    IF normal !~ '[0-9''+./_&-]' AND octet_length(normal) = length(normal) THEN
        RETURN '';
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
    RETURN coalesce(array_to_string(forms, ' '), '');
END $$
"""  # noqa: S608 - ranges of characters
# The spelling of the ad has weight A. More than so many characters have no other forms: a tsvector
# takes a megabyte.
AD_WORDS = """
CREATE OR REPLACE FUNCTION ad_words(words text) RETURNS tsvector
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    normal text := normal_words(words);
    plain text := plain_words(normal);
    more text := more_words(left(normal, 10000));
    found tsvector := setweight(
        to_tsvector('simple', plain) || to_tsvector('adsvc'::text::regconfig, plain), 'A'
    );
BEGIN
    IF more <> '' THEN
        found := found || to_tsvector('simple', more)
            || to_tsvector('adsvc'::text::regconfig, more);
    END IF;
    RETURN found;
END $$
"""
AD_WORDS_BEFORE = """
CREATE OR REPLACE FUNCTION ad_words(words text) RETURNS tsvector
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_tsvector('simple', words) || to_tsvector('adsvc'::text::regconfig, words)
$$
"""


# A job writes the words of ads that are there. What a transaction has written with the old function
# is committed by then.
PENDING = """
UPDATE installation SET reworded = 0 WHERE EXISTS (SELECT FROM ads)
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("installation", sa.Column("reworded", sa.BigInteger()))
    for function in (NORMAL_WORDS, PLAIN_WORDS, FOLDED, MORE_WORDS, AD_WORDS):
        op.execute(function)
    op.execute("LOCK TABLE ads IN SHARE MODE")
    op.execute(PENDING)
    op.execute("UPDATE category_words SET names = names")
    op.execute("UPDATE saved_queries SET keyed_at = '-infinity'")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(AD_WORDS_BEFORE)
    for function in ("more_words", "folded", "plain_words", "normal_words"):
        op.execute(f"DROP FUNCTION {function}(text)")
    op.drop_column("installation", "reworded")
