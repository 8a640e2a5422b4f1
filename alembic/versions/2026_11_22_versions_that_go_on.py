"""Which versions of the service can work on this schema

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

# The head of the oldest version that works on the schema as it is now. A migration that takes away
# what an older version uses updates the row: to the head of the oldest that does without.
OLDEST = "0010"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column(
        "installation",
        sa.Column("oldest_head", sa.Text(), server_default=OLDEST, nullable=False),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_column("installation", "oldest_head")
