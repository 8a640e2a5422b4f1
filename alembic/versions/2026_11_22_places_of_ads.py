"""Where the thing of an ad is, and what kind of price it has

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

PRICE_TYPES = ("fixed", "negotiable", "free", "onRequest")
POINT = ("latitude", "longitude", "public_latitude", "public_longitude")
COLUMNS = (
    sa.Column("place", sa.Text(), nullable=True),
    *(sa.Column(name, sa.Double(), nullable=True) for name in POINT),
    sa.Column("price_type", sa.Text(), server_default="fixed", nullable=False),
)
CONSTRAINTS = {
    "ck_ads_price_type": f"price_type IN ({', '.join(map(repr, PRICE_TYPES))})",
    "ck_ads_location": f"num_nulls({', '.join(POINT)}) IN (0, {len(POINT)})",
}


def upgrade() -> None:
    # Whoever holds the table for long makes this fail, not everybody else wait behind it.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for column in COLUMNS:
        op.add_column("ads", column)
    # Without a look at what is there: that is for a later migration, which locks nobody out.
    for name, condition in CONSTRAINTS.items():
        op.execute(f"ALTER TABLE ads ADD CONSTRAINT {name} CHECK ({condition}) NOT VALID")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for name in CONSTRAINTS:
        op.execute(f"ALTER TABLE ads DROP CONSTRAINT {name}")
    for column in COLUMNS:
        op.drop_column("ads", column.name)
