"""What commands need before they start: a running database, and the image store."""

import asyncio
import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from adsvc import migrations
from adsvc.errors import ConfigurationError, ImageStoreUnavailableError, OperatorError
from adsvc.invalidation import new_bus
from adsvc.kit.bulkheads.pools import ThreadPool
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.db.faults import is_access_fault, is_database_fault
from adsvc.kit.security.passwords import Passwords
from adsvc.kit.storage import ImageStore, open_store
from adsvc.repositories.operation import server as server_rows
from adsvc.services import installation
from adsvc.services.places import loading
from adsvc.settings import Settings, load_settings
from adsvc_ops.cli.terminal import say
from adsvc_ops.embedded import EmbeddedPostgres, EmbeddedPostgresError

logger = logging.getLogger("adsvc.cli")

# What others than the owner may do with a file.
OTHERS = 0o077
# How soon a dead embedded server is noticed.
WATCH_SECONDS = 0.5
UNCHECKED_STORE = "Could not check which installation owns the image store"
# The longest pause between two attempts to start it.
RETRY_SECONDS = 8.0


def stored_secret(path: Path) -> SecretStr:
    """The secret in that file, made at the first call; two processes agree on one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    if not path.exists():
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(48))
            file.flush()
            os.fsync(file.fileno())
        try:
            # Unlike a rename, a link never replaces the secret another process has just made.
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    with path.open() as file:
        mode = os.fstat(file.fileno()).st_mode
        if mode & OTHERS:
            os.fchmod(file.fileno(), mode & ~OTHERS & 0o777)
            logger.warning(
                "%s could be read or written by others, and now cannot. Others who have read it "
                "can sign tokens: to be safe, replace it: docs/operations/security.md says how.",
                path.absolute(),
            )
        return SecretStr(file.read().strip())


@contextmanager
def database_running(
    settings: Settings,
    *,
    language: str | None = None,
    make: bool = False,
    manner: migrations.Manner | None = None,
) -> Iterator[Settings]:
    """Settings whose database answers and has the current schema.

    Without a database URL that is the embedded PostgreSQL in the data directory, started if it
    does not run yet, and stopped at the end unless another process uses it. The secret comes from
    that directory too, unless it is set. With `make`, and only then, both are created, and the
    database is migrated: in a wrong directory every other command would work on an empty database.

    With a language, its text search is brought to that one; commands that do not search leave
    it as the service beside them wants it.
    """
    if settings.database_url is not None:
        asyncio.run(_require_current_schema(settings, language))
        yield settings
        return
    update: dict[str, SecretStr | None] = {}
    if make:
        update["jwt_secret"] = secret_in(settings)
    else:
        require_cluster(settings)
        update["jwt_secret"] = present_secret(settings)
    with EmbeddedPostgres(settings.data_dir / "postgres") as postgres, _supervised(postgres):
        update["database_url"] = SecretStr(postgres.url)
        ready = settings.model_copy(update=update)
        if make:
            url = ready.required_database_url()
            asyncio.run(migrations.upgrade(url, language=language, manner=manner))
        else:
            asyncio.run(_require_current_schema(ready, language))
        yield ready


@contextmanager
def database_to_fill(settings: Settings) -> Iterator[Settings]:
    """As `database_running`, in whatever state the database is; a missing embedded one is made."""
    if settings.database_url is not None:
        yield settings
        return
    secret = secret_in(settings)
    with EmbeddedPostgres(settings.data_dir / "postgres") as postgres, _supervised(postgres):
        url = SecretStr(postgres.url)
        yield settings.model_copy(update={"jwt_secret": secret, "database_url": url})


def secret_path(settings: Settings) -> Path:
    """Where the secret of a service with the embedded database is, unless it is set."""
    return settings.data_dir / "jwt_secret"


def present_secret(settings: Settings) -> SecretStr | None:
    """The secret of a service with the embedded database. None if it is neither set nor there."""
    return secret_in(settings) if secret_path(settings).exists() else settings.jwt_secret


def secret_in(settings: Settings) -> SecretStr:
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        return settings.jwt_secret or stored_secret(secret_path(settings))
    except OSError as error:
        raise ConfigurationError(
            f"ADSVC_DATA_DIR: {settings.data_dir} cannot be used: {error.strerror}."
        ) from error


def require_cluster(settings: Settings) -> None:
    cluster = settings.data_dir.absolute() / "postgres"
    if not (cluster / "PG_VERSION").exists():
        raise OperatorError(
            f"There is no database here: ADSVC_DATABASE_URL is not set, and {cluster} has no "
            "embedded one. This command makes none. Give it the settings of the service, or make "
            "a database first: adsvc serve, or adsvc migrate"
        )


@contextmanager
def _supervised(postgres: EmbeddedPostgres) -> Iterator[None]:
    """Restarts the database server whenever it dies. Nothing else would."""
    stopped = threading.Event()
    socket_path = str(postgres.socket_path)

    def watch() -> None:
        pause = WATCH_SECONDS
        while not stopped.wait(pause):
            if _listens(socket_path):
                pause = WATCH_SECONDS
                postgres.keep_ballast()
                continue
            logger.warning("The embedded PostgreSQL does not listen; starting it.")
            try:
                postgres.start()
            except EmbeddedPostgresError as error:
                pause = min(2 * pause, RETRY_SECONDS)
                logger.error(  # noqa: TRY400 - PostgreSQL's reason says more than a traceback
                    "The embedded PostgreSQL does not start, and is tried again in %g s: %s",
                    *(pause, error.reason),
                )

    thread = threading.Thread(target=watch, name="postgres-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _listens(socket_path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(socket_path)
        except OSError:
            return False
    return True


async def _require_current_schema(settings: Settings, wanted: str | None) -> None:
    """A version that serves, and so names a language, may be older than the schema."""

    async def look(database: Database) -> tuple[str, str | None, bool, str | None]:
        reader = database.reader
        revision = await server_rows.revision(reader)
        fits = revision == migrations.head()
        if not fits and wanted is not None and revision is not None:
            fits = migrations.serves(revision, await server_rows.oldest_head(reader))
        language = await server_rows.search_language(reader) if fits else None
        return database.location, revision, fits, language

    place, found, fits, language = await with_database(settings, look)
    if found is None:
        await installation.require_no_restore(open_store(settings))
    if not fits:
        raise OperatorError(
            f"The schema of the database {place} is at revision {found or 'none'}, and this "
            f"version needs {migrations.head()}. If it is the database of the service: "
            f"{migrations.remedy(found)}"
        )
    if wanted is not None and language != wanted:
        raise OperatorError(
            f"The text search is made for {language}, and ADSVC_SEARCH_LANGUAGE is {wanted}. "
            "Run: adsvc migrate"
        )


async def load_places(database: Database, settings: Settings) -> None:
    """Loads the places that come with adsvc, if they are missing or have changed."""
    loaded = await loading.load(database, settings.countries or None)
    if loaded:
        logger.info("Loaded %d places.", loaded)


def hash_password(settings: Settings, password: str) -> str:
    pool = ThreadPool("passwords", workers=1, queue=0)
    passwords = Passwords(
        pool,
        memory_kib=settings.password_memory_kib,
        iterations=settings.password_iterations,
    )
    try:
        return asyncio.run(passwords.hash(password))
    finally:
        pool.close()


async def with_database(
    settings: Settings, work: Callable[[Database], Coroutine[Any, Any, Any]]
) -> Any:  # noqa: ANN401 - whatever the work returns
    """Runs the work with the database open; its faults become messages for operators."""
    database = Database.of(settings, new_bus())
    try:
        return await work(database)
    except Exception as error:
        if not (is_database_fault(error) or is_access_fault(error)):
            raise
        # The cause has the driver's own message.
        cause = error.__cause__ or error
        raise OperatorError(
            f"The database at ADSVC_DATABASE_URL cannot be used: {cause}"
        ) from error
    finally:
        await database.close()


def prepared_store(settings: Settings) -> ImageStore:
    store = open_store(settings)
    store.prepare()
    return store


def run(
    work: Callable[[Database], Coroutine[Any, Any, Any]], settings: Settings | None = None
) -> Any:  # noqa: ANN401 - whatever the work returns
    """Runs the work by `with_installation` while the database of the service is running."""
    with database_running(settings or load_settings()) as ready:
        return asyncio.run(with_installation(ready, work))


def run_in_transaction(
    work: Callable[[Transaction], Coroutine[Any, Any, Any]], settings: Settings | None = None
) -> Any:  # noqa: ANN401 - whatever the work returns
    async def in_one(database: Database) -> Any:  # noqa: ANN401 - whatever the work returns
        async with database.transaction() as transaction:
            return await work(transaction)

    return run(in_one, settings)


async def with_installation(
    settings: Settings, work: Callable[[Database], Coroutine[Any, Any, Any]]
) -> Any:  # noqa: ANN401 - whatever the work returns
    """As `with_database`; nothing happens if the image store is another installation's.

    Work that needs no picture is done without the store too.
    """

    async def compared(database: Database) -> Any:  # noqa: ANN401 - whatever the work returns
        try:
            difference = await installation.mismatch(database, open_store(settings))
        except ImageStoreUnavailableError as error:
            say(f"Note: {UNCHECKED_STORE}: {error.__cause__ or error}", to_errors=True)
            difference = None
        if difference is not None:
            raise OperatorError(difference)
        return await work(database)

    return await with_database(settings, compared)
