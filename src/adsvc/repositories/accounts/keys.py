"""API keys."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert

from adsvc.enums import KeyScope
from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.kit.security.tokens import KeySecret
from adsvc.models.accounts import Key
from adsvc.repositories.accounts.sessions import began_at

# Of many requests at once one writes.
NOTE_USE = """
    UPDATE keys SET last_used_at = now()
    WHERE id = $1 AND coalesce(last_used_at < now() - make_interval(secs => $2), TRUE)
"""


async def note_use(db: Statements, key_id: int, note_seconds: int) -> None:
    """Unless a use was written down in the last `note_seconds`."""
    await db.fetch(NOTE_USE, key_id, note_seconds)


async def count(db: DatabaseSession, user_id: int) -> int:
    """Those that have expired too."""
    query = select(func.count()).select_from(Key).where(Key.user_id == user_id)
    return await db.scalar(query) or 0


async def add(
    db: DatabaseSession,
    user_id: int,
    secret: KeySecret,
    *,
    name: str,
    scopes: Collection[KeyScope],
    expires_at: datetime | None,
    session_id: int | None,
) -> Key:
    statement = insert(Key).values(
        user_id=user_id,
        name=name,
        prefix=secret.prefix,
        hash=secret.hash,
        scopes=list(scopes),
        expires_at=expires_at,
        session_began_at=began_at(session_id),
    )
    return (await db.scalars(statement.returning(Key))).one()


async def delete_key(db: DatabaseSession, key_id: int, user_id: int) -> bool:
    """Whether the account had that key."""
    statement = delete(Key).where(Key.id == key_id, Key.user_id == user_id)
    return await db.scalar(statement.returning(Key.id)) is not None


async def delete_all(db: DatabaseSession, user_id: int) -> Sequence[int]:
    """Returns their ids."""
    statement = delete(Key).where(Key.user_id == user_id)
    return (await db.scalars(statement.returning(Key.id))).all()


async def delete_added_since(db: DatabaseSession, user_id: int, moment: datetime) -> Sequence[int]:
    """Those of sessions that began at that moment or later. Returns their ids."""
    added_in = func.coalesce(Key.session_began_at, Key.created_at)
    statement = delete(Key).where(Key.user_id == user_id, added_in >= moment)
    return (await db.scalars(statement.returning(Key.id))).all()


async def list_of_user(db: DatabaseSession, user_id: int) -> Sequence[Key]:
    """The newest first."""
    query = select(Key).where(Key.user_id == user_id).order_by(Key.id.desc())
    return (await db.scalars(query)).all()
