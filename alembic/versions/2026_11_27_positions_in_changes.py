"""Positions in the table of changes

A saved search and a webhook begin behind the changes that are committed when they are created, and
not behind the log, which some of these reach a moment later. `known` are those changes. An event
says which change it was.

An ad that its author makes visible again is `ad.published`, from whatever status; `ad.renewed` is
only that the end of a visible ad moves.

Revision ID: 0059
Revises: 0058
"""

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None
# Versions before this one leave the columns alone: nothing is known, as it was.
oldest_head = None

PUBLISHED = """
                WHEN o.status NOT IN ('active', 'reserved') AND n.status IN ('active', 'reserved')
                    THEN 'ad.published'
"""
PUBLISHED_BEFORE = """
                WHEN o.status = 'draft' AND n.status IN ('active', 'reserved') THEN 'ad.published'
"""
BACK_BEFORE = """
                WHEN n.status = 'active' THEN 'ad.renewed'
"""
# Some ads have expired and are not marked yet.
RENEWED = """
            SELECT CASE WHEN o.expires_at > now() THEN 'ad.renewed' ELSE 'ad.published' END,
                CASE WHEN o.expires_at > now() THEN '{}'
                    ELSE jsonb_build_object('from', 'expired', 'to', n.status) END
            WHERE o.status = n.status AND n.status IN ('active', 'reserved')
                AND o.expires_at < n.expires_at
"""
RENEWED_BEFORE = """
            SELECT 'ad.renewed', '{}'
            WHERE o.status = n.status AND o.expires_at < n.expires_at
"""
UPDATE = """
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT CASE WHEN coalesce(happened.number, 1) = 1 THEN concat_ws(
        ':', 'ad', n.id, n.author_id, coalesce(n.category_id, 0), coalesce(o.category_id, 0),
        CASE WHEN o.status IN ('active', 'reserved') OR n.status IN ('active', 'reserved') THEN concat(
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
    ) END, happened.type, n.id, n.author_id, happened.data
    FROM old_rows o JOIN new_rows n USING (id) LEFT JOIN LATERAL (
        SELECT row_number() OVER () AS number, happened.type, happened.data FROM (
            SELECT CASE
                WHEN n.status IN ('suspended', 'removed') THEN 'ad.hidden'
                WHEN o.status IN ('suspended', 'removed') THEN 'ad.shown'{published}                WHEN n.status = 'reserved' THEN 'ad.reserved'
                WHEN o.status = 'reserved' AND n.status = 'active' THEN 'ad.released'
                WHEN n.status = 'sold' THEN 'ad.sold'
                WHEN n.status = 'withdrawn' THEN 'ad.withdrawn'
                WHEN n.status = 'expired' THEN 'ad.expired'{back}                ELSE 'ad.updated'
            END AS type, jsonb_build_object('from', o.status, 'to', n.status) AS data
            WHERE o.status <> n.status
            UNION ALL{renewed}            UNION ALL
            SELECT 'ad.priceChanged', jsonb_build_object('from', o.price, 'to', n.price)
            WHERE o.price <> n.price
            UNION ALL
            SELECT 'ad.updated', '{}'
            WHERE (
                o.title, o.description, o.place, o.category_id, o.attributes, o.price_type,
                o.image, o.image_count, o.latitude, o.longitude
            ) IS DISTINCT FROM (
                n.title, n.description, n.place, n.category_id, n.attributes, n.price_type,
                n.image, n.image_count, n.latitude, n.longitude
            )
            -- A picture that is not the first one.
            OR o.updated_at <> n.updated_at AND (o.status, o.price, o.expires_at)
                IS NOT DISTINCT FROM (n.status, n.price, n.expires_at)
        ) AS happened
    ) AS happened ON true;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    END IF;
"""  # noqa: E501 - as the function stands


def _replace(published: str, back: str, renewed: str) -> None:
    body = UPDATE
    for name, text in (("published", published), ("back", back), ("renewed", renewed)):
        body = body.replace(f"{{{name}}}", text or "\n")
    op.execute(
        "CREATE OR REPLACE FUNCTION tell_ads_update() RETURNS trigger LANGUAGE plpgsql AS $$\n"
        f"BEGIN{body}    RETURN NULL;\nEND $$"
    )


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("ALTER TABLE events ADD change_id bigint")
    op.execute("ALTER TABLE query_matches ADD change_id bigint")
    for table in ("saved_searches", "webhooks"):
        op.execute(f"ALTER TABLE {table} ADD known bigint[] DEFAULT '{{}}' NOT NULL")
    _replace(PUBLISHED, "", RENEWED)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    _replace(PUBLISHED_BEFORE, BACK_BEFORE, RENEWED_BEFORE)
    for table in ("saved_searches", "webhooks"):
        op.execute(f"ALTER TABLE {table} DROP known")
    op.execute("ALTER TABLE query_matches DROP change_id")
    op.execute("ALTER TABLE events DROP change_id")
