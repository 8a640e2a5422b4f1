"""Sessions, comments and their counts

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

KEEP_TOTALS = """
CREATE FUNCTION keep_comment_totals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    -- An ad that is being deleted takes the row along; ordering prevents deadlocks.
    INSERT INTO ad_comment_totals AS t (ad_id, comments)
    SELECT ad_id, step * count(*) FROM changed
    WHERE EXISTS (SELECT FROM ads WHERE ads.id = ad_id)
    GROUP BY ad_id ORDER BY ad_id
    ON CONFLICT (ad_id) DO UPDATE SET comments = t.comments + excluded.comments;
    RETURN NULL;
END $$
"""


def timestamp(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)


def owner(column: str, table: str, owners: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}_{owners}"
    return sa.ForeignKeyConstraint([column], [f"{owners}.id"], name=name, ondelete="CASCADE")


def upgrade() -> None:
    op.create_index("ix_users_image", "users", ["image"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("handle_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("client", sa.Text(), nullable=False),
        timestamp("began_at"),
        timestamp("last_used_at"),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("handle_hash", name="uq_sessions_handle_hash"),
        owner("user_id", "sessions", "users"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "comments",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("ad_id", sa.BigInteger(), nullable=False),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        timestamp("created_at"),
        timestamp("updated_at"),
        sa.PrimaryKeyConstraint("id", name="pk_comments"),
        owner("ad_id", "comments", "ads"),
        owner("author_id", "comments", "users"),
    )
    op.create_index("ix_comments_ad_id_id", "comments", ["ad_id", "id"])
    op.create_index("ix_comments_author_id", "comments", ["author_id"])
    op.create_table(
        "ad_comment_totals",
        sa.Column("ad_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("comments", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ad_id", name="pk_ad_comment_totals"),
        owner("ad_id", "ad_comment_totals", "ads"),
    )
    op.execute(KEEP_TOTALS)
    for event, table in (("INSERT", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER keep_totals_on_{event.lower()} AFTER {event} ON comments "
            f"REFERENCING {table} TABLE AS changed "
            "FOR EACH STATEMENT EXECUTE FUNCTION keep_comment_totals()"
        )


def downgrade() -> None:
    for table in ("ad_comment_totals", "comments", "sessions"):
        op.drop_table(table)
    op.drop_index("ix_users_image", "users")
    op.execute("DROP FUNCTION keep_comment_totals()")
