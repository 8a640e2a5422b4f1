"""How many bytes the texts of an account take: its ads, comments and reports."""

from adsvc.db.pools import Reader, Writer

USED = "SELECT coalesce(sum(bytes), 0)::bigint AS used FROM text_totals WHERE owner_id = $1"

# Other transactions add parts meanwhile, which stay as they are. Accounts that are gone end here.
ADD_UP = """
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


async def used_by(reader: Reader, owner_id: int) -> int:
    """Of what was written before texts were counted, what is deleted since counts as negative."""
    row = await reader.fetchrow(USED, owner_id, keep_plan=True)
    return max(0, row["used"]) if row else 0


async def add_up(writer: Writer) -> int:
    """Of how many accounts, some at a time."""
    row = await writer.fetchrow(ADD_UP, AT_ONCE)
    return 0 if row is None else int(row["done"])
