"""How many ads each category shows

Revision ID: 0020
Revises: 0019
"""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

# The slots and the order are as those of `ad_totals`.
KEEP_TOTALS = """
CREATE FUNCTION keep_category_ad_totals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO category_ad_totals AS t (category_id, slot, ads)
    SELECT category_id, pg_backend_pid() % 16, step * count(*) FROM changed
    WHERE category_id IS NOT NULL AND status IN ('active', 'reserved')
    GROUP BY category_id ORDER BY category_id
    ON CONFLICT (category_id, slot) DO UPDATE SET ads = t.ads + excluded.ads;
    RETURN NULL;
END $$
"""
# By row and with a condition, so that other changes of ads do not pay for it.
MOVE_TOTALS = """
CREATE FUNCTION move_category_ad_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO category_ad_totals AS t (category_id, slot, ads)
    SELECT category_id, pg_backend_pid() % 16, sum(step) FROM (VALUES
        (OLD.category_id, CASE WHEN OLD.status IN ('active', 'reserved') THEN -1 ELSE 0 END),
        (NEW.category_id, CASE WHEN NEW.status IN ('active', 'reserved') THEN 1 ELSE 0 END)
    ) AS moved (category_id, step)
    WHERE category_id IS NOT NULL GROUP BY category_id HAVING sum(step) <> 0 ORDER BY category_id
    ON CONFLICT (category_id, slot) DO UPDATE SET ads = t.ads + excluded.ads;
    RETURN NULL;
END $$
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute(KEEP_TOTALS)
    op.execute(MOVE_TOTALS)
    for event, table in (("INSERT", "NEW"), ("DELETE", "OLD")):
        op.execute(
            # Its name lets it fire after `keep_totals_on_…`: who shares a slot waits there, as an
            # update does, and nobody waits in a circle.
            f"CREATE TRIGGER keep_totals_on_{event.lower()}_by_category AFTER {event} ON ads"
            f" REFERENCING {table} TABLE AS changed"
            " FOR EACH STATEMENT EXECUTE FUNCTION keep_category_ad_totals()"
        )
    op.execute(
        "CREATE TRIGGER move_category_totals AFTER UPDATE ON ads FOR EACH ROW"
        " WHEN ((OLD.category_id IS NOT NULL OR NEW.category_id IS NOT NULL)"
        " AND (OLD.category_id IS DISTINCT FROM NEW.category_id"
        " OR OLD.status IS DISTINCT FROM NEW.status))"
        " EXECUTE FUNCTION move_category_ad_totals()"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("DROP FUNCTION keep_category_ad_totals() CASCADE")
    op.execute("DROP FUNCTION move_category_ad_totals() CASCADE")
