"""Unfinished drafts: ads without a price or a picture

Revision ID: 0047
Revises: 0046
"""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None
oldest_head = None

DRAFTS = "ix_ads_draft_author_id_id"

# An ad without a picture has an empty text instead of a name.
QUEUE = """
CREATE OR REPLACE FUNCTION queue_picture_deletions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO picture_deletions (name)
        SELECT image FROM old_rows WHERE {some} ORDER BY image
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
OF_PICTURE = """
CREATE OR REPLACE FUNCTION tell_ad_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {noted}
    RETURN NULL;
END $$
"""
NOTED = "PERFORM note_changes('image', ARRAY[OLD.image]);"
NOTED_IF_ANY = f"""IF OLD.image <> '' THEN
        {NOTED}
    END IF;"""
OF_DELETION = """
CREATE OR REPLACE FUNCTION tell_ads_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (notice, type, ad_id, user_id, data)
    SELECT concat_ws(':', 'ad', id, author_id, coalesce(category_id, 0), 0, CASE WHEN old_rows.status IN ('active', 'reserved') THEN 's' ELSE '' END), 'ad.deleted', id, author_id, '{{}}' FROM old_rows ORDER BY id;
    IF NOT has_sequencer() THEN
        PERFORM tell_changes('ad', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    END IF;
    PERFORM note_changes('image', array_agg(image)) FROM old_rows {some}HAVING count(*) > 0;
    RETURN NULL;
END $$
"""  # noqa: E501 - as it was


def upgrade() -> None:
    with op.get_context().autocommit_block():
        # Of an attempt that was broken off an index remains that is of no use.
        op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {DRAFTS}")
        op.execute(
            f"CREATE INDEX CONCURRENTLY {DRAFTS} ON ads (author_id, id) WHERE status = 'draft'"
        )
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column(
        "ads", sa.Column("is_priced", sa.Boolean(), server_default=sa.text("true"), nullable=False)
    )
    op.execute(QUEUE.format(some="image <> ''"))
    op.execute(OF_PICTURE.format(noted=NOTED_IF_ANY))
    op.execute(OF_DELETION.format(some="WHERE image <> '' "))


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    # The version before cannot show them.
    op.execute("DELETE FROM ads WHERE image = ''")
    op.execute(OF_DELETION.format(some=""))
    op.execute(OF_PICTURE.format(noted=NOTED))
    op.execute(QUEUE.format(some="image IS NOT NULL"))
    op.drop_column("ads", "is_priced")
    op.execute(f"DROP INDEX IF EXISTS {DRAFTS}")
