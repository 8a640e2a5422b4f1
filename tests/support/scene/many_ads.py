"""Many ads in one table, without pictures: words and attributes of known frequency."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from adsvc.enums import Role
from adsvc.kit.db.database import Database
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


async def fill(database: Database, *, ads: int, authors: int) -> None:
    names = [f"user{number}@example.com" for number in range(authors)]
    users = [
        {"username": name, "username_key": name, "password_hash": "no hash", "first_name": "Anna",
         "last_name": "Berg", "phone": "", "role": Role.USER.value}
        for name in names
    ]  # fmt: skip
    async with database.transaction() as transaction:
        bulk = BulkRepository(transaction)
        await bulk.copy("users", users)
        people = await user_rows.get_all_by_username(transaction, names)
        categories = [
            {"id": number, "slug": str(number), "name": str(number)}
            for number in range(1, CATEGORIES + 1)
        ]
        await bulk.copy("categories", categories)
        await bulk.copy("ads", rows(ads, [person.id for person in people]))
    async with database.autocommit() as session:
        await BulkRepository(session).analyze("ads")


def rows(count: int, authors: Sequence[int]) -> Iterator[dict[str, object]]:
    random = Random(count)
    first = datetime.now(UTC) - SPAN
    for number in range(count):
        quality, thing = random.choice(QUALITIES), random.choice(THINGS)
        details = random.sample(DETAILS, 3)
        created_at = first + SPAN * (number + random.random()) / count
        is_priced = number % ON_REQUEST != 0
        yield {
            "author_id": random.choice(authors),
            "title": f"{quality} {thing}, {details[0]}",
            "description": f"{quality} {thing}: {details[1]}, {details[2]}. "
            f"Number {number} of its kind.",
            "price": round(random.lognormvariate(4.5, 1.2)) if is_priced else 0,
            "price_type": "fixed" if is_priced else "onRequest",
            "image": f"{number:032x}.jpg",
            "created_at": created_at,
            "updated_at": created_at,
            "category_id": number % CATEGORIES + 1,
            "attributes": json.dumps(attributes_of(number)),
        }


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
