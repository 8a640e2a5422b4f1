"""External ids of ads

Revision ID: 0104
Revises: 0103
"""

from alembic import op

revision = "0104"
down_revision = "0103"
branch_labels = None
depends_on = None
oldest_head = None

INDEX = "ix_ads_author_id_external_id"
# Events of an ad have its external id.
FUNCTIONS = (
    """
CREATE OR REPLACE FUNCTION tell_ads_insert() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT concat_ws(
        ':', 'ad', id, author_id, coalesce(category_id, 0), 0,
        CASE WHEN new_rows.status IN ('active', 'reserved') THEN 's' ELSE '' END
    ), 'ad.created', id, author_id, jsonb_strip_nulls(
        jsonb_build_object('status', status, 'externalId', external_id)
    )
    FROM new_rows ORDER BY id;
    RETURN NULL;
END $$
""",
    """
CREATE OR REPLACE FUNCTION tell_ads_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT CASE WHEN coalesce(happened.number, 1) = 1 THEN concat_ws(
        ':', 'ad', n.id, n.author_id, coalesce(n.category_id, 0), coalesce(o.category_id, 0),
        CASE WHEN o.status IN ('active', 'reserved') OR n.status IN ('active', 'reserved')
        THEN concat(
            CASE WHEN (o.status, o.expires_at, o.created_at)
                IS DISTINCT FROM (n.status, n.expires_at, n.created_at) THEN 's' END,
            CASE WHEN (o.title, o.description, o.attribute_words)
                <> (n.title, n.description, n.attribute_words) THEN 'w' END,
            CASE WHEN (o.price, o.price_type) <> (n.price, n.price_type) THEN 'p' END,
            CASE WHEN (o.category_id, o.attributes)
                IS DISTINCT FROM (n.category_id, n.attributes) THEN 'a' END,
            CASE WHEN (o.public_latitude, o.public_longitude)
                IS DISTINCT FROM (n.public_latitude, n.public_longitude) THEN 'l' END
        ) ELSE '' END
    ) END, happened.type, n.id, n.author_id,
        happened.data || jsonb_strip_nulls(jsonb_build_object('externalId', n.external_id))
    FROM old_rows o JOIN new_rows n USING (id) LEFT JOIN LATERAL (
        SELECT row_number() OVER () AS number, happened.type, happened.data FROM (
            SELECT CASE
                WHEN n.status IN ('suspended', 'removed') THEN 'ad.hidden'
                WHEN o.status IN ('suspended', 'removed') THEN 'ad.shown'
                WHEN o.status NOT IN ('active', 'reserved') AND n.status IN ('active', 'reserved')
                    THEN 'ad.published'
                WHEN n.status = 'reserved' THEN 'ad.reserved'
                WHEN o.status = 'reserved' AND n.status = 'active' THEN 'ad.released'
                WHEN n.status = 'sold' THEN 'ad.sold'
                WHEN n.status = 'withdrawn' THEN 'ad.withdrawn'
                WHEN n.status = 'expired' THEN 'ad.expired'
                ELSE 'ad.updated'
            END AS type, jsonb_build_object('from', o.status, 'to', n.status) AS data
            WHERE o.status <> n.status
            UNION ALL
            SELECT CASE WHEN o.expires_at > now() THEN 'ad.renewed' ELSE 'ad.published' END,
                CASE WHEN o.expires_at > now() THEN '{}'
                    ELSE jsonb_build_object('from', 'expired', 'to', n.status) END
            WHERE o.status = n.status AND n.status IN ('active', 'reserved')
                AND o.expires_at < n.expires_at
            UNION ALL
            SELECT 'ad.priceChanged', jsonb_build_object(
                'from', o.price, 'to', CASE WHEN n.price_type <> 'onRequest' THEN n.price END
            )
            WHERE o.price_type <> 'onRequest'
                AND (o.price <> n.price OR n.price_type = 'onRequest')
            UNION ALL
            SELECT 'ad.updated', '{}'
            WHERE (
                o.title, o.description, o.place, o.category_id, o.attributes, o.price_type,
                o.image, o.image_count, o.latitude, o.longitude
            ) IS DISTINCT FROM (
                n.title, n.description, n.place, n.category_id, n.attributes, n.price_type,
                n.image, n.image_count, n.latitude, n.longitude
            )
            OR o.price <> n.price AND o.price_type = 'onRequest'
            -- A picture that is not the first one.
            OR o.updated_at <> n.updated_at AND (o.status, o.price, o.expires_at)
                IS NOT DISTINCT FROM (n.status, n.price, n.expires_at)
        ) AS happened
    ) AS happened ON true;
    RETURN NULL;
END $$
""",
    """
CREATE OR REPLACE FUNCTION tell_ads_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT concat_ws(
        ':', 'ad', id, author_id, coalesce(category_id, 0), 0,
        CASE WHEN old_rows.status IN ('active', 'reserved') THEN 's' ELSE '' END
    ), 'ad.deleted', id, author_id,
        jsonb_strip_nulls(jsonb_build_object('externalId', external_id)) FROM old_rows ORDER BY id;
    PERFORM note_changes('image', array_agg(image)) FROM old_rows
    WHERE image <> '' HAVING count(*) > 0;
    RETURN NULL;
END $$
""",
)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("ALTER TABLE ads ADD COLUMN IF NOT EXISTS external_id text")
    for function in FUNCTIONS:
        op.execute(function)
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
        op.execute(
            f"CREATE UNIQUE INDEX CONCURRENTLY {INDEX} ON ads (author_id, external_id)"
            " WHERE external_id IS NOT NULL"
        )
