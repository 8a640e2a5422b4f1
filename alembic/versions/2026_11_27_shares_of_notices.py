"""Shares of mails about notices, their digests, and what authors are told of their ads

Revision ID: 0058
Revises: 0057
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None
oldest_head = None

MOMENT = TIMESTAMP(timezone=True, precision=3)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "notice_paces",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("next_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("user_id", name="pk_notice_paces"),
    )
    op.create_table(
        "notice_mails",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sent", JSONB(), server_default="{}", nullable=False),
        sa.Column("has_digest", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_notice_mails_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name="pk_notice_mails"),
    )
    op.create_table(
        "digested_notices",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_digested_notices_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("entry_id", name="pk_digested_notices"),
    )
    op.create_index(
        "ix_digested_notices_user_id_entry_id", "digested_notices", ["user_id", "entry_id"]
    )
    op.execute(
        "INSERT INTO consumers (name, position)"
        " VALUES ('own-endings', (extract(epoch FROM now()) * 1000)::bigint)"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DELETE FROM consumers WHERE name = 'own-endings'")
    op.execute("DELETE FROM outbox WHERE kind = 'digest'")
    for table in ("digested_notices", "notice_mails", "notice_paces"):
        op.drop_table(table)
