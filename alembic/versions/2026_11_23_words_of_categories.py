"""Words of categories, and phrases to suggest

Ads get the words of their category, which a job adds to those that are there already.

Revision ID: 0044
Revises: 0043
"""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None
# A version before has neither member nor table in its queries, and the triggers are the database's.
oldest_head = None

COLUMN = "ALTER TABLE categories ADD synonyms jsonb NOT NULL DEFAULT '{}'"
TABLE = """
CREATE TABLE category_words (
    category_id bigint NOT NULL,
    names text NOT NULL,
    words text NOT NULL,
    changed_by bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    reworded bigint DEFAULT 0,
    CONSTRAINT pk_category_words PRIMARY KEY (category_id),
    CONSTRAINT fk_category_words_category_id_categories FOREIGN KEY (category_id)
        REFERENCES categories (id) ON DELETE CASCADE
)
"""
PENDING = """
CREATE INDEX ix_category_words_pending ON category_words (category_id) WHERE reworded IS NOT NULL
"""

PHRASES = """
CREATE TABLE search_phrases (
    phrase text NOT NULL,
    ads integer NOT NULL,
    authors integer NOT NULL,
    CONSTRAINT pk_search_phrases PRIMARY KEY (phrase)
)
"""

# Its own names go with titles, all words with all text.
COLLECT = """
CREATE FUNCTION collect_category_words(category bigint, OUT names text, OUT words text)
LANGUAGE sql STABLE AS $$
    WITH RECURSIVE above AS (
        SELECT category AS id
        UNION
        SELECT parent_id FROM above JOIN categories USING (id) WHERE parent_id IS NOT NULL
    )
    SELECT coalesce(string_agg(DISTINCT word, ' ' ORDER BY word)
            FILTER (WHERE id = category AND is_name), ''),
        coalesce(string_agg(DISTINCT word, ' ' ORDER BY word), '')
    FROM above JOIN categories USING (id) CROSS JOIN LATERAL (
        SELECT name, true
        UNION ALL
        SELECT value, true FROM jsonb_each_text(categories.names)
        UNION ALL
        SELECT jsonb_array_elements_text(value), false FROM jsonb_each(synonyms)
    ) AS given (word, is_name)
$$
"""
# Those of the categories below it have changed too.
INDEX_CATEGORY = """
CREATE FUNCTION index_category() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO category_words AS known (category_id, names, words)
    WITH RECURSIVE branch AS (
        SELECT NEW.id AS id
        UNION
        SELECT categories.id FROM branch JOIN categories ON parent_id = branch.id
    )
    SELECT id, made.* FROM branch, collect_category_words(id) AS made
    ON CONFLICT (category_id) DO UPDATE SET names = excluded.names, words = excluded.words,
        changed_by = excluded.changed_by, reworded = 0
    WHERE (known.names, known.words) <> (excluded.names, excluded.words);
    RETURN NULL;
END $$
"""
TRIGGER = """
CREATE TRIGGER index_category AFTER INSERT OR UPDATE OF name, names, synonyms, parent_id
ON categories FOR EACH ROW EXECUTE FUNCTION index_category()
"""
FILL = """
INSERT INTO category_words (category_id, names, words)
SELECT id, made.* FROM categories, collect_category_words(id) AS made
"""

TITLE = """
CREATE FUNCTION ad_title(ad ads) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat_ws(
        ' ', (ad).title, (SELECT names FROM category_words WHERE category_id = (ad).category_id)
    )
$$
"""
TEXT = """
CREATE FUNCTION ad_text(ad ads) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT concat_ws(
        ' ', (ad).title, (ad).description, (ad).attribute_words,
        (SELECT words FROM category_words WHERE category_id = (ad).category_id)
    )
$$
"""
INDEX_AD = """
CREATE OR REPLACE FUNCTION index_ad() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status NOT IN ('active', 'reserved') THEN
        NEW.title_search := '';
        NEW.search := '';
    ELSIF TG_OP = 'UPDATE' AND OLD.status IN ('active', 'reserved')
        AND (NEW.title, NEW.description, NEW.attribute_words, NEW.category_id)
            IS NOT DISTINCT FROM (OLD.title, OLD.description, OLD.attribute_words, OLD.category_id)
    THEN
        NEW.search := ts_delete(OLD.search, ad_index_terms(OLD))
            || array_to_tsvector(ad_index_terms(NEW));
    ELSE
        NEW.title_search := ad_words(ad_title(NEW));
        NEW.search := ad_words(ad_text(NEW)) || array_to_tsvector(ad_index_terms(NEW));
    END IF;
    RETURN NEW;
END $$
"""
INDEX_AD_BEFORE = """
CREATE OR REPLACE FUNCTION index_ad() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status NOT IN ('active', 'reserved') THEN
        NEW.title_search := '';
        NEW.search := '';
    ELSIF TG_OP = 'UPDATE' AND OLD.status IN ('active', 'reserved')
        AND (NEW.title, NEW.description, NEW.attribute_words)
            = (OLD.title, OLD.description, OLD.attribute_words)
    THEN
        NEW.search := ts_delete(OLD.search, ad_index_terms(OLD))
            || array_to_tsvector(ad_index_terms(NEW));
    ELSE
        NEW.title_search := ad_words(NEW.title);
        NEW.search := ad_words(NEW.title || ' ' || NEW.description || ' ' || NEW.attribute_words)
            || array_to_tsvector(ad_index_terms(NEW));
    END IF;
    RETURN NEW;
END $$
"""
KEEP_CHANGED = """
CREATE OR REPLACE FUNCTION keep_changed_ad() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM saved_queries) THEN
        INSERT INTO changed_ads (
            ad_id, words, status, is_shown, author_id, created_at, price, price_type, category_id,
            attributes, public_latitude, public_longitude
        ) VALUES (
            OLD.id, {words}, OLD.status,
            coalesce(OLD.expires_at > now(), true), OLD.author_id, OLD.created_at, OLD.price,
            OLD.price_type, OLD.category_id, OLD.attributes, OLD.public_latitude,
            OLD.public_longitude
        );
    END IF;
    RETURN NULL;
END $$
"""
WORDS_BEFORE = "OLD.title || ' ' || OLD.description || ' ' || OLD.attribute_words"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    tables = (COLUMN, TABLE, PENDING, PHRASES)
    for statement in (*tables, COLLECT, INDEX_CATEGORY, TRIGGER, FILL, TITLE, TEXT):
        op.execute(statement)
    op.execute(INDEX_AD)
    op.execute(KEEP_CHANGED.format(words="ad_text(OLD)"))
    # What is typed begins words, and no longer stems.
    op.execute("UPDATE saved_queries SET keyed_at = '-infinity'")


def downgrade() -> None:
    """Ads keep the words of their category until they change."""
    op.execute(INDEX_AD_BEFORE)
    op.execute(KEEP_CHANGED.format(words=WORDS_BEFORE))
    op.execute("DROP TRIGGER index_category ON categories")
    op.execute("DROP FUNCTION index_category()")
    op.execute("DROP FUNCTION collect_category_words(bigint)")
    op.execute("DROP FUNCTION ad_text(ads)")
    op.execute("DROP FUNCTION ad_title(ads)")
    op.drop_table("search_phrases")
    op.drop_table("category_words")
    op.drop_column("categories", "synonyms")
