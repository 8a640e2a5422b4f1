"""Second factors: authenticator apps and recovery codes

Revision ID: 0035
Revises: 0034
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None
oldest_head = None


def _owner() -> sa.Column[int]:
    return sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False)


def _of_account(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_user_id_users"
    return sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    moment = TIMESTAMP(timezone=True, precision=3)
    op.add_column(
        "users",
        sa.Column("has_totp", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
    op.add_column("sessions", sa.Column("factor_at", moment, nullable=True))
    op.create_table(
        "totps",
        _owner(),
        sa.Column("secret", sa.LargeBinary(), nullable=True),
        sa.Column("last_step", sa.BigInteger(), nullable=True),
        sa.Column("pending", sa.LargeBinary(), nullable=True),
        _of_account("totps"),
        sa.PrimaryKeyConstraint("user_id", name="pk_totps"),
    )
    op.create_table(
        "recovery_codes",
        _owner(),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        _of_account("recovery_codes"),
        sa.PrimaryKeyConstraint("user_id", "hash", name="pk_recovery_codes"),
    )
    op.create_table(
        "used_challenges",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("expires_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_used_challenges"),
    )
    op.create_index("ix_used_challenges_expires_at", "used_challenges", ["expires_at"])


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_table("used_challenges")
    op.drop_table("recovery_codes")
    op.drop_table("totps")
    op.drop_column("sessions", "factor_at")
    op.drop_column("users", "has_totp")
