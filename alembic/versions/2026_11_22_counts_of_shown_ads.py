"""Counts and indexes of the ads that are shown, and triggers that fire for what changed

Revision ID: 0022
Revises: 0021
"""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

# As the condition of every listing has it.
SHOWN = "status IN ('active', 'reserved')"
# Old sites have far more ads that are not shown any more. `expires_at` is there to count by them.
INDEXES = {
    # By which ads that have expired are found.
    "ix_ads_expires_at": "(expires_at)",
    "ix_ads_shown_id": "(id) INCLUDE (expires_at)",
    "ix_ads_shown_price_id": "(price, id) INCLUDE (expires_at)",
    "ix_ads_shown_created_at_id": "(created_at, id) INCLUDE (expires_at)",
    "ix_ads_shown_author_id_id": "(author_id, id) INCLUDE (expires_at)",
}
# Both as the first migration, but for what is counted. A version that knows no status leaves it to
# its default.
OF_ROWS = """
CREATE OR REPLACE FUNCTION keep_ad_totals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO ad_totals AS t (slot, ads)
    SELECT pg_backend_pid() % 16, step * count(*) FROM changed
    WHERE {shown} HAVING count(*) > 0
    ON CONFLICT (slot) DO UPDATE SET ads = t.ads + excluded.ads;
    -- An author who is being deleted takes the row along; ordering prevents deadlocks.
    INSERT INTO author_ad_totals AS t ({columns})
    SELECT author_id, {counts} FROM changed
    WHERE EXISTS (SELECT FROM users WHERE users.id = author_id)
    GROUP BY author_id ORDER BY author_id
    ON CONFLICT (author_id) DO UPDATE SET {sums};
    RETURN NULL;
END $$
"""
NEW_TOTALS = OF_ROWS.format(
    shown=SHOWN,
    columns="author_id, ads, hidden",
    counts=(
        f"step * count(*) FILTER (WHERE {SHOWN}), step * count(*) FILTER (WHERE NOT ({SHOWN}))"
    ),
    sums="ads = t.ads + excluded.ads, hidden = t.hidden + excluded.hidden",
)
OLD_TOTALS = OF_ROWS.format(
    shown="TRUE",
    columns="author_id, ads",
    counts="step * count(*)",
    sums="ads = t.ads + excluded.ads",
)
OF_STATUS = """
CREATE FUNCTION keep_ad_totals_of_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step integer := CASE WHEN NEW.status IN ('active', 'reserved') THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO ad_totals AS t (slot, ads) VALUES (pg_backend_pid() % 16, step)
    ON CONFLICT (slot) DO UPDATE SET ads = t.ads + excluded.ads;
    UPDATE author_ad_totals SET ads = ads + step, hidden = hidden - step
    WHERE author_id = NEW.author_id;
    RETURN NULL;
END $$
"""
KEEP_OF_STATUS = f"""
CREATE TRIGGER keep_totals_of_status AFTER UPDATE ON ads
FOR EACH ROW WHEN ((OLD.{SHOWN}) IS DISTINCT FROM (NEW.{SHOWN}))
EXECUTE FUNCTION keep_ad_totals_of_status()
"""
OF_UPDATE = """
CREATE OR REPLACE FUNCTION tell_ads_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    {pictures}
    RETURN NULL;
END $$
"""
TELL_UPDATE = """
CREATE OR REPLACE TRIGGER tell_ads_update AFTER UPDATE ON ads REFERENCING {rows}
FOR EACH STATEMENT EXECUTE FUNCTION tell_ads_update()
"""
OLD_ROWS = "OLD TABLE AS old_rows"
BOTH_ROWS = f"{OLD_ROWS} NEW TABLE AS new_rows"
PICTURES = """
    PERFORM tell_changes('image', array_agg(o.image))
    FROM old_rows o JOIN new_rows n USING (id) WHERE o.image <> n.image HAVING count(*) > 0;
"""
# Hardly any change of an ad is one of its picture.
OF_PICTURE = """
CREATE FUNCTION tell_ad_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('adsvc', 'image:' || OLD.image);
    RETURN NULL;
END $$
"""
TELL_PICTURE = """
CREATE TRIGGER tell_ad_image AFTER UPDATE ON ads
FOR EACH ROW WHEN (OLD.image IS DISTINCT FROM NEW.image) EXECUTE FUNCTION tell_ad_image()
"""
# What is not counted any more when the version before counts all ads.
ADD_HIDDEN = (
    "LOCK TABLE ads IN SHARE ROW EXCLUSIVE MODE",
    """
    INSERT INTO ad_totals AS t (slot, ads)
    SELECT 0, count(*) FROM ads WHERE status NOT IN ('active', 'reserved')
    ON CONFLICT (slot) DO UPDATE SET ads = t.ads + excluded.ads
    """,
    "UPDATE author_ad_totals SET ads = ads + hidden, hidden = 0 WHERE hidden <> 0",
)


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for name, columns in INDEXES.items():
            # Of an attempt that was broken off an index remains that is of no use.
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON ads {columns} WHERE {SHOWN}")
    op.execute("SET LOCAL lock_timeout = '800ms'")
    # From here on every change of a status is counted; so far there was none.
    for statement in (NEW_TOTALS, OF_STATUS, KEEP_OF_STATUS, OF_PICTURE, TELL_PICTURE):
        op.execute(statement)
    op.execute(OF_UPDATE.format(pictures=""))
    op.execute(TELL_UPDATE.format(rows=OLD_ROWS))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for name in INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
    op.execute(TELL_UPDATE.format(rows=BOTH_ROWS))
    op.execute(OF_UPDATE.format(pictures=PICTURES))
    op.execute("DROP FUNCTION tell_ad_image() CASCADE")
    op.execute("DROP FUNCTION keep_ad_totals_of_status() CASCADE")
    op.execute(OLD_TOTALS)
    for statement in ADD_HIDDEN:
        op.execute(statement)
