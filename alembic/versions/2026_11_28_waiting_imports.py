"""Imports that wait for a limit

Revision ID: 0116
Revises: 0115
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0116"
down_revision = "0115"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    moment = postgresql.TIMESTAMP(timezone=True, precision=3)
    op.add_column("imports", sa.Column("resumes_at", moment))
