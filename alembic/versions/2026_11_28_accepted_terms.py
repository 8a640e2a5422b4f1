"""The versions of the terms that accounts have accepted

Revision ID: 0120
Revises: 0119
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0120"
down_revision = "0119"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    moment = postgresql.TIMESTAMP(timezone=True, precision=3)
    op.create_table(
        "accepted_terms",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("page", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("at", moment, server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accepted_terms")),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["users.id"],
            name=op.f("fk_accepted_terms_user_id_users"),
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "user_id", "page", "version", name=op.f("uq_accepted_terms_user_id_page_version")
        ),
    )
