"""Notices of shown ads

A notice says what changed of an ad only if others see the ad, before the change or after it. Words
that come from attributes are words.

Revision ID: 0032
Revises: 0031
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None
# Processes of every version read both forms of the notices.
oldest_head = None

SHOWN = "{}.status IN ('active', 'reserved')"

# `ad:ID:AUTHOR:CATEGORY:CATEGORY BEFORE:WHAT CHANGED`, as `adsvc.invalidation.AdAspect` has it.
NOTICE = """
    concat_ws(':', 'ad', id, author_id, coalesce(category_id, 0), 0, {aspects})
""".strip()

STATUS = """
            CASE WHEN (o.status, o.expires_at, o.created_at)
                IS DISTINCT FROM (n.status, n.expires_at, n.created_at) THEN 's' END,
""".strip()
WORDS_BEFORE = """
            CASE WHEN (o.title, o.description) <> (n.title, n.description) THEN 'w' END,
""".strip()
WORDS = """
            CASE WHEN (o.title, o.description, o.attribute_words)
                <> (n.title, n.description, n.attribute_words) THEN 'w' END,
""".strip()
OTHERS = """
            CASE WHEN (o.price, o.price_type) <> (n.price, n.price_type) THEN 'p' END,
            CASE WHEN (o.category_id, o.attributes)
                IS DISTINCT FROM (n.category_id, n.attributes) THEN 'a' END,
            CASE WHEN (o.public_latitude, o.public_longitude)
                IS DISTINCT FROM (n.public_latitude, n.public_longitude) THEN 'l' END
""".strip()
CHANGED = f"""CASE WHEN {SHOWN.format("o")} OR {SHOWN.format("n")} THEN concat(
            {STATUS}
            {WORDS}
            {OTHERS}
        ) ELSE '' END"""
CHANGED_BEFORE = f"""concat(
            {STATUS}
            {WORDS_BEFORE}
            {OTHERS}
        )"""

INSERT = """
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT {notice}, 'ad.created', id, author_id, jsonb_build_object('status', status)
    FROM new_rows ORDER BY id;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', '{{0}}');
    END IF;
"""
DELETE = """
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT {notice}, 'ad.deleted', id, author_id, '{{}}' FROM old_rows ORDER BY id;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    END IF;
    PERFORM note_changes('image', array_agg(image)) FROM old_rows HAVING count(*) > 0;
"""
UPDATE = """
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT CASE WHEN coalesce(happened.number, 1) = 1 THEN concat_ws(
        ':', 'ad', n.id, n.author_id, coalesce(n.category_id, 0), coalesce(o.category_id, 0),
        {changed}
    ) END, happened.type, n.id, n.author_id, happened.data
    FROM old_rows o JOIN new_rows n USING (id) LEFT JOIN LATERAL (
        SELECT row_number() OVER () AS number, happened.type, happened.data FROM (
            SELECT CASE
                WHEN n.status IN ('suspended', 'removed') THEN 'ad.hidden'
                WHEN o.status IN ('suspended', 'removed') THEN 'ad.shown'
                WHEN o.status = 'draft' AND n.status IN ('active', 'reserved') THEN 'ad.published'
                WHEN n.status = 'reserved' THEN 'ad.reserved'
                WHEN o.status = 'reserved' AND n.status = 'active' THEN 'ad.released'
                WHEN n.status = 'sold' THEN 'ad.sold'
                WHEN n.status = 'withdrawn' THEN 'ad.withdrawn'
                WHEN n.status = 'expired' THEN 'ad.expired'
                WHEN n.status = 'active' THEN 'ad.renewed'
                ELSE 'ad.updated'
            END AS type, jsonb_build_object('from', o.status, 'to', n.status) AS data
            WHERE o.status <> n.status
            UNION ALL
            SELECT 'ad.renewed', '{{}}'
            WHERE o.status = n.status AND o.expires_at < n.expires_at
            UNION ALL
            SELECT 'ad.priceChanged', jsonb_build_object('from', o.price, 'to', n.price)
            WHERE o.price <> n.price
            UNION ALL
            SELECT 'ad.updated', '{{}}'
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
"""


def _replace(name: str, body: str) -> None:
    op.execute(
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$\n"
        f"BEGIN{body}    RETURN NULL;\nEND $$"
    )


def upgrade() -> None:
    of_new, of_old = (
        NOTICE.format(aspects=f"CASE WHEN {SHOWN.format(rows)} THEN 's' ELSE '' END")
        for rows in ("new_rows", "old_rows")
    )
    _replace("tell_ads_insert", INSERT.format(notice=of_new))
    _replace("tell_ads_delete", DELETE.format(notice=of_old))
    _replace("tell_ads_update", UPDATE.format(changed=CHANGED))


def downgrade() -> None:
    notice = NOTICE.format(aspects="'s'")
    _replace("tell_ads_insert", INSERT.format(notice=notice))
    _replace("tell_ads_delete", DELETE.format(notice=notice))
    _replace("tell_ads_update", UPDATE.format(changed=CHANGED_BEFORE))
