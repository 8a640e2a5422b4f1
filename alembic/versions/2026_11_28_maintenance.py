"""Maintenance of the installation

Revision ID: 0103
Revises: 0102
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0103"
down_revision = "0102"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("installation", sa.Column("maintenance", postgresql.JSONB()))
