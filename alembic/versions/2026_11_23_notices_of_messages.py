"""Notices of messages, for the streams of accounts

Revision ID: 0040
Revises: 0039
"""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None
oldest_head = None

# What each party has of a conversation, that streams send or count.
SEEN = ("last", "unread", "hidden")

NOTE_CONVERSATIONS = """
CREATE FUNCTION note_conversations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (notice)
    SELECT 'message:' || party FROM (VALUES
        (NEW.buyer_id, {buyer}), (NEW.seller_id, {seller})
    ) AS parties (party, is_changed)
    WHERE is_changed AND party IS NOT NULL;
    RETURN NULL;
END $$
"""


def changed(party: str) -> str:
    old, new = (", ".join(f"{row}.{party}_{name}" for name in SEEN) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    parties = {party: changed(party) for party in ("buyer", "seller")}
    op.execute(NOTE_CONVERSATIONS.format(**parties))
    columns = ", ".join(f"{party}_{name}" for party in parties for name in SEEN)
    op.execute(
        f"CREATE TRIGGER note_conversations AFTER UPDATE OF {columns} ON conversations"
        f" FOR EACH ROW WHEN ({' OR '.join(parties.values())})"
        " EXECUTE FUNCTION note_conversations()"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP FUNCTION note_conversations() CASCADE")
