import os
import secrets
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc import migrations
from adsvc.embedded import EmbeddedPostgres
from adsvc.main import create_app
from adsvc.models import Base
from adsvc.settings import Settings
from asgi import running
from factories import Api

# Nothing a test does has to survive a power cut.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="session", autouse=True)
def external_database_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    """Takes the developer's own settings out of the way; only the database may be given."""
    url = os.environ.get("ADSVC_DATABASE_URL")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("ADSVC_")]:
            patch.delenv(name)
        # A .env file in the checkout does not count here.
        patch.chdir(tmp_path_factory.mktemp("cwd"))
        yield url


@pytest.fixture(scope="session")
def server_url(external_database_url: str | None) -> Iterator[URL]:
    """A PostgreSQL server on which databases can be made."""
    if external_database_url is not None:
        yield make_url(external_database_url).set(drivername="postgresql+asyncpg")
        return
    # Root's server runs as another user, and pytest closes its own directory to others whenever a
    # second session begins.
    with (
        TemporaryDirectory(prefix="adsvc-") as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options=FAST) as postgres,
    ):
        yield make_url(postgres.url)


@asynccontextmanager
async def _new_database(server_url: URL) -> AsyncIterator[URL]:
    name = f"adsvc_test_{secrets.token_hex(6)}"
    engine = create_async_engine(server_url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name}"))
        try:
            yield server_url.set(database=name)
        finally:
            await connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    await engine.dispose()


DatabaseFactory = Callable[[], AbstractAsyncContextManager[URL]]


@pytest.fixture(scope="session")
def new_database(server_url: URL) -> DatabaseFactory:
    """Makes an empty database, without tables, for the length of a block."""
    return lambda: _new_database(server_url)


@pytest.fixture(scope="session")
async def migrated_url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    async with new_database() as url:
        await migrations.upgrade(url)
        yield url


@pytest.fixture
async def database_url(migrated_url: URL) -> AsyncIterator[URL]:
    """The tests' database, empty at the beginning of each test."""
    yield migrated_url
    tables = ", ".join(table.name for table in Base.metadata.sorted_tables)
    engine = create_async_engine(migrated_url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
    await engine.dispose()


@pytest.fixture
def settings(database_url: URL, tmp_path: Path) -> Settings:
    return Settings(
        database_url=database_url.render_as_string(hide_password=False),
        jwt_secret=SECRET,
        data_dir=tmp_path / "data",
        rate_limits="off",
    )


ApiFactory = Callable[..., AbstractAsyncContextManager[Api]]


@pytest.fixture
def start_api(settings: Settings) -> ApiFactory:
    """Runs the application in this process, with some settings changed."""

    @asynccontextmanager
    async def start(**changes: object) -> AsyncIterator[Api]:
        app = create_app(Settings(**{**dict(settings), **changes}))
        async with running(app) as client:
            yield Api(client, app)

    return start


@pytest.fixture
async def api(start_api: ApiFactory) -> AsyncIterator[Api]:
    async with start_api() as started:
        yield started


@pytest.fixture
def client(api: Api) -> httpx.AsyncClient:
    """Without credentials."""
    return api.client


@pytest.fixture
def app(api: Api) -> FastAPI:
    return api.app
