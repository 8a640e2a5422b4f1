"""Webhooks of accounts, and what an attempt met with

Revision ID: 0106
Revises: 0105
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0106"
down_revision = "0105"
branch_labels = None
depends_on = None
# A version before sends no event to webhooks of accounts: their position is beyond all events.
oldest_head = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("webhooks", sa.Column("owner_id", sa.BigInteger()))
    op.create_index("ix_webhooks_owner_id", "webhooks", ["owner_id"])
    op.create_foreign_key(
        "fk_webhooks_owner_id_users", "webhooks", "users", ["owner_id"], ["id"], ondelete="CASCADE"
    )
    op.add_column("webhooks", sa.Column("begins_after", sa.BigInteger()))
    op.add_column("webhooks", sa.Column("disabled_at", MOMENT))
    op.add_column("webhooks", sa.Column("disabled_reason", sa.Text()))
    op.add_column("webhook_deliveries", sa.Column("attempted_at", MOMENT))
    op.add_column("webhook_deliveries", sa.Column("milliseconds", sa.Integer()))
    op.add_column("webhook_deliveries", sa.Column("answer", sa.Text()))
    op.execute(
        "INSERT INTO consumers"
        " SELECT 'webhooks', coalesce(max(last_event_id), 0) FROM event_batches"
    )
