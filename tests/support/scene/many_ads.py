"""Many ads in one table, without pictures: words and attributes of known frequency."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from adsvc.db.database import Database
from adsvc.models import Role
from adsvc.repositories.accounts import users as user_rows
from adsvc_ops.seeding.bulk import BulkRepository

SPAN = timedelta(days=730)
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
CATEGORIES = 20
# Ads whose numbers are multiples of it have a price on request.
ON_REQUEST = 15
FUELS = ("petrol", "diesel", "gas", "petrol", "electric")
USER_COLUMNS = (
    "username", "username_key", "password_hash", "first_name", "last_name", "phone", "role",
)  # fmt: skip
AD_COLUMNS = (
    "author_id", "title", "description", "price", "price_type", "image", "created_at", "updated_at",
    "category_id", "attributes",
)  # fmt: skip


async def fill(database: Database, *, ads: int, authors: int) -> None:
    names = [f"user{number}@example.com" for number in range(authors)]
    users = [(name, name, "no hash", "Anna", "Berg", "", Role.USER.value) for name in names]
    async with database.transaction() as transaction:
        bulk = BulkRepository(transaction)
        await bulk.copy("users", USER_COLUMNS, users)
        people = await user_rows.get_all_by_username(transaction, names)
        categories = [(number, str(number), str(number)) for number in range(1, CATEGORIES + 1)]
        await bulk.copy("categories", ("id", "slug", "name"), categories)
        await bulk.copy("ads", AD_COLUMNS, rows(ads, [person.id for person in people]))
    async with database.autocommit() as session:
        await BulkRepository(session).analyze("ads")


def rows(count: int, authors: Sequence[int]) -> Iterator[tuple[object, ...]]:
    random = Random(count)
    first = datetime.now(UTC) - SPAN
    for number in range(count):
        quality, thing = random.choice(QUALITIES), random.choice(THINGS)
        details = random.sample(DETAILS, 3)
        created_at = first + SPAN * (number + random.random()) / count
        yield (
            random.choice(authors),
            f"{quality} {thing}, {details[0]}",
            f"{quality} {thing}: {details[1]}, {details[2]}. Number {number} of its kind.",
            0 if number % ON_REQUEST == 0 else round(random.lognormvariate(4.5, 1.2)),
            "onRequest" if number % ON_REQUEST == 0 else "fixed",
            f"{number:032x}.jpg",
            created_at,
            created_at,
            number % CATEGORIES + 1,
            json.dumps(attributes_of(number)),
        )


def attributes_of(number: int) -> dict[str, object]:
    """Half of the ads have a fuel; what is electric is never shifted by hand."""
    if number % CATEGORIES >= CATEGORIES // 2:
        return {"rooms": number // 7 % 9}
    fuel = FUELS[number // CATEGORIES % len(FUELS)]
    return {
        "fuel": fuel,
        "shift": "automatic" if fuel == "electric" or number // 3 % 2 else "manual",
        "year": 1990 + number // 11 % 37,
        "mileage": number * 7919 % 300_000,
    }
