"""Conversations, messages, offers, blocks, and who has read whose phone number

Revision ID: 0037
Revises: 0036
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from adsvc.db.migrations.scripts import count_text, stop_counting_text

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

oldest_head = None

# `adsvc.enums.AdvisoryLock.CONVERSATIONS`
LOCK = 534_802_456

# Each query of the function sees what was committed before it, so of simultaneous messages each is
# counted after the one before.
HOLD_REPEATED_TEXT = f"""
CREATE FUNCTION hold_repeated_text() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    receiver bigint := (SELECT seller_id FROM conversations WHERE id = NEW.conversation_id);
BEGIN
    PERFORM pg_advisory_xact_lock({LOCK}, (NEW.author_id % 2147483647)::int);
    NEW.held := 10 <= (
        SELECT count(DISTINCT seller_id) FROM messages
        JOIN conversations ON conversations.id = conversation_id
        WHERE author_id = NEW.author_id AND digest = NEW.digest
            AND at > now() - interval '24 hours' AND seller_id <> receiver
    );
    RETURN NEW;
END $$
"""  # noqa: S608 - no input

# One event for each message that its receiver sees: `to` is the receiver, `user_id` its author.
LOG_MESSAGES = """
CREATE FUNCTION log_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (type, ad_id, user_id, data)
    SELECT CASE
            WHEN m.kind = 'offer' THEN 'offer.made'
            WHEN m.kind = 'notice' AND m.text = 'accepted' THEN 'offer.accepted'
            ELSE 'message.sent'
        END, c.ad_id, m.author_id, jsonb_strip_nulls(jsonb_build_object(
            'conversation', c.id, 'message', m.id, 'offer', m.offer_id, 'price', o.price,
            'to', CASE m.by WHEN 'buyer' THEN c.seller_id ELSE c.buyer_id END
        ))
    FROM new_rows AS m JOIN conversations AS c ON c.id = m.conversation_id
    LEFT JOIN offers AS o ON o.id = m.offer_id AND m.kind = 'offer'
    WHERE NOT m.held {condition} ORDER BY m.id;
    RETURN NULL;
END $$
"""
RELEASED = "AND m.id IN (SELECT id FROM old_rows WHERE held)"

TRIGGERS = (
    """
CREATE TRIGGER hold_repeated_text BEFORE INSERT ON messages
FOR EACH ROW WHEN (NEW.digest IS NOT NULL) EXECUTE FUNCTION hold_repeated_text()
""",
    """
CREATE TRIGGER log_messages AFTER INSERT ON messages REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION log_messages()
""",
    """
