"""The new statuses and roles validated, and indexes of accounts and of removed ads

Revision ID: 0027
Revises: 0026
"""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_ads_removed": "ads (id) WHERE status = 'removed'",
    "ix_users_suspended_until": "users (suspended_until) WHERE suspended_until IS NOT NULL",
    "ix_users_username_key_pattern": "users (username_key text_pattern_ops)",
}


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for name, columns in INDEXES.items():
            # Of an attempt that was broken off an index remains that is of no use.
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {columns}")
    op.execute("SET LOCAL lock_timeout = '800ms'")
    # Reads every row, and lets everybody else read and write meanwhile.
    op.execute("ALTER TABLE ads VALIDATE CONSTRAINT ck_ads_status")
    op.execute("ALTER TABLE users VALIDATE CONSTRAINT ck_users_role")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for name in INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
