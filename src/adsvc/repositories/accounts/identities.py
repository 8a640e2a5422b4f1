"""OpenID providers, and the identities at these that accounts sign in with."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from adsvc.kit.db.database import DatabaseSession
from adsvc.models.accounts import Identity, Provider, User, username_key


async def providers(db: DatabaseSession) -> Sequence[Provider]:
    return (await db.scalars(select(Provider).order_by(Provider.name, Provider.id))).all()


async def provider(db: DatabaseSession, slug: str) -> Provider | None:
    return await db.scalar(select(Provider).where(Provider.slug == slug))


async def put_provider(db: DatabaseSession, slug: str, values: dict[str, Any]) -> bool | None:
    """Whether it is new; None if another provider has its issuer."""
    taken = select(Provider.id).where(Provider.issuer == values["issuer"], Provider.slug != slug)
    if await db.scalar(taken) is not None:
        return None
    known = await db.scalar(
        update(Provider).where(Provider.slug == slug).values(values).returning(Provider.id)
    )
    if known is None:
        added = insert(Provider).values(slug=slug, **values).on_conflict_do_nothing()
        if await db.scalar(added.returning(Provider.id)) is None:
            # Another administrator has just added it, or its issuer.
            return None
    return known is None


async def delete_provider(db: DatabaseSession, slug: str) -> bool:
    """Its identities stay, for a provider with the same issuer."""
    removed = delete(Provider).where(Provider.slug == slug).returning(Provider.id)
    return await db.scalar(removed) is not None


async def user_of(db: DatabaseSession, issuer: str, subject: str) -> User | None:
    """The account that the identity may use, if there is one."""
    query = select(User).join(Identity, Identity.user_id == User.id)
    return await db.scalar(query.where(Identity.issuer == issuer, Identity.subject == subject))


async def user_with_mail(db: DatabaseSession, mail: str) -> User | None:
    """The account that has proved the address; of several the one of that name, or the oldest."""
    query = select(User).where(User.mail == mail, User.mail_verified)
    is_named = User.username_key == username_key(mail)
    return await db.scalar(query.order_by(is_named.desc(), User.id).limit(1))


async def add(db: DatabaseSession, user_id: int, issuer: str, subject: str) -> bool:
    """False if an account has it already."""
    values = {"user_id": user_id, "issuer": issuer, "subject": subject}
    added = insert(Identity).values(values).on_conflict_do_nothing().returning(Identity.id)
    return await db.scalar(added) is not None


async def note_use(db: DatabaseSession, issuer: str, subject: str) -> None:
    used = update(Identity).where(Identity.issuer == issuer, Identity.subject == subject)
    await db.execute(used.values(last_used_at=func.now()))


async def of_user(
    db: DatabaseSession, user_id: int
) -> Sequence[Row[int, str, str, datetime, datetime | None]]:
    """The newest first. Without a provider, one is of no use at present."""
    query = select(
        Identity.id,
        Provider.slug.label("provider"),
        func.coalesce(Provider.name, Identity.issuer).label("name"),
        Identity.created_at,
        Identity.last_used_at,
    ).outerjoin(Provider, Provider.issuer == Identity.issuer)
    query = query.where(Identity.user_id == user_id).order_by(Identity.id.desc())
    return (await db.execute(query)).all()


async def remove(db: DatabaseSession, user_id: int, identity_id: int) -> bool:
    removed = delete(Identity).where(Identity.user_id == user_id, Identity.id == identity_id)
    return await db.scalar(removed.returning(Identity.id)) is not None


async def is_usable(db: DatabaseSession, user_id: int) -> bool:
    """Whether the account has an identity at a provider that the site has."""
    query = select(Identity.id).join(Provider, Provider.issuer == Identity.issuer)
    return await db.scalar(query.where(Identity.user_id == user_id).limit(1)) is not None


# A login that links an identity begins its session a moment later.
LINKED_BEFORE = timedelta(minutes=1)


async def remove_added_since(db: DatabaseSession, user_id: int, moment: datetime) -> int:
    """Those of a login at that moment, too. Returns how many there were."""
    since = moment - LINKED_BEFORE
    added = delete(Identity).where(Identity.user_id == user_id, Identity.created_at >= since)
    return len((await db.scalars(added.returning(Identity.id))).all())
