"""When authenticator apps were set up

Revision ID: 0046
Revises: 0045
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    moment = TIMESTAMP(timezone=True, precision=3)
    op.add_column("totps", sa.Column("set_at", moment, nullable=True))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_column("totps", "set_at")
