from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import pytest
from sqlalchemy.engine import URL

from adsvc.settings import Settings
from faults.here import Here, ServeHere, serving
from faults.postgres import Postgres, running_postgres
from faults.scale import figures
from faults.served import Service, register
from support.scene.api import Person

SECRET = "a secret of the drills, 0123456789"
NewService = Callable[..., Service]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a process of xdist measured goes to the one that reports."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["figures"] = figures


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    figures.extend(getattr(node, "workeroutput", {}).get("figures", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if figures:
        terminalreporter.section("measured")
        for figure in figures:
            terminalreporter.write_line(figure)


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
async def unmigrated(postgres: Postgres) -> AsyncIterator[str]:
    async with postgres.new_database(migrated=False) as url:
        yield url.render_as_string(hide_password=False)


@pytest.fixture
async def new_service(database: URL, tmp_path: Path) -> AsyncIterator[NewService]:
    """Makes a service, not yet started, for that database; limits on rates are off."""
    async with AsyncExitStack() as stack:

        def make(**settings: object) -> Service:
            usual = {
                "database_url": database.render_as_string(hide_password=False),
                "jwt_secret": SECRET,
                "rate_limits": "off",
                # Pictures of what is deleted go at once.
                "undo_days": 0,
            }
            service = Service(tmp_path, **{**usual, **settings})
            stack.callback(service.end)
            return service

        yield make


@pytest.fixture
async def service(new_service: NewService) -> Service:
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


@dataclass
class Town:
    """A running service and the people in it, for drills that break nothing."""

    service: Service
    client: httpx2.AsyncClient
    author: Person
    stranger: Person
    admin: Person
    ad: dict[str, Any]

    async def state(self) -> object:
        """All that a refused request must leave as it was."""
        detail = (await self.admin.get(f"/ads/{self.ad['pk']}")).json()
        image = await self.client.get(detail["image"])
        listing = (await self.client.get("/ads")).json()
        files = sorted(self.service.image_files())
        return detail, image.content, listing, (await self.author.get("/users/me")).json(), files


@pytest.fixture(scope="session")
async def town(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Town]:
    async with postgres.new_database() as url:
        service = Service(
            tmp_path_factory.mktemp("town"),
            database_url=url.render_as_string(hide_password=False),
            jwt_secret=SECRET,
            rate_limits="off",
        )
        async with service, service.client() as client:
            author, stranger, admin = [await register(client) for _ in range(3)]
            assert (await service.run("users", "promote", admin.username)).returncode == 0
            yield Town(service, client, author, stranger, admin, await author.post_ad())
