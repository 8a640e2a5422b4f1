"""Finds and runs pg_dump, pg_restore and psql."""

import asyncio
import os
import re
import shutil
import subprocess
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.engine import URL

from adsvc.errors import OperatorError
from adsvc.kit.process import pdeathsig
from adsvc_ops.embedded import packaged_programs

VERSION = re.compile(r"\) ([0-9]+)(?:\.([0-9]+))?")
CHUNK_BYTES = 1024 * 1024
# The variables that the programs may need to start and to find passwords and certificates.
INHERITED = ("PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", "KRB5CCNAME", "KRB5_CONFIG")
# asyncpg's names of what libpq reads from its environment.
VARIABLES = {
    "ssl": "PGSSLMODE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslcrl": "PGSSLCRL",
    "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION",
    "ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
    "service": "PGSERVICE",
    "servicefile": "PGSERVICEFILE",
    "passfile": "PGPASSFILE",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
    "krbsrvname": "PGKRBSRVNAME",
    "gsslib": "PGGSSLIB",
}
# Servers before 17 refuse it.
SINCE_17 = b"SET transaction_timeout = 0;\n"
# Settings are at the beginning of a dump, before the content of rows.
PREAMBLE_LINES = 40


class Programs(NamedTuple):
    directory: Path
    # As PostgreSQL writes it, and its first number.
    version: str
    major: int

    def program(self, name: str) -> str:
        return str(self.directory / name)


def find_programs(given: Path | None, *, at_least: int) -> Programs:
    """The programs in the given directory, of the embedded PostgreSQL, or on the path.

    `OperatorError` if none is of that version of PostgreSQL or newer.
    """
    places = [given] if given else [packaged_programs(), _on_path()]
    found = [_programs(place) for place in places if place is not None]
    for programs in found:
        if programs is not None and programs.major >= at_least:
            return programs
    versions = ", ".join(f"{one.version} in {one.directory}" for one in found if one is not None)
    raise OperatorError(
        f"pg_dump, pg_restore and psql of PostgreSQL {at_least} or newer are needed; found: "
        f"{versions or 'none'}. Install that version's client, and name its directory in "
        "ADSVC_POSTGRES_BIN."
    )


def _on_path() -> Path | None:
    found = shutil.which("pg_dump")
    # On Debian it is a script that chooses a version, so it stays where it is.
    return Path(found).parent if found else None


def _programs(directory: Path) -> Programs | None:
    if not all(os.access(directory / name, os.X_OK) for name in ("pg_dump", "pg_restore", "psql")):
        return None
    finished = subprocess.run(  # noqa: S603
        [directory / "pg_dump", "--version"], capture_output=True, text=True, check=False
    )
    version = VERSION.search(finished.stdout)
    if version is None:
        return None
    return Programs(directory, version[0].removeprefix(") "), int(version[1]))


def connection_environment(url: URL) -> dict[str, str]:
    """Variables for libpq, so that no address or password is on a command line."""
    query = {key: _words(value) for key, value in url.query.items()}
    hosts = query.pop("host", []) or ([url.host] if url.host else [])
    ports = query.pop("port", []) or ([str(url.port)] if url.port else [])
    # Several hosts may have their ports behind them.
    pairs = [_split_host(host) for host in hosts]
    if any(port for _, port in pairs):
        ports = [port or "5432" for _, port in pairs]
    given = {
        # Of several servers the one that takes writes, as everywhere else.
        "PGTARGETSESSIONATTRS": "read-write" if len(pairs) > 1 else None,
        "PGHOST": ",".join(host for host, _ in pairs),
        "PGPORT": ",".join(ports),
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        **{VARIABLES[key]: ",".join(words) for key, words in query.items() if key in VARIABLES},
    }
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    ours = {name: value for name, value in os.environ.items() if name.startswith("PG")}
    stated = {name: value for name, value in given.items() if value}
    return {**inherited, **ours, **stated, "LC_ALL": "C", "PGAPPNAME": "adsvc backup"}


def _words(value: str | tuple[str, ...]) -> list[str]:
    values = (value,) if isinstance(value, str) else value
    return [word for one in values for word in one.split(",")]


def _split_host(host: str) -> tuple[str, str]:
    """A host, and its port if it names one; a directory of sockets is as it is."""
    name, colon, port = host.rpartition(":")
    if host.startswith("/") or not colon or not port.isdecimal():
        return host, ""
    return name.strip("[]"), port


