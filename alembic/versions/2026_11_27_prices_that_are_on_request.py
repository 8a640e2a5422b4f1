"""A price on request is no price: nothing falls to it or from it

Readers of the log in the version before take a missing `to` for no fall, but need `from`: an ad
that gets its price back is `ad.updated` alone.

Revision ID: 0063
Revises: 0062
"""

import sqlalchemy as sa
from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None
oldest_head = None

CHANGED_BEFORE = """jsonb_build_object('from', o.price, 'to', n.price)
            WHERE o.price <> n.price
"""
CHANGED = """jsonb_build_object(
                'from', o.price, 'to', CASE WHEN n.price_type <> 'onRequest' THEN n.price END
            )
            WHERE o.price_type <> 'onRequest'
                AND (o.price <> n.price OR n.price_type = 'onRequest')
"""
UPDATED_BEFORE = """            -- A picture that is not the first one.
"""
UPDATED = f"""            OR o.price <> n.price AND o.price_type = 'onRequest'
{UPDATED_BEFORE}"""
KEEP_BEFORE = """
CREATE OR REPLACE FUNCTION keep_price_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.price_before := OLD.price;
    IF OLD.priced_at > now() - interval '30 days' THEN
        NEW.price_before := least(OLD.price, OLD.price_before);
    END IF;
    NEW.priced_at := now();
    RETURN NEW;
END $$
"""
KEEP = """
CREATE OR REPLACE FUNCTION keep_price_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.priced_at <= now() - interval '30 days' THEN
        NEW.price_before := NULL;
    END IF;
    IF OLD.price_type <> 'onRequest' THEN
        NEW.price_before := least(OLD.price, NEW.price_before);
        NEW.priced_at := now();
    END IF;
    RETURN NEW;
END $$
"""
OTHER = "OLD.price <> NEW.price"
OTHER_KIND = "(OLD.price_type = 'onRequest') <> (NEW.price_type = 'onRequest')"
TRIGGER = """
CREATE TRIGGER keep_price_before BEFORE UPDATE OF {columns} ON ads
FOR EACH ROW WHEN ({changed} AND OLD.status <> 'draft')
EXECUTE FUNCTION keep_price_before()
"""


def _replace_in_log(*replacements: tuple[str, str]) -> None:
    """In the function that writes changes of ads to the log."""
    definition = op.get_bind().scalar(
        sa.text("SELECT pg_get_functiondef('tell_ads_update'::regproc)")
    )
    for before, after in replacements:
        if before not in definition:
            raise ValueError(before)
        definition = definition.replace(before, after)
    op.execute(definition)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    _replace_in_log((CHANGED_BEFORE, CHANGED), (UPDATED_BEFORE, UPDATED))
    op.execute(KEEP)
    op.execute("DROP TRIGGER keep_price_before ON ads")
    op.execute(TRIGGER.format(columns="price, price_type", changed=f"({OTHER} OR {OTHER_KIND})"))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP TRIGGER keep_price_before ON ads")
    op.execute(TRIGGER.format(columns="price", changed=OTHER))
    op.execute(KEEP_BEFORE)
    _replace_in_log((UPDATED, UPDATED_BEFORE), (CHANGED, CHANGED_BEFORE))
