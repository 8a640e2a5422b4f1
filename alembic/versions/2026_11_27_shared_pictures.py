"""A variant of pictures for previews of links

The version before writes no such variant and deletes none. The functions of its triggers name it
from here on; `adsvc images rebuild` makes those that are missing.

Revision ID: 0062
Revises: 0061
"""

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None
oldest_head = None

QUEUE = """
CREATE OR REPLACE FUNCTION queue_picture_with_variants(picture text) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO picture_deletions (name)
    SELECT file FROM unnest(ARRAY[
        picture, {variants}
    ]) AS file ORDER BY file
    ON CONFLICT DO NOTHING;
$$
"""
QUEUE_HIDDEN = """
CREATE OR REPLACE FUNCTION queue_hidden_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A trigger of a statement runs without rows too: the one below would never end.
    IF EXISTS (SELECT FROM queued JOIN hidden_pictures USING (name)) THEN
        WITH gone AS (
            DELETE FROM hidden_pictures USING queued WHERE hidden_pictures.name = queued.name
            RETURNING stem, split_part(hidden_pictures.name, '.', 2) AS extension
        )
        INSERT INTO picture_deletions (name)
        SELECT file FROM gone, unnest(ARRAY[
            stem || '.' || extension, {variants}
        ]) AS file ORDER BY file
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$
"""
TELL = """
CREATE OR REPLACE FUNCTION tell_hidden_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_changes('image', array_agg(file)) FROM new_rows, unnest(ARRAY[
        name, {variants}
    ]) AS file WHERE is_hidden HAVING count(*) > 0;
    RETURN NULL;
END $$
"""
REPLACE = """
CREATE OR REPLACE FUNCTION replace_ad_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM ad_images WHERE ad_id = NEW.id AND name = NEW.image) THEN
        RETURN NULL;
    END IF;
    UPDATE ad_images
    SET name = NEW.image, width = NULL, height = NULL, placeholder = NULL,
        {flags}
    WHERE ad_id = NEW.id AND name = OLD.image;
    IF NOT FOUND THEN
        INSERT INTO ad_images (ad_id, position, name)
        SELECT NEW.id, coalesce(min(position) - 1, 0), NEW.image
        FROM ad_images WHERE ad_id = NEW.id;
        PERFORM queue_picture_with_variants(OLD.image);
    END IF;
    RETURN NULL;
END $$
"""
# Each function, and the expression of a picture's stem in it.
FUNCTIONS = (
    (QUEUE, "split_part(picture, '.', 1)"),
    (QUEUE_HIDDEN, "stem"),
    (TELL, "split_part(name, '.', 1)"),
)
BEFORE = ("-card.webp", "-thumb.webp")
AFTER = ("-card.webp", "-share.jpg", "-thumb.webp")


def _functions(suffixes: tuple[str, ...], flags: str) -> None:
    for function, stem in FUNCTIONS:
        variants = ",\n        ".join(f"{stem} || '{suffix}'" for suffix in suffixes)
        op.execute(function.format(variants=variants))
    op.execute(REPLACE.format(flags=flags))


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column(
        "ad_images", sa.Column("has_share", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    _functions(AFTER, "has_variants = false, has_share = false")
    with op.get_context().autocommit_block():
        # Of an attempt that was broken off an index remains that is of no use.
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS ix_ad_images_without_share")
        op.execute(
            "CREATE INDEX CONCURRENTLY ix_ad_images_without_share ON ad_images (id)"
            " WHERE NOT has_share"
        )
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS ix_ad_images_without_variants")


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(
        "CREATE INDEX ix_ad_images_without_variants ON ad_images (id) WHERE NOT has_variants"
    )
    op.execute("DROP INDEX IF EXISTS ix_ad_images_without_share")
    _functions(BEFORE, "has_variants = false")
    op.drop_column("ad_images", "has_share")
