"""Notices of what the other party has read, for the streams of accounts

Revision ID: 0050
Revises: 0049
"""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None
oldest_head = None

# What each party has of a conversation, that streams send or count.
SEEN = ("last", "unread", "hidden")
OTHER = {"buyer": "seller", "seller": "buyer"}

FUNCTION = """
CREATE OR REPLACE FUNCTION note_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (notice)
    SELECT 'message:' || party FROM (VALUES
        (NEW.buyer_id, {buyer}), (NEW.seller_id, {seller})
    ) AS parties (party, is_changed)
    WHERE is_changed AND party IS NOT NULL;
    RETURN NULL;
END $$
"""


def columns(party: str, *, with_read: bool) -> list[str]:
    read = [f"{OTHER[party]}_read"] if with_read else []
    return [f"{party}_{name}" for name in SEEN] + read


def note(*, with_read: bool) -> None:
    conditions = {}
    for party in OTHER:
        seen = columns(party, with_read=with_read)
        old, new = (", ".join(f"{row}.{name}" for name in seen) for row in ("OLD", "NEW"))
        conditions[party] = f"({old}) IS DISTINCT FROM ({new})"
    updated = ", ".join(name for party in OTHER for name in columns(party, with_read=with_read))
    op.execute(FUNCTION.format(**conditions))
    op.execute(
        f"CREATE OR REPLACE TRIGGER note_conversations AFTER UPDATE OF {updated} ON conversations"
        f" FOR EACH ROW WHEN ({' OR '.join(conditions.values())})"
        " EXECUTE FUNCTION note_conversations()"
    )


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    note(with_read=True)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    note(with_read=False)
