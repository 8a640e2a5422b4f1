"""From where accounts log in

Revision ID: 0041
Revises: 0040
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    moment = TIMESTAMP(timezone=True, precision=3)
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("device", sa.Text(), nullable=False),
        sa.Column("last_used_at", moment, server_default=sa.func.now(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_sign_ins_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ins"),
        sa.UniqueConstraint(
            "user_id", "network", "device", name="uq_sign_ins_user_id_network_device"
        ),
    )
    op.create_index("ix_sign_ins_last_used_at", "sign_ins", ["last_used_at"])


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_table("sign_ins")
