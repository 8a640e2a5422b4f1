from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.faults import violated_constraint
from adsvc.errors import UnknownCategoryError
from adsvc.models import Ad, AdEvent, AdStatus
from adsvc.repositories.ads.projection import In, members_sql
from adsvc.repositories.ads.writes.changes import CATEGORY_EXISTS
from adsvc.repositories.ads.writes.versions import ad_version_sql
from adsvc.versions import Written

# Parameters: the account that is told, the ad.
WRITTEN = f"""
    SELECT (
        SELECT row_to_json(ad)::text FROM (SELECT {members_sql(In.AD, ads="found")}) AS ad
    ) AS record, {ad_version_sql("found")} AS version
    FROM ads AS found CROSS JOIN (SELECT $1::bigint AS id) AS caller WHERE found.id = $2
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

    async def written(self, viewer_id: int, ad_id: int) -> Written:
        """The ad that is there as `schemas.ads.ad.Ad`; its version as that account is shown it."""
        connection = await self._session.connection()
        found = await connection.exec_driver_sql(WRITTEN, (viewer_id, ad_id))
        row = found.mappings().one()
        return Written(row["record"], row["version"])

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """Those of the names that an ad bears."""
        query = select(Ad.image).where(Ad.image.in_(names))
        return set(await self._session.scalars(query))
