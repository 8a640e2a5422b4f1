"""Blocks: accounts that others do not want to hear from."""

from datetime import datetime

from adsvc.kit.db.statements import MOST_LARGE_RECORDS, Paged, Row, Statements, paged
from adsvc.repositories.ads.projection import visible


def blocked_sql(one: str, other: str) -> str:
    """Whether one of these accounts has blocked the other."""
    return (
        f"EXISTS (SELECT FROM blocks WHERE owner_id = {one} AND blocked_id = {other}"
        f" OR owner_id = {other} AND blocked_id = {one})"
    )


# Whether account $1 has met account $2: they have a conversation that both see, or $1 sees an ad
# or a comment of $2.
MET = f"""(
    EXISTS (
        SELECT FROM conversations WHERE buyer_id = $1 AND seller_id = $2
            OR seller_id = $1 AND buyer_id = $2 AND seller_last IS NOT NULL
    ) OR EXISTS (SELECT FROM ads WHERE author_id = $2 AND {visible()}) OR EXISTS (
        SELECT FROM comments JOIN ads ON ads.id = ad_id
        WHERE comments.author_id = $2 AND ({visible()} OR ads.author_id = $1)
    )
)"""
ADD = f"""
    WITH found AS (
        SELECT id FROM users WHERE id = $2 AND (
            EXISTS (SELECT FROM blocks WHERE owner_id = $1 AND blocked_id = $2) OR {MET}
        )
    ), added AS (
        INSERT INTO blocks (owner_id, blocked_id)
        SELECT $1, id FROM found
        WHERE (SELECT count(*) FROM blocks WHERE owner_id = $1) < $3
        ON CONFLICT DO NOTHING RETURNING TRUE
    )
    SELECT EXISTS (SELECT FROM added)
        OR EXISTS (SELECT FROM blocks WHERE owner_id = $1 AND blocked_id = $2) AS blocked
    FROM found
"""


async def add(db: Statements, owner_id: int, blocked_id: int, most: int) -> bool | None:
    """False if the account has blocked so many; None if it has met no such account.

    Of one account, blocks are added one after another.
    """
    await db.fetch("SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE", owner_id)
    blocked: bool | None = await db.fetchval(ADD, owner_id, blocked_id, most)
    if blocked:
        await _note(db, owner_id, blocked_id)
    return blocked


async def remove(db: Statements, owner_id: int, blocked_id: int) -> None:
    sql = "DELETE FROM blocks WHERE owner_id = $1 AND blocked_id = $2"
    await db.fetch(sql, owner_id, blocked_id)
    await _note(db, owner_id, blocked_id)


async def _note(db: Statements, *accounts: int) -> None:
    """What others see of the ads of either account may have changed, in all processes."""
    await db.fetch("SELECT note_changes('user', ARRAY[$1::text, $2::text])", *map(str, accounts))


async def page(
    db: Statements, owner_id: int, limit: int, *, before: tuple[datetime, int] | None
) -> Paged[Row]:
    """Blocked accounts, the latest first, behind the one that was blocked then."""
    limit = min(limit, MOST_LARGE_RECORDS)
    sql = """
        SELECT users.id, first_name, image, blocks.created_at AS at
        FROM blocks JOIN users ON users.id = blocked_id
        WHERE owner_id = $1
            AND ($2::timestamptz IS NULL OR (blocks.created_at, users.id) < ($2, $3::bigint))
        ORDER BY blocks.created_at DESC, users.id DESC LIMIT $4
    """
    return paged(await db.fetch(sql, owner_id, *(before or (None, None)), limit + 1), limit)
