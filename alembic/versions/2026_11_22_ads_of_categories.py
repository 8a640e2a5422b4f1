"""Ads by category

Revision ID: 0018
Revises: 0017
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

INDEX = "ix_ads_category_id_id"


def upgrade() -> None:
    with op.get_context().autocommit_block():
        # One that was given up half made is invalid, and would count as there.
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
        op.execute(f"CREATE INDEX CONCURRENTLY {INDEX} ON ads (category_id, id)")
        op.execute("ALTER TABLE ads VALIDATE CONSTRAINT fk_ads_category_id_categories")


def downgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
