"""Accounts as administrators see them, and the SQL of suspensions."""

from collections.abc import Sequence
from typing import NamedTuple

from adsvc.enums import Role
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Row, Statements, paged
from adsvc.models.ads import SHOWN_SQL
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.moderation.decisions import MOVE_COMMENTS

# What moderators and administrators see of an account.
ACCOUNT_STATUS = """CASE WHEN suspended_until > now() THEN 'suspended' ELSE 'active' END AS status,
    coalesce((SELECT ads FROM author_ad_totals WHERE author_id = users.id), 0) AS ads"""
FINITE = "CASE WHEN suspended_until > now() THEN nullif(suspended_until, 'infinity') END"
SELECT_ACCOUNTS = f"""
    SELECT id, username, username_key, first_name, last_name, phone, role, image, created_at, plan,
        {ACCOUNT_STATUS}, {FINITE} AS suspended_until
    FROM users
"""
# With what administrators see of one account alone.
SELECT_ACCOUNT = f"""
    SELECT found.*, mail, mail_verified, has_totp,
        (SELECT count(*) FROM passkeys WHERE passkeys.user_id = users.id) AS passkeys
    FROM ({SELECT_ACCOUNTS} WHERE id = $1) AS found JOIN users USING (id)
"""
# The newest decision in force has the reasons.
SELECT_SUSPENSION = f"""
    SELECT (extract(epoch FROM {FINITE}) * 1000)::bigint AS until,
        coalesce(explanation, '') AS explanation, decided.id AS decision_id
    FROM users LEFT JOIN LATERAL (
        SELECT id, explanation FROM decisions
        WHERE user_id = users.id AND action = 'suspendAccount' AND ended_at IS NULL
        ORDER BY id DESC LIMIT 1
    ) AS decided ON TRUE
    WHERE users.id = $1 AND suspended_until > now()
"""
# The suspension ends with the last decision in force.
SYNC_SUSPENSION = """
    UPDATE users SET suspended_until = coalesce(
        (
            SELECT max(coalesce(until, 'infinity')) FROM decisions
            WHERE user_id = users.id AND action = 'suspendAccount' AND ended_at IS NULL
                AND (until IS NULL OR until > now())
        ),
        least(suspended_until, date_trunc('milliseconds', now()))
    )
    WHERE id = $1
"""
# Locked in the order of other statements. An ad that many reports have hidden is from now on hidden
# with its author, if its case was decided and no decision about the ad is in force.
HIDE_ADS = f"""
    WITH before AS (
        SELECT id, status FROM ads
        WHERE author_id = $1 AND (status IN ({SHOWN_SQL}) OR (
            status = 'suspended' AND NOT hidden_with_author AND NOT EXISTS (
                SELECT FROM cases LEFT JOIN decisions ON case_id = cases.id
                    AND action IN ('suspendAd', 'removeAd') AND ended_at IS NULL
                WHERE kind = 'ad' AND target_id = ads.id
                    AND (cases.status = 'open' OR decisions.id IS NOT NULL)
            )
        )) ORDER BY id LIMIT $3::bigint FOR NO KEY UPDATE
    ), hidden AS (
        UPDATE ads SET status = 'suspended', hidden_from = coalesce(hidden_from, before.status),
            hidden_with_author = true
        FROM before WHERE ads.id = before.id RETURNING ads.id, before.status
    ), history AS (
        INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
        SELECT id, $2::bigint, 'suspended', status, 'suspended' FROM hidden
        WHERE status <> 'suspended'
    )
    SELECT count(*) FROM hidden
"""
SHOW_ADS = """
    WITH theirs AS (
        SELECT id, hidden_from FROM ads WHERE author_id = $1 AND hidden_with_author
        ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
    ), shown AS (
        UPDATE ads SET status = ads.hidden_from, hidden_from = NULL, hidden_with_author = false
        FROM theirs WHERE ads.id = theirs.id RETURNING ads.id, ads.status
    ), history AS (
        INSERT INTO ad_events (ad_id, event, from_status, to_status)
        SELECT id, 'restored', 'suspended', status FROM shown WHERE status <> 'suspended'
    )
    SELECT count(*) FROM shown
"""


