"""The costs of bcrypt hashes that were brought along

Revision ID: 0009
Revises: 0008
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Holds up writes to accounts for as long as reading the table once takes.
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(
        "CREATE INDEX ix_users_bcrypt_cost ON users (substr(password_hash, 5, 2))"
        r" WHERE password_hash ~ '^\$2[abxy]\$(0[4-9]|1[0-4])\$'"
    )


def downgrade() -> None:
    op.drop_index("ix_users_bcrypt_cost", "users")
