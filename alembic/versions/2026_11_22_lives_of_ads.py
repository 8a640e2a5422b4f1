"""The status of an ad, when it expires, and what happened to it

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

STATUSES = ("draft", "active", "reserved", "sold", "withdrawn", "expired")
MOMENT = TIMESTAMP(timezone=True, precision=3)
COLUMNS = {
    "ads": (
        sa.Column("status", sa.Text(), server_default="active", nullable=False),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.Column("sold_at", MOMENT, nullable=True),
    ),
    "author_ad_totals": (sa.Column("hidden", sa.BigInteger(), server_default="0", nullable=False),),
}


def upgrade() -> None:
    # Whoever holds a table for long makes this fail, not everybody else wait behind it.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for table, columns in COLUMNS.items():
        for column in columns:
            op.add_column(table, column)
    # Without a look at what is there: that is for a later migration, which locks nobody out.
    op.execute(
        "ALTER TABLE ads ADD CONSTRAINT ck_ads_status"
        f" CHECK (status IN ({', '.join(map(repr, STATUSES))})) NOT VALID"
    )
    op.create_table(
        "ad_events",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("ad_id", sa.BigInteger(), nullable=False),
        sa.Column("actor_id", sa.BigInteger(), nullable=True),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("from_status", sa.Text(), nullable=True),
        sa.Column("to_status", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ad_events"),
        sa.ForeignKeyConstraint(
            ["ad_id"], ["ads.id"], "fk_ad_events_ad_id_ads", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["users.id"], "fk_ad_events_actor_id_users", ondelete="SET NULL"
        ),
    )
    op.create_index("ix_ad_events_ad_id_id", "ad_events", ["ad_id", "id"])
    op.create_index(
        "ix_ad_events_actor_id",
        "ad_events",
        ["actor_id"],
        postgresql_where=sa.text("actor_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.drop_table("ad_events")
    op.execute("ALTER TABLE ads DROP CONSTRAINT ck_ads_status")
    for table, columns in COLUMNS.items():
        for column in columns:
            op.drop_column(table, column.name)