async def dump(
    programs: Programs, url: URL, *, snapshot: str, compress: bool
) -> AsyncGenerator[bytes, None]:
    """The database as of the snapshot. Close the generator."""
    words = [
        *(programs.program("pg_dump"), "--format=custom"),
        *(() if compress else ("--compress=0",)),
        *(f"--snapshot={snapshot}", "--no-password"),
        # Counted attempts, which a restore should not bring back.
        "--no-unlogged-table-data",
    ]
    async with _running(words, connection_environment(url)) as process:
        errors = asyncio.create_task(_stderr_of(process))
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        while chunk := await process.stdout.read(CHUNK_BYTES):
            yield chunk
        await process.wait()
        said = await errors
    _require_success(process, "pg_dump", said)


async def load(
    programs: Programs,
    url: URL,
    dumped: AsyncIterator[bytes],
    *,
    first: str,
    server_version: int,
) -> None:
    """Runs the statements `first` and loads the dump, in one transaction.

    An error while the dump is read, even at its end, rolls all of it back.
    """
    environment = connection_environment(url)
    reading = [programs.program("pg_restore"), "--no-owner", "--no-privileges", "--file=-"]
    # If this process is killed, no COMMIT is sent.
    writing = [
        *(programs.program("psql"), "--no-psqlrc", "--quiet", "--no-password"),
        *("--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file=-"),
    ]
    async with (
        _running(writing, environment, stdin=PIPE) as psql,
        _running(reading, environment, stdin=PIPE) as pg_restore,
    ):
        feeding = asyncio.create_task(_feed(pg_restore, dumped))
        errors = [asyncio.create_task(_stderr_of(process)) for process in (psql, pg_restore)]
        with suppress(ConnectionError):
            await _send(psql, f"BEGIN;\n{first}\n".encode())
            await _pass_on(pg_restore, psql, keep_all=server_version // 10_000 >= 17)  # noqa: PLR2004
        await feeding
        if await pg_restore.wait() == 0:
            with suppress(ConnectionError):
                await _send(psql, b"COMMIT;\nANALYZE;\n")
        assert psql.stdin is not None  # noqa: S101 - it is a pipe
        psql.stdin.close()
        await psql.wait()
        said = await asyncio.gather(*errors)
    _require_success(psql, "psql", said[0])
    _require_success(pg_restore, "pg_restore", said[1])


async def rows_of(
    programs: Programs, dumped: AsyncIterator[bytes], tables: Iterable[str]
) -> AsyncGenerator[bytes, None]:
    """The lines of COPY of these tables. Close the generator."""
    named = [f"--table={table}" for table in tables]
    words = [programs.program("pg_restore"), "--data-only", *named, "--file=-"]
    async with _running(words, dict(os.environ), stdin=PIPE) as process:
        errors = asyncio.create_task(_stderr_of(process))
        feeding = asyncio.create_task(_feed(process, dumped))
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        while line := await process.stdout.readline():
            yield line
        await feeding
        await process.wait()
        said = await errors
    _require_success(process, "pg_restore", said)


async def _pass_on(source: Process, sink: Process, *, keep_all: bool) -> None:
    assert source.stdout is not None  # noqa: S101 - it is a pipe
    for _ in range(PREAMBLE_LINES):
        line = await source.stdout.readline()
        if keep_all or line != SINCE_17:
            await _send(sink, line)
    while chunk := await source.stdout.read(CHUNK_BYTES):
        await _send(sink, chunk)


async def _feed(process: Process, chunks: AsyncIterator[bytes]) -> None:
    """Reads all chunks, even if the process ends early: the last one may raise."""
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    try:
        async for chunk in chunks:
            with suppress(ConnectionError):
                await _send(process, chunk)
    finally:
        process.stdin.close()


async def _send(process: Process, data: bytes) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    process.stdin.write(data)
    await process.stdin.drain()


async def _stderr_of(process: Process) -> bytes:
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    return await process.stderr.read()


@asynccontextmanager
async def _running(
    words: Sequence[str], environment: Mapping[str, str], *, stdin: int | None = None
) -> AsyncIterator[Process]:
    """Kills the process at the end of the block, or when this process dies."""
    process = await asyncio.create_subprocess_exec(
        *pdeathsig.command(*words),
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=PIPE,
        stderr=PIPE,
        env=environment,
        limit=CHUNK_BYTES,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _require_success(process: Process, name: str, said: bytes) -> None:
    if process.returncode != 0:
        detail = said.decode(errors="replace").strip() or f"exit status {process.returncode}"
        raise OperatorError(f"{name} failed:\n{detail}")
