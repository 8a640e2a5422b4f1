"""A log of changes

Triggers write what changed into `changes`, in the transaction of the change, and notify no process.
A sequencer moves it into `events`, in the order of commits, and announces it.

Revision ID: 0029
Revises: 0028
"""

from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None
# Triggers notify as they did for as long as there is no sequencer; then the sequencer does.
oldest_head = None

# `adsvc.enums.AdvisoryLock.SEQUENCER`
SEQUENCER_LOCK = 5_348_024_560

TABLES = (
    """
CREATE TABLE changes (
    id bigint GENERATED ALWAYS AS IDENTITY,
    xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
    notice text,
    type text,
    ad_id bigint,
    user_id bigint,
    data jsonb,
    CONSTRAINT pk_changes PRIMARY KEY (id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)
""",
    "CREATE INDEX ix_changes_xid ON changes (xid)",
    """
CREATE TABLE events (
    id bigint NOT NULL,
    day date NOT NULL,
    at timestamp(3) with time zone NOT NULL,
    type text NOT NULL,
    ad_id bigint,
    user_id bigint,
    data jsonb NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (id, day)
) PARTITION BY RANGE (day)
""",
    """
CREATE TABLE event_batches (
    id bigint NOT NULL,
    last_event_id bigint NOT NULL,
    snapshot text NOT NULL,
    CONSTRAINT pk_event_batches PRIMARY KEY (id)
)
""",
    "INSERT INTO event_batches VALUES (0, 0, pg_current_snapshot()::text)",
    """
CREATE TABLE event_log (
    single boolean NOT NULL DEFAULT true,
    epoch uuid NOT NULL DEFAULT gen_random_uuid(),
    CONSTRAINT pk_event_log PRIMARY KEY (single),
    CONSTRAINT ck_event_log_one_row CHECK (single)
)
""",
    "INSERT INTO event_log DEFAULT VALUES",
)

# The sequencer holds its lock alone, so a shared one can be had only while there is none. It is
# given back at once, and so delays no election.
HAS_SEQUENCER = f"""
CREATE FUNCTION has_sequencer() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF pg_try_advisory_lock_shared({SEQUENCER_LOCK}) THEN
        PERFORM pg_advisory_unlock_shared({SEQUENCER_LOCK});
        RETURN false;
    END IF;
    RETURN true;
END $$
"""

NOTE_CHANGES = """
CREATE FUNCTION note_changes(kind text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(ids) > 100 THEN
        INSERT INTO changes (notice) VALUES (kind || ':');
    ELSE
        INSERT INTO changes (notice) SELECT kind || ':' || id FROM unnest(ids) AS id;
    END IF;
    IF ids IS NOT NULL AND NOT has_sequencer() THEN
        PERFORM tell_changes(kind, ids);
    END IF;
END $$
"""

# `ad:ID:AUTHOR:CATEGORY:CATEGORY BEFORE:WHAT CHANGED`. Of what changed: s status or times, w words,
# p price, a category or attributes, l place.
INSERTED = "concat_ws(':', 'ad', id, author_id, coalesce(category_id, 0), 0, 's')"
UPDATED = """
        concat_ws(':', 'ad', n.id, n.author_id, coalesce(n.category_id, 0),
            coalesce(o.category_id, 0), concat(
                CASE WHEN (o.status, o.expires_at, o.created_at)
                    IS DISTINCT FROM (n.status, n.expires_at, n.created_at) THEN 's' END,
                CASE WHEN (o.title, o.description) <> (n.title, n.description) THEN 'w' END,
                CASE WHEN (o.price, o.price_type) <> (n.price, n.price_type) THEN 'p' END,
                CASE WHEN (o.category_id, o.attributes)
                    IS DISTINCT FROM (n.category_id, n.attributes) THEN 'a' END,
                CASE WHEN (o.public_latitude, o.public_longitude)
                    IS DISTINCT FROM (n.public_latitude, n.public_longitude) THEN 'l' END
            ))
""".strip()

AD_EVENTS = """
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
            SELECT 'ad.renewed', '{}'
            WHERE o.status = n.status AND o.expires_at < n.expires_at
            UNION ALL
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
""".strip()

