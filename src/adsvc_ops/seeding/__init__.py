"""Demonstration data: plausible, varied, and the same for the same numbers."""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, count, islice
from math import ceil
from random import Random

from adsvc.enums import AdStatus, Role
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.storage import ImageStore
from adsvc.kit.storage.protocol import concurrently
from adsvc.models.accounts import User, username_key
from adsvc.public_location import public_point
from adsvc.repositories.accounts import users as user_rows
from adsvc_ops.seeding.bulk import BulkRepository, pending
from adsvc_ops.seeding.catalogue import CATALOGUE
from adsvc_ops.seeding.pictures import PicturePool, PooledPicture
from adsvc_ops.seeding.rows import SPAN, LeafCategory, Row, rows

BATCH = 5000

# A process of PostgreSQL uses one core, and enters 3,400 ads/s at most. With three in flight, an ad
# takes a quarter more of its CPU.
IN_FLIGHT = 2
# Accounts were made in so many days before the first ad.
DAYS_BEFORE = 900

SEARCH_INDEXES = ("ix_ads_search", "ix_ads_title_search")


@dataclass(frozen=True, slots=True)
class Seeded:
    row: Row
    author_id: int
    images: Sequence[PooledPicture]


async def seed(
    database: Database,
    store: ImageStore,
    leaves: Sequence[LeafCategory],
    *,
    users: int,
    ads: int,
    password_hash: str,
    hidden: bool = True,
    advance: Callable[[int], None],
) -> list[str]:
    """The new accounts' user names. Ads go in by batches, each of them a transaction.

    `leaves` are the categories in which there are ads. With `hidden`, some ads are sold, expired,
    withdrawn or drafts.
    """
    batch = secrets.token_hex(3)
    names = [f"user{number}.{batch}@example.com" for number in range(1, users + 1)]
    authors = [author.id for author in await _add_users(database, names, password_hash)]
    stock = PicturePool(store, leaves, ads)
    random = Random(ads)  # noqa: S311 - demonstration data
    made = rows(ads, leaves, hidden=hidden)

    making = asyncio.Lock()
    batches = count()
    # Each author's number of ads is one row, which a batch locks until it is committed: those in
    # flight are of different authors.
    parts = max(1, min(IN_FLIGHT, len(authors), ceil(ads / BATCH)))

    def offered(chunk: Sequence[Row], part: Sequence[int]) -> list[Seeded]:
        return [Seeded(row, random.choice(part), stock.take(row)) for row in chunk]

    async def next_batch() -> list[Seeded]:
        async with making:
            chunk = await asyncio.to_thread(list, islice(made, BATCH))
            await stock.draw(row.scene for row in chunk)
            part = authors[next(batches) % parts :: parts]
            return await asyncio.to_thread(offered, chunk, part)

    async def add_batches() -> None:
        while seeded := await next_batch():
            await _store(database, stock, seeded)
            advance(len(seeded))

    async with pending(database, SEARCH_INDEXES):
        await concurrently(lambda _: add_batches(), range(IN_FLIGHT))
    await stock.clear()
    async with database.autocommit() as session:
        # Plans are made from statistics, which so many new rows have made wrong.
        for table in ("ads", "ad_images"):
            await BulkRepository(session).analyze(table)
    return names


async def _add_users(database: Database, names: list[str], password_hash: str) -> Sequence[User]:
    random = Random(len(names))  # noqa: S311 - demonstration data
    oldest = datetime.now(UTC) - SPAN
    records = [
        {
            "username": name,
            "username_key": username_key(name),
            "password_hash": password_hash,
            "first_name": random.choice(CATALOGUE["first_names"]),
            "last_name": random.choice(CATALOGUE["last_names"]),
            "phone": f"+49 30 {random.randrange(10**6, 10**7)}",
            "role": Role.USER.value,
            # Sellers have registered before their first ad.
            "created_at": oldest - timedelta(days=random.uniform(1, DAYS_BEFORE)),
        }
        for name in names
    ]
    async with database.transaction() as transaction:
        await BulkRepository(transaction).copy("users", records)
        return await user_rows.get_all_by_username(transaction, names)


async def _store(database: Database, stock: PicturePool, seeded: Sequence[Seeded]) -> None:
    """Commits the ads when the files of their pictures are there, which are linked meanwhile."""
    async with database.transaction() as transaction:
        delivery = asyncio.create_task(
            stock.deliver([image for ad in seeded for image in ad.images])
        )
        try:
            await _add_ads(transaction, seeded)
        finally:
            await delivery


async def _add_ads(transaction: Transaction, seeded: Sequence[Seeded]) -> None:
    bulk = BulkRepository(transaction)
    ids = await bulk.new_ids("ads", len(seeded))
    numbered = list(zip(ids, seeded, strict=True))
    await bulk.copy("ads", [ad_row(ad_id, ad) for ad_id, ad in numbered])
    for index in SEARCH_INDEXES:
        await bulk.take_in(index)
    images = chain.from_iterable(image_rows(ad_id, ad) for ad_id, ad in numbered)
    await bulk.copy("ad_images", list(images))


def ad_row(ad_id: int, ad: Seeded) -> dict[str, object]:
    """The values by column."""
    row, first, place = ad.row, ad.images[0], ad.row.place
    public_latitude, public_longitude = public_point(place.latitude, place.longitude)
    return {
        "id": ad_id,
        "author_id": ad.author_id,
        "category_id": row.leaf.id,
        "attributes": json.dumps(row.attributes),
        "attribute_words": row.leaf.rules.words(row.attributes),
        "title": row.title,
        "description": row.description,
        "price": row.price,
        "price_type": row.price_type.value,
        "status": row.status.value,
        "sold_at": row.ended_at if row.status is AdStatus.SOLD else None,
        "expires_at": row.ended_at if row.status is AdStatus.EXPIRED else None,
        "place": place.name,
        "latitude": place.latitude,
        "longitude": place.longitude,
        "public_latitude": public_latitude,
        "public_longitude": public_longitude,
        "image": first.name,
        "thumbnail": first.thumbnail,
        "image_count": len(ad.images),
        "created_at": row.created_at,
        "updated_at": row.created_at,
    }


def image_rows(ad_id: int, ad: Seeded) -> list[dict[str, object]]:
    return [
        {
            "ad_id": ad_id,
            "position": position,
            "name": image.name,
            "width": image.size[0],
            "height": image.size[1],
            "placeholder": image.placeholder,
            "has_variants": True,
            "has_share": True,
        }
        for position, image in enumerate(ad.images)
    ]
