"""Users, ads, their counts, and the state of the rate limits

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# The connection's own process chooses the slot, so that concurrent writers rarely share a row.
KEEP_TOTALS = """
CREATE FUNCTION keep_ad_totals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    INSERT INTO ad_totals AS t (slot, ads)
    SELECT pg_backend_pid() % 16, step * count(*) FROM changed HAVING count(*) > 0
    ON CONFLICT (slot) DO UPDATE SET ads = t.ads + excluded.ads;
    -- An author who is being deleted takes the row along; ordering prevents deadlocks.
    INSERT INTO author_ad_totals AS t (author_id, ads)
    SELECT author_id, step * count(*) FROM changed
    WHERE EXISTS (SELECT FROM users WHERE users.id = author_id)
    GROUP BY author_id ORDER BY author_id
    ON CONFLICT (author_id) DO UPDATE SET ads = t.ads + excluded.ads;
    RETURN NULL;
END $$
"""


def timestamps(*names: str) -> list[sa.Column[object]]:
    return [
        sa.Column(name, sa.DateTime(timezone=True), server_default=sa.func.now(), nullable=False)
        for name in names
    ]


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("username_key", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("first_name", sa.Text(), nullable=False),
        sa.Column("last_name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text(), nullable=False),
        sa.Column(
            "role",
            sa.Enum("USER", "ADMIN", native_enum=False, create_constraint=True, name="role"),
            nullable=False,
        ),
        sa.Column("image", sa.Text(), nullable=True),
        *timestamps("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("username_key", name="uq_users_username_key"),
    )
    op.create_table(
        "ads",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("author_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        *timestamps("created_at", "updated_at"),
        sa.PrimaryKeyConstraint("id", name="pk_ads"),
        sa.ForeignKeyConstraint(
            ["author_id"], ["users.id"], name="fk_ads_author_id_users", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_ads_author_id_id", "ads", ["author_id", "id"])
    op.create_index("ix_ads_image", "ads", ["image"])
    op.create_table(
        "ad_totals",
        sa.Column("slot", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("ads", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("slot", name="pk_ad_totals"),
    )
    op.create_table(
        "author_ad_totals",
        sa.Column("author_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ads", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("author_id", name="pk_author_ad_totals"),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["users.id"],
            name="fk_author_ad_totals_author_id_users",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "rate_limits",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_rate_limits"),
        prefixes=["UNLOGGED"],
    )
    op.create_index("ix_rate_limits_due_at", "rate_limits", ["due_at"])
    op.execute(KEEP_TOTALS)
    for event, table in (("INSERT", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER keep_totals_on_{event.lower()} AFTER {event} ON ads "
            f"REFERENCING {table} TABLE AS changed "
            "FOR EACH STATEMENT EXECUTE FUNCTION keep_ad_totals()"
        )


def downgrade() -> None:
    for table in ("rate_limits", "author_ad_totals", "ad_totals", "ads", "users"):
        op.drop_table(table)
    op.execute("DROP FUNCTION keep_ad_totals()")
