"""Jobs: when the regular ones ran, and the rows that they delete when their time is over."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlalchemy.dialects.postgresql import insert

from adsvc.enums import AdvisoryLock, JobName
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Row, Statements
from adsvc.models.ads import UNFINISHED_SQL
from adsvc.models.operation import Job
from adsvc.repositories.accounts.sessions import KNOWN_DAYS

# Not a regular job, but recorded like one: `adsvc backup`, when it has saved all that rows name.
BACKUP = "backup"
# `adsvc verify` of the site's pictures.
PICTURE_CHECK = "picture_check"
# `adsvc doctor --test-alert`.
TEST_ALERT = "test_alert"
# For transactions of `adsvc backup` and `adsvc verify`, which last as long as pictures are read.
# The figure of the oldest transaction leaves them out.
MAY_LAST = "SET LOCAL application_name = 'adsvc/backup'"
# Their periods are the operator's.
BY_OPERATORS = (BACKUP, PICTURE_CHECK, TEST_ALERT)

# After this time a process that hangs loses its lock. One that works keeps it by `keep_lock`.
IDLE_TIMEOUT = "SET LOCAL idle_in_transaction_session_timeout = '10min'"


# One that never ran began long ago.
REQUEST_JOB = """
    WITH noted AS (INSERT INTO changes (notice) VALUES ('job:' || $1::text))
    INSERT INTO jobs (name, began_at, requested_at) VALUES ($1::text, 'epoch', clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET requested_at = clock_timestamp()
"""
# The keys of the lock of a job, as `lock` takes it.
SELECT_JOBS = """
    SELECT name, succeeded_at, failed_at, requested_at IS NOT NULL OR EXISTS (
        SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
            AND classid = $1::bigint::oid AND objid = (hashtext(name)::bigint & 4294967295)::oid
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ) AS running
    FROM jobs
"""


@dataclass(frozen=True, slots=True)
class JobRecord:
    name: str
    began_at: datetime
    seconds: float
    runs: int
    failures: int
    succeeded_at: datetime | None


async def lock(
    db: DatabaseSession, name: str, *, period: float = 0, requested: bool = False
) -> bool:
    """Locks the job for other processes until the transaction ends.

    False if another process has locked it, or if it began less than `period` seconds ago. With
    `requested` also if no run of it is requested any more.
    """
    lock = func.pg_try_advisory_xact_lock(int(AdvisoryLock.JOB), func.hashtext(name))
    if not await db.scalar(select(lock)):
        return False
    recently = select(Job.name).where(
        Job.name == name,
        Job.began_at > func.now() - func.make_interval(0, 0, 0, 0, 0, 0, period),
    )
    if requested:
        if name not in await requested_jobs(db):
            return False
    elif await db.scalar(recently) is not None:
        return False
    await db.fetch(IDLE_TIMEOUT)
    return True


async def keep_lock(db: Statements) -> None:
    """For work that may take longer than `IDLE_TIMEOUT`. Raises if the lock is lost."""
    await db.fetch("SELECT 1")


async def record(db: DatabaseSession, name: str, *, seconds: float, succeeded: bool) -> None:
    """Records a run that has just ended. It answers requests from before it began."""
    began = func.clock_timestamp() - func.make_interval(0, 0, 0, 0, 0, 0, seconds)
    values = {
        "began_at": began,
        "seconds": seconds,
        "runs": 1,
        "failures": 0 if succeeded else 1,
        ("succeeded_at" if succeeded else "failed_at"): func.clock_timestamp(),
    }
    counted = {
        "runs": Job.runs + 1,
        "failures": Job.failures + values["failures"],
        "requested_at": case((Job.requested_at > began, Job.requested_at)),
    }
    statement = insert(Job).values(name=name, **values)
    await db.execute(
        statement.on_conflict_do_update(index_elements=[Job.name], set_={**values, **counted})
    )


async def all_jobs(db: DatabaseSession) -> Sequence[JobRecord]:
    """The regular jobs that have run."""
    regular = select(Job).where(Job.name.not_in(BY_OPERATORS)).order_by(Job.name)
    rows = (await db.scalars(regular)).all()
    return [
        JobRecord(row.name, row.began_at, row.seconds, row.runs, row.failures, row.succeeded_at)
        for row in rows
    ]


async def request(db: Statements, name: JobName) -> None:
    """Requests a run of the job, in any process that runs jobs, and wakes them."""
    await db.fetch(REQUEST_JOB, name.value)


async def requested_jobs(db: DatabaseSession) -> Collection[str]:
    """Jobs of which a run is requested that has not ended."""
    return (await db.scalars(select(Job.name).where(Job.requested_at.is_not(None)))).all()


async def latest(db: Statements) -> Mapping[str, Row]:
    """By name: when each last succeeded and failed, and whether it runs, or is about to."""
    rows = await db.fetch(SELECT_JOBS, AdvisoryLock.JOB)
    return {row["name"]: row for row in rows}


async def backed_up_at(db: DatabaseSession) -> datetime | None:
    """When the last successful backup ended, wherever it is. None if there was none."""
    moment: datetime | None = await db.scalar(select(Job.succeeded_at).where(Job.name == BACKUP))
    return moment


TRY_DELETION_LOCK = (
    f"SELECT pg_try_advisory_xact_lock_shared({AdvisoryLock.PICTURE_DELETION}) AS taken"
)
# How long deletions wait for a backup that sends nothing: its machine may be lost.
SILENCE = "60s"


async def hold_deletions(db: Statements) -> None:
    """Until the transaction ends, no picture is deleted.

    The transaction has to send a statement every minute. The pictures of a snapshot taken from
    now on stay, because a deletion checks for holds after its rows are deleted.
    """
    await db.fetch(f"SET LOCAL idle_in_transaction_session_timeout = '{SILENCE}'")
    await db.fetch(MAY_LAST)
    await db.fetch("SELECT pg_advisory_xact_lock($1)", AdvisoryLock.PICTURE_DELETION)


async def show_life(db: Statements) -> None:
    """Sends a statement. Raises if the hold is lost."""
    await db.fetch("SELECT 1")


async def are_deletions_held(db: Statements) -> bool:
    """Whether a backup holds deletions. If not, none can until the transaction ends."""
    return not await db.fetchval(TRY_DELETION_LOCK)


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
# By their last message.
CONVERSATIONS = OldRows(
    "conversations", "updated_at < now() - make_interval(days => $1)", "updated_at", at_once=100
)
WITHOUT_PARTIES = "buyer_id IS NULL AND seller_id IS NULL"
CONVERSATIONS_WITHOUT_PARTIES = OldRows("conversations", WITHOUT_PARTIES, "id", at_once=100)
DEALS_WITHOUT_PARTIES = OldRows("deals", WITHOUT_PARTIES, "id")
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
# The oldest have the lowest ids. They say why an account got no mail.
MAIL_ATTEMPTS = OldRows(
    "mail_attempts",
    """id = ANY (ARRAY(SELECT id FROM mail_attempts ORDER BY id LIMIT 1000))
        AND created_at < now() - interval '7 days'""",
    "id",
)
DEAD_ENTRIES = OldRows("outbox", "dead_at < now() - make_interval(days => $1)", "dead_at, id")


async def delete_old_rows(db: Statements, rows: OldRows, *days: int) -> int:
    """Returns how many there were. Each batch is a transaction, and leaves out what is locked."""
    sql = f"""
        DELETE FROM {rows.table} WHERE {rows.key} = ANY (ARRAY(
            SELECT {rows.key} FROM {rows.table} WHERE {rows.condition}
            ORDER BY {rows.order} LIMIT {rows.at_once} FOR UPDATE SKIP LOCKED
        )) RETURNING TRUE
    """
    total = 0
    while deleted := await db.fetch(sql, *days):
        total += len(deleted)
    return total
