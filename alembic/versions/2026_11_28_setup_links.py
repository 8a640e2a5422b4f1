"""Links that open the set-up

Revision ID: 0114
Revises: 0113
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0114"
down_revision = "0113"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("installation", sa.Column("setup_hash", sa.LargeBinary()))
    until = sa.Column("setup_until", postgresql.TIMESTAMP(timezone=True, precision=3))
    op.add_column("installation", until)
