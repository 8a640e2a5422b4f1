"""How many bytes the pictures of each account take

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# One account's row: who adds a picture holds it until the commit, so that a sum read meanwhile in
# the same transaction is everybody's.
KEEP_TOTALS = """
CREATE FUNCTION keep_image_totals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO image_totals AS t (owner_id, bytes)
        SELECT owner_id, sum(bytes) FROM changed GROUP BY owner_id ORDER BY owner_id
        ON CONFLICT (owner_id) DO UPDATE SET bytes = t.bytes + excluded.bytes;
    ELSE
        -- An account that is being deleted takes its row along.
        UPDATE image_totals t SET bytes = t.bytes - c.bytes
        FROM (SELECT owner_id, sum(bytes) AS bytes FROM changed GROUP BY owner_id) c
        WHERE t.owner_id = c.owner_id;
    END IF;
    RETURN NULL;
END $$
"""
# Whatever has no row that names it any more counts for nobody, whoever removed that row.
RELEASE = """
CREATE FUNCTION release_images() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM images USING queued WHERE images.name = queued.name;
    RETURN NULL;
END $$
"""


def upgrade() -> None:
    # Whoever holds a table for long makes this fail, not everybody else wait behind it.
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.create_table(
        "images",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_images"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], "fk_images_owner_id_users", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_images_owner_id", "images", ["owner_id"])
    op.create_table(
        "image_totals",
        sa.Column("owner_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", name="pk_image_totals"),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], "fk_image_totals_owner_id_users", ondelete="CASCADE"
        ),
    )
    op.execute(KEEP_TOTALS)
    for event, rows in (("INSERT", "NEW"), ("DELETE", "OLD")):
        op.execute(
            f"CREATE TRIGGER keep_totals_on_{event.lower()} AFTER {event} ON images"
            f" REFERENCING {rows} TABLE AS changed"
            " FOR EACH STATEMENT EXECUTE FUNCTION keep_image_totals()"
        )
    op.execute(RELEASE)
    op.execute(
        "CREATE TRIGGER release_images AFTER INSERT ON picture_deletions"
        " REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION release_images()"
    )


def downgrade() -> None:
    op.execute("DROP FUNCTION release_images() CASCADE")
    op.drop_table("image_totals")
    op.drop_table("images")
    op.execute("DROP FUNCTION keep_image_totals()")
