"""The versions of the site's terms that accounts have accepted."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.models.accounts import AcceptedTerms


async def accept(db: DatabaseSession, user_id: int, page: str, version: int) -> None:
    """The first time counts."""
    values = {"user_id": user_id, "page": page, "version": version}
    await db.execute(insert(AcceptedTerms).values(values).on_conflict_do_nothing())


async def has_accepted(db: Statements, user_id: int, page: str, version: int) -> bool:
    return bool(
        await db.fetch(
            "SELECT 1 FROM accepted_terms WHERE user_id = $1 AND page = $2 AND version = $3",
            user_id,
            page,
            version,
        )
    )


async def exported(
    db: DatabaseSession, user_id: int, limit: int, *, after: int
) -> Sequence[AcceptedTerms]:
    query = select(AcceptedTerms).where(AcceptedTerms.user_id == user_id, AcceptedTerms.id > after)
    return (await db.scalars(query.order_by(AcceptedTerms.id).limit(limit))).all()
