"""Deletes what has been kept for long enough, from time to time and in every process."""

import asyncio
import logging
from collections.abc import Awaitable

from asyncpg import PostgresError
from sqlalchemy.exc import SQLAlchemyError

from adsvc.db.database import Database
from adsvc.errors import DatabaseUnavailableError
from adsvc.services import audit
from adsvc.services.accounts import idempotency
from adsvc.settings import Settings

logger = logging.getLogger("adsvc.cleaning")

# A process that has just started has more urgent things to do.
FIRST_SECONDS = 60
PERIOD_SECONDS = 3600


async def keep_clean(database: Database, settings: Settings) -> None:
    """Runs for as long as the process does."""
    await asyncio.sleep(FIRST_SECONDS)
    while True:
        await clean(database, settings)
        await asyncio.sleep(PERIOD_SECONDS)


async def clean(database: Database, settings: Settings) -> None:
    await _delete("events", audit.forget_older(database, settings.audit_days))
    await _delete("idempotency keys", idempotency.forget_expired(database))


async def _delete(what: str, deletion: Awaitable[None]) -> None:
    try:
        await deletion
    except (SQLAlchemyError, PostgresError, DatabaseUnavailableError) as error:
        logger.warning("Old %s stay: %s", what, type(error.__cause__ or error).__name__)
