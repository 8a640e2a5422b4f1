"""Pictures: those of ads, the bytes that all of them take, and the queue of deletions."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from adsvc.kit.db.database import DatabaseSession
from adsvc.kit.db.statements import Statements
from adsvc.kit.pictures.containers import THUMBNAIL, variant_name
from adsvc.models.accounts import User
from adsvc.models.ads import AdImage, HiddenPicture, Image, PictureDeletion
from adsvc.repositories.ads.projection import BUMP_UPDATED_AT, images_sql

SELECT_USED_BYTES = "SELECT bytes FROM image_totals WHERE owner_id = $1"
INSERT_IMAGES = """
    INSERT INTO images (owner_id, name, bytes)
    SELECT $1::bigint, name, bytes FROM unnest($2::text[], $3::bigint[]) AS added (name, bytes)
"""


async def used_by(db: Statements, owner_id: int) -> int:
    """The bytes of the owner's pictures; exact in a transaction that changes them."""
    return int(await db.fetchval(SELECT_USED_BYTES, owner_id, keep_plan=True) or 0)


async def add(db: Statements, owner_id: int, sizes: Mapping[str, int]) -> None:
    """`sizes` in bytes, with the variants, by the pictures' names."""
    await db.fetch(INSERT_IMAGES, owner_id, list(sizes), list(sizes.values()))


async def grow(db: DatabaseSession, name: str, size: int) -> None:
    """Adds bytes to the size of the picture, if it is known.

    Triggers count only inserts and deletes, so the row is replaced.
    """
    gone = delete(Image).where(Image.name == name).returning(Image.owner_id, Image.bytes)
    for owner_id, known in (await db.execute(gone)).all():
        await add(db, owner_id, {name: known + size})


async def size(db: DatabaseSession, name: str) -> int:
    """The size in bytes; 0 for an unknown picture."""
    return await db.scalar(select(Image.bytes).where(Image.name == name)) or 0


async def lock_share_owner(db: DatabaseSession, owner_id: int) -> None:
    """Locks the account against deletion. Call it after locking an ad."""
    query = select(User.id).where(User.id == owner_id)
    await db.execute(query.with_for_update(read=True, key_share=True))


