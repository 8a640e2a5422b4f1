"""Attributes, categories and prices in the index of words, kept by a trigger

Revision ID: 0021
Revises: 0020
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# The name is looked up at each call: a configuration made anew has another identifier.
AD_WORDS = """
CREATE FUNCTION ad_words(words text) RETURNS tsvector LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT to_tsvector('simple', words) || to_tsvector('adsvc'::text::regconfig, words)
$$
"""
# As repositories.ads.attributes.index_terms reads them: bits in an order in which numbers have
# theirs, and of these the first 2, 8, 10 …
NUMBER_TERMS = r"""
CREATE FUNCTION number_terms(name text, value numeric) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT name || '#' || chr(97 + bits / 2) || to_hex(
        CASE WHEN code < 0 THEN ~code >> 1 ELSE (code >> 1) | (1::bigint << 62) END >> (63 - bits)
    )
    FROM (
        SELECT ('x' || encode(float8send(
            CASE WHEN abs(value) > 1e300 THEN sign(value) * 1e300
                WHEN abs(value) < 1e-300 THEN 0 ELSE value END::float8
        ), 'hex'))::bit(64)::bigint AS code
    ) AS coded, unnest('{2, 8, 10, 12, 14, 16, 18, 20, 22}'::int[]) AS bits
$$
"""
# An ad without category and attributes has no terms of its price: what asks for neither has other
# indexes, and old ads are as they were.
INDEX_TERMS = r"""
CREATE FUNCTION ad_index_terms(ad ads) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(term), '{}') FROM (
        SELECT '@' || (ad).category_id WHERE (ad).category_id IS NOT NULL
        UNION ALL
        SELECT '%' || (ad).price_type WHERE (ad).price_type <> 'fixed'
        UNION ALL
        SELECT number_terms('$', (ad).price)
        WHERE (ad).category_id IS NOT NULL OR (ad).attributes <> '{}'
        UNION ALL
        SELECT term FROM jsonb_each((ad).attributes) AS given (name, value),
            LATERAL (
                SELECT '=' || name, value #>> '{}', jsonb_typeof(value)
            ) AS told (name, text, kind),
            LATERAL (
                SELECT told.name || '=' || left(text, 64) WHERE kind IN ('string', 'boolean')
                UNION ALL
                SELECT number_terms(told.name, text::numeric) WHERE kind = 'number'
                UNION ALL
                SELECT number_terms(
                    told.name,
                    (left(text, 4)::int - 2000) * 372 + substr(text, 6, 2)::int * 31
                        + right(text, 2)::int
                )
                WHERE kind = 'string' AND text ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
            ) AS made (term)
    ) AS terms (term)
$$
"""
# What is not shown is not found, and takes no room in the index.
INDEX_AD = """
CREATE FUNCTION index_ad() RETURNS trigger LANGUAGE plpgsql AS $$
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
# For another language: only the words are made anew.
REWORDED = """
CREATE FUNCTION reworded(search tsvector, words text) RETURNS tsvector LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN search = '' THEN search ELSE ad_words(words) || (
        SELECT array_to_tsvector(coalesce(array_agg(lexeme), '{}'))
        FROM unnest(tsvector_to_array(search)) AS lexeme WHERE lexeme ~ '^[=@$%^]'
    ) END
$$
"""
FUNCTIONS = (AD_WORDS, NUMBER_TERMS, INDEX_TERMS, INDEX_AD, REWORDED)
COLUMNS = {"title_search": "title", "search": "title || ' ' || description"}
WATCHED = ("title", "description", "attribute_words", "category_id", "attributes", "price_type")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for function in FUNCTIONS:
        op.execute(function)
    for column in COLUMNS:
        # What is stored stays as it is, and no row is written anew.
        op.execute(f"ALTER TABLE ads ALTER {column} DROP EXPRESSION")
    op.execute(
        "CREATE TRIGGER index_ad_on_insert BEFORE INSERT ON ads"
        " FOR EACH ROW EXECUTE FUNCTION index_ad()"
    )
    old, new = (", ".join(f"{row}.{column}" for column in WATCHED) for row in ("OLD", "NEW"))
    op.execute(
        "CREATE TRIGGER index_ad_on_update BEFORE UPDATE ON ads FOR EACH ROW WHEN ("
        f"({old}) IS DISTINCT FROM ({new})"
        " OR OLD.price <> NEW.price AND (NEW.category_id IS NOT NULL OR NEW.attributes <> '{}')"
        " OR (OLD.status IN ('active', 'reserved')) <> (NEW.status IN ('active', 'reserved')))"
        " EXECUTE FUNCTION index_ad()"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for event in ("insert", "update"):
        op.execute(f"DROP TRIGGER index_ad_on_{event} ON ads")
    for column, text in COLUMNS.items():
        op.execute(f"ALTER TABLE ads DROP COLUMN {column}")
        op.execute(
            f"ALTER TABLE ads ADD {column} tsvector NOT NULL GENERATED ALWAYS AS"
            f" (to_tsvector('simple', {text}) || to_tsvector('adsvc', {text})) STORED"
        )
        op.execute(
            f"CREATE INDEX ix_ads_{column} ON ads USING gin ({column})"
            " WITH (gin_pending_list_limit = 256)"
        )
    op.execute(
        "DROP FUNCTION index_ad(), reworded(tsvector, text), ad_index_terms(ads),"
        " number_terms(text, numeric), ad_words(text)"
    )
