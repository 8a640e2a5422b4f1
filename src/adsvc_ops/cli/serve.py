import asyncio
import json
import logging as stdlib_logging
import os
import signal
import sys
from collections.abc import Awaitable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
import uvicorn
from uvicorn.loops.auto import auto_loop_factory

from adsvc import migrations
from adsvc.errors import ConfigurationError, ImageStoreUnavailableError, OperatorError
from adsvc.kit.counters import WorkCounts
from adsvc.kit.db.database import Database
from adsvc.kit.http.protocol import BoundedProtocol
from adsvc.kit.observability import logging
from adsvc.kit.observability.tracing import traced, tracing_from
from adsvc.kit.process.server import HttpServer, Supervisor, listen
from adsvc.kit.process.setup import disable_ptrace, raise_limit
from adsvc.kit.storage import ImageStore, open_store
from adsvc.metrics import METRICS
from adsvc.metrics.process import DIRECTORY_VARIABLE, exporting_if_wanted, write_process
from adsvc.repositories.operation import server as server_rows
from adsvc.services import installation, site
from adsvc.services.installation import Ownership
from adsvc.services.maintenance import OperatorState
from adsvc.settings import Settings, load_settings
from adsvc.worker.running import SHUTDOWN_GRACE_SECONDS, working
from adsvc.worker.sequencer import sequencing
from adsvc_ops.cli.environment import (
    UNCHECKED_STORE,
    database_running,
    load_places,
    prepared_store,
    present_secret,
    require_cluster,
    run,
    secret_path,
    with_database,
)
from adsvc_ops.cli.terminal import say, say_document

logger = stdlib_logging.getLogger("adsvc.worker")


def worker(
    data_dir: Annotated[
        Path | None, typer.Option(help="Where images, and the embedded database, are kept.")
    ] = None,
) -> None:
    """Send mails and run the regular jobs until interrupted, beside services with ADSVC_JOBS=off.

    Any number of workers may run: they share the work.
    """
    settings = load_settings(data_dir=data_dir)
    logging.configure(settings.log_format)
    disable_ptrace()
    _require_secret(settings)
    with (
        database_running(settings, language=settings.search_language) as ready,
        exporting_if_wanted(ready) as metrics_path,
        # As the service's own, it is quicker with uvloop, where there is one.
        asyncio.Runner(loop_factory=auto_loop_factory()) as runner,
    ):
        store = prepared_store(ready)
        runner.run(_traced(with_database(ready, lambda it: _work(ready, it, store, metrics_path))))


def _require_secret(settings: Settings) -> None:
    """Required before the worker starts: it decrypts the secrets of webhooks."""
    if not settings.uses_embedded_database:
        settings.required_jwt_secret()
    elif present_secret(settings) is None:
        require_cluster(settings)
        raise ConfigurationError(
            f"ADSVC_JWT_SECRET is not set, and {secret_path(settings).absolute()} does not exist. "
            "Set it as it is set for the service."
        )


async def _traced(work: Awaitable[None]) -> None:
    # Before the first connection is made.
    async with traced(tracing_from(os.environ)):
        await work


async def _compare(settings: Settings, database: Database, store: ImageStore) -> Ownership:
    """Raises an `OperatorError` if the secret or the store is another installation's."""
    await installation.require_own_secret(database, settings)
    ownership = Ownership(database, store)
    await ownership.start()
    return ownership


async def _work(
    settings: Settings, database: Database, store: ImageStore, metrics_path: str | None
) -> None:
    """Until a signal comes. Work in progress may then end: no client waits for this process."""
    # Other commands need no library of metrics.
    from adsvc.kit.exporter import publishing  # noqa: PLC0415

    # Pictures are deleted by the rows of this database.
    ownership = await _compare(settings, database, store)
    operator = OperatorState(database, settings)
    await operator.look()
    database.listen()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    counts = WorkCounts()
    farewell = settings.mail_seconds + SHUTDOWN_GRACE_SECONDS
    async with (
        publishing(
            metrics_path, METRICS, lambda files: write_process(files, database.pools, counts)
        ),
        sequencing(database, event_days=settings.event_days, counts=counts.sequencer),
        working(settings, database, store, counts, shutdown_grace_seconds=farewell),
    ):
        logger.info("The worker has started.")
        watching = asyncio.gather(ownership.watch(), operator.watch())
        await ended.wait()
        watching.cancel()
    logger.info("The worker has stopped.")


