"""Changes that PostgreSQL notifies nobody of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import text

from support.scene.api import Api

# Each in a transaction of its own, so that none waits for two tables.
TRIGGERS = """
    DO $$ DECLARE statement text; BEGIN
        FOR statement IN
            SELECT format('ALTER TABLE %s {} TRIGGER %I', tgrelid::regclass, tgname)
            FROM pg_trigger WHERE tgname ~ '^(tell|log)_'
        LOOP
            EXECUTE statement;
            COMMIT;
        END LOOP;
    END $$
"""


@asynccontextmanager
async def unnotified(api: Api) -> AsyncIterator[None]:
    """What the process knows in the block of its own changes, it knows by itself.

    Otherwise a notification may come in time for the next read, and hide what was not invalidated.
    """
    await _switch(api, "DISABLE")
    try:
        yield
    finally:
        await _switch(api, "ENABLE")


async def _switch(api: Api, how: str) -> None:
    async with api.state.database.autocommit() as session:
        await session.execute(text(TRIGGERS.format(how)))
