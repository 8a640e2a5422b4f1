"""Rows of ads stay whole

Revision ID: 0048
Revises: 0047
"""

from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None
# It changes where rows are stored that are written from now on.
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    # With the words of its category many a row has more than 2 kB. A search compares the words of
    # thousands, and would have to fetch each from another table.
    op.execute("ALTER TABLE ads SET (toast_tuple_target = 4080)")


def downgrade() -> None:
    op.execute("ALTER TABLE ads RESET (toast_tuple_target)")
