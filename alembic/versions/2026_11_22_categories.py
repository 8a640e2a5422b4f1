"""Categories, and the attributes of ads

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

EVENTS = ("INSERT", "UPDATE", "DELETE", "TRUNCATE")
# Processes keep the whole tree, so which category it was does not matter to them.
TELL_CATEGORIES = """
CREATE FUNCTION tell_categories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('adsvc', 'category:');
    RETURN NULL;
END $$
"""


def json_column(name: str, empty: str) -> sa.Column[object]:
    return sa.Column(name, JSONB(), server_default=sa.text(f"'{empty}'"), nullable=False)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "categories",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.BigInteger(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        json_column("names", "{}"),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        json_column("attributes", "[]"),
        sa.PrimaryKeyConstraint("id", name="pk_categories"),
        sa.UniqueConstraint("slug", name="uq_categories_slug"),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["categories.id"],
            name="fk_categories_parent_id_categories",
        ),
    )
    op.create_index("ix_categories_parent_id", "categories", ["parent_id"])
    op.create_table(
        "category_ad_totals",
        sa.Column("category_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("slot", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("ads", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("category_id", "slot", name="pk_category_ad_totals"),
        sa.ForeignKeyConstraint(
            ["category_id"],
            ["categories.id"],
            name="fk_category_ad_totals_category_id_categories",
            ondelete="CASCADE",
        ),
    )
    # Constants, so that no row is written anew.
    op.add_column("ads", sa.Column("category_id", sa.BigInteger(), nullable=True))
    op.add_column("ads", json_column("attributes", "{}"))
    op.add_column("ads", sa.Column("attribute_words", sa.Text(), server_default="", nullable=False))
    # The next migration validates it, without keeping anybody from writing.
    op.create_foreign_key(
        "fk_ads_category_id_categories",
        "ads",
        "categories",
        ["category_id"],
        ["id"],
        postgresql_not_valid=True,
    )
    op.execute(TELL_CATEGORIES)
    for event in EVENTS:
        op.execute(
            f"CREATE TRIGGER tell_categories_{event.lower()} AFTER {event} ON categories"
            " FOR EACH STATEMENT EXECUTE FUNCTION tell_categories()"
        )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_constraint("fk_ads_category_id_categories", "ads")
    for column in ("attribute_words", "attributes", "category_id"):
        op.drop_column("ads", column)
    op.drop_table("category_ad_totals")
    op.drop_table("categories")
    op.execute("DROP FUNCTION tell_categories()")
