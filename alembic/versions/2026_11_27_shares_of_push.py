"""Browsers that belong to sessions, and what each of them may take of Web Push

A browser of before has no session, gets no messages and is deleted by the cleaning: nothing says in
which session it was added, and it may be one that has ended since. The storefront adds its browser
again. The version before still writes such rows, so the column stays nullable.

Revision ID: 0056
Revises: 0055
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None
oldest_head = None

KEY = "fk_push_subscriptions_session_id_sessions"
MOMENT = TIMESTAMP(timezone=True, precision=3)
TELL = """
CREATE FUNCTION tell_push() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM changed) THEN
        INSERT INTO changes (notice) VALUES ('outbox:');
    END IF;
    RETURN NULL;
END $$
"""
NEW = {
    "ix_push_subscriptions_session_id": "INDEX {} ON push_subscriptions (session_id)",
    "uq_push_messages_subscription_id_tag": (
        "UNIQUE INDEX {} ON push_messages (subscription_id, tag)"
    ),
    "ix_push_messages_claimed_until": (
        "INDEX {} ON push_messages (claimed_until) WHERE claimed_until IS NOT NULL"
    ),
}
OLD = "ix_push_messages_subscription_id"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for column in (
        sa.Column("session_id", sa.BigInteger()),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failing_since", MOMENT),
        sa.Column("paused_until", MOMENT),
    ):
        op.add_column("push_subscriptions", column)
    op.add_column("push_messages", sa.Column("tag", sa.Text()))
    op.add_column("push_messages", sa.Column("claimed_until", MOMENT))
    op.execute(
        f"ALTER TABLE push_subscriptions ADD CONSTRAINT {KEY} FOREIGN KEY (session_id)"
        " REFERENCES sessions (id) ON DELETE CASCADE NOT VALID"
    )
    op.execute(TELL)
    op.execute(
        "CREATE TRIGGER tell_push AFTER INSERT ON push_messages REFERENCING NEW TABLE AS changed"
        " FOR EACH STATEMENT EXECUTE FUNCTION tell_push()"
    )
    with op.get_context().autocommit_block():
        op.execute(f"ALTER TABLE push_subscriptions VALIDATE CONSTRAINT {KEY}")
        for name, definition in NEW.items():
            # Of an attempt that was broken off an index remains that is of no use.
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute("CREATE " + definition.format(f"CONCURRENTLY {name}"))
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {OLD}")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP TRIGGER tell_push ON push_messages")
    op.execute("DROP FUNCTION tell_push()")
    op.execute(f"CREATE INDEX {OLD} ON push_messages (subscription_id)")
    for name in NEW:
        op.execute(f"DROP INDEX IF EXISTS {name}")
    for column in ("claimed_until", "tag"):
        op.drop_column("push_messages", column)
    for column in ("paused_until", "failing_since", "failures", "session_id"):
        op.drop_column("push_subscriptions", column)
