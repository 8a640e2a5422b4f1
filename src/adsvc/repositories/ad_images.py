"""The pictures of ads."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.models import AdImage


class AdImageRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """Those of the names that a picture of an ad bears."""
        return set(await self._session.scalars(select(AdImage.name).where(AdImage.name.in_(names))))
