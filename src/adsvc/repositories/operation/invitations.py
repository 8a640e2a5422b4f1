"""Invitations to register."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, insert, select

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.models.operation import Invitation

USE = """
    UPDATE invitations SET used = used + 1
    WHERE hash = $1 AND used < uses AND coalesce(expires_at > now(), TRUE) RETURNING 1
"""


async def use(db: Statements, digest: bytes) -> bool:
    """False if it has expired, is used up, or never was."""
    return bool(await db.fetch(USE, digest))


async def add(
    db: DatabaseSession, digest: bytes, uses: int, expires_at: datetime | None
) -> Invitation:
    values = {"hash": digest, "uses": uses, "expires_at": expires_at}
    return (await db.scalars(insert(Invitation).values(values).returning(Invitation))).one()


async def newest(db: DatabaseSession, limit: int) -> Sequence[Invitation]:
    return (await db.scalars(select(Invitation).order_by(Invitation.id.desc()).limit(limit))).all()


async def delete_one(db: DatabaseSession, number: int) -> bool:
    """Whether there was one."""
    statement = delete(Invitation).where(Invitation.id == number).returning(Invitation.id)
    return await db.scalar(statement) is not None
