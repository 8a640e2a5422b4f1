"""The pictures of older ads, in batches beside a running service

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

# How many ids a batch spans. Their ads are locked meanwhile, for some 50 ms.
BATCH = 2000

# What a batch finds done already stays as it is, so the migration can be started again anywhere.
# Locked first: the second statement sees what those have committed who were waited for.
FILL = """
DO $$ BEGIN
    PERFORM id FROM ads
    WHERE id >= {first} AND id < {first} + {batch}
        AND NOT EXISTS (SELECT FROM ad_images WHERE ad_id = ads.id)
    ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO ad_images (ad_id, position, name)
    SELECT id, 0, image FROM ads
    WHERE id >= {first} AND id < {first} + {batch}
        AND NOT EXISTS (SELECT FROM ad_images WHERE ad_id = ads.id)
    ORDER BY id;
END $$
"""
# Ids may have wide gaps.
NEXT = "SELECT min(id) FROM ads WHERE id >= :first"


def upgrade() -> None:
    with op.get_context().autocommit_block():
        connection = op.get_bind()
        connection.execute(sa.text("SET lock_timeout = '800ms'"))
        first = 0
        while (found := connection.scalar(sa.text(NEXT), {"first": first})) is not None:
            connection.exec_driver_sql(FILL.format(first=found, batch=BATCH))
            first = found + BATCH
        connection.execute(sa.text("RESET lock_timeout"))
        connection.execute(sa.text("ANALYZE ad_images"))


def downgrade() -> None:
    """The table goes with the migration before."""
