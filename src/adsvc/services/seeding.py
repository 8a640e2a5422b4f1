"""Demonstration data: plausible, varied, and the same for the same numbers."""

import colorsys
import io
import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random

from PIL import Image, ImageDraw

from adsvc.db.database import Database
from adsvc.models import Role, User
from adsvc.models.user import username_key
from adsvc.repositories import BulkRepository, UserRepository
from adsvc.storage import LocalImageStore, new_image_name

BATCH = 5000
# A file system allows some 65,000 names for one file; this stays well below.
ADS_PER_PICTURE = 20_000
FEWEST_PICTURES = 40
SPAN = timedelta(days=730)

FIRST_NAMES = ("Anna", "Ben", "Clara", "David", "Elif", "Farid", "Greta", "Hugo", "Irina", "Jonas")
LAST_NAMES = ("Berg", "Costa", "Dietrich", "Engel", "Fischer", "Ivanova", "Kaya", "Lang", "Novak")
QUALITIES = (
    "Oak", "Vintage", "Barely used", "Solid", "Small", "Large", "Handmade", "Red", "Blue",
    "Folding", "Light", "Old", "Modern", "Sturdy", "Restored",
)  # fmt: skip
THINGS = (
    "table", "bicycle", "bookshelf", "lamp", "sofa", "camera", "guitar", "tent", "desk", "mirror",
    "carpet", "stroller", "piano", "sewing machine", "record player", "coffee grinder", "jacket",
    "bicycle trailer", "wardrobe", "garden bench",
)  # fmt: skip
DETAILS = (
    "pick-up only", "with original box", "from a smoke-free home", "one scratch", "moving sale",
    "as good as new", "serviced last year", "price negotiable", "a gift I never used",
    "in the family for decades",
)  # fmt: skip
USER_COLUMNS = (
    "username", "username_key", "password_hash", "first_name", "last_name", "phone", "role",
)  # fmt: skip
AD_COLUMNS = (
    "author_id", "title", "description", "price", "image", "created_at", "updated_at",
)  # fmt: skip


async def seed(
    database: Database,
    store: LocalImageStore,
    *,
    users: int,
    ads: int,
    password_hash: str,
    advance: Callable[[int], None],
) -> list[str]:
    """The new accounts' user names. Ads go in by batches, each of them a transaction."""
    batch = secrets.token_hex(3)
    names = [f"user{number}.{batch}@example.com" for number in range(1, users + 1)]
    authors = await _add_users(database, names, password_hash)
    pictures = await _add_pictures(store, max(FEWEST_PICTURES, ads // ADS_PER_PICTURE + 1))
    rows = _rows(ads, [author.id for author in authors])
    while chunk := list(islice(rows, BATCH)):
        copies = [new_image_name("jpg") for _ in chunk]
        sources = [pictures[number % len(pictures)] for number in range(len(chunk))]
        await store.duplicate(list(zip(sources, copies, strict=True)))
        records = [
            (*row[:4], image, row[4], row[4]) for row, image in zip(chunk, copies, strict=True)
        ]
        async with database.transaction() as transaction:
            await BulkRepository(transaction.session).copy("ads", AD_COLUMNS, records)
        advance(len(chunk))
    for picture in pictures:
        await store.delete(picture)
    async with database.autocommit() as session:
        # Plans are made from statistics, which so many new rows have made wrong.
        await BulkRepository(session).analyze("ads")
    return names


async def _add_users(database: Database, names: list[str], password_hash: str) -> Sequence[User]:
    random = Random(len(names))  # noqa: S311 - demonstration data
    records = [
        (
            name,
            username_key(name),
            password_hash,
            random.choice(FIRST_NAMES),
            random.choice(LAST_NAMES),
            f"+49 30 {random.randrange(10**6, 10**7)}",
            Role.USER.value,
        )
        for name in names
    ]
    async with database.transaction() as transaction:
        await BulkRepository(transaction.session).copy("users", USER_COLUMNS, records)
        return await UserRepository(transaction.session).get_all_by_username(names)


def _rows(count: int, authors: list[int]) -> Iterator[tuple[int, str, str, int, datetime]]:
    random = Random(count)  # noqa: S311 - demonstration data
    first = datetime.now(UTC) - SPAN
    for number in range(count):
        quality, thing = random.choice(QUALITIES), random.choice(THINGS)
        details = random.sample(DETAILS, 3)
        created_at = first + SPAN * (number + random.random()) / count
        yield (
            random.choice(authors),
            f"{quality} {thing}, {details[0]}",
            f"{quality} {thing}: {details[1]}, {details[2]}. Number {number} of its kind.",
            round(random.lognormvariate(4.5, 1.2)),
            created_at,
        )


async def _add_pictures(store: LocalImageStore, count: int) -> list[str]:
    names = []
    for number in range(count):
        name = new_image_name("jpg")
        await store.put(name, _picture(number / count))
        names.append(name)
    return names


def _picture(hue: float) -> bytes:
    """Two shapes in two colours, 320 by 240."""
    colour, other = (
        tuple(round(255 * part) for part in colorsys.hsv_to_rgb((hue + turn) % 1, 0.5, 0.9))
        for turn in (0, 0.4)
    )
    image = Image.new("RGB", (320, 240), colour)
    draw = ImageDraw.Draw(image)
    draw.ellipse((90, 50, 230, 190), fill=other)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=70)
    return buffer.getvalue()
