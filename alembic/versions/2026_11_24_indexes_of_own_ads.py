"""Indexes that an author's ads are counted by, and of what was not finished

Revision ID: 0052
Revises: 0051
"""

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None
oldest_head = None

SHOWN = "status IN ('active', 'reserved')"
UNFINISHED = (
    "status = 'draft' OR status = 'withdrawn'"
    " AND (title = '' OR description = '' OR image = '' OR NOT is_priced)"
)
HIDDEN = "status NOT IN ('active', 'reserved')"

# Each new one serves what an old one did, also for the version before.
NEW = {
    "ix_ads_shown_author_id_counted": f"(author_id, id) INCLUDE (status, expires_at) WHERE {SHOWN}",
    "ix_ads_hidden_author_id_status": f"(author_id, status) WHERE {HIDDEN}",
    "ix_ads_unfinished_author_id_id": f"(author_id, id) WHERE {UNFINISHED}",
}
OLD = {
    "ix_ads_shown_author_id_id": f"(author_id, id) INCLUDE (expires_at) WHERE {SHOWN}",
    "ix_ads_draft_author_id_id": "(author_id, id) WHERE status = 'draft'",
    "ix_ads_sold_author_id": "(author_id) WHERE status = 'sold'",
}


def upgrade() -> None:
    with op.get_context().autocommit_block():
        for name, content in NEW.items():
            # Of an attempt that was broken off an index remains that is of no use.
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON ads {content}")
        for name in OLD:
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for name, content in OLD.items():
        op.execute(f"CREATE INDEX {name} ON ads {content}")
    for name in NEW:
        op.execute(f"DROP INDEX IF EXISTS {name}")
