import gc
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from shutil import disk_usage, rmtree
from tempfile import TemporaryDirectory
from typing import ClassVar, Self

import httpx2
import pytest
from pydantic import BaseModel, SecretStr
from sqlalchemy import MetaData, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import create_async_engine

from adsvc import migrations
from adsvc.invalidation import InvalidationKind
from adsvc.kit.bulkheads import pools
from adsvc.kit.invalidation import Invalidation
from adsvc.kit.observability import logging
from adsvc.kit.process.offload import Call, ChildPool
from adsvc.kit.storage.local import NAME as MARKER
from adsvc.kit.storage.local import SHARDS
from adsvc.main import create_app
from adsvc.repositories.deletions import TABLES
from adsvc.services.places import loading
from adsvc.settings import Jobs, RateLimits, Settings, Storefront
from adsvc_ops.embedded import EmbeddedPostgres
from support.running.embedded import TRUSTING
from support.running.event_loop import watch
from support.running.in_process import running
from support.s3.light import LightS3, light_s3
from support.s3.server import CREDENTIALS, S3Server
from support.scene.api import Api
from support.scene.storefront import build
from support.trouble.connections import ConnectionWatch, watched_pools

# Nothing a test does has to survive a power cut.
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# What the server's files may take: a few hundred megabytes are usual.
MEMORY_BYTES = 4 * 1024**3
# An OpenSearch that answers the searches of the tests' service: see `make test-search`.
SEARCH_URL = os.environ.get("TEST_SEARCH_URL")
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"
# Nor does a stolen database have to resist guessing.
PASSWORD_MEMORY_KIB = 8
PASSWORD_ITERATIONS = 1
# Hashes of that cost begin with this.
CURRENT = f"$argon2id$v=19$m={PASSWORD_MEMORY_KIB},t={PASSWORD_ITERATIONS},p=1$"

# httpx2 imports it at each request, to no avail: a search of all paths, unless this says so.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]

# What shells start in the background ignores Ctrl-C, and so would the servers that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection() -> None:
    """Nothing that is imported or collected is garbage, and to look for some takes long."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    # With the default threshold the collector takes a tenth of the time; a much larger one lets a
    # collection hold the event loop.
    gc.set_threshold(5_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the heavy tests first, so that parallel processes end at about the same time."""
    for item in items:
        if item.get_closest_marker("guard") and item.get_closest_marker("heavy"):
            raise pytest.UsageError(f"{item.nodeid} is marked `guard`, and cannot be `heavy`")
    items.sort(key=lambda item: item.get_closest_marker("heavy") is None)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Generator[None, object, object]:
    with watch.installed():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Fails a test in which the application holds the event loop."""
    watch.stalls.clear()
    yield
    watch.require_none()


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
def s3_credentials() -> Iterator[None]:
    """Those of the tests' own servers, and nothing else of a developer's for AWS."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        for name, text in CREDENTIALS.items():
            patch.setenv(name, text)
        yield


@pytest.fixture(scope="session")
def _light_s3(
    s3_credentials: None,  # noqa: ARG001 - in the environment
) -> Iterator[tuple[S3Server, LightS3]]:
    with light_s3() as started:
        yield started


@pytest.fixture
def s3(_light_s3: tuple[S3Server, LightS3]) -> Iterator[tuple[S3Server, LightS3]]:
    """The light S3, in good order and empty at the beginning of each test."""
    yield _light_s3
    _light_s3[1].restore()


@pytest.fixture
def prefix() -> str:
    """A place in the bucket that no other test has."""
    return f"ads-{secrets.token_hex(4)}"


class SharedWorkers(ChildPool):
    """One set of processes for all applications: to start one takes as long as many tests."""

    _made: ClassVar[dict[str, "SharedWorkers"]] = {}

    def __new__(cls, prepare: Call | None) -> Self:
        made = cls._made.setdefault(repr(prepare), super().__new__(cls))
        assert isinstance(made, cls)
        return made

    def __init__(self, prepare: Call | None) -> None:
        if not hasattr(self, "_all"):
            super().__init__(prepare)

    async def close(self) -> None:
        """They go with the session."""

    @classmethod
    async def close_all(cls) -> None:
        for made in cls._made.values():
            await super(cls, made).close()


@pytest.fixture(scope="session", autouse=True)
async def decoders() -> AsyncIterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "ChildPool", SharedWorkers)
        yield
    await SharedWorkers.close_all()


