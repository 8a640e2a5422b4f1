"""What every command needs before it can start: settings in force and a database that runs."""

import asyncio
import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from adsvc import migrations
from adsvc.db import Database, is_database_fault
from adsvc.embedded import EmbeddedPostgres, EmbeddedPostgresError
from adsvc.errors import ConfigurationError, OperatorError
from adsvc.repositories import SchemaRepository
from adsvc.security import Passwords
from adsvc.settings import Settings
from adsvc.work import ThreadPool

logger = logging.getLogger("adsvc.cli")

# How soon a dead embedded server is noticed.
WATCH_SECONDS = 0.5


def kept_secret(path: Path) -> SecretStr:
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
    return SecretStr(path.read_text().strip())


@contextmanager
def database_running(settings: Settings, *, language: str | None = None) -> Iterator[Settings]:
    """Settings whose database answers and has the current schema, and whose secret is known.

    Without a database URL that is the embedded PostgreSQL in the data directory, started if it
    does not run yet, migrated, and stopped at the end unless another process uses it.

    With a language, its text search is brought to that one; commands that do not search leave
    it as the service beside them wants it.
    """
    if settings.database_url is not None:
        asyncio.run(_require_current_schema(settings, language))
        yield settings
        return
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        secret = settings.jwt_secret or kept_secret(settings.data_dir / "jwt_secret")
    except OSError as error:
        raise ConfigurationError(
            f"ADSVC_DATA_DIR: {settings.data_dir} cannot be used: {error.strerror}."
        ) from error
    with EmbeddedPostgres(settings.data_dir / "postgres") as postgres, _kept_running(postgres):
        ready = settings.model_copy(
            update={"database_url": SecretStr(postgres.url), "jwt_secret": secret}
        )
        asyncio.run(migrations.upgrade(ready.required_database_url(), language=language))
        yield ready


@contextmanager
def _kept_running(postgres: EmbeddedPostgres) -> Iterator[None]:
    """Starts the server again whenever it dies: here is nobody else who would."""
    stopped = threading.Event()
    socket_path = str(postgres.socket_path)

    def watch() -> None:
        while not stopped.wait(WATCH_SECONDS):
            with socket.socket(socket.AF_UNIX) as probe:
                try:
                    probe.connect(socket_path)
                except OSError:
                    logger.warning("The embedded PostgreSQL does not listen; starting it.")
                    with suppress(EmbeddedPostgresError):
                        postgres.start()

    thread = threading.Thread(target=watch, name="postgres-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


async def _require_current_schema(settings: Settings, wanted: str | None) -> None:
    async def look(database: Database) -> tuple[str | None, str | None]:
        async with database.autocommit() as session:
            schema = SchemaRepository(session)
            revision = await schema.revision()
            current = revision == migrations.head()
            return revision, await schema.search_language() if current else None

    found, language = await with_database(settings, look)
    if found != migrations.head():
        raise OperatorError(
            f"The database schema is at revision {found or 'none'}, and this version needs "
            f"{migrations.head()}. Run: adsvc migrate"
        )
    if wanted is not None and language != wanted:
        raise OperatorError(
            f"The text search is made for {language}, and ADSVC_SEARCH_LANGUAGE is {wanted}. "
            "Run: adsvc migrate"
        )


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
    database = Database(settings.required_database_url(), timeout=settings.database_timeout_seconds)
    try:
        return await work(database)
    except Exception as error:
        if not is_database_fault(error):
            raise
        # What the driver met says more than that it met something.
        cause = error.__cause__ or error
        raise OperatorError(
            f"The database at ADSVC_DATABASE_URL cannot be reached: {cause}"
        ) from error
    finally:
        await database.close()
