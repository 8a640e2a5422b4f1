"""No search for the ads of a new category

It has none, and each that comes gets the words. All ads of a catalogue that was brought in were
written a second time.

Revision ID: 0055
Revises: 0054
"""

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute("ALTER TABLE category_words ALTER reworded DROP DEFAULT")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("ALTER TABLE category_words ALTER reworded SET DEFAULT 0")
