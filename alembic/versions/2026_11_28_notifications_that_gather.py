"""Notifications of saved searches that gather more for a quarter of an hour

Revision ID: 0065
Revises: 0064
"""

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None
oldest_head = None

INDEX = "ix_notifications_revised"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("notifications", sa.Column("revision", sa.BigInteger()), if_not_exists=True)
    op.add_column(
        "saved_searches", sa.Column("notification_id", sa.BigInteger()), if_not_exists=True
    )
    with op.get_context().autocommit_block():
        # Of an attempt that was broken off an index remains that is of no use.
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
        op.execute(
            f"CREATE INDEX CONCURRENTLY {INDEX} ON notifications (user_id, revision)"
            " WHERE revision IS NOT NULL"
        )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_column("notifications", "revision")
    op.drop_column("saved_searches", "notification_id")
