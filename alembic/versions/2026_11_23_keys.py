"""Keys for programs

Revision ID: 0031
Revises: 0030
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None
oldest_head = None

# A process of the version before knows no kind `key`, and forgets everything at this notice.
TELL_DELETED = """
CREATE FUNCTION tell_keys_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_changes('key', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    RETURN NULL;
END $$
"""
TELL_TRUNCATED = """
CREATE FUNCTION tell_keys_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_changes('key', '{""}');
    RETURN NULL;
END $$
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    moment = TIMESTAMP(timezone=True, precision=3)
    op.create_table(
        "keys",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", ARRAY(sa.Text()), nullable=False),
        sa.Column("created_at", moment, server_default=sa.func.now(), nullable=False),
        sa.Column("expires_at", moment, nullable=True),
        sa.Column("last_used_at", moment, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_keys_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
        sa.UniqueConstraint("hash", name="uq_keys_hash"),
    )
    op.create_index("ix_keys_user_id", "keys", ["user_id"])
    op.execute(TELL_DELETED)
    op.execute(TELL_TRUNCATED)
    op.execute(
        "CREATE TRIGGER tell_keys_delete AFTER DELETE ON keys"
        " REFERENCING OLD TABLE AS old_rows"
        " FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_delete()"
    )
    op.execute(
        "CREATE TRIGGER tell_keys_truncate AFTER TRUNCATE ON keys"
        " FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_truncate()"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.drop_table("keys")
    op.execute("DROP FUNCTION tell_keys_delete()")
    op.execute("DROP FUNCTION tell_keys_truncate()")
