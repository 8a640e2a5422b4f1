"""Invitations to register

Revision ID: 0118
Revises: 0117
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0118"
down_revision = "0117"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    moment = postgresql.TIMESTAMP(timezone=True, precision=3)
    op.create_table(
        "invitations",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("created_at", moment, server_default=sa.text("now()"), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), server_default="0", nullable=False),
        sa.Column("expires_at", moment),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("hash", name=op.f("uq_invitations_hash")),
    )
