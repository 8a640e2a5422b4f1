"""Pictures: those of ads, the bytes that all of them take, and the queue of deletions."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from adsvc.db.engine import DatabaseSession
from adsvc.db.statements import Statements
from adsvc.models import AdImage, HiddenPicture, Image, PictureDeletion, User
from adsvc.pictures.picture import THUMBNAIL, variant_name
from adsvc.repositories.ads.projection import BUMP_UPDATED_AT, images_sql

USED = "SELECT bytes FROM image_totals WHERE owner_id = $1"
ADD = """
    INSERT INTO images (owner_id, name, bytes)
    SELECT $1::bigint, name, bytes FROM unnest($2::text[], $3::bigint[]) AS added (name, bytes)
"""


async def used_by(reader: Statements, owner_id: int) -> int:
    """The bytes of the owner's pictures; exact in a transaction that changes them."""
    row = await reader.fetchrow(USED, owner_id, keep_plan=True)
    return row["bytes"] if row else 0


class ImageRepository:
    """How many bytes pictures take, and the accounts that they count for.

    Rows are locked in this order: users, ads, pictures to be deleted, images, totals.
    """

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = session

    async def add(self, owner_id: int, sizes: Mapping[str, int]) -> None:
        """`sizes` in bytes, with the variants, by the pictures' names."""
        await self._statements.fetch(ADD, owner_id, list(sizes), list(sizes.values()))

    async def grow(self, name: str, size: int) -> None:
        """Adds bytes to the size of the picture, if it is known.

        Triggers count only inserts and deletes, so the row is replaced.
        """
        gone = delete(Image).where(Image.name == name).returning(Image.owner_id, Image.bytes)
        for owner_id, known in (await self._session.execute(gone)).all():
            await self.add(owner_id, {name: known + size})

    async def size(self, name: str) -> int:
        """The size in bytes; 0 for an unknown picture."""
        return await self._session.scalar(select(Image.bytes).where(Image.name == name)) or 0

    async def used(self, owner_id: int) -> int:
        return await used_by(self._statements, owner_id)

    async def lock_share_owner(self, owner_id: int) -> None:
        """Locks the account against deletion. Call it after locking an ad."""
        query = select(User.id).where(User.id == owner_id)
        await self._session.execute(query.with_for_update(read=True, key_share=True))