# What an account has published, and others may see.
COUNT_CONTENT = f"""
    SELECT (SELECT count(*) FROM ads WHERE author_id = $1 AND status IN ({SHOWN_SQL})) AS ads,
        (SELECT count(*) FROM ad_images JOIN ads ON ads.id = ad_id
            WHERE author_id = $1) AS pictures,
        (SELECT count(*) FROM comments WHERE author_id = $1) AS comments,
        (SELECT count(*) FROM messages
            WHERE author_id = $1 AND kind = 'text' AND NOT removed) AS messages,
        (SELECT count(*) FROM ratings
            WHERE author_id = $1 AND shown_at IS NOT NULL AND NOT removed) AS ratings
"""
# A deletion of an ad locks it before its comments.
LOCK_ADS_OF_COMMENTS = """
    SELECT FROM ads WHERE id IN (SELECT ad_id FROM {table} WHERE author_id = $1)
    ORDER BY id FOR KEY SHARE
"""
# What a decision of its own has removed.
IS_DECIDED = """EXISTS (
    SELECT FROM cases JOIN decisions ON case_id = cases.id
    WHERE kind = '{kind}' AND target_id = {table}.id
        AND action IN ('removeComment', 'removeMessage', 'removeRating') AND ended_at IS NULL
)"""
COMMENT_IS_DECIDED = IS_DECIDED.format(kind="comment", table="removed_comments")
# Messages that are held have the text of a removed one.
RESTORE_MESSAGES = f"""
    UPDATE messages SET removed = false WHERE author_id = $1 AND removed AND NOT held
        AND NOT {IS_DECIDED.format(kind="message", table="messages")}
"""
# Everyone sees the average of what others have said.
HIDE_RATINGS = "UPDATE ratings SET removed = true WHERE author_id = $1 AND NOT removed"
SHOW_RATINGS = f"""
    UPDATE ratings SET removed = false WHERE author_id = $1 AND removed
        AND NOT {IS_DECIDED.format(kind="rating", table="ratings")}
"""


class Roles(NamedTuple):
    # None if the account was deleted or suspended.
    actor: Role | None
    # None if the account was deleted.
    concerned: Role | None


class Suspension(NamedTuple):
    # In milliseconds since 1970; None means without end.
    until: int | None
    explanation: str
    # None while the decision is being made.
    decision_id: int | None


async def suspension_of(db: Statements, user_id: int) -> Suspension | None:
    """None if the account is not suspended now."""
    row = await db.fetchrow(SELECT_SUSPENSION, user_id)
    return None if row is None else Suspension(**row)


async def begin_suspension(db: Statements, user_id: int, actor_id: int) -> Sequence[int]:
    """Begins a suspension after its decision, and hides the account's ads and the ratings that it
    gave. Its reports no longer count. Account and ads are locked.

    Returns the ids of the sessions that ended.
    """
    await db.fetch(SYNC_SUSPENSION, user_id)
    sessions = await db.fetch("DELETE FROM sessions WHERE user_id = $1 RETURNING id", user_id)
    await hide_ads_of(db, user_id, actor_id)
    await db.fetch(HIDE_RATINGS, user_id)
    sql = """
        UPDATE reports SET counts = false WHERE reporter_id = $1 AND counts RETURNING case_id
    """
    cases = [row["case_id"] for row in await db.fetch(sql, user_id)]
    sql = "SELECT FROM cases WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"
    await db.fetch(sql, cases)
    await db.fetch("UPDATE cases SET reports = reports - 1 WHERE id = ANY ($1::bigint[])", cases)
    return [row["id"] for row in sessions]


async def end_suspension(db: Statements, user_id: int) -> bool:
    """Ends a suspension whose decision was undone. False if another one is in force. Account and
    ads are locked.
    """
    await db.fetch(SYNC_SUSPENSION, user_id)
    return await suspension_of(db, user_id) is None


async def shown_ads(db: Statements, user_id: int) -> int:
    return await db.fetchval("SELECT ads FROM author_ad_totals WHERE author_id = $1", user_id) or 0


async def count_content(db: Statements, user_id: int) -> Row:
    [row] = await db.fetch(COUNT_CONTENT, user_id)
    return row


async def remove_content(db: Statements, user_id: int) -> None:
    """Removes comments and messages; the suspension has hidden the ads. Account and ads are locked.

    Removed comments are kept as long as those that a decision of their own has removed.
    """
    await db.fetch(LOCK_ADS_OF_COMMENTS.format(table="comments"), user_id)
    own = "author_id = $1"
    sql = MOVE_COMMENTS.format(source="comments", target="removed_comments", which=own)
    await db.fetch(sql, user_id)
    sql = """
        UPDATE messages SET removed = true WHERE author_id = $1 AND kind = 'text' AND NOT removed
    """
    await db.fetch(sql, user_id)


