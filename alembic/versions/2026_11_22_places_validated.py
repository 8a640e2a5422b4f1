"""Every ad has a whole location or none, and a kind of price that there is

Revision ID: 0014
Revises: 0013
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    # Reads every ad, and lets everybody else read and write meanwhile.
    op.execute(
        "ALTER TABLE ads VALIDATE CONSTRAINT ck_ads_price_type, VALIDATE CONSTRAINT ck_ads_location"
    )


def downgrade() -> None:
    """A constraint cannot be made doubtful again; the migration before drops it."""
