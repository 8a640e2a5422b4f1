"""Changes that were committed before the alerts of a search began

Revision ID: 0066
Revises: 0065
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column(
        "saved_searches",
        sa.Column("unalerted", ARRAY(sa.BigInteger()), server_default="{}", nullable=False),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_column("saved_searches", "unalerted")
