"""Ads by their public place

Revision ID: 0019
Revises: 0018
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

INDEX = "ix_ads_public_point"


def upgrade() -> None:
    with op.get_context().autocommit_block():
        # What a run that was interrupted has left is there, and of no use.
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
        # Waits for transactions that are under way, and keeps nobody waiting meanwhile.
        op.execute(
            f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {INDEX} ON ads"
            " ((floor(public_latitude * 20)::int), public_longitude, id)"
            " INCLUDE (public_latitude, expires_at)"
            " WHERE status IN ('active', 'reserved') AND public_latitude IS NOT NULL"
        )


def downgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
