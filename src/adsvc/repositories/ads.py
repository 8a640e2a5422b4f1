from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, func, select, update
from sqlalchemy import delete as sql_delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import joinedload

from adsvc.models import Ad, AdTotal, AuthorAdTotal

AdRow = Row[int, int, str, int, str]


@dataclass(frozen=True, slots=True)
class AdPage:
    rows: Sequence[AdRow]
    # How many ads match in all.
    count: int
    # Whether more rows follow these.
    more: bool


class AdRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, ad_id: int) -> Ad | None:
        return await self._session.get(Ad, ad_id)

    async def get_with_author(self, ad_id: int) -> Ad | None:
        query = select(Ad).where(Ad.id == ad_id).options(joinedload(Ad.author))
        return await self._session.scalar(query)

    async def lock(self, ad_id: int) -> Ad | None:
        """The ad, which nobody else changes until the transaction ends."""
        query = select(Ad).where(Ad.id == ad_id).with_for_update()
        return await self._session.scalar(query)

    async def list_page(
        self, limit: int, *, before: int | None = None, author_id: int | None = None
    ) -> AdPage:
        """Newest first, only ads with an id below `before`: one query for rows and count."""
        page = select(Ad.id, Ad.author_id, Ad.image, Ad.price, Ad.title)
        if author_id is not None:
            page = page.where(Ad.author_id == author_id)
        if before is not None:
            page = page.where(Ad.id < before)
        # One row more than asked for tells whether there is another page.
        rows = page.order_by(Ad.id.desc()).limit(limit + 1).subquery()
        count = _count(author_id).subquery()
        query = (
            select(count.c.ads, rows)
            .select_from(count)
            .outerjoin(rows, onclause=count.c.ads.is_not(None))
            .order_by(rows.c.id.desc())
        )
        found = (await self._session.execute(query)).all()
        ads = [row for row in found if row.id is not None]
        return AdPage(ads[:limit], found[0].ads, more=len(ads) > limit)

    async def list_by_author(self, author_id: int, limit: int, *, after: int) -> Sequence[Ad]:
        """Oldest first, only ads with an id above `after`."""
        query = (
            select(Ad).where(Ad.author_id == author_id, Ad.id > after).order_by(Ad.id).limit(limit)
        )
        return (await self._session.scalars(query)).all()

    async def add(self, values: Mapping[str, Any]) -> Ad | None:
        """None if the author does not exist (any more)."""
        ad = Ad(**values)
        self._session.add(ad)
        try:
            await self._session.flush()
        except IntegrityError:
            return None
        return ad

    async def update(self, ad_id: int, values: Mapping[str, Any]) -> Ad | None:
        statement = update(Ad).where(Ad.id == ad_id).values(**values).returning(Ad)
        return await self._session.scalar(statement)

    async def delete(self, ad_id: int) -> str | None:
        """The name of the image that the ad had, or None if there was no such ad."""
        statement = sql_delete(Ad).where(Ad.id == ad_id).returning(Ad.image)
        return await self._session.scalar(statement)

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """Those of the names that an ad bears."""
        query = select(Ad.image).where(Ad.image.in_(names))
        return set(await self._session.scalars(query))


def _count(author_id: int | None) -> Select[int]:
    if author_id is None:
        return select(func.coalesce(func.sum(AdTotal.ads), 0).label("ads"))
    kept = select(AuthorAdTotal.ads).where(AuthorAdTotal.author_id == author_id)
    return select(func.coalesce(kept.scalar_subquery(), 0).label("ads"))
