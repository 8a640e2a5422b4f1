"""Imports, the rows of feeds that they change ads by, and the state of ads after them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from adsvc.enums import ImportRowStatus, ImportStatus
from adsvc.kit.db.statements import MOST_LARGE_RECORDS, Paged, Row, Statements, paged
from adsvc.kit.deliveries import Claimed
from adsvc.models.ads import SHOWN_SQL
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import current_status

SELECT_KNOWN = f"""
    SELECT id, external_id, {current_status()} AS status, digest, images_digest,
        revision = updated_at AS is_unchanged
    FROM ads LEFT JOIN imported_ads ON ad_id = id
    WHERE author_id = $1 AND external_id IS NOT NULL
        AND (external_id = ANY ($2::text[]) OR ($3::bool AND status IN ({SHOWN_SQL})))
"""
REPLACE_WAITING = """
    WITH replaced AS (
        UPDATE imports SET status = 'replaced', ended_at = now()
        WHERE owner_id = $1 AND status = 'waiting' RETURNING id
    )
    DELETE FROM import_rows WHERE import_id IN (SELECT id FROM replaced)
"""
# Each may have 10,000 rows.
DELETE_EARLIER = """
    DELETE FROM imports WHERE id IN (
        SELECT id FROM imports WHERE owner_id = $1 AND ended_at IS NOT NULL
        ORDER BY id DESC OFFSET $2
    )
"""
INSERT_IMPORT = """
    INSERT INTO imports (owner_id, mode, dry_run, status, rows, unchanged, outcomes, ended_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, CASE WHEN $4 = 'done' THEN now() END)
    ON CONFLICT (owner_id) WHERE status IN ('running', 'waiting') DO NOTHING RETURNING id
