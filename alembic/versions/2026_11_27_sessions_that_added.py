"""The session that added a key, a passkey or an authenticator app

Revision ID: 0060
Revises: 0059
"""

import sqlalchemy as sa
from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None
oldest_head = None

TABLES = ("keys", "passkeys", "totps")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for table in TABLES:
        op.add_column(table, sa.Column("session_began_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for table in TABLES:
        op.drop_column(table, "session_began_at")
