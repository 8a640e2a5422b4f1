"""Rows that are deleted when their time is over."""

from typing import NamedTuple

from adsvc.kit.db.statements import Statements
from adsvc.models.ads import UNFINISHED_SQL
from adsvc.repositories.accounts.sessions import KNOWN_DAYS


class OldRows(NamedTuple):
    """Rows of a table. `$1` in the condition is a number of days."""

    table: str
    condition: str
    order: str
    key: str = "id"
    at_once: int = 1000


AUDIT_EVENTS = OldRows(
    "audit_events", "at < now() - make_interval(days => $1)", "at", at_once=10_000
)
IDEMPOTENCY_KEYS = OldRows("idempotency_keys", "expires_at <= clock_timestamp()", "expires_at")
CHALLENGES = OldRows("used_challenges", "expires_at <= now()", "expires_at")
MAIL_TOKENS = OldRows("mail_tokens", "expires_at <= now()", "expires_at", key="hash")
# The newest of each account stays: without any, its next login would count as its first.
SIGN_INS = OldRows(
    "sign_ins",
    f"""last_used_at <= now() - interval '{KNOWN_DAYS} days' AND EXISTS (
        SELECT FROM sign_ins AS newer WHERE newer.user_id = sign_ins.user_id
            AND (newer.last_used_at, newer.id) > (sign_ins.last_used_at, sign_ins.id)
    )""",
    "last_used_at",
)
# They were added before sessions were recorded.
BROWSERS = OldRows("push_subscriptions", "session_id IS NULL", "id")
DEALS_WITHOUT_PARTIES = OldRows("deals", "buyer_id IS NULL AND seller_id IS NULL", "id")
# With their rows.
IMPORTS = OldRows(
    "imports", "coalesce(ended_at, created_at) < now() - make_interval(days => $1)", "id", at_once=5
)
DRAFTS = OldRows(
    "ads",
    f"{UNFINISHED_SQL} AND updated_at < now() - make_interval(days => $1)",
    "author_id, id",
    at_once=200,
)
DELIVERIES = OldRows(
    "webhook_deliveries",
    "ended_at < now() - make_interval(days => $1)",
    "ended_at, id",
    at_once=5000,
)
NOTIFICATIONS = OldRows(
    "notifications", "at < now() - make_interval(days => $1)", "at", at_once=5000
)
DEAD_ENTRIES = OldRows("outbox", "dead_at < now() - make_interval(days => $1)", "dead_at, id")


async def delete_old(db: Statements, rows: OldRows, *days: int) -> int:
    """Returns how many there were. Each batch is a transaction, and leaves out what is locked."""
    sql = f"""
        WITH deleted AS (
            DELETE FROM {rows.table} WHERE {rows.key} = ANY (ARRAY(
                SELECT {rows.key} FROM {rows.table} WHERE {rows.condition}
                ORDER BY {rows.order} LIMIT {rows.at_once} FOR UPDATE SKIP LOCKED
            )) RETURNING TRUE
        )
        SELECT count(*)::int FROM deleted
    """
    total = 0
    while deleted := await db.fetchval(sql, *days):
        total += deleted
    return total
