"""The new kind of cases validated

Revision ID: 0038
Revises: 0037
"""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("ALTER TABLE cases VALIDATE CONSTRAINT ck_cases_kind")


def downgrade() -> None:
    pass
