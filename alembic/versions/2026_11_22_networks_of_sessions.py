"""From which network a session was last used, as a keyed hash

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # A column that may be null changes no row; what waits for the table longer gives up.
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.add_column("sessions", sa.Column("network_hash", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("sessions", "network_hash")
