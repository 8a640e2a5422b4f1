"""Deletions that can be undone

Revision ID: 0113
Revises: 0112
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0113"
down_revision = "0112"
branch_labels = None
depends_on = None
oldest_head = None

MOMENT = postgresql.TIMESTAMP(timezone=True, precision=3)
SKIP = """
CREATE FUNCTION skip_retained_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    begins text := split_part(split_part(NEW.name, '.', 1), '-', 1);
BEGIN
    -- A variant has another extension than its picture.
    IF EXISTS (
        SELECT FROM hidden_pictures WHERE deletion_id IS NOT NULL
        AND name IN (NEW.name, begins || '.jpg', begins || '.png', begins || '.webp')
    ) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$
"""
ON_INSERT = """
CREATE TRIGGER skip_retained BEFORE INSERT ON picture_deletions
FOR EACH ROW EXECUTE FUNCTION skip_retained_pictures()
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "deletions",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=sa.func.now(), nullable=False),
        sa.Column("ends_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_deletions"),
    )
    op.create_index("ix_deletions_owner_id", "deletions", ["owner_id"])
    op.create_index("ix_deletions_ends_at", "deletions", ["ends_at"])
    op.create_table(
        "deleted_rows",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("deletion_id", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("content", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["deletion_id"],
            ["deletions.id"],
            name="fk_deleted_rows_deletion_id_deletions",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_deleted_rows"),
    )
    op.create_index("ix_deleted_rows_deletion_id_place", "deleted_rows", ["deletion_id", "place"])
    op.add_column("hidden_pictures", sa.Column("deletion_id", sa.BigInteger()))
    op.create_foreign_key(
        "fk_hidden_pictures_deletion_id_deletions",
        "hidden_pictures",
        "deletions",
        ["deletion_id"],
        ["id"],
        ondelete="SET NULL",
    )
    op.create_index("ix_hidden_pictures_deletion_id", "hidden_pictures", ["deletion_id"])
    op.execute(SKIP)
    op.execute(ON_INSERT)
