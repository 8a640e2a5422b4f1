"""Plans of accounts

Revision ID: 0109
Revises: 0108
"""

import sqlalchemy as sa
from alembic import op

revision = "0109"
down_revision = "0108"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("users", sa.Column("plan", sa.Text(), server_default="standard", nullable=False))
