"""Every ad with an exact point has a public one

Revision ID: 0068
Revises: 0067
"""

from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("ALTER TABLE ads VALIDATE CONSTRAINT ck_ads_location")


def downgrade() -> None:
    pass
