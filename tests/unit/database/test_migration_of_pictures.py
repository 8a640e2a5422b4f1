"""Ads of a version with one picture an ad: those from before, and those it writes meanwhile."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from adsvc.db import migrations
from adsvc.db.migrations.scripts import new_config
from adsvc.pictures.picture import files_of
from conftest import DatabaseFactory

SCRIPTS = ScriptDirectory.from_config(new_config())
[TABLES] = [script for script in SCRIPTS.walk_revisions() if script.doc.startswith("Several pict")]
[ROWS] = [script for script in SCRIPTS.walk_revisions() if script.doc.startswith("The pictures of")]
IDS = [1, 2, 1999, 2001, 9000, 9001]
ADD_AD = (
    "INSERT INTO ads (author_id, title, description, price, image)"
    " SELECT id, 'Oak table', 'Solid oak.', 1, :image FROM users"
)


@asynccontextmanager
async def engine_at(url: URL) -> AsyncIterator[AsyncEngine]:
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            await connection.execute(
                text(
                    "INSERT INTO users (username, username_key, password_hash, first_name,"
                    " last_name, phone, role) VALUES ('anna', 'anna', 'x', '', '', '', 'USER')"
                )
            )
        yield engine
    finally:
        await engine.dispose()


async def run(engine: AsyncEngine, statement: str, **values: object) -> Sequence[Any]:
    async with engine.connect() as connection:
        result = await connection.execute(text(statement), values)
        return [tuple(row) for row in result] if result.returns_rows else []


async def pictures(engine: AsyncEngine) -> Sequence[Any]:
    return await run(
        engine,
        "SELECT ad_id, position, ad_images.name, image_count, thumbnail FROM ad_images"
        " JOIN ads ON ads.id = ad_id ORDER BY ad_id, position",
    )


async def queued(engine: AsyncEngine) -> list[str]:
    return [name for (name,) in await run(engine, "SELECT name FROM picture_deletions ORDER BY 1")]


@pytest.mark.heavy
async def test_ads_from_before_get_their_picture_in_batches(
    bare_database: DatabaseFactory,
) -> None:
    """Whatever an attempt that was interrupted has left to do."""
    async with bare_database() as url:
        await migrations.upgrade(url, str(ROWS.down_revision))
        async with engine_at(url) as engine:
            # Made before the triggers, with gaps wider than a batch.
            await run(engine, "ALTER TABLE ads DISABLE TRIGGER add_ad_images")
            await run(
                engine,
                "INSERT INTO ads (id, author_id, title, description, price, image)"
                " OVERRIDING SYSTEM VALUE"
                " SELECT ad, users.id, 'Oak table', 'Solid oak.', 1, ad || '.jpg'"
                " FROM users, unnest(CAST(:ids AS bigint[])) AS ad",
                ids=IDS,
            )
            await run(engine, "ALTER TABLE ads ENABLE TRIGGER add_ad_images")
            await run(
                engine, "INSERT INTO ad_images (ad_id, position, name) VALUES (2, 0, '2.jpg')"
            )
            await migrations.upgrade(url, ROWS.revision)
            found = await pictures(engine)
            assert found == [(ad, 0, f"{ad}.jpg", 1, None) for ad in IDS]
            # Once more, as after an attempt that was interrupted before its end.
            await migrations.downgrade(url, str(ROWS.down_revision))
            await migrations.upgrade(url, ROWS.revision)
            assert await pictures(engine) == found


@pytest.fixture
async def engine(new_database: DatabaseFactory) -> AsyncIterator[AsyncEngine]:
    async with new_database() as url, engine_at(url) as engine:
        yield engine


async def test_the_version_before_may_go_on_with_one_picture_an_ad(engine: AsyncEngine) -> None:
    await run(engine, ADD_AD, image="a.jpg")
    assert await pictures(engine) == [(1, 0, "a.jpg", 1, None)]
    await run(engine, "UPDATE ads SET image = 'b.png'")
    assert await pictures(engine) == [(1, 0, "b.png", 1, None)]
    assert await queued(engine) == sorted(files_of(["a.jpg"]))
    await run(engine, "DELETE FROM ads")
    assert await queued(engine) == sorted(files_of(["a.jpg", "b.png"]))


async def test_a_picture_that_the_version_before_replaces_takes_its_thumbnail_along(
    engine: AsyncEngine,
) -> None:
    await run(engine, ADD_AD, image="a.jpg")
    await run(engine, "INSERT INTO ad_images (ad_id, position, name) VALUES (1, 1, 'b.jpg')")
    await run(engine, "UPDATE ad_images SET has_variants = true, width = 9, height = 9")
    await run(engine, "UPDATE ads SET thumbnail = 'a-thumb.webp', image_count = 2")
    # What else it changes leaves them alone.
    await run(engine, "UPDATE ads SET price = 2, title = 'Pine table'")
    assert await run(engine, "SELECT thumbnail FROM ads") == [("a-thumb.webp",)]
    await run(engine, "UPDATE ads SET image = 'c.jpg'")
    assert await pictures(engine) == [(1, 0, "c.jpg", 2, None), (1, 1, "b.jpg", 2, None)]
    columns = "SELECT has_variants, width FROM ad_images ORDER BY position"
    assert await run(engine, columns) == [(False, None), (True, 9)]
    assert await queued(engine) == sorted(files_of(["a.jpg"]))


async def test_a_picture_that_merely_moves_is_not_deleted(engine: AsyncEngine) -> None:
    await run(engine, ADD_AD, image="a.jpg")
    await run(engine, "INSERT INTO ad_images (ad_id, position, name) VALUES (1, 1, 'b.jpg')")
    await run(engine, "UPDATE ad_images SET position = 1 - position")
    await run(engine, "UPDATE ads SET image = 'b.jpg'")
    assert [row[2] for row in await pictures(engine)] == ["b.jpg", "a.jpg"]
    assert await queued(engine) == []
