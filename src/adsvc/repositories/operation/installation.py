from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import Ad, Installation, User


class InstallationRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def id(self) -> UUID | None:
        """None in a database that was never migrated so far."""
        try:
            found: UUID | None = await self._session.scalar(select(Installation.id))
        except ProgrammingError:
            return None
        return found

    async def renew(self) -> None:
        await self._session.execute(update(Installation).values(id=func.gen_random_uuid()))

    async def newest_pictures(self, limit: int) -> Sequence[str]:
        ads = select(Ad.image).order_by(Ad.id.desc()).limit(limit)
        avatars = select(User.image).where(User.image.is_not(None))
        avatars = avatars.order_by(User.id.desc()).limit(limit)
        names = [*await self._session.scalars(ads), *await self._session.scalars(avatars)]
        return [name for name in names if name is not None]
