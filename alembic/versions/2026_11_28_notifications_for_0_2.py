"""No notifications for version 0.2

Revision ID: 0101
Revises: 0100
"""

from alembic import op

revision = "0101"
down_revision = "0100"
branch_labels = None
depends_on = None
# The functions that go notify the processes of 0.2, and the index orders its searches by price.
oldest_head = "0070"

# Each function that asks `has_sequencer` does so in one `IF`, before it notifies.
FUNCTIONS = r"""
DO $do$
DECLARE
    definition text;
BEGIN
    FOR definition IN
        SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND prosrc LIKE '%NOT has_sequencer()%'
    LOOP
        EXECUTE regexp_replace(
            definition, '\n *IF [^;\n]*has_sequencer\(\) THEN\n[^;]*;\n *END IF;', ''
        );
    END LOOP;
END $do$
"""


def upgrade() -> None:
    op.execute("SET LOCAL lock_timeout = '800ms'")
    op.execute(FUNCTIONS)
    # Statements that run meanwhile still call what these functions called.
    with op.get_context().autocommit_block():
        op.execute("DROP FUNCTION IF EXISTS tell_changes(text, text[])")
        op.execute("DROP FUNCTION IF EXISTS has_sequencer()")
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS ix_ads_shown_price_id")
    op.execute("SET LOCAL lock_timeout = '800ms'")
