"""Every ad has a status that there is

Revision ID: 0012
Revises: 0011
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    # Reads every ad, and lets everybody else read and write meanwhile.
    op.execute("ALTER TABLE ads VALIDATE CONSTRAINT ck_ads_status")


def downgrade() -> None:
    """A constraint cannot be made doubtful again; the migration before drops it."""
