"""Runs migrations over asyncpg, on the connection `adsvc.db.migrations` gives or on its own."""

import asyncio

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc.models import Base
from adsvc.settings import load_settings


def run(connection: Connection) -> None:
    context.configure(
        connection=connection, target_metadata=Base.metadata, transaction_per_migration=True
    )
    with context.begin_transaction():
        context.run_migrations()


async def connect_and_run() -> None:
    engine = create_async_engine(load_settings().required_database_url())
    async with engine.connect() as connection:
        await connection.run_sync(run)
        await connection.commit()
    await engine.dispose()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    asyncio.run(connect_and_run())
