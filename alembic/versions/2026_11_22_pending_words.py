"""How many words of new ads wait to be indexed

Revision ID: 0010
Revises: 0009
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

INDEXES = ("ix_ads_search", "ix_ads_title_search")


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for index in INDEXES:
        # In kB. Every search reads all that waits, and 4 MB, the default, take it 20 ms.
        op.execute(f"ALTER INDEX {index} SET (gin_pending_list_limit = 256)")


def downgrade() -> None:
    for index in INDEXES:
        op.execute(f"ALTER INDEX {index} RESET (gin_pending_list_limit)")
