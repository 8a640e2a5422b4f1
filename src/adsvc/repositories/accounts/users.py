from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import CompoundSelect, delete, func, select, union_all, update
from sqlalchemy.dialects.postgresql import insert

from adsvc.enums import AdvisoryLock, Role
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import BEYOND_ALL, Paged, Row, Statements, paged
from adsvc.models.accounts import BCRYPT_COST, HAS_BCRYPT_HASH, AcceptedTerms, User, username_key
from adsvc.models.ads import SHOWN_SQL, Ad, AdImage
from adsvc.repositories import deletions
from adsvc.repositories.accounts.callers import IS_NOT_SUSPENDED, NOT_SUSPENDED

# The open offers of the account, and those made to it. A conversation is locked before its offers.
# An offer whose time is up stays expired, as its readers have seen it.
END_OFFERS = """
    WITH theirs AS MATERIALIZED (
        SELECT id, CASE $1::bigint WHEN buyer_id THEN 'buyer' ELSE 'seller' END AS role
        FROM conversations WHERE buyer_id = $1 OR seller_id = $1 ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE offers SET status = CASE
        WHEN expires_at <= now() THEN 'expired' WHEN by = role THEN 'withdrawn' ELSE 'declined'
    END
    FROM theirs WHERE conversation_id = theirs.id AND status = 'open'
"""
# Their cases are deleted with the account, and nobody would decide about them.
REMOVE_REPORTED_RATINGS = """
    UPDATE ratings SET removed = TRUE FROM cases
    WHERE ratings.author_id = $1 AND kind = 'rating' AND target_id = ratings.id
        AND cases.status <> 'decided'
"""

SELECT_COUNTS = """
    SELECT coalesce((SELECT ads FROM author_ad_totals WHERE author_id = $1), 0) AS shown,
        (SELECT count(*) FROM saved_searches WHERE user_id = $1) AS saved
"""

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


async def get(db: DatabaseSession, user_id: int) -> User | None:
    return await db.get(User, user_id)


async def get_unless_suspended(db: DatabaseSession, user_id: int) -> User | None:
    return await db.scalar(select(User).where(User.id == user_id, IS_NOT_SUSPENDED))


async def get_by_username(db: DatabaseSession, username: str) -> User | None:
    """The account of that name, regardless of case."""
    query = select(User).where(User.username_key == username_key(username))
    return await db.scalar(query)


async def id_of(db: DatabaseSession, username: str) -> int | None:
    query = select(User.id).where(User.username_key == username_key(username))
    return await db.scalar(query)


async def add(
    db: DatabaseSession,
    username: str,
    password_hash: str,
    *,
    first_name: str,
    last_name: str,
    phone: str,
    mail: str | None = None,
    language: str | None = None,
) -> User | None:
    """None if the name is taken. Of concurrent registrations of one name one succeeds."""
    statement = (
        insert(User)
        .values(
            username=username,
            username_key=username_key(username),
            password_hash=password_hash,
            first_name=first_name,
            last_name=last_name,
            phone=phone,
            role=Role.USER,
            mail=mail,
            language=language,
        )
        .on_conflict_do_nothing(index_elements=[User.username_key])
        .returning(User)
    )
    return await db.scalar(statement)


async def lock(db: DatabaseSession, user_id: int) -> User | None:
    """Locks the account until the transaction ends."""
    return await db.scalar(select(User).where(User.id == user_id).with_for_update())


async def lock_unless_suspended(db: DatabaseSession, user_id: int) -> bool:
    """Keeps others from adding to what is counted of an account until the transaction ends.

    False if the account is gone or suspended.
    """
    owner = select(User.id).where(User.id == user_id, IS_NOT_SUSPENDED)
    return await db.scalar(owner.with_for_update(key_share=True)) is not None


async def update_user(db: DatabaseSession, user_id: int, values: Mapping[str, Any]) -> User | None:
    statement = update(User).where(User.id == user_id).values(**values).returning(User)
    return await db.scalar(statement)


async def lock_deletion(db: DatabaseSession, user_id: int) -> None:
    """Until the transaction ends, no other one deletes an account or changes an ad of this one.

    Call it before locking the account: a change of an ad, or a comment on it, locks the ad and
    then an account.
    """
    await db.execute(select(func.pg_advisory_xact_lock(int(AdvisoryLock.ACCOUNT_DELETION))))
    ads = select(Ad.id).where(Ad.author_id == user_id).order_by(Ad.id)
    await db.execute(ads.with_for_update())


async def delete_user(
    db: DatabaseSession, user_id: int, *, actor: int | str, days: int
) -> Sequence[str]:
    """Deletes the account; for so many days that can be undone.

    Returns the names of the pictures that were deleted with it.
    """
    avatar = select(User.image).where(User.id == user_id, User.image.is_not(None))
    pictures: CompoundSelect[str | None] = union_all(
        select(AdImage.name).join(Ad).where(Ad.author_id == user_id), avatar
    )
    await lock_deletion(db, user_id)
    # No ad can be added from now on: that would lock the row that this locks.
    await lock(db, user_id)
    names = [name for name in await db.scalars(pictures) if name is not None]
    await db.fetch(END_OFFERS, user_id)
    await db.fetch(REMOVE_REPORTED_RATINGS, user_id)
    if days:
        await deletions.keep_account(db, user_id, str(actor), days)
    else:
        await deletions.forget_owner(db, user_id)
    await db.execute(delete(User).where(User.id == user_id))
    return names


