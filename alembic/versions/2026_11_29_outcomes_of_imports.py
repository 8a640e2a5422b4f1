"""Outcomes of imports

Revision ID: 0121
Revises: 0120
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0121"
down_revision = "0120"
branch_labels = None
depends_on = None

oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("imports", sa.Column("outcomes", postgresql.JSONB))
