"""Places of GeoNames: towns, villages and areas with postcodes, and the names that find them

Revision ID: 0064
Revises: 0063
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "places",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("region", sa.Text()),
        sa.Column("population", sa.BigInteger(), nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False),
        sa.Column("longitude", sa.Double(), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("postcode", sa.Text()),
        sa.Column("names", JSONB()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_places")),
    )
    op.create_index("ix_places_cell", "places", ["cell"])
    op.create_index("ix_places_country", "places", ["country"])
    op.create_table(
        "place_keys",
        sa.Column("place_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("cell", sa.Integer(), nullable=False),
        sa.Column("weight", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("place_id", "key", name=op.f("pk_place_keys")),
    )
    op.create_index(
        "ix_place_keys_key",
        "place_keys",
        ["key", sa.text("weight DESC")],
        postgresql_include=["place_id"],
    )
    op.create_index(
        "ix_place_keys_cell_key",
        "place_keys",
        ["cell", "key"],
        postgresql_include=["place_id", "weight"],
    )
    op.create_index(
        "ix_place_keys_beginning",
        "place_keys",
        [sa.text("left(key, 2)"), sa.text("weight DESC")],
        postgresql_include=["place_id", "key"],
    )
    op.create_table(
        "place_sources",
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("country", name=op.f("pk_place_sources")),
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    for table in ("place_sources", "place_keys", "places"):
        op.drop_table(table)
