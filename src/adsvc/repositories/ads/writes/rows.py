from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import delete as sql_delete
from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.faults import violated_constraint
from adsvc.errors import UnknownCategoryError
from adsvc.models import Ad, AdEvent, AdImage, AdStatus
from adsvc.repositories.ads.projection import In, members_sql
from adsvc.repositories.ads.writes.changes import CATEGORY_EXISTS

RECORD = f"""
    SELECT row_to_json(ad)::text
    FROM ads CROSS JOIN LATERAL (SELECT {members_sql(In.AD)}) AS ad WHERE ads.id = $1
"""

AUTHOR_EXISTS = "fk_ads_author_id_users"


class AdRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, ad_id: int) -> Ad | None:
        return await self._session.get(Ad, ad_id)

    async def lock(self, ad_id: int) -> Ad | None:
        """The ad, which nobody else changes until the transaction ends."""
        query = select(Ad).where(Ad.id == ad_id).with_for_update()
        return await self._session.scalar(query)

    async def add(self, values: Mapping[str, Any], *, days: int = 0) -> Ad | None:
        """None if the author does not exist (any more). An active ad is shown for so many days."""
        status = values.get("status", AdStatus.ACTIVE)
        lasts = {"expires_at": func.now() + timedelta(days=days)}
        ad = Ad(**values, **(lasts if days and status == AdStatus.ACTIVE else {}))
        self._session.add(ad)
        try:
            await self._session.flush()
        except IntegrityError as error:
            constraint = violated_constraint(error)
            if constraint == CATEGORY_EXISTS:
                raise UnknownCategoryError from error
            if constraint != AUTHOR_EXISTS:
                raise
            return None
        created = {"actor_id": ad.author_id, "event": "created", "to_status": status}
        await self._session.execute(insert(AdEvent).values(ad_id=ad.id, **created))
        return ad

    async def record(self, ad_id: int) -> str:
        """The ad that is there as `schemas.ads.ad.Ad`, in JSON."""
        connection = await self._session.connection()
        record: str = (await connection.exec_driver_sql(RECORD, (ad_id,))).scalar_one()
        return record

    async def update(self, ad_id: int, values: Mapping[str, Any]) -> Ad | None:
        statement = update(Ad).where(Ad.id == ad_id).values(**values).returning(Ad)
        return await self._session.scalar(statement)

    async def delete(self, ad_id: int) -> Sequence[str]:
        """The names of the pictures that the ad had; none if there was no such ad."""
        names = select(func.array_agg(AdImage.name)).where(AdImage.ad_id == Ad.id)
        # A statement does not see what was committed while it waited.
        await self._session.execute(select(Ad.id).where(Ad.id == ad_id).with_for_update())
        known = func.coalesce(names.scalar_subquery(), func.array_append(None, Ad.image))
        statement = sql_delete(Ad).where(Ad.id == ad_id).returning(known)
        return await self._session.scalar(statement) or []

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """Those of the names that an ad bears."""
        query = select(Ad.image).where(Ad.image.in_(names))
        return set(await self._session.scalars(query))
