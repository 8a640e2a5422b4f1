"""Accounts as administrators see them, and what suspending one does."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import delete, text
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import Role, Session
from adsvc.repositories.accounts.callers import NOT_SUSPENDED
from adsvc.repositories.ads.projection import SHOWN_SQL

Row = Mapping[str, Any]

# What moderators and administrators are told of an account.
ACCOUNT_STATUS = """CASE WHEN suspended_until > now() THEN 'suspended' ELSE 'active' END AS status,
    coalesce((SELECT ads FROM author_ad_totals WHERE author_id = users.id), 0) AS ads"""
FINITE = "CASE WHEN suspended_until > now() THEN nullif(suspended_until, 'infinity') END"
FOUND = f"""
    SELECT id, username, username_key, first_name, last_name, phone, role, image, created_at,
        {ACCOUNT_STATUS}, {FINITE} AS suspended_until
    FROM users
"""
# The last one that holds says why.
SUSPENSION = text(f"""
    SELECT (extract(epoch FROM {FINITE}) * 1000)::bigint AS until, coalesce((
        SELECT explanation FROM decisions
        WHERE user_id = users.id AND action = 'suspendAccount' AND ended_at IS NULL
        ORDER BY id DESC LIMIT 1
    ), '') AS explanation
    FROM users WHERE id = :user_id AND suspended_until > now()
""")
# For as long as the longest decision that holds says.
AGREE = text("""
    UPDATE users SET suspended_until = coalesce(
        (
            SELECT max(coalesce(until, 'infinity')) FROM decisions
            WHERE user_id = users.id AND action = 'suspendAccount' AND ended_at IS NULL
                AND (until IS NULL OR until > now())
        ),
        least(suspended_until, date_trunc('milliseconds', now()))
    )
    WHERE id = :user_id
""")
# Until somebody has decided, or has been killed before that.
LOCK_SHARE = text("""
    UPDATE users SET suspended_until = greatest(
        suspended_until, now() + make_interval(secs => :seconds)
    ) WHERE id = :user_id
""")
# In the order in which others lock them. An ad that so many reports have hidden is hidden with its
# author from now on, once somebody has looked at it and no decision about itself holds.
HIDE_ADS = text(f"""
    WITH before AS (
        SELECT id, status FROM ads
        WHERE author_id = :user_id AND (status IN ({SHOWN_SQL}) OR (
            status = 'suspended' AND NOT hidden_with_author AND NOT EXISTS (
                SELECT FROM cases LEFT JOIN decisions ON case_id = cases.id
                    AND action IN ('suspendAd', 'removeAd') AND ended_at IS NULL
                WHERE kind = 'ad' AND target_id = ads.id
                    AND (cases.status = 'open' OR decisions.id IS NOT NULL)
            )
        )) ORDER BY id LIMIT CAST(:limit AS bigint) FOR NO KEY UPDATE
    ), hidden AS (
        UPDATE ads SET status = 'suspended', hidden_from = coalesce(hidden_from, before.status),
            hidden_with_author = true
        FROM before WHERE ads.id = before.id RETURNING ads.id, before.status
    ), told AS (
        INSERT INTO ad_events (ad_id, actor_id, event, from_status, to_status)
        SELECT id, :actor_id, 'suspended', status, 'suspended' FROM hidden
        WHERE status <> 'suspended'
    )
    SELECT count(*) FROM hidden
""")
SHOWN_ADS = text("SELECT ads FROM author_ad_totals WHERE author_id = :user_id")
# What the account has reported counts for nothing any more.
DISCOUNT = text("""
    WITH discounted AS (
        UPDATE reports SET counts = false WHERE reporter_id = :user_id AND counts
        RETURNING case_id
    ), fewer AS (
        UPDATE cases SET reports = reports - 1 FROM (
            SELECT id FROM cases WHERE id IN (SELECT case_id FROM discounted)
            ORDER BY id FOR NO KEY UPDATE
        ) AS theirs WHERE cases.id = theirs.id
    )
    SELECT count(*) FROM discounted
""")
SHOW_ADS = text("""
    WITH theirs AS (
        SELECT id, hidden_from FROM ads WHERE author_id = :user_id AND hidden_with_author
        ORDER BY id LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
    ), shown AS (
        UPDATE ads SET status = ads.hidden_from, hidden_from = NULL, hidden_with_author = false
        FROM theirs WHERE ads.id = theirs.id RETURNING ads.id, ads.status
    ), told AS (
        INSERT INTO ad_events (ad_id, event, from_status, to_status)
        SELECT id, 'restored', 'suspended', status FROM shown WHERE status <> 'suspended'
    )
    SELECT count(*) FROM shown
""")
FORGET = text("""
    UPDATE users SET suspended_until = NULL WHERE id = :user_id AND suspended_until <= now()
        AND NOT EXISTS (SELECT FROM ads WHERE author_id = users.id AND hidden_with_author)
""")
ENDED = text("""
    SELECT id FROM users WHERE suspended_until <= now() ORDER BY suspended_until LIMIT :limit
""")
ROLES = text(f"""
    SELECT (SELECT role FROM users WHERE id = :actor_id AND {NOT_SUSPENDED}) AS actor,
        (SELECT role FROM users WHERE id = :concerned_id) AS concerned