async def lock_next_deletions(db: DatabaseSession, limit: int, *, after: str) -> Sequence[str]:
    """The next names in order, without those that another transaction has locked."""
    query = (
        select(PictureDeletion.name)
        .where(PictureDeletion.name > after)
        .order_by(PictureDeletion.name)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return (await db.scalars(query)).all()


async def remove_deletions(db: DatabaseSession, names: Sequence[str]) -> None:
    await db.execute(delete(PictureDeletion).where(PictureDeletion.name.in_(names)))


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
    OR EXISTS (
        SELECT FROM hidden_pictures
        WHERE hidden_pictures.name = name.name AND deletion_id IS NOT NULL
    )
"""
MARK_HIDDEN = """
    UPDATE hidden_pictures SET is_hidden = true, is_pending = false WHERE name = ANY ($1::text[])
"""
SELECT_STEM = """
    SELECT stem FROM hidden_pictures WHERE name = ANY ($1::text[]) AND is_hidden
"""


IS_OF_OWN_AD = """
    SELECT EXISTS (
        SELECT FROM ad_images JOIN ads ON ads.id = ad_id
        WHERE ad_images.name = ANY ($2::text[]) AND author_id = $1
    )
"""


async def lock_next_hidden(db: Statements, limit: int, *, after: str) -> Mapping[str, str]:
    """The next of the queue, by name, each with its stem; none that another has locked."""
    rows = await db.fetch(NEXT_PENDING, limit, after)
    return {row["name"]: row["stem"] for row in rows}


async def queue_all(db: Statements) -> None:
    await db.fetch("UPDATE hidden_pictures SET is_pending = true")


async def to_hide(db: Statements, names: Sequence[str]) -> set[str]:
    """Those of the pictures that only moderators may see now."""
    return {row["name"] for row in await db.fetch(TO_HIDE, list(names))}


async def mark_hidden(db: Statements, names: Sequence[str]) -> None:
    await db.fetch(MARK_HIDDEN, list(names))


async def remove_hidden(db: DatabaseSession, names: Sequence[str]) -> None:
    """The pictures are shown again."""
    await db.execute(delete(HiddenPicture).where(HiddenPicture.name.in_(names)))


async def names(db: DatabaseSession) -> Sequence[str]:
    """The public names of all of them."""
    query = select(HiddenPicture.name).where(HiddenPicture.is_hidden)
    return (await db.scalars(query.order_by(HiddenPicture.name))).all()


async def stem(db: Statements, names: Sequence[str]) -> str | None:
    """The stem of the file of the first of the pictures that is hidden."""
    found: str | None = await db.fetchval(SELECT_STEM, list(names))
    return found


async def is_of_own_ad(db: Statements, author_id: int, names: Sequence[str]) -> bool:
    return bool(await db.fetchval(IS_OF_OWN_AD, author_id, list(names)))


async def hidden_in_use(db: DatabaseSession, names: Sequence[str]) -> set[str]:
    """The names of files of hidden pictures, and of those that a deletion may bring back."""
    stems = {name.partition(".")[0] for name in names}
    query = select(HiddenPicture.stem).where(HiddenPicture.stem.in_(stems))
    found = set(await db.scalars(query))
    # These may not have been renamed yet.
    deleted = select(HiddenPicture.name).where(
        HiddenPicture.name.in_(names), HiddenPicture.deletion_id.is_not(None)
    )
    deleted_names = set(await db.scalars(deleted))
    return {name for name in names if name.partition(".")[0] in found or name in deleted_names}


SELECT_IMAGES = f"SELECT json_build_object('results', {images_sql('$1')})::text"
UPDATE_POSITIONS = """
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
"""


async def of_ad(db: DatabaseSession, ad_id: int) -> Sequence[AdImage]:
    """In their order."""
    query = select(AdImage).where(AdImage.ad_id == ad_id).order_by(AdImage.position)
    return (await db.scalars(query)).all()


async def exists(db: DatabaseSession, ad_id: int, image_id: int) -> bool:
    query = select(AdImage.id).where(AdImage.ad_id == ad_id, AdImage.id == image_id)
    return await db.scalar(query) is not None


async def add_to_ad(
    db: DatabaseSession, ad_id: int, images: Sequence[Mapping[str, Any]], *, first: int
) -> None:
    """`first` is the position of the first one; the others follow it."""
    rows = [
        {"ad_id": ad_id, "position": position, **image}
        for position, image in enumerate(images, first)
    ]
    # Values that are part of the statement would make SQLAlchemy compile it each time.
    await db.execute(insert(AdImage), rows)


async def delete_image(db: DatabaseSession, image_id: int) -> None:
    await db.execute(delete(AdImage).where(AdImage.id == image_id))


async def order(db: Statements, ad_id: int, ids: Sequence[int]) -> None:
    await db.fetch(UPDATE_POSITIONS, ad_id, list(ids))


async def sync_ad(db: Statements, ad_id: int) -> None:
    """Brings the ad's row up to date. Called after every change."""
    await db.fetch(SYNC_AD, ad_id, variant_name("", THUMBNAIL))


async def count_without_variants(db: DatabaseSession) -> int:
    query = select(func.count()).select_from(AdImage).where(~AdImage.has_share)
    return (await db.execute(query)).scalar_one()


async def without_variants(db: DatabaseSession, limit: int, *, after: int) -> Sequence[AdImage]:
    """Pictures that lack variants, with an id above `after`, by id."""
    query = (
        select(AdImage)
        # A hidden one is made when it is shown again.
        .where(
            ~AdImage.has_share,
            AdImage.id > after,
            AdImage.name.not_in(select(HiddenPicture.name)),
        )
        .order_by(AdImage.id)
        .limit(limit)
    )
    return (await db.scalars(query)).all()


async def rebuilt(db: DatabaseSession, values: Mapping[str, Any], image_id: int) -> bool:
    """False if the picture is gone or hidden, or already has all variants."""
    statement = (
        update(AdImage)
        .where(
            AdImage.id == image_id,
            AdImage.name == values["name"],
            ~AdImage.has_share,
            AdImage.name.not_in(select(HiddenPicture.name)),
        )
        .values(**values)
        .returning(AdImage.id)
    )
    return await db.scalar(statement) is not None


async def sync_thumbnail(db: Statements, ad_id: int, name: str) -> None:
    """Updates the ad's thumbnail, if that is its first picture, which now has variants."""
    await db.fetch(SYNC_THUMBNAIL, ad_id, name, variant_name(name, THUMBNAIL))


async def record(db: Statements, ad_id: int) -> str:
    """The JSON of `schemas.ads.Images`."""
    record: str = await db.fetchval(SELECT_IMAGES, ad_id)
    return record


async def images_in_use(db: DatabaseSession, names: Sequence[str]) -> set[str]:
    """The names that a picture of an ad uses."""
    return set(await db.scalars(select(AdImage.name).where(AdImage.name.in_(names))))
