"""What ads cost before, and an index of sold ads by author

Revision ID: 0042
Revises: 0041
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None
oldest_head = None

SOLD = "ix_ads_sold_author_id"
# The row remembers one earlier price: the lowest of those that followed each other within 30 days.
KEEP = """
CREATE FUNCTION keep_price_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.price_before := OLD.price;
    IF OLD.priced_at > now() - interval '30 days' THEN
        NEW.price_before := least(OLD.price, OLD.price_before);
    END IF;
    NEW.priced_at := now();
    RETURN NEW;
END $$
"""
# No one has seen what a draft costs.
KEEP_PRICE = """
CREATE TRIGGER keep_price_before BEFORE UPDATE OF price ON ads
FOR EACH ROW WHEN (OLD.price <> NEW.price AND OLD.status <> 'draft')
EXECUTE FUNCTION keep_price_before()
"""


def upgrade() -> None:
    with op.get_context().autocommit_block():
        # Of an attempt that was broken off an index remains that is of no use.
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {SOLD}")
        op.execute(f"CREATE INDEX CONCURRENTLY {SOLD} ON ads (author_id) WHERE status = 'sold'")
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("ads", sa.Column("price_before", sa.Integer(), nullable=True))
    moment = TIMESTAMP(timezone=True, precision=3)
    op.add_column("ads", sa.Column("priced_at", moment, nullable=True))
    op.execute(KEEP)
    op.execute(KEEP_PRICE)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP FUNCTION keep_price_before() CASCADE")
    op.drop_column("ads", "priced_at")
    op.drop_column("ads", "price_before")
    op.execute(f"DROP INDEX IF EXISTS {SOLD}")