@pytest.fixture(scope="session", autouse=True)
def prompt_access_log() -> Iterator[None]:
    """Its lines are there when a request is over, not among those of the test that follows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging, "FLUSH_SECONDS", 0)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_power_cuts() -> Iterator[None]:
    """Pictures are written as the database is, see `FAST`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(os, "sync", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def places_read_once() -> Iterator[None]:
    """Each worker of a test loads the places of its countries, and reads all of them for that."""
    all_portions = loading.portions_of
    read = cache(lambda countries, without: list(filter(None, all_portions(countries, without))))
    # Not beside the first test, whose event loop would be measured.
    read(("LI",), frozenset())

    def portions_of(countries: tuple[str, ...] | None, without: set[str]) -> Iterator[bytes]:
        # Read where the portions are, in a thread.
        yield from read(countries, frozenset(without))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "portions_of", portions_of)
        yield


@pytest.fixture(scope="session")
def _watched_pools() -> Iterator[ConnectionWatch]:
    with watched_pools() as watch:
        yield watch


@pytest.fixture(autouse=True)
def no_second_connection(_watched_pools: ConnectionWatch) -> Iterator[None]:
    """Fails a test during which code asked for a connection while it held one."""
    _watched_pools.found.clear()
    yield
    assert not _watched_pools.found, "\n".join(_watched_pools.found)


def _memory() -> str | None:
    """A directory in memory, where a database is copied in half the time, if there is room."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and disk_usage(memory).free > MEMORY_BYTES
    return str(memory) if roomy else None


@pytest.fixture(scope="session")
def server_url(external_database_url: str | None) -> Iterator[URL]:
    """A PostgreSQL server on which databases can be made."""
    if external_database_url is not None:
        yield make_url(external_database_url).set(drivername="postgresql+asyncpg")
        return
    # Root's server runs as another user, and pytest closes its own directory to others whenever a
    # second session begins.
    with (
        TemporaryDirectory(prefix="adsvc-", dir=_memory()) as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options={**FAST, **TRUSTING}) as postgres,
    ):
        yield make_url(postgres.url)


@asynccontextmanager
async def _new_database(server_url: URL, template: str = "template1") -> AsyncIterator[URL]:
    name = f"adsvc_test_{secrets.token_hex(6)}"
    engine = create_async_engine(server_url, isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            # By the log, as without STRATEGY, it takes twice as long.
            await connection.execute(
                text(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
            )
            try:
                yield server_url.set(database=name)
            finally:
                await connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    finally:
        await engine.dispose()


DatabaseFactory = Callable[[], AbstractAsyncContextManager[URL]]


@pytest.fixture(scope="session")
def bare_database(server_url: URL) -> DatabaseFactory:
    """Makes a database without tables for the length of a block."""
    return lambda: _new_database(server_url)


DatabaseAt = Callable[[str], AbstractAsyncContextManager[URL]]


@pytest.fixture(scope="session")
async def database_at(server_url: URL, bare_database: DatabaseFactory) -> AsyncIterator[DatabaseAt]:
    """Makes a database with the schema of that revision, and nothing in it.

    It is a copy of one that is migrated once in a session.
    """
    templates: dict[str, str] = {}
    async with AsyncExitStack() as stack:

        @asynccontextmanager
        async def make(revision: str) -> AsyncIterator[URL]:
            if revision not in templates:
                template = await stack.enter_async_context(bare_database())
                await migrations.upgrade(template, revision, language="english")
                templates[revision] = str(template.database)
            async with _new_database(server_url, templates[revision]) as url:
                yield url

        yield make


@pytest.fixture(scope="session")
def new_database(database_at: DatabaseAt) -> DatabaseFactory:
    """Makes a database with the current schema, and nothing in it, for the length of a block."""
    return lambda: database_at("head")


@pytest.fixture(scope="session")
async def migrated_url(new_database: DatabaseFactory) -> AsyncIterator[URL]:
    async with new_database() as url:
        yield url


async def _nothing() -> None:
    pass


@pytest.fixture(scope="session")
async def schema(migrated_url: URL) -> MetaData:
    """All tables, with those that have no model."""
    engine, found = create_async_engine(migrated_url), MetaData()
    async with engine.connect() as connection:
        await connection.run_sync(found.reflect)
    await engine.dispose()
    return found


@pytest.fixture(scope="session")
async def empty_index(
    migrated_url: URL, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Empties the search engine, which answers the searches of the tests' database if there is
    one.
    """
    if SEARCH_URL is None:
        yield _nothing
        return
    from support.running.opensearch import answering

    async with answering(_settings(migrated_url, tmp_path_factory.mktemp("search"))) as clear:
        yield clear