"""
INSERT_ROWS = """
    INSERT INTO import_rows (
        import_id, number, external_id, ad_id, sent, digest, images_digest, fetches, status, faults
    )
    SELECT $1, number, external_id, ad_id, sent::jsonb, digest, images_digest, fetches, status,
        faults::jsonb
    FROM unnest(
        $2::int[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::bytea[], $8::bool[],
        $9::text[], $10::text[]
    ) AS added (
        number, external_id, ad_id, sent, digest, images_digest, fetches, status, faults
    )
"""
# How many rows of an import have each status. It is kept when all are done: each may have 10,000.
COUNTS = """(
    SELECT coalesce(jsonb_object_agg(status, number), '{}') FROM (
        SELECT status, count(*) AS number FROM import_rows
        WHERE import_id = imports.id GROUP BY status
    ) AS counted
)"""
# The second parameter is the id of one, or null for all.
SELECT_IMPORTS = f"""
    SELECT imports.*, coalesce(outcomes, {COUNTS})::text AS counts
    FROM imports WHERE owner_id = $1 AND ($2::bigint IS NULL OR id = $2) ORDER BY id DESC
"""
IS_OWN = "SELECT EXISTS (SELECT FROM imports WHERE owner_id = $1 AND id = $2)"
SELECT_ROWS = """
    SELECT number, external_id, ad_id, status, coalesce(faults, '[]')::text AS faults
    FROM import_rows WHERE import_id = $1 AND number > $2
        AND ($3::text IS NULL OR status = $3)
    ORDER BY number LIMIT $4
"""
CONFIRM = """
    UPDATE imports SET status = 'running' WHERE id = $1 AND status = 'waiting' RETURNING id
"""
# Parameters: how many rows, how many seconds a claim lasts, how many rows of one import.
CLAIM_ROWS = f"""
    WITH ended AS (
        UPDATE imports SET status = 'done', ended_at = now(), outcomes = {COUNTS}
        WHERE status = 'running' AND NOT EXISTS (
            SELECT FROM import_rows WHERE import_id = imports.id AND status = 'pending'
        )
    ), due AS MATERIALIZED (
        SELECT found.id, owner_id, dry_run FROM imports JOIN users ON users.id = owner_id
        CROSS JOIN LATERAL (
            SELECT count(*) AS claimed FROM import_rows
            WHERE import_id = imports.id AND claimed_until > now()
        ) AS under_way
        CROSS JOIN LATERAL (
            SELECT id FROM import_rows
            WHERE import_id = imports.id AND status = 'pending' AND next_at <= now()
                AND (claimed_until IS NULL OR claimed_until <= now())
            ORDER BY next_at, number LIMIT greatest(0, $3::int - claimed)
            FOR NO KEY UPDATE SKIP LOCKED
        ) AS found
        WHERE imports.status = 'running' AND {NOT_SUSPENDED}
            AND (resumes_at IS NULL OR resumes_at <= now())
        -- Accounts take turns.
        ORDER BY claimed + row_number() OVER (PARTITION BY imports.id), random() LIMIT $1::int
    )
    UPDATE import_rows SET attempts = attempts + 1,
        claimed_until = now() + make_interval(secs => $2::float8)
    FROM due WHERE import_rows.id = due.id
    RETURNING import_rows.id, attempts, claimed_until, owner_id, dry_run, external_id, ad_id,
        sent::text, digest, images_digest, fetches
"""
PAUSE = """
    UPDATE imports SET resumes_at = now() + make_interval(secs => $2::float8)
    WHERE id = (SELECT import_id FROM import_rows WHERE id = $1)
"""
IS_CLAIMED = "id = $1 AND attempts = $2 AND claimed_until = $3"
# The state of the ad is noted with the end of its row.
RECORD = f"""
    WITH ended AS (
        UPDATE import_rows SET status = $4, ad_id = coalesce($5, ad_id), faults = $6::jsonb,
            sent = NULL, claimed_until = NULL
        WHERE {IS_CLAIMED} RETURNING ad_id
    )
    INSERT INTO imported_ads (ad_id, digest, images_digest, revision)
    SELECT ad_id, $7, $8, $9::timestamptz FROM ended
    WHERE $9::timestamptz IS NOT NULL AND EXISTS (SELECT FROM ads WHERE id = ended.ad_id)
    ON CONFLICT (ad_id) DO UPDATE SET digest = excluded.digest,
        images_digest = excluded.images_digest, revision = excluded.revision
"""
DEFER = f"""
    UPDATE import_rows SET next_at = now() + make_interval(secs => $4::float8),
        claimed_until = NULL, attempts = attempts - $5::int
    WHERE {IS_CLAIMED}
"""


class KnownAd(NamedTuple):
    """An ad of the account, and what its last import was."""

    id: int
    status: str
    digest: bytes | None
    images_digest: bytes | None
    # Whether it is as that import has left it.
    is_unchanged: bool


class NewRow(NamedTuple):
    number: int
    external_id: str | None
    ad_id: int | None
    # As JSON.
    sent: str | None
    digest: bytes | None
    images_digest: bytes | None
    fetches: bool
    status: ImportRowStatus
    # As JSON.
    faults: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRow(Claimed):
    owner_id: int
    dry_run: bool
    external_id: str | None
    # Of the ad to withdraw, if there is nothing in `sent`.
    ad_id: int | None
    sent: str | None
    digest: bytes | None
    images_digest: bytes | None
    fetches: bool


class RowOutcome(NamedTuple):
    status: ImportRowStatus
    ad_id: int | None = None
    # As JSON.
    faults: str | None = None
    # Of an ad that was written: its `updated_at`.
    revision: datetime | None = None


async def known(
    db: Statements, owner_id: int, external_ids: Sequence[str | None], *, is_full: bool
) -> Mapping[str, KnownAd]:
    """The account's ads with these external ids, by them; with `is_full` those that are shown
    too.
    """
    return {
        row["external_id"]: KnownAd(
            row["id"], row["status"], row["digest"], row["images_digest"], bool(row["is_unchanged"])
        )
        for row in await db.fetch(SELECT_KNOWN, owner_id, external_ids, is_full)
    }


# Of one statement.
ROWS_AT_ONCE = 1000
# Of an account, besides the new one.
MOST_EARLIER = 9


async def add(
    db: Statements,
    owner_id: int,
    mode: str,
    status: ImportStatus,
    changes: Sequence[NewRow],
    *,
    dry_run: bool,
    rows: int,
    unchanged: int,
) -> int | None:
    """The id of the import; None while another one of the account is under way."""
    await db.fetch(REPLACE_WAITING, owner_id)
    await db.fetch(DELETE_EARLIER, owner_id, MOST_EARLIER)
    is_done = status is ImportStatus.DONE
    outcomes = json.dumps({ImportRowStatus.FAILED: len(changes)}) if is_done else None
    values = (owner_id, mode, dry_run, status, rows, unchanged, outcomes)
    import_id: int | None = await db.fetchval(INSERT_IMPORT, *values)
    if import_id is None:
        return None
    for start in range(0, len(changes), ROWS_AT_ONCE):
        columns = zip(*changes[start : start + ROWS_AT_ONCE], strict=True)
        await db.fetch(INSERT_ROWS, import_id, *map(list, columns))
    return import_id


async def of_owner(db: Statements, owner_id: int, import_id: int | None = None) -> Sequence[Row]:
    """The newest first; the one with the id, if there is an id."""
    found = await db.fetch(SELECT_IMPORTS, owner_id, import_id)
    return [{**row, "counts": json.loads(row["counts"])} for row in found]


async def is_own(db: Statements, owner_id: int, import_id: int) -> bool:
    found: bool = await db.fetchval(IS_OWN, owner_id, import_id)
    return found


async def rows(
    db: Statements, import_id: int, status: str | None, limit: int, *, after: int
) -> Paged[Row]:
    limit = min(limit, MOST_LARGE_RECORDS)
    found = await db.fetch(SELECT_ROWS, import_id, after, status, limit + 1)
    return paged([{**row, "faults": json.loads(row["faults"])} for row in found], limit)


async def confirm(db: Statements, import_id: int) -> bool:
    return await db.fetchval(CONFIRM, import_id) is not None


async def claim(
    db: Statements, room: int, *, seconds: float, of_import: int
) -> Sequence[ClaimedRow]:
    """Ends imports that have nothing left to do, too."""
    return [ClaimedRow(**row) for row in await db.fetch(CLAIM_ROWS, room, seconds, of_import)]


async def record(db: Statements, row: ClaimedRow, outcome: RowOutcome) -> None:
    status, ad_id, faults, revision = outcome
    values = (status, ad_id, faults, row.digest, row.images_digest, revision)
    await db.fetch(RECORD, *row.identity, *values)


async def defer(db: Statements, row: ClaimedRow, seconds: float, *, counts: bool) -> None:
    """Without `counts` the attempt is not counted."""
    await db.fetch(DEFER, *row.identity, seconds, int(not counts))


async def pause(db: Statements, row: ClaimedRow, seconds: float) -> None:
    """No row of its import begins before."""
    await db.fetch(PAUSE, row.id, seconds)
