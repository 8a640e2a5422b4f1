"""Access rules of the installation

Revision ID: 0105
Revises: 0104
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0105"
down_revision = "0104"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    rules = sa.Column("access_rules", postgresql.JSONB(), server_default="{}", nullable=False)
    op.add_column("installation", rules)
