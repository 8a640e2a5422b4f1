"""The pictures of ads. Whoever changes those of an ad has locked it before."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from adsvc.db.engine import Statements
from adsvc.models import AdImage
from adsvc.pictures.picture import THUMBNAIL, variant_name
from adsvc.repositories.ads.projection import images_sql
from adsvc.repositories.versions import TOUCHED

RECORD = f"SELECT json_build_object('results', {images_sql('$1')})::text"
ORDER = """
    UPDATE ad_images SET position = wanted.position
    FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, position)
    WHERE ad_images.id = wanted.id AND ad_id = $1
"""
SYNC_THUMBNAIL = "UPDATE ads SET thumbnail = $3 WHERE id = $1 AND image = $2"
# The columns of the ad's own row that repeat what its pictures are.
SYNC_AD = f"""
    UPDATE ads SET image = first.name, image_count = first.images, {TOUCHED.format(row="ads")},
        thumbnail = CASE WHEN first.has_variants
            THEN split_part(first.name, '.', 1) || $2::text END
    FROM (
        SELECT name, has_variants, count(*) OVER () AS images FROM ad_images
        WHERE ad_id = $1 ORDER BY position LIMIT 1
    ) AS first
    WHERE ads.id = $1
"""  # noqa: S608 - a constant


class AdImageRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._statements = Statements(session)

    async def of_ad(self, ad_id: int) -> Sequence[AdImage]:
        """In their order."""
        query = select(AdImage).where(AdImage.ad_id == ad_id).order_by(AdImage.position)
        return (await self._session.scalars(query)).all()

    async def exists(self, ad_id: int, image_id: int) -> bool:
        query = select(AdImage.id).where(AdImage.ad_id == ad_id, AdImage.id == image_id)
        return await self._session.scalar(query) is not None

    async def add(self, ad_id: int, images: Sequence[Mapping[str, Any]], *, first: int) -> None:
        """`first` is the position of the first one; the others follow it."""
        rows = [
            {"ad_id": ad_id, "position": position, **image}
            for position, image in enumerate(images, first)
        ]
        await self._session.execute(insert(AdImage).values(rows))

    async def delete(self, image_id: int) -> None:
        await self._session.execute(delete(AdImage).where(AdImage.id == image_id))

    async def order(self, ad_id: int, ids: Sequence[int]) -> None:
        await self._statements.fetch(ORDER, ad_id, list(ids))

    async def sync_ad(self, ad_id: int) -> None:
        """After every change: brings the ad's own row up to date."""
        await self._statements.fetch(SYNC_AD, ad_id, variant_name("", THUMBNAIL))

    async def count_without_variants(self) -> int:
        query = select(func.count()).select_from(AdImage).where(~AdImage.has_variants)
        return (await self._session.execute(query)).scalar_one()

    async def without_variants(self, limit: int, *, after: int) -> Sequence[AdImage]:
        """By id, those above `after`."""
        query = (
            select(AdImage)
            .where(~AdImage.has_variants, AdImage.id > after)
            .order_by(AdImage.id)
            .limit(limit)
        )
        return (await self._session.scalars(query)).all()

    async def rebuilt(self, values: Mapping[str, Any], image_id: int) -> bool:
        """False if there is no such picture, or not without variants any more."""
        statement = (
            update(AdImage)
            .where(AdImage.id == image_id, AdImage.name == values["name"], ~AdImage.has_variants)
            .values(**values)
            .returning(AdImage.id)
        )
        return await self._session.scalar(statement) is not None

    async def sync_thumbnail(self, ad_id: int, name: str) -> None:
        """If that is the ad's first picture, whose variants are there now; it does not change."""
        await self._statements.fetch(SYNC_THUMBNAIL, ad_id, name, variant_name(name, THUMBNAIL))

    async def record(self, ad_id: int) -> str:
        """As `schemas.ads.Images`, in JSON."""
        record: str = await self._statements.fetchval(RECORD, ad_id)
        return record

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """Those of the names that a picture of an ad bears."""
        return set(await self._session.scalars(select(AdImage.name).where(AdImage.name.in_(names))))
