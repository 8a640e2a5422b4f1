"""The limit of what waits to be indexed, while ads are seeded and after."""

import pytest

from adsvc.kit.db.database import Database
from adsvc_ops.seeding import SEARCH_INDEXES
from adsvc_ops.seeding.bulk import PENDING_KIB, PENDING_LIMIT, SCHEMA_KIB, pending
from conftest import DatabaseFactory


async def limits_of(database: Database) -> set[int]:
    async with database.autocommit() as session:
        statements = session
        return {int(await statements.fetchval(PENDING_LIMIT, index)) for index in SEARCH_INDEXES}


async def seed_in_vain(database: Database) -> None:
    async with pending(database, SEARCH_INDEXES):
        # Committed, so that other connections have it and none waits.
        assert await limits_of(database) == {PENDING_KIB}
        raise ZeroDivisionError


# The last is what a process that was killed has left.
@pytest.mark.heavy
@pytest.mark.parametrize(
    ("before", "after"), [(SCHEMA_KIB, SCHEMA_KIB), (512, 512), (PENDING_KIB, SCHEMA_KIB)]
)
async def test_the_limit_is_as_before_even_after_an_error(
    new_database: DatabaseFactory, before: int, after: int
) -> None:
    async with new_database() as url:
        database = Database(url)
        try:
            async with database.autocommit() as session:
                for index in SEARCH_INDEXES:
                    await session.fetch(
                        f"ALTER INDEX {index} SET (gin_pending_list_limit = {before})"
                    )
            with pytest.raises(ZeroDivisionError):
                await seed_in_vain(database)
            assert await limits_of(database) == {after}
        finally:
            await database.close()
