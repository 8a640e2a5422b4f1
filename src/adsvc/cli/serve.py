import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
import uvicorn

from adsvc.cli.environment import database_running, image_store, prepared_store, with_database
from adsvc.cli.terminal import say, say_document
from adsvc.db import migrations
from adsvc.db.database import Database
from adsvc.errors import OperatorError
from adsvc.http.protocol import BoundedProtocol
from adsvc.observability import logging
from adsvc.process.descriptors import raise_limit
from adsvc.process.listening import listen
from adsvc.process.workers import Workers, keep_from_peers
from adsvc.services import installation
from adsvc.settings import Settings, load_settings

# Longer than requests take, shorter than service managers wait before they kill.
GRACEFUL_SECONDS = 8


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where images, and the embedded database, are kept.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Number of processes.")] = None,
) -> None:
    """Serve until interrupted. Options outrank the environment.

    Without ADSVC_DATABASE_URL an embedded PostgreSQL in the data directory is started, migrated
    and stopped along. With it, the schema must be one that this version can work on, and
    ADSVC_JWT_SECRET must be set.
    """
    settings = load_settings(host=host, port=port, data_dir=data_dir, workers=workers)
    logging.configure(settings.log_format)
    if not settings.uses_embedded_database:
        settings.required_jwt_secret()
    with database_running(settings, language=settings.search_language, make=True) as ready:
        store = prepared_store(ready)
        asyncio.run(with_database(ready, lambda database: installation.bind(database, store)))
        _run(ready)


def _run(settings: Settings) -> None:
    keep_from_peers()
    # Worker processes read their settings from the environment, as the first process did.
    os.environ.update(settings.to_environment())
    # uvicorn stops gracefully, then raises the signal again for the handler before it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    try:
        _listen(settings)
    except SystemExit as end:
        # uvicorn has its own codes for not having started, and has logged why.
        if end.code:
            raise OperatorError("The server did not start; the log says why.") from None
        raise


def _listen(settings: Settings) -> None:
    raise_limit()
    config = uvicorn.Config(
        "adsvc.main:create_app_from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=BoundedProtocol,
        timeout_keep_alive=settings.keep_alive_seconds,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    sockets = listen(settings.host, settings.port)
    if settings.workers > 1:
        Workers(config, sockets).run()
        return
    server = uvicorn.Server(config)
    server.run(sockets)
    if not server.started:
        sys.exit(1)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


def migrate() -> None:
    """Bring the database to the schema of this version, each migration as a whole or not."""
    settings = load_settings()
    if settings.uses_embedded_database:
        # Starting the embedded database migrates it.
        with database_running(settings, language=settings.search_language, make=True) as ready:
            difference = asyncio.run(with_database(ready, lambda it: _look(it, ready)))
    else:
        asyncio.run(with_database(settings, lambda _: _upgrade(settings)))
        difference = asyncio.run(with_database(settings, lambda it: _look(it, settings)))
    if difference is not None:
        # A restored backup meets its pictures later.
        say(f"Note: {difference}", to_errors=True)
    say(f"The schema is at revision {migrations.head()}.")


async def _look(database: Database, settings: Settings) -> str | None:
    return await installation.mismatch(database, image_store(settings))


async def _upgrade(settings: Settings) -> None:
    url = settings.required_database_url()
    await migrations.upgrade(url, language=settings.search_language)


def openapi() -> None:
    """Print the contract: the OpenAPI document with the limits in force."""
    from adsvc.main import create_app  # noqa: PLC0415 - the other commands need no web framework

    document = create_app(load_settings()).openapi()
    say_document(json.dumps(document, indent=2))
