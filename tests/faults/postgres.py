"""A PostgreSQL of the drills' own, to be killed and frozen."""

import asyncio
import secrets
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
from sqlalchemy.engine import URL, make_url

from adsvc import migrations
from adsvc_ops.embedded import EmbeddedPostgres
from faults import kernel
from support.running.embedded import TRUSTING


class Postgres:
    """Durable, unlike that of the other tests, unless options say otherwise."""

    def __init__(self, directory: Path, options: Mapping[str, str] | None = None) -> None:
        self._embedded = EmbeddedPostgres(
            directory / "postgres", options={**(options or {}), **TRUSTING}
        )
        self._pid_file = directory / "postgres" / "postmaster.pid"
        # With the current schema; the others are copies of it.
        self._template: str | None = None

    @property
    def url(self) -> URL:
        return make_url(self._embedded.url)

    def start(self) -> None:
        self._embedded.start()

    def stop(self) -> None:
        self.thaw()
        self._embedded.start()
        self._embedded.stop()

    def _processes(self) -> list[int]:
        try:
            server = int(self._pid_file.read_text().splitlines()[0])
        except FileNotFoundError:
            return []
        children = kernel.descendants(server)
        # After a crash the number may be that of the starter.
        return [server, *children] if children else []

    def freeze(self) -> None:
        """The postmaster first, so that it makes no more of them."""
        kernel.signal_all(self._processes(), signal.SIGSTOP)
        kernel.signal_all(self._processes(), signal.SIGSTOP)

    def thaw(self) -> None:
        kernel.signal_all(self._processes(), signal.SIGCONT)

    def kill(self) -> None:
        """All its processes at once, so that none can save what it still holds in memory."""
        assert len(self._processes()) > 1
        kernel.kill_at_once(self._processes)

    async def connect(self, database: str = "adsvc") -> asyncpg.Connection:
        host = str(self.url.query["host"])
        return await asyncpg.connect(host=host, user="adsvc", database=database, timeout=10)

    async def ask(self, statement: str) -> object:
        connection = await self.connect()
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()

    async def _create(self, template: str) -> str:
        name = f"drill_{secrets.token_hex(6)}"
        # A copy by the log begins its sequences again after a crash: the numbers that PostgreSQL
        # has logged in advance are in the log of the template alone.
        await self.ask(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
        return name

    async def _migrated(self) -> str:
        if self._template is None:
            name = await self._create("template1")
            await migrations.upgrade(self.url.set(database=name))
            self._template = name
        return self._template

    @asynccontextmanager
    async def new_database(self, *, migrated: bool = True) -> AsyncIterator[URL]:
        """With the current schema, or none, for the length of a block."""
        template = await self._migrated() if migrated else "template1"
        name = await self._create(template)
        try:
            yield self.url.set(database=name)
        finally:
            await self.ask(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def running_postgres(
    directory: Path, options: Mapping[str, str] | None = None
) -> AsyncIterator[Postgres]:
    postgres = Postgres(directory, options)
    await asyncio.to_thread(postgres.start)
    try:
        yield postgres
    finally:
        await asyncio.to_thread(postgres.stop)
