"""Changes that PostgreSQL notifies nobody of."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.scene.api import Api

TRIGGERS = """
    SELECT format('ALTER TABLE %s {} TRIGGER %I', tgrelid::regclass, tgname)
    FROM pg_trigger WHERE tgname ~ '^(tell|log)_'
"""


@asynccontextmanager
async def unnotified(api: Api) -> AsyncIterator[None]:
    """What the process knows in the block of its own changes, it knows by itself.

    Otherwise a notification may come in time for the next read, and hide what was not invalidated.
    """
    for statement in await api.sql(TRIGGERS.format("DISABLE")):
        await api.sql(statement)
    try:
        yield
    finally:
        for statement in await api.sql(TRIGGERS.format("ENABLE")):
            await api.sql(statement)