NEW = {
    "tell_ads_insert": f"""
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT {INSERTED}, 'ad.created', id, author_id, jsonb_build_object('status', status)
    FROM new_rows ORDER BY id;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', '{{0}}');
    END IF;
""",  # noqa: S608 - no input
    "tell_ads_update": f"""
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT CASE WHEN coalesce(happened.number, 1) = 1 THEN
        {UPDATED}
        END, happened.type, n.id, n.author_id, happened.data
    FROM old_rows o JOIN new_rows n USING (id) LEFT JOIN LATERAL (
        {AD_EVENTS}
    ) AS happened ON true;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    END IF;
""",  # noqa: S608 - no input
    "tell_ads_delete": f"""
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT {INSERTED}, 'ad.deleted', id, author_id, '{{}}' FROM old_rows ORDER BY id;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    END IF;
    PERFORM note_changes('image', array_agg(image)) FROM old_rows HAVING count(*) > 0;
""",  # noqa: S608 - no input
    "tell_ads_truncate": """
    PERFORM note_changes('ad', '{""}'), note_changes('image', '{""}');
""",
    "tell_ad_image": """
    PERFORM note_changes('image', ARRAY[OLD.image]);
""",
    "tell_categories": """
    PERFORM note_changes('category', '{""}');
""",
    "tell_picture_deletions": """
    PERFORM note_changes('image', array_agg(name)) FROM old_rows HAVING count(*) > 0;
""",
    "tell_sessions_delete": """
    PERFORM note_changes('session', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
""",
    "tell_sessions_truncate": """
    PERFORM note_changes('session', '{""}');
""",
    "tell_users_update": """
    PERFORM note_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM note_changes('image', array_agg(o.image)) FROM old_rows o JOIN new_rows n USING (id)
    WHERE o.image IS DISTINCT FROM n.image AND o.image IS NOT NULL HAVING count(*) > 0;
    INSERT INTO changes (type, user_id, data)
    SELECT happened.type, n.id, '{}' FROM old_rows o JOIN new_rows n USING (id), LATERAL (
        SELECT 'user.verified' WHERE n.mail_verified AND NOT o.mail_verified
        UNION ALL
        SELECT 'user.suspended' WHERE o.suspended_until IS NULL AND n.suspended_until IS NOT NULL
        UNION ALL
        SELECT 'user.restored' WHERE o.suspended_until IS NOT NULL AND n.suspended_until IS NULL
    ) AS happened (type);
""",
    "tell_users_delete": """
    PERFORM note_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM note_changes('image', array_agg(image))
    FROM old_rows WHERE image IS NOT NULL HAVING count(*) > 0;
    INSERT INTO changes (type, user_id, data)
    SELECT 'user.deleted', id, '{}' FROM old_rows ORDER BY id;
""",
    "tell_users_truncate": """
    PERFORM note_changes('user', '{""}'), note_changes('image', '{""}');
""",
    "tell_outbox": """
    INSERT INTO changes (notice) VALUES ('outbox:');
    IF NOT has_sequencer() THEN
        NOTIFY adsvc_outbox;
    END IF;
""",
    "log_users_insert": """
    INSERT INTO changes (type, user_id, data)
    SELECT 'user.registered', id, '{}' FROM new_rows ORDER BY id;
""",
    "log_comments_insert": """
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'comment.created', ad_id, author_id, jsonb_build_object('comment', id)
    FROM new_rows ORDER BY id;
""",
    "log_comments_delete": """
    -- Those that go with their ad are part of its deletion.
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'comment.deleted', ad_id, author_id, jsonb_build_object('comment', id) FROM old_rows
    WHERE EXISTS (SELECT FROM ads WHERE ads.id = ad_id) ORDER BY id;
""",
    "log_reports_insert": """
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'report.created', ad_id, author_id, jsonb_build_object('case', case_id)
    FROM new_rows JOIN cases ON cases.id = case_id ORDER BY new_rows.id;
""",
    "log_decisions_insert": """
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT 'decision.made', ad_id, user_id,
        jsonb_build_object('case', case_id, 'decision', new_rows.id, 'action', action)
    FROM new_rows LEFT JOIN cases ON cases.id = case_id ORDER BY new_rows.id;
""",
}