async def images_in_use(db: DatabaseSession, names: Sequence[str]) -> set[str]:
    """The names that an avatar uses."""
    query = select(User.image).where(User.image.in_(names))
    return {name for name in await db.scalars(query) if name is not None}


async def replace_password_hash(db: DatabaseSession, user_id: int, old: str, new: str) -> bool:
    """False, without a change, if the stored hash is no longer `old`."""
    statement = (
        update(User)
        .where(User.id == user_id, User.password_hash == old)
        .values(password_hash=new)
        .returning(User.id)
    )
    return await db.scalar(statement) is not None


async def highest_bcrypt_cost(db: DatabaseSession) -> int:
    """0 if no account has a bcrypt hash. Hashes with an invalid cost do not count."""
    costs = select(BCRYPT_COST).select_from(User).where(HAS_BCRYPT_HASH)
    highest = costs.order_by(BCRYPT_COST.desc()).limit(1)
    return int(await db.scalar(highest) or 0)


async def count_bcrypt_hashes(db: DatabaseSession) -> int:
    query = select(func.count()).select_from(User).where(HAS_BCRYPT_HASH)
    return await db.scalar(query) or 0


async def set_password_hash(db: DatabaseSession, user_id: int, new: str) -> None:
    await db.execute(update(User).where(User.id == user_id).values(password_hash=new))


async def set_role(db: DatabaseSession, user_id: int, role: Role) -> None:
    await db.execute(update(User).where(User.id == user_id).values(role=role))


async def counts(db: Statements, user_id: int) -> tuple[int, int]:
    """How many ads of the account are shown, and how many searches it has saved."""
    [row] = await db.fetch(SELECT_COUNTS, user_id)
    return row["shown"], row["saved"]


async def set_plan(db: DatabaseSession, user_id: int, plan: str) -> None:
    await db.execute(update(User).where(User.id == user_id).values(plan=plan))


async def get_all_by_username(db: DatabaseSession, usernames: Sequence[str]) -> Sequence[User]:
    keys = [username_key(username) for username in usernames]
    query = select(User).where(User.username_key.in_(keys)).order_by(User.id)
    return (await db.scalars(query)).all()


async def stream(db: DatabaseSession) -> AsyncIterator[User]:
    async for user in await db.stream_scalars(select(User).order_by(User.id)):
        yield user


# Accounts as moderators and administrators see them.


async def page(
    db: Statements, q: str | None, status: str | None, limit: int, *, after: str | None
) -> Paged[Row]:
    """Accounts with that status, the newest first; with `q` those whose name begins with it, by
    name. `after` is the id, or the `username_key`, of the last account before the page.
    """
    of_status = {
        "suspended": "suspended_until IS NOT NULL AND suspended_until > now()",
        "active": NOT_SUSPENDED,
        None: "TRUE",
    }[status]
    if q is None:
        sql = f"{SELECT_ACCOUNTS} WHERE {of_status} AND id < $1 ORDER BY id DESC LIMIT $2"
        last = BEYOND_ALL if after is None else int(after)
        return paged(await db.fetch(sql, last, limit + 1), limit)
    # The operators of the index, which sorts names by character.
    beyond, values = ("", ()) if after is None else ("AND username_key ~>~ $3", (after,))
    sql = f"""
        {SELECT_ACCOUNTS} WHERE {of_status} AND starts_with(username_key, $1)
            AND username_key ~>=~ $1
            -- The first that no name with that beginning can reach.
            AND username_key ~<~ ($1 || chr(1114111)) {beyond}
        ORDER BY username_key USING ~<~ LIMIT $2
    """
    return paged(await db.fetch(sql, username_key(q), limit + 1, *values), limit)


async def described(db: Statements, user_id: int) -> Row | None:
    return await db.fetchrow(SELECT_ACCOUNT, user_id)


async def suspension_of(db: Statements, user_id: int) -> Suspension | None:
    """None if the account is not suspended now."""
    row = await db.fetchrow(SELECT_SUSPENSION, user_id)
    return None if row is None else Suspension(**row)


async def count_content(db: Statements, user_id: int) -> Row:
    [row] = await db.fetch(COUNT_CONTENT, user_id)
    return row


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


async def accept_terms(db: DatabaseSession, user_id: int, page: str, version: int) -> None:
    """The first time counts."""
    values = {"user_id": user_id, "page": page, "version": version}
    await db.execute(insert(AcceptedTerms).values(values).on_conflict_do_nothing())


async def has_accepted_terms(db: Statements, user_id: int, page: str, version: int) -> bool:
    sql = "SELECT TRUE FROM accepted_terms WHERE user_id = $1 AND page = $2 AND version = $3"
    return await db.fetchrow(sql, user_id, page, version) is not None


async def exported_terms(
    db: DatabaseSession, user_id: int, limit: int, *, after: int
) -> Sequence[AcceptedTerms]:
    query = select(AcceptedTerms).where(AcceptedTerms.user_id == user_id, AcceptedTerms.id > after)
    return (await db.scalars(query.order_by(AcceptedTerms.id).limit(limit))).all()