class PictureDeletionRepository:
    """The queue of pictures to be deleted; triggers fill it."""

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session

    async def lock_next(self, limit: int, *, after: str) -> Sequence[str]:
        """The next names in order, without those that another transaction has locked."""
        query = (
            select(PictureDeletion.name)
            .where(PictureDeletion.name > after)
            .order_by(PictureDeletion.name)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        return (await self._session.scalars(query)).all()

    async def remove(self, names: Sequence[str]) -> None:
        await self._session.execute(delete(PictureDeletion).where(PictureDeletion.name.in_(names)))


NEXT_PENDING = """
    SELECT name, stem FROM hidden_pictures WHERE is_pending AND name > $2
    ORDER BY name LIMIT $1 FOR UPDATE SKIP LOCKED
"""
TO_HIDE = """
    SELECT name FROM unnest($1::text[]) AS name
    WHERE EXISTS (
        SELECT FROM ad_images JOIN ads ON ads.id = ad_id JOIN users ON users.id = author_id
        WHERE ad_images.name = name.name
            AND (ads.status IN ('suspended', 'removed') OR suspended_until > now())
    ) OR EXISTS (SELECT FROM users WHERE image = name.name AND suspended_until > now())
"""
MOVED = """
    UPDATE hidden_pictures SET is_hidden = true, is_pending = false WHERE name = ANY ($1::text[])
"""
FILE = """
    SELECT stem FROM hidden_pictures WHERE name = ANY ($1::text[]) AND is_hidden
"""


class HiddenPictureRepository:
    """Pictures that only moderators see, and the queue of those whose files have to be renamed."""

    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = session

    async def lock_next(self, limit: int, *, after: str) -> Mapping[str, str]:
        """The next of the queue, by name, each with its stem; none that another has locked."""
        rows = await self._statements.fetch(NEXT_PENDING, limit, after)
        return {row["name"]: row["stem"] for row in rows}

    async def queue_all(self) -> None:
        await self._statements.fetch("UPDATE hidden_pictures SET is_pending = true")

    async def to_hide(self, names: Sequence[str]) -> set[str]:
        """Those of the pictures that only moderators may see now."""
        return {row["name"] for row in await self._statements.fetch(TO_HIDE, list(names))}

    async def mark_hidden(self, names: Sequence[str]) -> None:
        await self._statements.fetch(MOVED, list(names))

    async def remove(self, names: Sequence[str]) -> None:
        """The pictures are shown again."""
        await self._session.execute(delete(HiddenPicture).where(HiddenPicture.name.in_(names)))

    async def names(self) -> Sequence[str]:
        """The public names of all of them."""
        query = select(HiddenPicture.name).where(HiddenPicture.is_hidden)
        return (await self._session.scalars(query.order_by(HiddenPicture.name))).all()

    async def stem(self, names: Sequence[str]) -> str | None:
        """The stem of the file of the first of the pictures that is hidden."""
        found: str | None = await self._statements.fetchval(FILE, list(names))
        return found

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """The names of files of hidden pictures."""
        stems = {name.partition(".")[0] for name in names}
        query = select(HiddenPicture.stem).where(HiddenPicture.stem.in_(stems))
        found = set(await self._session.scalars(query))
        return {name for name in names if name.partition(".")[0] in found}


RECORD = f"SELECT json_build_object('results', {images_sql('$1')})::text"
ORDER = """
    UPDATE ad_images SET position = wanted.position
    FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, position)
    WHERE ad_images.id = wanted.id AND ad_id = $1
"""
SYNC_THUMBNAIL = "UPDATE ads SET thumbnail = $3 WHERE id = $1 AND image = $2"
# The columns of the ad's row that repeat data of its pictures.
SYNC_AD = f"""
    UPDATE ads SET {BUMP_UPDATED_AT.format(row="ads")},
        image = coalesce(first.name, ''), image_count = coalesce(first.images, 0),
        thumbnail = CASE WHEN first.has_variants
            THEN split_part(first.name, '.', 1) || $2::text
            WHEN first.name IS NULL THEN '' END
    FROM (VALUES ($1::bigint)) AS changed (ad_id) LEFT JOIN LATERAL (
        SELECT name, has_variants, count(*) OVER () AS images FROM ad_images
        WHERE ad_images.ad_id = changed.ad_id ORDER BY position LIMIT 1
    ) AS first ON TRUE
    WHERE ads.id = changed.ad_id
"""  # noqa: S608 - a constant


class AdImageRepository:
    def __init__(self, session: DatabaseSession) -> None:
        self._session = session
        self._statements = session

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
        # Values that are part of the statement would make SQLAlchemy compile it each time.
        await self._session.execute(insert(AdImage), rows)

    async def delete(self, image_id: int) -> None:
        await self._session.execute(delete(AdImage).where(AdImage.id == image_id))

    async def order(self, ad_id: int, ids: Sequence[int]) -> None:
        await self._statements.fetch(ORDER, ad_id, list(ids))

    async def sync_ad(self, ad_id: int) -> None:
        """Brings the ad's row up to date. Called after every change."""
        await self._statements.fetch(SYNC_AD, ad_id, variant_name("", THUMBNAIL))

    async def count_without_variants(self) -> int:
        query = select(func.count()).select_from(AdImage).where(~AdImage.has_variants)
        return (await self._session.execute(query)).scalar_one()

    async def without_variants(self, limit: int, *, after: int) -> Sequence[AdImage]:
        """Pictures with an id above `after`, by id."""
        query = (
            select(AdImage)
            # A hidden one is made when it is shown again.
            .where(
                ~AdImage.has_variants,
                AdImage.id > after,
                AdImage.name.not_in(select(HiddenPicture.name)),
            )
            .order_by(AdImage.id)
            .limit(limit)
        )
        return (await self._session.scalars(query)).all()

    async def rebuilt(self, values: Mapping[str, Any], image_id: int) -> bool:
        """False if there is no such picture, or if it already has variants."""
        statement = (
            update(AdImage)
            .where(AdImage.id == image_id, AdImage.name == values["name"], ~AdImage.has_variants)
            .values(**values)
            .returning(AdImage.id)
        )
        return await self._session.scalar(statement) is not None

    async def sync_thumbnail(self, ad_id: int, name: str) -> None:
        """Updates the ad's thumbnail, if that is its first picture, which now has variants."""
        await self._statements.fetch(SYNC_THUMBNAIL, ad_id, name, variant_name(name, THUMBNAIL))

    async def record(self, ad_id: int) -> str:
        """The JSON of `schemas.ads.Images`."""
        record: str = await self._statements.fetchval(RECORD, ad_id)
        return record

    async def images_in_use(self, names: Sequence[str]) -> set[str]:
        """The names that a picture of an ad uses."""
        return set(await self._session.scalars(select(AdImage.name).where(AdImage.name.in_(names))))
