"""Imports of ads

Revision ID: 0112
Revises: 0111
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0112"
down_revision = "0111"
branch_labels = None
depends_on = None
oldest_head = None


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "imports",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("dry_run", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("unchanged", sa.Integer(), nullable=False),
        sa.Column(
            "created_at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("ended_at", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "status IN ('running', 'waiting', 'done', 'replaced')", name=op.f("ck_imports_status")
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], name=op.f("fk_imports_owner_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
    )
    op.create_index(
        "ix_imports_ended_at",
        "imports",
        ["ended_at"],
        unique=False,
        postgresql_where=sa.text("ended_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_imports_owner_id"), "imports", ["owner_id"], unique=False)
    op.create_index(
        "ix_imports_running",
        "imports",
        ["id"],
        unique=False,
        postgresql_where=sa.text("status = 'running'"),
    )
    op.create_index(
        "uq_imports_under_way",
        "imports",
        ["owner_id"],
        unique=True,
        postgresql_where=sa.text("status IN ('running', 'waiting')"),
    )
    op.create_table(
        "import_rows",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("import_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("ad_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "sent", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column("digest", sa.LargeBinary(), nullable=True),
        sa.Column("images_digest", sa.LargeBinary(), nullable=True),
        sa.Column("fetches", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column(
            "faults", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "next_at",
            postgresql.TIMESTAMP(timezone=True, precision=3),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("claimed_until", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending', 'created', 'updated', 'withdrawn', 'failed')",
            name=op.f("ck_import_rows_status"),
        ),
        sa.ForeignKeyConstraint(
            ["import_id"],
            ["imports.id"],
            name=op.f("fk_import_rows_import_id_imports"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_import_rows")),
    )
    op.create_index(
        "ix_import_rows_claimed",
        "import_rows",
        ["import_id"],
        unique=False,
        postgresql_where=sa.text("claimed_until IS NOT NULL"),
    )
    op.create_index(
        "ix_import_rows_due",
        "import_rows",
        ["import_id", "next_at", "number"],
        unique=False,
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        op.f("ix_import_rows_import_id_status_number"),
        "import_rows",
        ["import_id", "status", "number"],
        unique=False,
    )
    op.create_table(
        "imported_ads",
        sa.Column("ad_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("images_digest", sa.LargeBinary(), nullable=False),
        sa.Column("revision", postgresql.TIMESTAMP(timezone=True, precision=3), nullable=False),
        sa.ForeignKeyConstraint(
            ["ad_id"], ["ads.id"], name=op.f("fk_imported_ads_ad_id_ads"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("ad_id", name=op.f("pk_imported_ads")),
    )
