"""Second factors. What is used up is deleted or moved on by the statement that compares it."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import case, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.models.accounts import Passkey, RecoveryCode, Totp, UsedChallenge, User
from adsvc.repositories.accounts.sessions import began_at


async def codes_left(db: Statements, user_id: int) -> int:
    """How many recovery codes the account has not used."""
    return int(
        await db.fetchval("SELECT count(*) FROM recovery_codes WHERE user_id = $1", user_id) or 0
    )


async def totp(db: DatabaseSession, user_id: int) -> Totp | None:
    return await db.scalar(select(Totp).where(Totp.user_id == user_id))


async def set_pending(db: DatabaseSession, user_id: int, pending: bytes) -> None:
    added = insert(Totp).values(user_id=user_id, pending=pending)
    await db.execute(
        added.on_conflict_do_update(index_elements=[Totp.user_id], set_={"pending": pending})
    )


async def confirm(
    db: DatabaseSession, user_id: int, pending: bytes, step: int, *, session_id: int | None
) -> bool:
    """False if the pending secret is another one by now.

    An app that takes the place of another one is not younger than that: a code of it was
    needed.
    """
    is_new = Totp.secret.is_(None)
    set_at = case((is_new, func.now()), else_=Totp.set_at)
    session_began_at = case((is_new, began_at(session_id)), else_=Totp.session_began_at)
    statement = (
        update(Totp)
        .where(Totp.user_id == user_id, Totp.pending == pending)
        .values(
            secret=pending,
            last_step=step,
            pending=None,
            set_at=set_at,
            session_began_at=session_began_at,
        )
        .returning(Totp.user_id)
    )
    if await db.scalar(statement) is None:
        return False
    await _set_totp(db, user_id, has_totp=True)
    return True


async def use_step(
    db: DatabaseSession, user_id: int, secret: bytes, step: int, renewed: bytes
) -> bool:
    """False if a code of this step, or of a later one, was used before. Stores the `renewed`
    secret instead of that one.
    """
    statement = (
        update(Totp)
        .where(
            Totp.user_id == user_id,
            Totp.secret == secret,
            or_(Totp.last_step.is_(None), Totp.last_step < step),
        )
        .values(last_step=step, secret=renewed)
        .returning(Totp.user_id)
    )
    return await db.scalar(statement) is not None


async def remove_totp(db: DatabaseSession, user_id: int) -> None:
    """With its recovery codes."""
    await db.execute(delete(Totp).where(Totp.user_id == user_id))
    await replace_codes(db, user_id, ())
    await _set_totp(db, user_id, has_totp=False)


async def _set_totp(db: DatabaseSession, user_id: int, *, has_totp: bool) -> None:
    await db.execute(update(User).where(User.id == user_id).values(has_totp=has_totp))


async def replace_codes(db: DatabaseSession, user_id: int, hashes: Collection[bytes]) -> None:
    await db.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
    rows = [{"user_id": user_id, "hash": hash_} for hash_ in hashes]
    if rows:
        await db.execute(insert(RecoveryCode).values(rows))


async def has_code(db: DatabaseSession, user_id: int, hash_: bytes) -> bool:
    return await db.get(RecoveryCode, (user_id, hash_)) is not None


async def use_code(db: DatabaseSession, user_id: int, hash_: bytes) -> bool:
    statement = delete(RecoveryCode).where(
        RecoveryCode.user_id == user_id, RecoveryCode.hash == hash_
    )
    return await db.scalar(statement.returning(RecoveryCode.user_id)) is not None


async def passkeys(db: DatabaseSession, user_id: int) -> Sequence[Passkey]:
    """The newest first."""
    query = select(Passkey).where(Passkey.user_id == user_id).order_by(Passkey.id.desc())
    return (await db.scalars(query)).all()


async def passkeys_by_host(db: DatabaseSession) -> dict[str, int]:
    """Of all accounts: how many were made for each host."""
    query = select(Passkey.rp_id, func.count()).group_by(Passkey.rp_id).order_by(Passkey.rp_id)
    return dict((await db.execute(query)).all())


async def passkey(db: DatabaseSession, credential_id: bytes) -> Passkey | None:
    query = select(Passkey).where(Passkey.credential_id == credential_id)
    return await db.scalar(query)


async def add_passkey(
    db: DatabaseSession,
    user_id: int,
    *,
    session_id: int | None,
    **values: Any,  # noqa: ANN401 - columns
) -> Passkey | None:
    """None if there is such a credential already."""
    values["session_began_at"] = began_at(session_id)
    added = insert(Passkey).values(user_id=user_id, **values).on_conflict_do_nothing()
    passkey = await db.scalar(added.returning(Passkey))
    if passkey is not None:
        await _set_passkey(db, user_id, has_passkey=True)
    return passkey


async def use_passkey(
    db: DatabaseSession, passkey_id: int, sign_count: int, *, backed_up: bool
) -> bool:
    """False if its counter has not risen, unless it does not count."""
    counts = Passkey.sign_count < sign_count
    if sign_count == 0:
        counts = Passkey.sign_count == 0
    statement = (
        update(Passkey)
        .where(Passkey.id == passkey_id, counts)
        .values(sign_count=sign_count, backed_up=backed_up, last_used_at=func.now())
        .returning(Passkey.id)
    )
    return await db.scalar(statement) is not None


async def remove_passkeys(db: DatabaseSession, user_id: int, passkey_id: int | None = None) -> bool:
    """That one, or all of the account. False if it has none of them."""
    statement = delete(Passkey).where(Passkey.user_id == user_id)
    if passkey_id is not None:
        statement = statement.where(Passkey.id == passkey_id)
    removed = (await db.scalars(statement.returning(Passkey.id))).all()
    if not await passkeys(db, user_id):
        await _set_passkey(db, user_id, has_passkey=False)
    return bool(removed)


async def remove_added_since(
    db: DatabaseSession, user_id: int, moment: datetime
) -> tuple[bool, int]:
    """The app with its recovery codes, and passkeys, of sessions from that moment on.

    Returns whether there was such an app, and how many such passkeys.
    """
    app = select(Totp.user_id).where(
        Totp.user_id == user_id, func.coalesce(Totp.session_began_at, Totp.set_at) >= moment
    )
    had_app = await db.scalar(app) is not None
    if had_app:
        await remove_totp(db, user_id)
    added_in = func.coalesce(Passkey.session_began_at, Passkey.created_at)
    added = delete(Passkey).where(Passkey.user_id == user_id, added_in >= moment)
    removed = (await db.scalars(added.returning(Passkey.id))).all()
    if not await passkeys(db, user_id):
        await _set_passkey(db, user_id, has_passkey=False)
    return had_app, len(removed)


async def _set_passkey(db: DatabaseSession, user_id: int, *, has_passkey: bool) -> None:
    await db.execute(update(User).where(User.id == user_id).values(has_passkey=has_passkey))


async def is_used(db: DatabaseSession, challenge_id: str) -> bool:
    """Whether the challenge was used before."""
    return await db.get(UsedChallenge, challenge_id) is not None


async def use_challenge(db: DatabaseSession, challenge_id: str, expires_at: datetime) -> bool:
    """False if it was used before."""
    added = insert(UsedChallenge).values(id=challenge_id, expires_at=expires_at)
    once = added.on_conflict_do_nothing().returning(UsedChallenge.id)
    return await db.scalar(once) is not None
