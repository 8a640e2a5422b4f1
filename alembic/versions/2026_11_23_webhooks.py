"""Webhooks, and the deliveries to them

Revision ID: 0030
Revises: 0029
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None
oldest_head = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("types", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("creator_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("old_secret", sa.LargeBinary(), nullable=True),
        sa.Column("old_secret_until", MOMENT, nullable=True),
        sa.Column("position", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failing_since", MOMENT, nullable=True),
        sa.Column("paused_until", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.ForeignKeyConstraint(
            ["creator_id"], ["users.id"], name="fk_webhooks_creator_id_users", ondelete="SET NULL"
        ),
    )
    op.create_index("ix_webhooks_creator_id", "webhooks", ["creator_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("webhook_id", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Uuid(), nullable=False),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("next_at", MOMENT, nullable=True),
        sa.Column("claimed_until", MOMENT, nullable=True),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("created_at", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name="fk_webhook_deliveries_webhook_id_webhooks",
            ondelete="CASCADE",
        ),
        sa.CheckConstraint(
            "status IN ('pending', 'delivered', 'failed')", name="ck_webhook_deliveries_status"
        ),
    )
    table = "webhook_deliveries"
    op.create_index(
        "uq_webhook_deliveries_event",
        table,
        ["webhook_id", "event_id"],
        unique=True,
        postgresql_where="event_id > 0",
    )
    op.create_index("ix_webhook_deliveries_webhook_id_id", table, ["webhook_id", "id"])
    for name, columns, where in (
        ("due", ["webhook_id", "next_at", "id"], "status = 'pending'"),
        ("claimed", ["webhook_id"], "claimed_until IS NOT NULL"),
        ("failed", ["webhook_id", "id"], "status = 'failed'"),
        ("ended", ["ended_at", "id"], "ended_at IS NOT NULL"),
    ):
        op.create_index(f"ix_webhook_deliveries_{name}", table, columns, postgresql_where=where)


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
