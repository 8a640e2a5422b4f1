"""Cases about ratings whose author is gone

Revision ID: 0119
Revises: 0118
"""

from alembic import op

revision = "0119"
down_revision = "0118"
branch_labels = None
depends_on = None
oldest_head = None  # Only cases of ratings have no author, and 0.3 has no ratings.


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.alter_column("cases", "author_id", nullable=True)
    op.alter_column("decisions", "user_id", nullable=True)