# Longer than requests take, shorter than service managers wait before they kill.
GRACEFUL_SECONDS = 8
# A worker that has not answered its supervisor for so long is replaced. One that starts answers
# when it has loaded all modules: with uvicorn's five seconds, a machine that is busy would replace
# it again and again, and each start would make the machine busier.
WORKER_SECONDS = 30


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
        # Before a port is opened: the reason is the last line, and no process is started in vain.
        asyncio.run(with_database(ready, lambda it: _begin(ready, it, store)))
        _run(ready)


async def _begin(settings: Settings, database: Database, store: ImageStore) -> None:
    # The first process needs nothing else of it.
    from adsvc.api.storefront.pages import directory_of  # noqa: PLC0415

    await _compare(settings, database, store)
    if directory_of(settings) is not None:
        await _say_link(settings, database)


async def _say_link(settings: Settings, database: Database) -> bool:
    link = await site.new_setup_link(database, settings)
    if link is not None:
        say("There is no administrator. Within 30 minutes, set the site up at this address:")
        say(link)
    return link is not None


def setup_link() -> None:
    """Print a new link that opens the set-up of a site without an administrator.

    It is valid once, for 30 minutes, and voids the link before it.
    """
    settings = load_settings()
    if not run(lambda it: _say_link(settings, it), settings):
        raise OperatorError("There is an administrator; the console has what the set-up sets.")


def _run(settings: Settings) -> None:
    disable_ptrace()
    # Worker processes read their settings from the environment, as the first process did.
    os.environ.update(settings.to_environment())
    # uvicorn stops gracefully, then raises the signal again for the handler before it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        _listen(settings)
    except SystemExit as end:
        # uvicorn has its own codes for not having started, and has logged why.
        if end.code:
            raise OperatorError("The server did not start; the log says why.") from None
        raise


def _listen(settings: Settings) -> None:
    raise_limit()
    with exporting_if_wanted(settings) as path:
        if path is not None:
            # Worker processes inherit the environment.
            os.environ[DIRECTORY_VARIABLE] = path
        _serve(settings)


def _serve(settings: Settings) -> None:
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
        timeout_worker_healthcheck=WORKER_SECONDS,
    )
    sockets = listen(settings.host, settings.port)
    if settings.workers > 1:
        Supervisor(config, sockets, settings.unready_seconds).run()
        return
    server = HttpServer(config, settings.unready_seconds)
    server.run(sockets)
    if not server.started:
        sys.exit(1)


def migrate(
    lock_timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=3600,
            help="Seconds that a statement may wait for a lock on a table, while others wait "
            "behind it. The default is that of each migration, mostly 0.8.",
        ),
    ] = None,
) -> None:
    """Bring the database to the schema of this version, beside a running service.

    Each migration is done as a whole or not at all. If a table is locked, it is tried again
    for about a minute. Two that run together take turns. A schema of a newer version stays as it
    is, if this version can work on it. The image store is not needed.
    """
    settings = load_settings()
    manner = migrations.Manner(lock_timeout, report=partial(say, to_errors=True))
    if settings.uses_embedded_database:
        # Starting the embedded database migrates it.
        with database_running(
            settings, language=settings.search_language, make=True, manner=manner
        ) as ready:
            asyncio.run(with_database(ready, lambda it: load_places(it, ready)))
            revision, difference = asyncio.run(with_database(ready, lambda it: _look(it, ready)))
    else:
        asyncio.run(with_database(settings, lambda it: _upgrade(it, settings, manner)))
        revision, difference = asyncio.run(with_database(settings, lambda it: _look(it, settings)))
    if difference is not None:
        # A restored backup meets its pictures later.
        say(f"Note: {difference}", to_errors=True)
    say(f"The schema is at revision {revision}.")


async def _look(database: Database, settings: Settings) -> tuple[str | None, str | None]:
    """The revision, and what is to be known of the store, which the schema does not need."""
    revision = await server_rows.revision(database.reader)
    try:
        return revision, await installation.mismatch(database, open_store(settings))
    except (ConfigurationError, ImageStoreUnavailableError) as error:
        cause = error.__cause__ or error
        return revision, f"{UNCHECKED_STORE}: {cause} The first start of the service does that."


async def _upgrade(database: Database, settings: Settings, manner: migrations.Manner) -> None:
    url = settings.database_session_url()
    await migrations.upgrade(url, language=settings.search_language, manner=manner)
    await load_places(database, settings)


def openapi() -> None:
    """Print the contract: the OpenAPI document with the limits in force."""
    from adsvc.main import create_app  # noqa: PLC0415 - the other commands need no web framework

    say_document(json.dumps(create_app(load_settings()).openapi(), indent=2))
