"""Runs migrations over asyncpg, on the connection `adsvc.migrations` gives or on its own."""

import asyncio

from alembic import context
from alembic.runtime.migration import MigrationContext, MigrationInfo
from sqlalchemy import Connection, text
from sqlalchemy.pool import NullPool

from adsvc.kit.db.database import new_engine
from adsvc.kit.db.servers import Servers
from adsvc.settings import load_settings


def note(ctx: MigrationContext, step: MigrationInfo, heads: object, run_args: object) -> None:  # noqa: ARG001 - Alembic names them
    """Tells running services of older versions what the migration declares."""
    if step.is_upgrade and ctx.connection is not None:
        declared = context.script.get_revision(str(step.up_revision_id))
        oldest = getattr(declared.module, "oldest_head", None)
        if oldest is not None:
            statement = text("UPDATE installation SET oldest_head = :oldest")
            ctx.connection.execute(statement, {"oldest": oldest})
    # Who waits for the migrations may want to know too.
    context.config.attributes.get("applied", lambda: None)()


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=None,
        transaction_per_migration=True,
        on_version_apply=note,
    )
    with context.begin_transaction():
        context.run_migrations()


async def connect_and_run() -> None:
    engine = new_engine(Servers(load_settings().database_session_url()), poolclass=NullPool)
    async with engine.connect() as connection:
        await connection.run_sync(run)
        await connection.commit()
    await engine.dispose()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    asyncio.run(connect_and_run())