async def restore_content(db: Statements, user_id: int) -> None:
    """Undoes `remove_content`. What a decision of its own has removed stays removed."""
    await db.fetch(LOCK_ADS_OF_COMMENTS.format(table="removed_comments"), user_id)
    which = f"author_id = $1 AND NOT {COMMENT_IS_DECIDED}"
    sql = MOVE_COMMENTS.format(source="removed_comments", target="comments", which=which)
    await db.fetch(sql, user_id)
    await db.fetch(RESTORE_MESSAGES, user_id)


async def suspend_provisionally(db: Statements, user_id: int, seconds: float) -> None:
    """Suspends the account for at least this time. It expires if no decision follows."""
    sql = """
        UPDATE users SET suspended_until = greatest(
            suspended_until, now() + make_interval(secs => $2)
        ) WHERE id = $1
    """
    await db.fetch(sql, user_id, seconds)


async def hide_ads_of(db: Statements, user_id: int, actor_id: int, limit: int | None = None) -> int:
    """Returns how many ads it has hidden."""
    return int(await db.fetchval(HIDE_ADS, user_id, actor_id, limit))


async def show_ads_of(db: Statements, user_id: int, limit: int) -> int:
    """Shows ads again after the suspension. Returns how many.

    Ads that other transactions have locked are skipped.
    """
    return int(await db.fetchval(SHOW_ADS, user_id, limit))


async def forget_suspension(db: Statements, user_id: int) -> None:
    """Removes the end of a past suspension, if all ads are shown again, and shows the ratings."""
    sql = """
        UPDATE users SET suspended_until = NULL WHERE id = $1 AND suspended_until <= now()
            AND NOT EXISTS (SELECT FROM ads WHERE author_id = users.id AND hidden_with_author)
        RETURNING id
    """
    # The account is locked now: no other suspension begins.
    if await db.fetchval(sql, user_id) is not None:
        await db.fetch(SHOW_RATINGS, user_id)


async def ended_suspensions(db: Statements, limit: int) -> Sequence[int]:
    """Accounts whose suspension has ended, but whose ads may still be hidden."""
    sql = "SELECT id FROM users WHERE suspended_until <= now() ORDER BY suspended_until LIMIT $1"
    return [row["id"] for row in await db.fetch(sql, limit)]


async def get(db: Statements, user_id: int) -> Row | None:
    return await db.fetchrow(SELECT_ACCOUNT, user_id)


async def roles(db: Statements, actor_id: int, concerned_id: int | None) -> Roles:
    """The present roles of the deciding account and of the one concerned."""
    sql = f"""
        SELECT (SELECT role FROM users WHERE id = $1 AND {NOT_SUSPENDED}) AS actor,
            (SELECT role FROM users WHERE id = $2) AS concerned
    """
    [row] = await db.fetch(sql, actor_id, concerned_id)
    return Roles(*(None if role is None else Role(role) for role in row.values()))


async def lock_share(db: Statements, *user_ids: int | None) -> None:
    """Keeps the accounts from being deleted or suspended until the transaction ends."""
    sql = "SELECT FROM users WHERE id = ANY ($1::bigint[]) ORDER BY id FOR KEY SHARE"
    await db.fetch(sql, [*user_ids])


async def newest(
    db: Statements, status: str | None, limit: int, *, before: int | None = None
) -> Paged[Row]:
    """Accounts with an id below `before`, newest first."""
    sql = f"{SELECT_ACCOUNTS} WHERE {_of_status(status)} AND id < $1 ORDER BY id DESC LIMIT $2"
    last = BEYOND_ALL if before is None else before
    return paged(await db.fetch(sql, last, limit + 1), limit)


async def beginning_with(
    db: Statements, key: str, status: str | None, limit: int, *, after: str | None = None
) -> Paged[Row]:
    """Accounts whose `models.accounts.username_key` begins with the key, by user name."""
    # The operators of the index, which sorts names by character.
    beyond, values = ("", ()) if after is None else ("AND username_key ~>~ $3", (after,))
    sql = f"""
        {SELECT_ACCOUNTS} WHERE {_of_status(status)} AND starts_with(username_key, $1)
            AND username_key ~>=~ $1
            -- The first that no name with that beginning can reach.
            AND username_key ~<~ ($1 || chr(1114111)) {beyond}
        ORDER BY username_key USING ~<~ LIMIT $2
    """
    return paged(await db.fetch(sql, key, limit + 1, *values), limit)


def _of_status(status: str | None) -> str:
    match status:
        case "suspended":
            return "suspended_until IS NOT NULL AND suspended_until > now()"
        case "active":
            return NOT_SUSPENDED
    return "TRUE"
