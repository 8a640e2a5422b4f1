"""Several pictures an ad, with variants

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

# A picture goes with its variants, which may be there whatever its row says.
QUEUE_PICTURE = """
CREATE FUNCTION queue_picture_with_variants(picture text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO picture_deletions (name)
    SELECT file FROM unnest(ARRAY[
        picture, split_part(picture, '.', 1) || '-card.webp',
        split_part(picture, '.', 1) || '-thumb.webp'
    ]) AS file ORDER BY file
    ON CONFLICT DO NOTHING;
$$
"""
QUEUE_AD_IMAGES = """
CREATE FUNCTION queue_ad_images() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM queue_picture_with_variants(name)
        FROM (SELECT name FROM old_rows ORDER BY name) AS gone;
    ELSE
        PERFORM queue_picture_with_variants(name)
        FROM (
            SELECT o.name FROM old_rows o JOIN new_rows n USING (id)
            WHERE o.name <> n.name ORDER BY o.name
        ) AS gone;
        PERFORM tell_changes('ad', array_agg(DISTINCT ad_id::text)) FROM new_rows
        HAVING count(*) > 0;
    END IF;
    RETURN NULL;
END $$
"""
# Whoever names no thumbnail knows one picture an ad: the version before this one, or an import.
ADD_AD_IMAGES = """
CREATE FUNCTION add_ad_images() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ad_images (ad_id, position, name)
    SELECT id, 0, image FROM new_rows WHERE thumbnail IS NULL;
    RETURN NULL;
END $$
"""
DROP_THUMBNAIL = """
CREATE FUNCTION drop_thumbnail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.thumbnail := NULL;
    RETURN NEW;
END $$
"""
REPLACE_AD_IMAGE = """
CREATE FUNCTION replace_ad_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM ad_images WHERE ad_id = NEW.id AND name = NEW.image) THEN
        RETURN NULL;
    END IF;
    UPDATE ad_images
    SET name = NEW.image, width = NULL, height = NULL, placeholder = NULL, has_variants = false
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
# An ad that goes takes up to twelve pictures along, each with two variants.
TELL_CHANGES = """
CREATE OR REPLACE FUNCTION tell_changes(kind text, ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(ids) > {most} THEN
        PERFORM pg_notify('adsvc', kind || ':');
    ELSE
        PERFORM pg_notify('adsvc', kind || ':' || id) FROM unnest(ids) AS id;
    END IF;
END $$
"""
QUEUE_ON_UPDATE = """
CREATE TRIGGER queue_pictures_on_update AFTER UPDATE ON ads
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION queue_picture_deletions()
"""


def upgrade() -> None:
    # Whoever holds a table for long makes this fail, not everybody else wait behind it.
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("ads", sa.Column("thumbnail", sa.Text(), nullable=True))
    op.add_column("ads", sa.Column("image_count", sa.Integer(), server_default="1", nullable=False))
    op.create_table(
        "ad_images",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("ad_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("placeholder", sa.Text(), nullable=True),
        sa.Column("has_variants", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ad_images"),
        sa.ForeignKeyConstraint(
            ["ad_id"], ["ads.id"], name="fk_ad_images_ad_id_ads", ondelete="CASCADE"
        ),
        # Judged at the end of a statement, so that one statement can exchange two positions.
        sa.UniqueConstraint(
            "ad_id",
            "position",
            name="uq_ad_images_ad_id_position",
            deferrable=True,
            initially="IMMEDIATE",
        ),
    )
    op.create_index("ix_ad_images_name", "ad_images", ["name"])
    op.create_index(
        "ix_ad_images_without_variants",
        "ad_images",
        ["id"],
        postgresql_where=sa.text("NOT has_variants"),
    )
    op.execute(TELL_CHANGES.format(most=40))
    functions = (QUEUE_PICTURE, QUEUE_AD_IMAGES, ADD_AD_IMAGES, DROP_THUMBNAIL, REPLACE_AD_IMAGE)
    for function in functions:
        op.execute(function)
    for event, rows in (
        ("DELETE", "OLD TABLE AS old_rows"),
        ("UPDATE", "OLD TABLE AS old_rows NEW TABLE AS new_rows"),
    ):
        op.execute(
            f"CREATE TRIGGER queue_pictures_on_{event.lower()} AFTER {event} ON ad_images"
            f" REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION queue_ad_images()"
        )
    # A picture that merely moves to another place is not to be deleted: its row decides.
    op.execute("DROP TRIGGER queue_pictures_on_update ON ads")
    op.execute(
        "CREATE TRIGGER add_ad_images AFTER INSERT ON ads REFERENCING NEW TABLE AS new_rows"
        " FOR EACH STATEMENT EXECUTE FUNCTION add_ad_images()"
    )
    op.execute(
        "CREATE TRIGGER drop_thumbnail BEFORE UPDATE OF image ON ads FOR EACH ROW"
        " WHEN (OLD.image <> NEW.image AND OLD.thumbnail = NEW.thumbnail)"
        " EXECUTE FUNCTION drop_thumbnail()"
    )
    op.execute(
        "CREATE TRIGGER replace_ad_image AFTER UPDATE OF image ON ads FOR EACH ROW"
        " WHEN (OLD.image <> NEW.image AND NEW.thumbnail IS NULL)"
        " EXECUTE FUNCTION replace_ad_image()"
    )


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    for function in ("add_ad_images", "drop_thumbnail", "replace_ad_image", "queue_ad_images"):
        op.execute(f"DROP FUNCTION {function}() CASCADE")
    op.execute("DROP FUNCTION queue_picture_with_variants(text)")
    op.execute(TELL_CHANGES.format(most=20))
    op.drop_table("ad_images")
    op.execute(QUEUE_ON_UPDATE)
    op.drop_column("ads", "image_count")
    op.drop_column("ads", "thumbnail")
