"""The first answers to requests with an Idempotency-Key

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # The foreign key locks the table of accounts against changes, for a moment.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "idempotency_keys",
        sa.Column("id", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("claim", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=True),
        sa.Column("headers", JSONB(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_idempotency_keys"),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name="fk_idempotency_keys_user_id_users",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_idempotency_keys_expires_at", "idempotency_keys", ["expires_at"])
    op.create_index("ix_idempotency_keys_user_id", "idempotency_keys", ["user_id"])


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("idempotency_keys")
