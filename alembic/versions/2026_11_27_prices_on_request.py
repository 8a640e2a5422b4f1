"""Indexes of shown ads by price, in which those on request come last

Revision ID: 0061
Revises: 0060
"""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None
oldest_head = None

# Above the largest price for ascending orders and for filters, below the smallest for descending
# orders. The version before goes on with `ix_ads_shown_price_id`.
PRICE = "CASE WHEN price_type = 'onRequest' THEN '{}'::bigint ELSE price END"
HIGHEST, LOWEST = PRICE.format(2**31), PRICE.format(-1)
NEW = {"ix_ads_shown_price_or_highest_id": HIGHEST, "ix_ads_shown_price_or_lowest_id": LOWEST}


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for name, price in NEW.items():
            # Of an attempt that was broken off an index remains that is of no use.
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(
                f"CREATE INDEX CONCURRENTLY {name} ON ads (({price}), id)"
                " INCLUDE (expires_at) WHERE status IN ('active', 'reserved')"
            )
        # PostgreSQL does not use the statistics of an index of some of the rows.
        op.execute(f"CREATE STATISTICS IF NOT EXISTS ads_price_or_highest ON ({HIGHEST}) FROM ads")
        op.execute("ANALYZE ads")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("DROP STATISTICS IF EXISTS ads_price_or_highest")
    for name in NEW:
        op.execute(f"DROP INDEX IF EXISTS {name}")