CREATE TRIGGER log_released_messages AFTER UPDATE ON messages
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION log_released_messages()
""",
)
CASE_KINDS = """
ALTER TABLE cases DROP CONSTRAINT ck_cases_kind,
    ADD CONSTRAINT ck_cases_kind CHECK (kind IN ({kinds})) NOT VALID
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "blocks",
        sa.Column("owner_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("blocked_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["blocked_id"],
            ["users.id"],
            name="fk_blocks_blocked_id_users",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], name="fk_blocks_owner_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("owner_id", "blocked_id", name="pk_blocks"),
    )
    op.create_index("ix_blocks_blocked_id", "blocks", ["blocked_id"], unique=False)
    op.create_table(
        "conversations",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("ad_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("buyer_id", sa.BigInteger(), nullable=True),
        sa.Column("seller_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "updated_at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("buyer_last", sa.BigInteger(), nullable=True),
        sa.Column("seller_last", sa.BigInteger(), nullable=True),
        sa.Column("buyer_read", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("seller_read", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("buyer_unread", sa.Integer(), server_default="0", nullable=False),
        sa.Column("seller_unread", sa.Integer(), server_default="0", nullable=False),
        sa.Column("buyer_hidden", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("seller_hidden", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "buyer_mail_due", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True
        ),
        sa.Column(
            "seller_mail_due", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True
        ),
        sa.Column("sold_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.ForeignKeyConstraint(
            ["buyer_id"],
            ["users.id"],
            name="fk_conversations_buyer_id_users",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["seller_id"],
            ["users.id"],
            name="fk_conversations_seller_id_users",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
        sa.UniqueConstraint("ad_id", "buyer_id", name="uq_conversations_ad_id_buyer_id"),
    )
    op.create_index(
        "ix_conversations_buyer_id_id", "conversations", ["buyer_id", "id"], unique=False
    )
    op.create_index(
        "ix_conversations_mail_due_to_buyer",
        "conversations",
        ["buyer_mail_due"],
        unique=False,
        postgresql_where=sa.text("buyer_mail_due IS NOT NULL"),
    )
    op.create_index(
        "ix_conversations_mail_due_to_seller",
        "conversations",
        ["seller_mail_due"],
        unique=False,
        postgresql_where=sa.text("seller_mail_due IS NOT NULL"),
    )
    op.create_index(
        "ix_conversations_of_buyer",
        "conversations",
        ["buyer_id", "buyer_last"],
        unique=False,
        postgresql_where=sa.text("NOT buyer_hidden"),
    )
    op.create_index(
        "ix_conversations_of_seller",
        "conversations",
        ["seller_id", "seller_last"],
        unique=False,
        postgresql_where=sa.text("NOT seller_hidden"),
    )
    op.create_index(
        "ix_conversations_seller_id_id", "conversations", ["seller_id", "id"], unique=False
    )
    op.create_index(
        "ix_conversations_unread_by_buyer",
        "conversations",
        ["buyer_id", "buyer_last"],
        unique=False,
        postgresql_include=["buyer_unread"],
        postgresql_where=sa.text("buyer_unread > 0 AND NOT buyer_hidden"),
    )
    op.create_index(
        "ix_conversations_unread_by_seller",
        "conversations",
        ["seller_id", "seller_last"],
        unique=False,
        postgresql_include=["seller_unread"],
        postgresql_where=sa.text("seller_unread > 0 AND NOT seller_hidden"),
    )
    op.create_index("ix_conversations_updated_at", "conversations", ["updated_at"], unique=False)
    op.create_index(
        "ix_conversations_without_parties",
        "conversations",
        ["id"],
        unique=False,
        postgresql_where=sa.text("buyer_id IS NULL AND seller_id IS NULL"),
    )
    op.create_table(
        "offers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("conversation_id", sa.BigInteger(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), server_default="open", nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("expires_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.CheckConstraint("by IN ('buyer', 'seller')", name="ck_offers_by"),
        sa.CheckConstraint(
            "status IN ('open', 'accepted', 'declined', 'withdrawn', 'expired')",
            name="ck_offers_status",
        ),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_offers_conversation_id_conversations",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_offers"),
    )
    op.create_index(
        "ix_offers_conversation_id_id", "offers", ["conversation_id", "id"], unique=False
    )
    op.create_index(
        "ix_offers_expires_at",
        "offers",
        ["expires_at"],
        unique=False,
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_index(
        "uq_offers_open",
        "offers",
        ["conversation_id"],
        unique=True,
        postgresql_where=sa.text("status = 'open'"),
    )
    op.create_table(
        "contacts",
        sa.Column("ad_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["ad_id"], ["ads.id"], name="fk_contacts_ad_id_ads", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_contacts_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("ad_id", "user_id", name="pk_contacts"),
    )
    op.create_index("ix_contacts_user_id_ad_id", "contacts", ["user_id", "ad_id"], unique=False)
    op.create_table(
        "messages",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("conversation_id", sa.BigInteger(), nullable=False),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="text", nullable=False),
        sa.Column("hints", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("offer_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.Column("held", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint("by IN ('buyer', 'seller')", name="ck_messages_by"),
        sa.CheckConstraint("kind IN ('text', 'offer', 'notice')", name="ck_messages_kind"),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversations.id"],
            name="fk_messages_conversation_id_conversations",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["offer_id"],
            ["offers.id"],
            name="fk_messages_offer_id_offers",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
    )
    op.create_index("ix_messages_author_id_id", "messages", ["author_id", "id"], unique=False)
    op.create_index(
        "ix_messages_conversation_id_id", "messages", ["conversation_id", "id"], unique=False
    )
    op.create_index(
        "ix_messages_digest",
        "messages",
        ["author_id", "digest"],
        unique=False,
        postgresql_where=sa.text("digest IS NOT NULL"),
    )
    op.create_index(
        "ix_messages_offer_id",
        "messages",
        ["offer_id"],
        unique=False,
        postgresql_where=sa.text("offer_id IS NOT NULL"),
    )
    count_text("messages", "author_id", "text")
    op.execute(HOLD_REPEATED_TEXT)
    op.execute(LOG_MESSAGES.format(condition=""))
    released = LOG_MESSAGES.replace("log_messages", "log_released_messages")
    op.execute(released.format(condition=RELEASED))
    for trigger in TRIGGERS:
        op.execute(trigger)
    op.execute(CASE_KINDS.format(kinds="'ad', 'comment', 'message'"))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DELETE FROM cases WHERE kind = 'message'")
    op.execute(CASE_KINDS.format(kinds="'ad', 'comment'"))
    op.execute("ALTER TABLE cases VALIDATE CONSTRAINT ck_cases_kind")
    op.execute("DROP FUNCTION log_messages() CASCADE")
    op.execute("DROP FUNCTION log_released_messages() CASCADE")
    op.execute("DROP FUNCTION hold_repeated_text() CASCADE")
    stop_counting_text("messages")
    for table in ("messages", "contacts", "offers", "conversations", "blocks"):
        op.drop_table(table)
