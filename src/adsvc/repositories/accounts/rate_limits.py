"""Rate limits, and how many bytes the texts of an account take."""

from math import ceil, floor

from adsvc.errors import RateLimitState
from adsvc.kit.bulkheads.admission import Bucket
from adsvc.kit.db.statements import Statements

# How many seconds of its window a row has used; `owed` is how far its `due_at` lies ahead. If that
# is more than a window, the clock has been set back since, or the window was longer: then one
# attempt has room.
USED = "(CASE WHEN owed > span THEN span - step ELSE greatest(owed, 0) END)"

# One microsecond is as precise as a row is.
HAS_ROOM = f"{USED} + step <= span + 1e-6"

OWED = "extract(epoch FROM due_at - clock_timestamp())::float8 AS owed"

# The row as it is now, not as it was when the statement began.
CURRENT_ROW = f"""(
    SELECT step, span, {OWED.replace("due_at", "kept.due_at")}
    FROM wanted WHERE wanted.key = kept.key
) AS latest"""

# Rows are locked in the order of their keys, so that statements do not deadlock.
TAKE_TOKENS = f"""
    WITH wanted AS MATERIALIZED (
        SELECT * FROM unnest(
            $1::text[], $2::float8[], $3::float8[]
        ) AS wanted (key, step, span)
    ), found AS MATERIALIZED (
        SELECT wanted.*, {OWED} FROM wanted LEFT JOIN rate_limits USING (key)
    ), taken AS (
        INSERT INTO rate_limits AS kept (key, due_at)
        SELECT key, clock_timestamp() + make_interval(secs => step) FROM found
        WHERE (SELECT bool_and({HAS_ROOM}) FROM found)
        ORDER BY key
        ON CONFLICT (key) DO UPDATE SET due_at = (
            SELECT clock_timestamp() + make_interval(secs => {USED} + step) FROM {CURRENT_ROW}
        )
        WHERE (SELECT {HAS_ROOM} FROM {CURRENT_ROW})
        RETURNING kept.key, {OWED.replace("due_at", "kept.due_at")}
    )
    SELECT key, used, has_room, taken.owed FROM (
        SELECT key, {USED} AS used, {HAS_ROOM} AS has_room FROM found
    ) AS before LEFT JOIN taken USING (key)
"""

SELECT_USED = f"""
    SELECT key, {USED} AS used FROM (
        SELECT wanted.*, {OWED} FROM unnest(
            $1::text[], $2::float8[], $3::float8[]
        ) AS wanted (key, step, span) LEFT JOIN rate_limits USING (key)
    ) AS found
"""

# Locked in the same order.
REFUND_TOKENS = """
    WITH wanted AS (
        SELECT * FROM unnest($1::text[], $2::float8[]) AS wanted (key, step)
    ), locked AS MATERIALIZED (
        SELECT key FROM rate_limits WHERE key = ANY ($1::text[])
        ORDER BY key FOR UPDATE
    )
    UPDATE rate_limits AS kept SET due_at = due_at - make_interval(secs => step)
    FROM wanted JOIN locked USING (key) WHERE kept.key = wanted.key
"""

# Locked rows are left for the next time: waiting for several rows in another order than that of
# `TAKE_TOKENS` could deadlock.
DELETE_EXPIRED = """
    DELETE FROM rate_limits WHERE key IN (
        SELECT key FROM rate_limits WHERE due_at < clock_timestamp() FOR UPDATE SKIP LOCKED
    )
"""


async def take(db: Statements, *buckets: Bucket) -> list[RateLimitState]:
    """Counts the attempts in each bucket, or in none if one of them has no room.

    The states are in the order of the buckets; those that had room say `granted` even if
    another refused.
    """
    result = await db.fetch(
        TAKE_TOKENS,
        [bucket.key for bucket in buckets],
        [bucket.step for bucket in buckets],
        [float(bucket.window) for bucket in buckets],
    )
    rows = {row["key"]: row for row in result}
    counted = [bucket for bucket in buckets if rows[bucket.key]["owed"] is not None]
    if len(counted) == len(buckets):
        return [_granted(bucket, rows[bucket.key]["owed"]) for bucket in buckets]
    # All had room when the statement began, but another attempt took the last of one.
    overtaken = all(row["has_room"] for row in result)
    if counted:
        await refund(db, *counted)
    return [
        _granted(bucket, row["used"])
        if row["owed"] is not None or (row["has_room"] and not overtaken)
        else _refused(bucket, row["used"])
        for bucket, row in ((bucket, rows[bucket.key]) for bucket in buckets)
    ]


async def states(db: Statements, *buckets: Bucket) -> list[RateLimitState]:
    """What is left in each, in their order."""
    keys, steps = [bucket.key for bucket in buckets], [bucket.step for bucket in buckets]
    spans = [float(bucket.window) for bucket in buckets]
    used = {row["key"]: row["used"] for row in await db.fetch(SELECT_USED, keys, steps, spans)}
    return [_granted(bucket, used[bucket.key]) for bucket in buckets]


async def refund(db: Statements, *buckets: Bucket) -> None:
    """Uncounts the attempts in each bucket."""
    await db.fetch(
        REFUND_TOKENS, [bucket.key for bucket in buckets], [bucket.step for bucket in buckets]
    )


async def delete_expired(db: Statements) -> None:
    """An expired row means the same as no row."""
    await db.fetch(DELETE_EXPIRED)


def _granted(bucket: Bucket, used: float) -> RateLimitState:
    remaining = floor((bucket.window - used) / bucket.interval + 1e-6)
    reset = max(1, ceil(used - bucket.window + bucket.interval))
    return RateLimitState(bucket.policy, bucket.limit, bucket.window, remaining, reset)


def _refused(bucket: Bucket, used: float) -> RateLimitState:
    wait = max(1, ceil(used + bucket.step - bucket.window))
    return RateLimitState(bucket.policy, bucket.limit, bucket.window, 0, wait, granted=False)


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
