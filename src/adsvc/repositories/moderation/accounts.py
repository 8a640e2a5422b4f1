"""Accounts as administrators see them, and the SQL of suspensions."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import delete

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Row
from adsvc.models import Role, Session
from adsvc.models.ads import SHOWN_SQL
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.paging import BEYOND_ALL, Paged, paged

# What moderators and administrators see of an account.
ACCOUNT_STATUS = """CASE WHEN suspended_until > now() THEN 'suspended' ELSE 'active' END AS status,
    coalesce((SELECT ads FROM author_ad_totals WHERE author_id = users.id), 0) AS ads"""
FINITE = "CASE WHEN suspended_until > now() THEN nullif(suspended_until, 'infinity') END"
FOUND = f"""
    SELECT id, username, username_key, first_name, last_name, phone, role, image, created_at,
        {ACCOUNT_STATUS}, {FINITE} AS suspended_until
    FROM users
"""
# With what administrators see of one account alone.
FOUND_ONE = f"""
    SELECT found.*, mail, mail_verified, has_totp,
        (SELECT count(*) FROM passkeys WHERE passkeys.user_id = users.id) AS passkeys
    FROM ({FOUND} WHERE id = $1) AS found JOIN users USING (id)
"""
# The newest decision in force has the reasons.
SUSPENSION = f"""
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
# It expires if no decision follows.
SUSPEND_PROVISIONALLY = """
    UPDATE users SET suspended_until = greatest(
        suspended_until, now() + make_interval(secs => $2)
    ) WHERE id = $1
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
SHOWN_ADS = "SELECT ads FROM author_ad_totals WHERE author_id = $1"
# The account's reports no longer count.
DISCOUNT = """
    WITH discounted AS (
        UPDATE reports SET counts = false WHERE reporter_id = $1 AND counts
        RETURNING case_id
    ), fewer AS (
        UPDATE cases SET reports = reports - 1 FROM (
            SELECT id FROM cases WHERE id IN (SELECT case_id FROM discounted)
            ORDER BY id FOR NO KEY UPDATE
        ) AS theirs WHERE cases.id = theirs.id
    )
    SELECT count(*) FROM discounted
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
CLEAR_ENDED = """
    UPDATE users SET suspended_until = NULL WHERE id = $1 AND suspended_until <= now()
        AND NOT EXISTS (SELECT FROM ads WHERE author_id = users.id AND hidden_with_author)
"""
ENDED = """
    SELECT id FROM users WHERE suspended_until <= now() ORDER BY suspended_until LIMIT $1
"""
ROLES = f"""
    SELECT (SELECT role FROM users WHERE id = $1 AND {NOT_SUSPENDED}) AS actor,
        (SELECT role FROM users WHERE id = $2) AS concerned
"""

LOCK_SHARE = "SELECT FROM users WHERE id = ANY ($1::bigint[]) ORDER BY id FOR KEY SHARE"


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


class SuspensionRepository:
    """Suspensions. Before `begin` and `end` the caller must have locked the account and its ads."""

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = session

    async def of_account(self, user_id: int) -> Suspension | None:
        """None if the account is not suspended now."""
        row = await self._statements.fetchrow(SUSPENSION, user_id)
        return None if row is None else Suspension(**row)

    async def begin(self, user_id: int, actor_id: int) -> Sequence[int]:
        """Begins a suspension after its decision, and hides the account's ads.

        Returns the ids of the sessions that ended.
        """
        await self._statements.fetch(SYNC_SUSPENSION, user_id)
        ended = delete(Session).where(Session.user_id == user_id).returning(Session.id)
        sessions = (await self._session.scalars(ended)).all()
        await self.hide_ads(user_id, actor_id)
        await self._statements.fetch(DISCOUNT, user_id)
        return sessions

    async def shown_ads(self, user_id: int) -> int:
        return await self._statements.fetchval(SHOWN_ADS, user_id) or 0

    async def suspend_provisionally(self, user_id: int, seconds: float) -> None:
        """Suspends the account for at least this time."""
        await self._statements.fetch(SUSPEND_PROVISIONALLY, user_id, seconds)

    async def hide_ads(self, user_id: int, actor_id: int, limit: int | None = None) -> int:
        """Returns how many ads it has hidden."""
        return int(await self._statements.fetchval(HIDE_ADS, user_id, actor_id, limit))

    async def end(self, user_id: int) -> bool:
        """Ends a suspension whose decision was undone. False if another one is in force."""
        await self._statements.fetch(SYNC_SUSPENSION, user_id)
        return await self.of_account(user_id) is None

    async def show_ads(self, user_id: int, limit: int) -> int:
        """Shows ads again after the suspension. Returns how many.

        Ads that other transactions have locked are skipped.
        """
        return int(await self._statements.fetchval(SHOW_ADS, user_id, limit))

    async def forget(self, user_id: int) -> None:
        """Removes the end of a past suspension, if all ads are shown again."""
        await self._statements.fetch(CLEAR_ENDED, user_id)

    async def ended(self, limit: int) -> Sequence[int]:
        """Accounts whose suspension has ended, but whose ads may still be hidden."""
        return [row["id"] for row in await self._statements.fetch(ENDED, limit)]


class AccountRepository:
    def __init__(self, session: DatabaseSession) -> None:
        self._statements = session

    async def get(self, user_id: int) -> Row | None:
        return await self._statements.fetchrow(FOUND_ONE, user_id)

    async def roles(self, actor_id: int, concerned_id: int) -> Roles:
        """The present roles of the deciding account and of the one concerned."""
        [row] = await self._statements.fetch(ROLES, actor_id, concerned_id)
        return Roles(*(None if role is None else Role(role) for role in row.values()))

    async def lock_share(self, *user_ids: int) -> None:
        """Keeps the accounts from being deleted or suspended until the transaction ends."""
        await self._statements.fetch(LOCK_SHARE, [*user_ids])

    async def newest(
        self, status: str | None, limit: int, *, before: int | None = None
    ) -> Paged[Row]:
        """Accounts with an id below `before`, newest first."""
        sql = f"{FOUND} WHERE {_of_status(status)} AND id < $1 ORDER BY id DESC LIMIT $2"
        last = BEYOND_ALL if before is None else before
        return paged(await self._statements.fetch(sql, last, limit + 1), limit)

    async def beginning_with(
        self, key: str, status: str | None, limit: int, *, after: str | None = None
    ) -> Paged[Row]:
        """Accounts whose `models.accounts.username_key` begins with the key, by user name."""
        # The operators of the index, which sorts names by character.
        beyond, values = ("", ()) if after is None else ("AND username_key ~>~ $3", (after,))
        sql = f"""
            {FOUND} WHERE {_of_status(status)} AND starts_with(username_key, $1)
                AND username_key ~>=~ $1
                -- The first that no name with that beginning can reach.
                AND username_key ~<~ ($1 || chr(1114111)) {beyond}
            ORDER BY username_key USING ~<~ LIMIT $2
        """
        return paged(await self._statements.fetch(sql, key, limit + 1, *values), limit)


def _of_status(status: str | None) -> str:
    match status:
        case "suspended":
            return "suspended_until IS NOT NULL AND suspended_until > now()"
        case "active":
            return NOT_SUSPENDED
    return "TRUE"
