"""Pictures of removed things under other names

The pictures of ads and accounts that moderators have removed or suspended are renamed in the image
store, so that their public addresses answer 404. The triggers queue what has to be renamed.

Revision ID: 0057
Revises: 0056
"""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None
oldest_head = None

QUEUE_OF_AD = """
CREATE FUNCTION queue_hidden_pictures_of_ad() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO hidden_pictures (name)
    SELECT DISTINCT name FROM ad_images WHERE ad_id = NEW.id ORDER BY name
    ON CONFLICT (name) DO UPDATE SET is_pending = true;
    RETURN NULL;
END $$
"""
ON_AD = """
CREATE TRIGGER queue_hidden_pictures AFTER UPDATE ON ads FOR EACH ROW
WHEN ((old.status IN ('suspended', 'removed')) <> (new.status IN ('suspended', 'removed')))
EXECUTE FUNCTION queue_hidden_pictures_of_ad()
"""
QUEUE_ADDED = """
CREATE FUNCTION queue_hidden_pictures_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO hidden_pictures (name)
    SELECT DISTINCT new_rows.name
    FROM new_rows JOIN ads ON ads.id = ad_id JOIN users ON users.id = author_id
    WHERE ads.status IN ('suspended', 'removed') OR suspended_until > now() ORDER BY new_rows.name
    ON CONFLICT (name) DO UPDATE SET is_pending = true;
    RETURN NULL;
END $$
"""
ON_ADDED = """
CREATE TRIGGER queue_hidden_pictures AFTER INSERT ON ad_images
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION queue_hidden_pictures_added()
"""
QUEUE_OF_ACCOUNT = """
CREATE FUNCTION queue_hidden_pictures_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO hidden_pictures (name)
    SELECT name FROM (
        SELECT ad_images.name FROM ad_images JOIN ads ON ads.id = ad_id WHERE author_id = NEW.id
        UNION SELECT NEW.image WHERE NEW.image IS NOT NULL
    ) AS theirs ORDER BY name
    ON CONFLICT (name) DO UPDATE SET is_pending = true;
    RETURN NULL;
END $$
"""
ON_ACCOUNT = """
CREATE TRIGGER queue_hidden_pictures AFTER UPDATE ON users FOR EACH ROW
WHEN (old.suspended_until IS DISTINCT FROM new.suspended_until
    OR new.suspended_until IS NOT NULL AND old.image IS DISTINCT FROM new.image)
EXECUTE FUNCTION queue_hidden_pictures_of_account()
"""
QUEUE_HIDDEN_FILES = """
CREATE FUNCTION queue_hidden_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A trigger of a statement runs without rows too: the one below would never end.
    IF EXISTS (SELECT FROM queued JOIN hidden_pictures USING (name)) THEN
        WITH gone AS (
            DELETE FROM hidden_pictures USING queued WHERE hidden_pictures.name = queued.name
            RETURNING stem, split_part(hidden_pictures.name, '.', 2) AS extension
        )
        INSERT INTO picture_deletions (name)
        SELECT file FROM gone, unnest(ARRAY[
            stem || '.' || extension, stem || '-card.webp', stem || '-thumb.webp'
        ]) AS file ORDER BY file
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$
"""
ON_DELETION = """
CREATE TRIGGER queue_hidden_files AFTER INSERT ON picture_deletions
REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION queue_hidden_files()
"""
TELL = """
CREATE FUNCTION tell_hidden_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM note_changes('image', array_agg(file)) FROM new_rows, unnest(ARRAY[
        name, split_part(name, '.', 1) || '-card.webp', split_part(name, '.', 1) || '-thumb.webp'
    ]) AS file WHERE is_hidden HAVING count(*) > 0;
    RETURN NULL;
END $$
"""
ON_HIDDEN = """
CREATE TRIGGER tell_hidden_pictures AFTER UPDATE ON hidden_pictures
REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION tell_hidden_pictures()
"""
# What was removed before.
QUEUE_OLD = """
    INSERT INTO hidden_pictures (name)
    SELECT ad_images.name
    FROM ad_images JOIN ads ON ads.id = ad_id JOIN users ON users.id = author_id
    WHERE ads.status IN ('suspended', 'removed') OR suspended_until > now()
    UNION SELECT image FROM users WHERE image IS NOT NULL AND suspended_until > now()
    ON CONFLICT DO NOTHING
"""
FUNCTIONS = (
    "queue_hidden_pictures_of_ad",
    "queue_hidden_pictures_added",
    "queue_hidden_pictures_of_account",
    "queue_hidden_files",
)


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.create_table(
        "hidden_pictures",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "stem",
            sa.Text(),
            server_default=sa.text("replace((gen_random_uuid())::text, '-'::text, ''::text)"),
            nullable=False,
        ),
        sa.Column("is_hidden", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("is_pending", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_hidden_pictures")),
        sa.UniqueConstraint("stem", name=op.f("uq_hidden_pictures_stem")),
    )
    op.create_index(
        "ix_hidden_pictures_pending",
        "hidden_pictures",
        ["name"],
        postgresql_where=sa.text("is_pending"),
    )
    for statement in (
        QUEUE_OF_AD,
        ON_AD,
        QUEUE_ADDED,
        ON_ADDED,
        QUEUE_OF_ACCOUNT,
        ON_ACCOUNT,
        QUEUE_HIDDEN_FILES,
        ON_DELETION,
        TELL,
        ON_HIDDEN,
        QUEUE_OLD,
    ):
        op.execute(statement)


def downgrade() -> None:
    # What is hidden stays so: the version before finds no file under the public name.
    op.execute("SET LOCAL lock_timeout = '5s'")
    for function in FUNCTIONS:
        op.execute(f"DROP FUNCTION {function}() CASCADE")
    op.drop_table("hidden_pictures")
    op.execute("DROP FUNCTION tell_hidden_pictures()")