@pytest.fixture(scope="session")
async def empty(
    migrated_url: URL, empty_index: Callable[[], Awaitable[None]]
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Empties the tests' database, and has ids begin again.

    Row by row: there are few, and TRUNCATE makes dozens of files anew.
    """
    engine = create_async_engine(migrated_url, isolation_level="AUTOCOMMIT")
    tables = [*TABLES][::-1]
    # The database stays the same installation, and its log and who follows it go on.
    for kept in ("installation", "event_batches", "event_log", "consumers"):
        tables.remove(kept)
    # Deleting ads and comments changes what is counted of them, queues pictures, and is noted.
    tables.sort(key=lambda name: name.endswith(("totals", "deletions", "changes")))
    # Most tables are empty already, and a statement's triggers do their work all the same.
    statements = "".join(
        f"IF EXISTS (SELECT FROM {table}) THEN DELETE FROM {table}; END IF;"  # noqa: S608 - no input
        for table in tables
    )
    statements += "UPDATE installation SET site = NULL WHERE site IS NOT NULL;"
    # A job that runs meanwhile writes to tables in an order of its own. So all of them are locked,
    # and none is waited for while another is kept: neither waits for what the other one has.
    lock = f"""
        LOOP
            BEGIN
                LOCK TABLE {", ".join(tables)} IN EXCLUSIVE MODE NOWAIT;
                EXIT;
            EXCEPTION WHEN lock_not_available THEN PERFORM pg_sleep(0.002);
            END;
        END LOOP;
    """
    # A job may add changes meanwhile.
    restart = (
        "PERFORM setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'"
        " AND relnamespace = 'public'::regnamespace AND relname <> 'changes_id_seq';"
    )
    async with engine.connect() as connection:
        # A function of this connection keeps the plans of its statements.
        await connection.execute(
            text(
                "CREATE FUNCTION pg_temp.delete_all() RETURNS void LANGUAGE plpgsql"
                f" AS $$ BEGIN {lock} {statements} {restart} END $$"
            )
        )

        async def delete_all() -> None:
            await connection.execute(text("SELECT pg_temp.delete_all()"))
            await empty_index()

        yield delete_all
    await engine.dispose()


@pytest.fixture
async def database_url(
    migrated_url: URL, empty: Callable[[], Awaitable[None]]
) -> AsyncIterator[URL]:
    """The tests' database, empty at the beginning of each test."""
    yield migrated_url
    await empty()


def _emptied(data_dir: Path) -> bool:
    """Deletes all but the directories of an image store; False if those are not as they were."""
    images = data_dir / "images"
    for path in (*data_dir.parent.iterdir(), *data_dir.iterdir()):
        if path in (data_dir, images):
            continue
        if path.is_dir() and not path.is_symlink():
            rmtree(path)
        else:
            path.unlink()
    (images / MARKER).unlink(missing_ok=True)
    modes = {images.stat().st_mode}
    for shard in images.iterdir():
        modes.add(shard.lstat().st_mode)
        for path in shard.iterdir():
            path.unlink()
    return len(modes) == 1 and {shard.name for shard in images.iterdir()} == {*SHARDS}


@pytest.fixture(scope="session")
def _spare_data_dirs() -> list[Path]:
    return []


@pytest.fixture
def data_dir(
    tmp_path_factory: pytest.TempPathFactory, _spare_data_dirs: list[Path]
) -> Iterator[Path]:
    """Not there yet, or with nothing in it but the 256 directories of an image store.

    To make those for each test takes long, and to delete them, as pytest does at the end of a later
    run, takes longer.
    """
    if _spare_data_dirs:
        directory = _spare_data_dirs.pop()
    else:
        directory = tmp_path_factory.mktemp("home") / "data"
    yield directory
    with suppress(OSError):
        if _emptied(directory):
            _spare_data_dirs.append(directory)


class Given(Settings):
    """Settings that are not looked up in the environment, which takes longer than many tests."""

    def __init__(self, **given: object) -> None:
        BaseModel.__init__(self, **given)


def _settings(database_url: URL, data_dir: Path) -> Settings:
    return Given(
        database_url=SecretStr(database_url.render_as_string(hide_password=False)),
        jwt_secret=SecretStr(SECRET),
        data_dir=data_dir,
        rate_limits=RateLimits.OFF,
        password_memory_kib=PASSWORD_MEMORY_KIB,
        password_iterations=PASSWORD_ITERATIONS,
        # Whether or not it was built here.
        storefront=Storefront.OFF,
        # They would take more time than many tests, and change rows while a test looks at them.
        # `support.mail.received` runs them for the mails; a test of another job has `jobs="on"`.
        jobs=Jobs.OFF,
        # Most tests want what is deleted to be gone.
        undo_days=0,
        # All places would take longer than most tests.
        countries=("LI",),
        search_url=None if SEARCH_URL is None else SecretStr(SEARCH_URL),
    )


@pytest.fixture
def settings(database_url: URL, data_dir: Path) -> Settings:
    return _settings(database_url, data_dir)


ApiFactory = Callable[..., AbstractAsyncContextManager[Api]]


@pytest.fixture
def start_api(settings: Settings) -> ApiFactory:
    """Runs an application of the test's own, with some settings changed."""

    @asynccontextmanager
    async def start(**changes: object) -> AsyncIterator[Api]:
        assert changes.keys() <= Settings.model_fields.keys()
        app = create_app(Given(**{**dict(settings), **changes}))
        async with running(app) as client:
            yield Api(client, app)

    return start


@pytest.fixture
def start_own_api(start_api: ApiFactory, new_database: DatabaseFactory) -> ApiFactory:
    """Runs one with a database of its own, too, which the test may break."""

    @asynccontextmanager
    async def start(**changes: object) -> AsyncIterator[Api]:
        async with new_database() as url:
            address = SecretStr(url.render_as_string(hide_password=False))
            async with start_api(database_url=address, **changes) as api:
                yield api

    return start


@pytest.fixture(scope="session")
async def shared_api(
    migrated_url: URL, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Api]:
    directory = tmp_path_factory.mktemp("shared")
    settings = _settings(migrated_url, directory / "data")
    changes = {
        "storefront": Storefront.ON,
        "storefront_dir": build(directory / "web"),
    }
    app = create_app(settings.model_copy(update=changes))
    async with running(app) as client:
        yield Api(client, app)


@pytest.fixture(scope="session")
def _remove_pictures(shared_api: Api) -> Callable[[], None]:
    """Empties the directories of pictures that have changed: to list all of them takes longer."""
    unchanged: dict[Path, int] = {}
    shards = [shared_api.state.settings.image_dir / shard for shard in SHARDS]

    def remove() -> None:
        for shard in shards:
            if shard.stat().st_mtime_ns != unchanged.get(shard):
                for path in shard.iterdir():
                    path.unlink()
                unchanged[shard] = shard.stat().st_mtime_ns

    return remove


@pytest.fixture
async def api(
    shared_api: Api,
    empty: Callable[[], Awaitable[None]],
    _remove_pictures: Callable[[], None],
) -> AsyncIterator[Api]:
    """The application with nothing in it; what a test breaks, it breaks in one of its own."""
    # Of another application's test it has followed the changes, but not that they were undone.
    if shared_api.state.site.version:
        await shared_api.state.operator.look()
    yield shared_api
    await empty()
    if shared_api.state.site.version:
        await shared_api.state.operator.look()
    # The database's own notices may arrive during the next test.
    for kind in InvalidationKind:
        shared_api.state.database.changes.apply(Invalidation(kind))
    _remove_pictures()


@pytest.fixture
def client(api: Api) -> httpx2.AsyncClient:
    """Without credentials."""
    return api.client


Environment = dict[str, str]


def _environment(url: URL, data_dir: Path) -> Environment:
    names = (
        "DATABASE_URL",
        "JWT_SECRET",
        "DATA_DIR",
        "RATE_LIMITS",
        "PASSWORD_MEMORY_KIB",
        "PASSWORD_ITERATIONS",
        "COUNTRIES",
    )
    given = _settings(url, data_dir).to_environment()
    return {f"ADSVC_{name}": given[f"ADSVC_{name}"] for name in names}


@pytest.fixture
async def bare_environment(
    bare_database: DatabaseFactory, tmp_path: Path
) -> AsyncIterator[Environment]:
    """The variables of a service with a database of its own, which has no tables yet."""
    async with bare_database() as url:
        yield _environment(url, tmp_path / "data")


@pytest.fixture
async def environment(new_database: DatabaseFactory, tmp_path: Path) -> AsyncIterator[Environment]:
    """The variables of a service with a database of its own, ready to serve."""
    async with new_database() as url:
        yield _environment(url, tmp_path / "data")


@pytest.fixture
def embedded_environment() -> Iterator[Environment]:
    """The variables of a service with an embedded database."""
    with TemporaryDirectory(prefix="adsvc-") as directory:
        yield {
            "ADSVC_DATA_DIR": str(Path(directory) / "data"),
            "ADSVC_RATE_LIMITS": "off",
            "ADSVC_COUNTRIES": "li",
        }
