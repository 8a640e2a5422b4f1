"""The outbox, regular jobs, and the mail addresses of accounts

Revision ID: 0025
Revises: 0024
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

MOMENT = TIMESTAMP(timezone=True, precision=3)

# A channel of its own: what comes by the other one makes caches forget.
TELL_OUTBOX = """
CREATE FUNCTION tell_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY adsvc_outbox;
    RETURN NULL;
END $$
"""

USER_COLUMNS: tuple[sa.Column[Any], ...] = (
    sa.Column("mail", sa.Text(), nullable=True),
    sa.Column("mail_verified", sa.Boolean(), server_default=sa.false(), nullable=False),
    sa.Column("mail_pending", sa.Text(), nullable=True),
    sa.Column("language", sa.Text(), nullable=True),
)


def upgrade() -> None:
    # Columns that are null, or have one value by default, write no row anew; the foreign key locks
    # the accounts against changes for a moment.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for column in USER_COLUMNS:
        op.add_column("users", column)
    op.create_table(
        "mail_tokens",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_mail_tokens"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_mail_tokens_user_id_users", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_mail_tokens_user_id", "mail_tokens", ["user_id"])
    op.create_index("ix_mail_tokens_expires_at", "mail_tokens", ["expires_at"])
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", JSONB(), nullable=False),
        sa.Column(
            "message_id", sa.Uuid(), server_default=sa.func.gen_random_uuid(), nullable=False
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("not_before", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.Column("dead_at", MOMENT, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
    )
    for state, columns, condition in (
        ("due", ["not_before", "id"], "dead_at IS NULL"),
        ("dead", ["dead_at", "id"], "dead_at IS NOT NULL"),
    ):
        op.create_index(
            f"ix_outbox_{state}", "outbox", columns, postgresql_where=sa.text(condition)
        )
    op.execute(TELL_OUTBOX)
    op.execute(
        "CREATE TRIGGER tell_outbox AFTER INSERT ON outbox"
        " FOR EACH STATEMENT EXECUTE FUNCTION tell_outbox()"
    )
    op.create_table(
        "jobs",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("began_at", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.Column("seconds", sa.Float(), server_default="0", nullable=False),
        sa.Column("runs", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failures", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("succeeded_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_jobs"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_table("jobs")
    op.drop_table("outbox")
    op.execute("DROP FUNCTION tell_outbox()")
    op.drop_table("mail_tokens")
    for column in USER_COLUMNS:
        op.drop_column("users", column.name)
