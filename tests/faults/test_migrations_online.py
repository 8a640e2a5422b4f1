"""A large database is migrated while the version before goes on serving it."""

import asyncio
import time
from collections import defaultdict
from contextlib import suppress

import asyncpg
import pytest

from adsvc import migrations
from adsvc.migrations.revisions import BASELINE, REPLACED_HEAD
from conftest import DatabaseFactory
from faults.scale import times

pytestmark = [pytest.mark.drill, pytest.mark.alone]

ADS = times(1_000_000, short=50_000)
FILL = f"""
    INSERT INTO users (username, username_key, password_hash, first_name, last_name, phone, role)
    SELECT 'u' || n, 'u' || n, 'x', 'a', 'b', '', 'USER' FROM generate_series(1, 1000) AS n;
    INSERT INTO ads (author_id, title, description, price, image, created_at, updated_at)
    SELECT 1 + n % 1000, 'Oak table ' || n, 'Solid oak, one scratch, number ' || n, n % 5000,
        md5(n::text) || '.jpg', now() - interval '1 s' * ({ADS} - n), now()
    FROM generate_series(1, {ADS}) AS n;
"""  # noqa: S608 - no input
# As that version has them.
STATEMENTS = {
    "page": "SELECT id, author_id, image, price, title FROM ads ORDER BY id DESC LIMIT 21",
    "ad": "SELECT * FROM ads JOIN users ON users.id = author_id WHERE ads.id = $1",
    "update": "UPDATE ads SET price = price + 1, updated_at = now() WHERE id = $1",
    "insert": (
        "INSERT INTO ads (author_id, title, description, price, image)"
        " VALUES (1 + $1 % 1000, 'A new one', 'Solid oak.', 7, md5(random()::text))"
    ),
    "delete": "DELETE FROM ads WHERE id = $1",
}
LONGEST_SECONDS = 1.0


async def test_no_statement_waits_for_a_migration_for_longer_than_a_second(
    bare_database: DatabaseFactory,
) -> None:
    async with bare_database() as url:
        await migrations.upgrade(url, BASELINE, language="english")
        address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        connection = await asyncpg.connect(address, command_timeout=900)
        await connection.execute(FILL)
        await connection.execute("VACUUM ANALYZE ads")
        # The version before has made this schema.
        await connection.execute("UPDATE alembic_version SET version_num = $1", REPLACED_HEAD)
        await connection.close()
        took: dict[str, list[float]] = defaultdict(list)
        stopped = asyncio.Event()
        clients = [
            asyncio.create_task(_keep_asking(address, name, took[name], stopped))
            for name in STATEMENTS
        ]
        began = time.monotonic()
        try:
            await migrations.upgrade(url, language="english")
        finally:
            lasted = time.monotonic() - began
            stopped.set()
            await asyncio.gather(*clients)
        longest = {name: round(max(seconds), 3) for name, seconds in took.items()}
        counts = {name: len(seconds) for name, seconds in took.items()}
        print(f"{lasted:.0f} s; longest {longest}; of {counts}")
        assert max(longest.values()) < LONGEST_SECONDS, longest


async def _keep_asking(address: str, name: str, took: list[float], stopped: asyncio.Event) -> None:
    connection = await asyncpg.connect(address, statement_cache_size=0)
    number = 0
    while not stopped.is_set():
        number += 1
        values = (ADS - number * 7,) if "$1" in STATEMENTS[name] else ()
        began = time.monotonic()
        await connection.execute(STATEMENTS[name], *values)
        took.append(time.monotonic() - began)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.02):
                await stopped.wait()
    await connection.close()