""")

KEEP = text("""
    SELECT FROM users WHERE id IN (:actor_id, :concerned_id) ORDER BY id FOR KEY SHARE
""")


class Roles(NamedTuple):
    # None if the account is gone or suspended.
    actor: Role | None
    # None if the account is gone.
    concerned: Role | None


class Suspension(NamedTuple):
    # In milliseconds since 1970; None for ever.
    until: int | None
    explanation: str


class SuspensionRepository:
    """Whoever suspends an account, or ends that, has locked its ads and the account."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_account(self, user_id: int) -> Suspension | None:
        """None if the account is not suspended now."""
        row = (await self._session.execute(SUSPENSION, {"user_id": user_id})).first()
        return None if row is None else Suspension(row.until, row.explanation)

    async def begin(self, user_id: int, actor_id: int) -> Sequence[int]:
        """By a decision that was made. None of the account's ads is shown any more.

        The ids of the sessions that ended.
        """
        await self._session.execute(AGREE, {"user_id": user_id})
        ended = delete(Session).where(Session.user_id == user_id).returning(Session.id)
        sessions = (await self._session.scalars(ended)).all()
        await self.hide_ads(user_id, actor_id)
        await self._session.execute(DISCOUNT, {"user_id": user_id})
        return sessions

    async def shown_ads(self, user_id: int) -> int:
        return await self._session.scalar(SHOWN_ADS, {"user_id": user_id}) or 0

    async def hold(self, user_id: int, seconds: float) -> None:
        """Suspends the account for so long at least."""
        await self._session.execute(LOCK_SHARE, {"user_id": user_id, "seconds": seconds})

    async def hide_ads(self, user_id: int, actor_id: int, limit: int | None = None) -> int:
        """How many are hidden now."""
        values = {"user_id": user_id, "actor_id": actor_id, "limit": limit}
        return int(await self._session.scalar(HIDE_ADS, values) or 0)

    async def end(self, user_id: int) -> bool:
        """By a decision that was undone. False if another one still holds."""
        await self._session.execute(AGREE, {"user_id": user_id})
        return await self.of_account(user_id) is None

    async def show_ads(self, user_id: int, limit: int) -> int:
        """How many are shown again; the suspension has ended.

        What others work at is left to them.
        """
        values = {"user_id": user_id, "limit": limit}
        return int(await self._session.scalar(SHOW_ADS, values) or 0)

    async def forget(self, user_id: int) -> None:
        """That there was a suspension, if all ads are shown again."""
        await self._session.execute(FORGET, {"user_id": user_id})

    async def ended(self, limit: int) -> Sequence[int]:
        """Accounts whose suspension is over, but whose ads may be hidden still."""
        return (await self._session.scalars(ENDED, {"limit": limit})).all()


class AccountRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def _rows(self, conditions: Sequence[str], order: str, **values: object) -> Sequence[Row]:
        sql = f"{FOUND} WHERE {' AND '.join(conditions)} ORDER BY {order} LIMIT :limit"
        found = await self._session.execute(text(sql), values)
        return [dict(row) for row in found.mappings()]

    async def get(self, user_id: int) -> Row | None:
        found = await self._rows(["id = :id"], "id", id=user_id, limit=1)
        return found[0] if found else None

    async def roles(self, actor_id: int, concerned_id: int) -> Roles:
        """Of somebody who decides, and of the one concerned, as they are now."""
        values = {"actor_id": actor_id, "concerned_id": concerned_id}
        row = (await self._session.execute(ROLES, values)).one()
        return Roles(*(None if role is None else Role(role) for role in row))

    async def keep(self, actor_id: int, concerned_id: int) -> None:
        """Neither is deleted or suspended until the transaction ends."""
        values = {"actor_id": actor_id, "concerned_id": concerned_id}
        await self._session.execute(KEEP, values)

    async def newest(
        self, status: str | None, limit: int, *, before: int | None = None
    ) -> Sequence[Row]:
        """Only those with an id below `before`."""
        conditions, values = _of_status(status), dict[str, object](limit=limit)
        if before is not None:
            conditions.append("id < :before")
            values["before"] = before
        return await self._rows(conditions, "id DESC", **values)

    async def beginning_with(
        self, key: str, status: str | None, limit: int, *, after: str | None = None
    ) -> Sequence[Row]:
        """By user name, of which the key is the beginning of `models.accounts.username_key`."""
        # The operators of the index, which has names in the order of their characters.
        conditions = [
            *_of_status(status),
            "username_key ~>=~ :key",
            "starts_with(username_key, :key)",
            # The first that no name with that beginning can reach.
            "username_key ~<~ (:key || chr(1114111))",
        ]
        values: dict[str, object] = {"key": key, "limit": limit}
        if after is not None:
            conditions.append("username_key ~>~ :after")
            values["after"] = after
        return await self._rows(conditions, "username_key USING ~<~", **values)


def _of_status(status: str | None) -> list[str]:
    match status:
        case "suspended":
            return ["suspended_until IS NOT NULL", "suspended_until > now()"]
        case "active":
            return [NOT_SUSPENDED]
    return ["TRUE"]
