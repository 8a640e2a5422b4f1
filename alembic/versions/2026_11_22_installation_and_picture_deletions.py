"""The installation's id, and the pictures that are still to be deleted

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# In the transaction after which no row names a picture, whoever ends it, be it a cascade.
QUEUE_PICTURES = """
CREATE FUNCTION queue_picture_deletions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO picture_deletions (name)
        SELECT image FROM old_rows WHERE image IS NOT NULL ORDER BY image
        ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO picture_deletions (name)
        SELECT o.image FROM old_rows o JOIN new_rows n USING (id)
        WHERE o.image IS NOT NULL AND o.image IS DISTINCT FROM n.image ORDER BY o.image
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$
"""
# Once more when the file is gone: whoever read it meanwhile keeps it in memory no longer.
TELL_PICTURES = """
CREATE FUNCTION tell_picture_deletions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes('image', array_agg(name)) FROM old_rows HAVING count(*) > 0;
    RETURN NULL;
END $$
"""


def upgrade() -> None:
    # Whoever holds a table for long makes this fail, not everybody else wait behind it.
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "installation",
        sa.Column("single", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("id", sa.Uuid(), server_default=sa.func.gen_random_uuid(), nullable=False),
        sa.PrimaryKeyConstraint("single", name="pk_installation"),
        sa.CheckConstraint("single", name="one_row"),
    )
    op.execute("INSERT INTO installation DEFAULT VALUES")
    op.create_table(
        "picture_deletions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_picture_deletions"),
    )
    op.execute(QUEUE_PICTURES)
    for table in ("ads", "users"):
        for event, rows in (
            ("DELETE", "OLD TABLE AS old_rows"),
            ("UPDATE", "OLD TABLE AS old_rows NEW TABLE AS new_rows"),
        ):
            op.execute(
                f"CREATE TRIGGER queue_pictures_on_{event.lower()} AFTER {event} ON {table}"
                f" REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION queue_picture_deletions()"
            )
    op.execute(TELL_PICTURES)
    op.execute(
        "CREATE TRIGGER tell_picture_deletions AFTER DELETE ON picture_deletions"
        " REFERENCING OLD TABLE AS old_rows"
        " FOR EACH STATEMENT EXECUTE FUNCTION tell_picture_deletions()"
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION queue_picture_deletions() CASCADE")
    op.execute("DROP FUNCTION tell_picture_deletions() CASCADE")
    op.drop_table("picture_deletions")
    op.drop_table("installation")
