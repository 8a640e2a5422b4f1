"""A follower of messages, and an index of notifications by conversation

Revision ID: 0045
Revises: 0044
"""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute(
        "INSERT INTO consumers"
        " SELECT 'messages', last_event_id FROM event_batches ORDER BY id DESC LIMIT 1"
    )
    # No released version writes such rows: there are none, or few.
    op.create_index(
        "ix_notifications_of_conversations",
        "notifications",
        ["conversation_id"],
        postgresql_where=sa.text("conversation_id IS NOT NULL AND NOT read"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_index("ix_notifications_of_conversations", "notifications")
    op.execute("DELETE FROM consumers WHERE name = 'messages'")
