"""${message}

Revision ID: ${up_revision}
Revises: ${down_revision | comma,n}
"""

from alembic import op

revision = "${up_revision}"
down_revision = "${down_revision}"
branch_labels = None
depends_on = None

# The head of the oldest version that works on the schema from here on, if this migration takes away
# what older ones use. None: it only adds, or changes what no version before it uses; where
# something is dropped or renamed, the reason stands in a comment beside the None.
oldest_head = None


def upgrade() -> None:
    # A statement that waits for a lock on a busy table holds up all who come after it: it gives up
    # instead, the migration is rolled back, and can be tried again. One statement on a large table
    # may take long, one that locks it may not: see CONTRIBUTING.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    ${upgrades if upgrades else "pass"}
