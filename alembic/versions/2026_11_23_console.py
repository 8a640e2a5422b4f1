"""What the console lists: the audit trail and ads by what they are about, and runs of jobs

Revision ID: 0049
Revises: 0048
"""

from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None
# Every version finds what it looked up by `ix_audit_events_at` in `ix_audit_events_at_id`.
oldest_head = None

INDEXES = {
    "ix_audit_events_at_id": "audit_events (at, id)",
    "ix_audit_events_event_at_id": "audit_events (event, at, id)",
    "ix_audit_events_actor_at_id": "audit_events (actor, at, id)",
    "ix_audit_events_ad_id_at_id": "audit_events (ad_id, at, id) WHERE ad_id IS NOT NULL",
    "ix_audit_events_owner_id_at_id": "audit_events (owner_id, at, id) WHERE owner_id IS NOT NULL",
    "ix_ads_status_id": "ads (status, id) WHERE status <> 'active'",
}


def upgrade() -> None:
    # First, because it may have to wait for a job that runs, and what comes after it takes long.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for name in ("failed_at", "requested_at"):
        op.execute(f"ALTER TABLE jobs ADD COLUMN IF NOT EXISTS {name} timestamptz(3)")
    with op.get_context().autocommit_block():
        for name, columns in INDEXES.items():
            # Of an attempt that was broken off an index remains that is of no use.
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {columns}")
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS ix_audit_events_at")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_column("jobs", "requested_at")
    op.drop_column("jobs", "failed_at")
    op.execute("CREATE INDEX IF NOT EXISTS ix_audit_events_at ON audit_events (at)")
    for name in INDEXES:
        op.execute(f"DROP INDEX IF EXISTS {name}")
