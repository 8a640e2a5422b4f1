"""The town of an ad, whose centre is the public point of an ad without a location

Revision ID: 0067
Revises: 0066
"""

import sqlalchemy as sa
from alembic import op

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None
oldest_head = None  # A check is replaced by a wider one.

# Versions that do not know `place_id` remove a location with its public point.
PLACE_AD = """
CREATE FUNCTION place_ad() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT latitude, longitude INTO NEW.public_latitude, NEW.public_longitude
    FROM places WHERE id = NEW.place_id;
    RETURN NEW;
END $$
"""
# A restored ad has its point already, and places may be restored later.
ON_INSERT = """
CREATE TRIGGER place_ad_on_insert BEFORE INSERT ON ads FOR EACH ROW
WHEN (NEW.place_id IS NOT NULL AND NEW.public_latitude IS NULL)
EXECUTE FUNCTION place_ad()
"""
ON_UPDATE = """
CREATE TRIGGER place_ad_on_update BEFORE UPDATE OF place_id, latitude ON ads FOR EACH ROW
WHEN (
    NEW.latitude IS NULL
    AND (NEW.place_id IS NOT NULL OR OLD.place_id IS NOT NULL)
    AND (NEW.place_id IS DISTINCT FROM OLD.place_id OR NEW.public_latitude IS NULL)
)
EXECUTE FUNCTION place_ad()
"""
LOCATION = """
    num_nulls(latitude, longitude) IN (0, 2)
    AND num_nulls(public_latitude, public_longitude) IN (0, 2)
    AND (latitude IS NULL OR public_latitude IS NOT NULL)
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.add_column("ads", sa.Column("place_id", sa.BigInteger()))
    op.drop_constraint(op.f("ck_ads_location"), "ads")
    op.execute(f"ALTER TABLE ads ADD CONSTRAINT ck_ads_location CHECK ({LOCATION}) NOT VALID")
    for statement in (PLACE_AD, ON_INSERT, ON_UPDATE):
        op.execute(statement)


def downgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute("DROP FUNCTION place_ad() CASCADE")
    op.execute(
        "UPDATE ads SET public_latitude = NULL, public_longitude = NULL WHERE latitude IS NULL"
    )
    op.drop_constraint(op.f("ck_ads_location"), "ads")
    op.execute(
        "ALTER TABLE ads ADD CONSTRAINT ck_ads_location CHECK"
        " (num_nulls(latitude, longitude, public_latitude, public_longitude) IN (0, 4))"
    )
    op.drop_column("ads", "place_id")
