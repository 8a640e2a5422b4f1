"""How many bytes the texts of an account take: its ads, comments and reports."""

from adsvc.kit.db.statements import Statements

SELECT_USED_BYTES = (
    "SELECT coalesce(sum(bytes), 0)::bigint AS used FROM text_totals WHERE owner_id = $1"
)

# Other transactions may add parts at the same time, which stay as they are. The sums of deleted
# accounts are removed here.
MERGE_TOTALS = """
    WITH several AS (
        SELECT owner_id FROM text_totals GROUP BY owner_id
        HAVING count(*) > 1 OR NOT EXISTS (SELECT FROM users WHERE users.id = owner_id)
        LIMIT $1
    ), parts AS (
        DELETE FROM text_totals USING several
        WHERE text_totals.owner_id = several.owner_id
        RETURNING text_totals.owner_id, text_totals.bytes
    ), added AS (
        INSERT INTO text_totals (owner_id, bytes)
        SELECT owner_id, sum(bytes) FROM parts JOIN users ON users.id = owner_id GROUP BY owner_id
    )
    SELECT count(*)::int AS done FROM several
"""
AT_ONCE = 1000


async def used_by(db: Statements, owner_id: int) -> int:
    """The bytes of the account's texts. Texts older than the count become negative when deleted."""
    return max(0, await db.fetchval(SELECT_USED_BYTES, owner_id, keep_plan=True) or 0)


async def add_up(db: Statements) -> int:
    """Adds up the parts of some accounts. Returns their number."""
    return int(await db.fetchval(MERGE_TOTALS, AT_ONCE) or 0)