OLD = {
    "tell_ads_insert": """
    PERFORM tell_changes('ad', '{0}');
""",
    "tell_ads_update": """
    PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
""",
    "tell_ads_delete": """
    PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM tell_changes('image', array_agg(image)) FROM old_rows HAVING count(*) > 0;
""",
    "tell_ads_truncate": """
    PERFORM pg_notify('adsvc', 'ad:'), pg_notify('adsvc', 'image:');
""",
    "tell_ad_image": """
    PERFORM pg_notify('adsvc', 'image:' || OLD.image);
""",
    "tell_categories": """
    PERFORM pg_notify('adsvc', 'category:');
""",
    "tell_picture_deletions": """
    PERFORM tell_changes('image', array_agg(name)) FROM old_rows HAVING count(*) > 0;
""",
    "tell_sessions_delete": """
    IF (SELECT count(*) FROM old_rows) > 100 THEN
        PERFORM pg_notify('adsvc', 'session:');
    ELSE
        PERFORM pg_notify('adsvc', 'session:' || id) FROM old_rows;
    END IF;
""",
    "tell_sessions_truncate": """
    PERFORM pg_notify('adsvc', 'session:');
""",
    "tell_users_update": """
    PERFORM tell_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM tell_changes('image', array_agg(o.image)) FROM old_rows o JOIN new_rows n USING (id)
    WHERE o.image IS DISTINCT FROM n.image AND o.image IS NOT NULL HAVING count(*) > 0;
""",
    "tell_users_delete": """
    PERFORM tell_changes('user', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    PERFORM tell_changes('image', array_agg(image))
    FROM old_rows WHERE image IS NOT NULL HAVING count(*) > 0;
""",
    "tell_users_truncate": """
    PERFORM pg_notify('adsvc', 'user:'), pg_notify('adsvc', 'image:');
""",
    "tell_outbox": """
    NOTIFY adsvc_outbox;
""",
}

NEW_NOTICE_OF_PICTURES = """
        INSERT INTO changes (notice)
        SELECT DISTINCT concat_ws(':', 'ad', ads.id, author_id, coalesce(category_id, 0),
            coalesce(category_id, 0), '')
        FROM new_rows JOIN ads ON ads.id = ad_id;
        IF NOT has_sequencer() THEN
            PERFORM tell_changes('ad', array_agg(DISTINCT ad_id::text)) FROM new_rows
            HAVING count(*) > 0;
        END IF;
"""
OLD_NOTICE_OF_PICTURES = """
        PERFORM tell_changes('ad', array_agg(DISTINCT ad_id::text)) FROM new_rows
        HAVING count(*) > 0;
"""
QUEUE_AD_IMAGES = """
    IF TG_OP = 'DELETE' THEN
        PERFORM queue_picture_with_variants(name)
        FROM (SELECT name FROM old_rows ORDER BY name) AS gone;
    ELSE
        PERFORM queue_picture_with_variants(name)
        FROM (
            SELECT o.name FROM old_rows o JOIN new_rows n USING (id)
            WHERE o.name <> n.name ORDER BY o.name
        ) AS gone;{notice}    END IF;
"""

OLD_ROWS, NEW_ROWS = "REFERENCING OLD TABLE AS old_rows", "REFERENCING NEW TABLE AS new_rows"
TRIGGERS = {
    "log_users_insert": f"INSERT ON users {NEW_ROWS}",
    "log_comments_insert": f"INSERT ON comments {NEW_ROWS}",
    "log_comments_delete": f"DELETE ON comments {OLD_ROWS}",
    "log_reports_insert": f"INSERT ON reports {NEW_ROWS}",
    "log_decisions_insert": f"INSERT ON decisions {NEW_ROWS}",
}


def replace_function(name: str, body: str) -> None:
    op.execute(
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$\n"
        f"BEGIN{body}    RETURN NULL;\nEND $$"
    )


def replace_trigger(name: str, event: str) -> None:
    op.execute(
        f"CREATE OR REPLACE TRIGGER {name} AFTER {event}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
    )


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for statement in (*TABLES, HAS_SEQUENCER, NOTE_CHANGES):
        op.execute(statement)
    for name, body in NEW.items():
        replace_function(name, body)
    replace_function("queue_ad_images", QUEUE_AD_IMAGES.format(notice=NEW_NOTICE_OF_PICTURES))
    replace_trigger("tell_ads_update", f"UPDATE ON ads {OLD_ROWS} NEW TABLE AS new_rows")
    for name, event in TRIGGERS.items():
        replace_trigger(name, event)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for name in TRIGGERS:
        op.execute(f"DROP FUNCTION {name}() CASCADE")
    replace_trigger("tell_ads_update", f"UPDATE ON ads {OLD_ROWS}")
    replace_function("queue_ad_images", QUEUE_AD_IMAGES.format(notice=OLD_NOTICE_OF_PICTURES))
    for name, body in OLD.items():
        replace_function(name, body)
    op.execute("DROP FUNCTION note_changes(text, text[])")
    op.execute("DROP FUNCTION has_sequencer()")
    for table in ("changes", "events", "event_batches", "event_log"):
        op.drop_table(table)
