"""Parts of saved queries

Revision ID: 0043
Revises: 0042
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP, TSQUERY

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None
oldest_head = None  # no released version has the table whose constraint is dropped

MOMENT = TIMESTAMP(timezone=True, precision=3)
PARTS: dict[str, sa.types.TypeEngine[Any]] = {
    "words": TSQUERY(),
    "min_price": sa.BigInteger(),
    "max_price": sa.BigInteger(),
    "author": sa.BigInteger(),
    "created_after": MOMENT,
    "created_before": MOMENT,
    "type_of_price": sa.Text(),
    "category": sa.Text(),
    "circle": ARRAY(sa.DOUBLE_PRECISION()),
    "box": ARRAY(sa.DOUBLE_PRECISION()),
}
OF_QUERY = "fk_query_matches_query_id_saved_queries"
NOT_DUE = "ix_saved_searches_not_due"


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "matched_queries",
        sa.Column("query_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("query_id", name="pk_matched_queries"),
    )
    op.drop_constraint(OF_QUERY, "query_matches")
    for name, kind in PARTS.items():
        op.add_column("saved_queries", sa.Column(name, kind, nullable=True))
    op.add_column(
        "saved_queries",
        sa.Column("has_attributes", sa.Boolean(), server_default=sa.false(), nullable=False),
    )
    # Matching waits until each has its parts. No released version has saved searches, so there are
    # few.
    op.execute("UPDATE saved_queries SET keyed_at = '-infinity'")
    with op.get_context().autocommit_block():
        # Of an attempt that was broken off an index remains that is of no use.
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {NOT_DUE}")
        op.execute(
            f"CREATE INDEX CONCURRENTLY {NOT_DUE} ON saved_searches (query_id)"
            " WHERE due_at IS NULL AND notify <> 'never'"
        )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_index(NOT_DUE, table_name="saved_searches")
    for name in ("has_attributes", *PARTS):
        op.drop_column("saved_queries", name)
    op.drop_table("matched_queries")
    op.execute("DELETE FROM query_matches WHERE query_id NOT IN (SELECT id FROM saved_queries)")
    op.create_foreign_key(
        OF_QUERY, "query_matches", "saved_queries", ["query_id"], ["id"], ondelete="CASCADE"
    )
