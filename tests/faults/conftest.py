from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from here import Here, ServeHere, serving
from postgres import Postgres, running_postgres
from served import Service
from sqlalchemy.engine import URL

from adsvc.settings import Settings

SECRET = "a secret of the drills, 0123456789"
ServiceFactory = Callable[..., Service]


@pytest.fixture(scope="session")
async def postgres() -> AsyncIterator[Postgres]:
    """A durable server for all drills; who stops it starts it again."""
    # Root's server runs as another user, who may not enter the directories of pytest.
    with TemporaryDirectory(prefix="adsvc-") as directory:
        async with running_postgres(Path(directory)) as started:
            yield started


@pytest.fixture
async def database(postgres: Postgres) -> AsyncIterator[URL]:
    async with postgres.new_database() as url:
        yield url


@pytest.fixture
async def new_service(database: URL, tmp_path: Path) -> AsyncIterator[ServiceFactory]:
    """Makes a service, not yet started, for that database; limits on rates are off."""
    async with AsyncExitStack() as stack:

        def make(**settings: object) -> Service:
            usual = {
                "database_url": database.render_as_string(hide_password=False),
                "jwt_secret": SECRET,
                "rate_limits": "off",
            }
            service = Service(tmp_path, **{**usual, **settings})
            stack.callback(service.end)
            return service

        yield make


@pytest.fixture
async def service(new_service: ServiceFactory) -> Service:
    started = new_service()
    await started.start()
    return started


@pytest.fixture
def serve_here(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> ServeHere:
    """Serves from this process, with some settings changed."""

    def serve(**changes: object) -> AbstractAsyncContextManager[Here]:
        return serving(Settings(**{**dict(settings), **changes}), monkeypatch)

    return serve


@pytest.fixture
async def here(serve_here: ServeHere) -> AsyncIterator[Here]:
    async with serve_here() as started:
        yield started
