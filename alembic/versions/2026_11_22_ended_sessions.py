"""Tell of each of many sessions that end at once

Revision ID: 0004
Revises: 0003
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# As many as an account has by default, and as many again. To forget all sessions instead of these
# would have every process verify everybody's token anew.
TELL_ENDED_SESSIONS = """
CREATE OR REPLACE FUNCTION tell_sessions_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM old_rows) > 100 THEN
        PERFORM pg_notify('adsvc', 'session:');
    ELSE
        PERFORM pg_notify('adsvc', 'session:' || id) FROM old_rows;
    END IF;
    RETURN NULL;
END $$
"""
TELL_AS_BEFORE = """
CREATE OR REPLACE FUNCTION tell_sessions_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes('session', array_agg(id::text)) FROM old_rows HAVING count(*) > 0;
    RETURN NULL;
END $$
"""


def upgrade() -> None:
    # A function is replaced without a lock on the table whose trigger it is.
    op.execute("SET LOCAL lock_timeout = '5s'")
    op.execute(TELL_ENDED_SESSIONS)


def downgrade() -> None:
    op.execute(TELL_AS_BEFORE)
