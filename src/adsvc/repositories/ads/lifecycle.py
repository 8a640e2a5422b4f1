"""The steps of an ad's status. Each is one statement with its condition and its history."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from adsvc.enums import AdStatus, AdvisoryLock
from adsvc.kit.db.statements import Statements
from adsvc.kit.records import ANYTHING, Expected, Written
from adsvc.models.ads import SHOWN_SQL
from adsvc.repositories.accounts.callers import (
    SELECT_CALLER,
    AccessCheck,
    Caller,
    access_check_of,
    is_author_or_admin_sql,
)
from adsvc.repositories.ads.projection import (
    BUMP_UPDATED_AT,
    answer_sql,
    current_status,
    hidden,
    written_of,
)
from adsvc.repositories.ads.writes import UPDATED_COLUMNS, ad_version_sql
from adsvc.repositories.audit_events import TRAIL_COLUMNS, Trail

# When an ad expires that is shown for `{days}` days; 0 means never.
EXPIRY = "CASE WHEN {days}::int > 0 THEN now() + make_interval(days => {days}::int) END"

# Ads are marked in the order of their authors, whose counts change, so that two statements that
# change the counts of several authors do not deadlock.
MARK_EXPIRED = f"""
    WITH turn AS MATERIALIZED (
        SELECT pg_try_advisory_xact_lock({AdvisoryLock.EXPIRY}) AS ours
    ), due AS MATERIALIZED (
        SELECT ads.id, ads.author_id, ads.status, ads.expires_at FROM ads
        WHERE ads.status IN ({SHOWN_SQL}) AND ads.expires_at <= now() AND (SELECT ours FROM turn)
        ORDER BY ads.expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
    ), marked AS (
        UPDATE ads SET status = '{AdStatus.EXPIRED}'
        FROM (SELECT * FROM due ORDER BY author_id, id) AS due
        WHERE ads.id = due.id RETURNING due.*
    ), logged AS (
        INSERT INTO ad_events (ad_id, event, from_status, to_status, at)
        SELECT id, 'expired', status, '{AdStatus.EXPIRED}', expires_at FROM marked
    )
    SELECT count(*)::int AS marked FROM marked
"""


@dataclass(frozen=True, slots=True)
class LifecycleStep:
    """A step from one of `sources` to another status."""

    event: str
    sources: Sequence[AdStatus]
    to: AdStatus
    # Columns that change with the status, and their new values; `{days}` and `{price}` are
    # parameters.
    changes: tuple[tuple[str, str], ...] = ()
    # Selects and locks a row, `needed`, without which the step is not taken; after the ad, which
    # is `before`. Its parameter is `{needed}`.
    needs: str = ""
    # Further CTEs, which may use `needed` and `changed`, the ad as it is then.
    writes: str = ""


@dataclass(frozen=True, slots=True)
class StepTaken:
    access: AccessCheck
    owner_id: int | None = None
    # The status before the step, also if the step could not be taken.
    source: AdStatus | None = None
    # Whether the ad had an expected version.
    is_expected: bool = True
    # Whether there was what the step needs.
    has_needed: bool = True
    # The ad as it is now; None if the step could not be taken.
    written: Written | None = None
    category_id: int | None = None


# If the ad has expired but was not marked yet, its history gets that first.
INSERT_EVENT = """
    INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status, at)
    SELECT before.id, step.actor, step.event, step.source, step.target, step.at
    FROM changed JOIN before ON before.id = changed.id
    CROSS JOIN LATERAL (VALUES
        (NULL::bigint, 'expired', before.marked, before.status, before.expires_at),
        ($1::bigint, $6::text, before.status, $5::text, now())
    ) AS step (actor, event, source, target, at)
    WHERE step.actor IS NOT NULL OR before.marked <> before.status
"""

INSERT_AUDIT_EVENT = f"""
    INSERT INTO audit_events ({TRAIL_COLUMNS})
    SELECT $7::text, caller.id::text, changed.id::text, changed.id, changed.author_id,
        $8::text, $9::text
    FROM changed JOIN caller ON caller.id <> changed.author_id
"""


@lru_cache
def _step_sql(step: LifecycleStep, *, expected: bool) -> str:
    """Parameters: caller's account and session, ad, sources, status, event, trail, days, price.

    With `expected` they are followed by the versions that the ad may have, and then by what the
    step needs, if anything. Of two steps at once, the second one waits for the row, and sees it as
    the first one left it.
    """
    also = "".join(
        f", {column} = {value.format(days='$10', price='$11')}" for column, value in step.changes
    )
    may_change = is_author_or_admin_sql("found")
    touched = BUMP_UPDATED_AT.format(row="found")
    as_it_is = f"{ad_version_sql('found')} = ANY($12::text[])" if expected else "TRUE"
    needed = step.needs.format(needed="$13" if expected else "$12")
    locked = f", needed AS MATERIALIZED ({needed})" if needed else ""
    has_needed = "EXISTS (SELECT FROM needed)" if needed else "TRUE"
    written = f", {step.writes}" if step.writes else ""
    return f"""
        WITH caller AS ({SELECT_CALLER}), before AS MATERIALIZED (
            SELECT found.id, {current_status("found")} AS status, found.status AS marked,
                found.expires_at, {as_it_is} AS is_expected,
                (extract(epoch FROM found.updated_at) * 1000)::bigint AS revision
            FROM ads AS found JOIN caller ON {may_change}
            WHERE found.id = $3 FOR NO KEY UPDATE OF found
        ){locked}, changed AS (
            UPDATE ads AS found SET status = $5::text, {touched}{also} FROM before
            WHERE found.id = before.id AND before.status = ANY($4::text[]) AND before.is_expected
                AND {has_needed}
            RETURNING {UPDATED_COLUMNS}
        ), history AS ({INSERT_EVENT}), trail AS ({INSERT_AUDIT_EVENT}){written}
        SELECT found.author_id AS owner_id, {hidden("found")}, {may_change} AS may_change,
            (SELECT status FROM before) AS source, (SELECT is_expected FROM before),
            {has_needed} AS has_needed,
            $10::int AS days, $11::int AS price,
            (SELECT {answer_sql("changed")} FROM changed) AS record,
            (SELECT {ad_version_sql("changed")} FROM changed) AS version,
            (SELECT category_id FROM changed)
        FROM caller LEFT JOIN ads AS found ON found.id = $3
    """


async def take(
    db: Statements,
    caller: Caller,
    ad_id: int,
    step: LifecycleStep,
    trail: Trail,
    *,
    days: int,
    price: int | None = None,
    needed: int | None = None,
    expected: Expected = ANYTHING,
) -> StepTaken:
    sql = _step_sql(step, expected=expected.versions is not None)
    key = caller.user_id, caller.session_id, ad_id
    change = list(step.sources), step.to, step.event
    wanted = [*expected.parameters, *([] if needed is None else [needed])]
    row = await db.fetchrow(sql, *key, *change, *trail, days, price, *wanted)
    if row is None:
        return StepTaken(access_check_of(row))
    source = None if row["source"] is None else AdStatus(row["source"])
    is_expected = row["is_expected"] is not False
    owner_id, has_needed, category_id = row["owner_id"], row["has_needed"], row["category_id"]
    written = written_of(row)
    access = access_check_of(row)
    return StepTaken(access, owner_id, source, is_expected, has_needed, written, category_id)


async def mark_expired(db: Statements, limit: int) -> int:
    """Returns how many were marked; 0 while another process does this.

    An ad that another transaction has locked is left for the next time.
    """
    return int(await db.fetchval(MARK_EXPIRED, limit) or 0)
