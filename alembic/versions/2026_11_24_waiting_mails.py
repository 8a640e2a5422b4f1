"""Mails about alerts that wait until others are sent

Revision ID: 0054
Revises: 0053
"""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("saved_searches", sa.Column("waiting_mail", sa.BigInteger()))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(
        "UPDATE outbox SET not_before = now() FROM saved_searches"
        " WHERE outbox.id = waiting_mail AND dead_at IS NULL AND attempts = 0"
    )
    op.drop_column("saved_searches", "waiting_mail")
