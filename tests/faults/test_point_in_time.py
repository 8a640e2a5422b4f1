"""Recovery to a moment between two writes, by pgBackRest with the shipped configuration."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from configparser import RawConfigParser
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import asyncpg
import httpx2
import pytest

from faults.conftest import SECRET
from faults.scale import SHORT, measured
from faults.served import HOST, Service, free_port, register
from support.scene.api import ad_form

DEPLOY = Path(__file__).parents[2] / "deploy/pgbackrest"
PGBACKREST = shutil.which("pgbackrest")
SERVERS = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
USER = "postgres"

pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        SHORT, reason="a cluster, its backup and its restore: only in the long form"
    ),
    pytest.mark.skipif(PGBACKREST is None, reason="pgbackrest is not installed"),
    pytest.mark.skipif(not SERVERS, reason="Debian's postgresql is not installed"),
]


@dataclass
class Archived:
    """A PostgreSQL whose log goes to pgBackRest; both belong to its user."""

    directory: Path
    port: int

    @property
    def data(self) -> Path:
        return self.directory / "data"

    @property
    def url(self) -> str:
        return f"postgresql://adsvc@{HOST}:{self.port}/adsvc"

    def run(self, *words: str | Path) -> str:
        account = pwd.getpwnam(USER) if os.geteuid() == 0 else None
        finished = subprocess.run(
            words,
            cwd=self.directory,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
            user=account and account.pw_uid,
            group=account and account.pw_gid,
            extra_groups=account and [],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished.stdout

    def pgbackrest(self, *words: str) -> str:
        assert PGBACKREST is not None
        return self.run(PGBACKREST, self._configuration, "--stanza=adsvc", *words)

    @property
    def _configuration(self) -> str:
        return f"--config={self.directory}/pgbackrest.conf"

    def make(self) -> None:
        if os.geteuid() == 0:
            account = pwd.getpwnam(USER)
            os.chown(self.directory, account.pw_uid, account.pw_gid)
        self._configure()
        programs = SERVERS[-1].parent
        self.run(programs / "initdb", "--auth=trust", "--encoding=UTF8", "-D", self.data)
        archiving = (DEPLOY / "archiving.conf").read_text()
        # The same command, with the configuration of this place.
        command = f"pgbackrest {self._configuration} "
        assert archiving.count("pgbackrest --stanza") == 1
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(archiving.replace("pgbackrest --stanza", f"{command}--stanza"))
            file.write(f"port = {self.port}\nunix_socket_directories = '{self.directory}'\n")

    def _configure(self) -> None:
        """What is shipped, but for the bucket: a directory takes its place."""
        shipped = RawConfigParser()
        shipped.read_string((DEPLOY / "pgbackrest.conf").read_text())
        shared = shipped["global"]
        for name in [name for name in shared if name.startswith("repo1-s3")]:
            del shared[name]
        here = {"repo1-type": "posix", "repo1-path": "repository"}
        here |= {"spool-path": "spool", "log-path": "log", "lock-path": "lock"}
        shared.update({name: f"{self.directory}/{value}" for name, value in here.items()})
        shared["repo1-type"] = "posix"
        cluster = {"pg1-path": self.data, "pg1-socket-path": self.directory, "pg1-port": self.port}
        shipped["adsvc"].update({name: str(value) for name, value in cluster.items()})
        path = self.directory / "pgbackrest.conf"
        with path.open("w") as file:
            shipped.write(file, space_around_delimiters=False)
        path.chmod(0o644)

    def start(self) -> None:
        log = self.directory / "postgresql.log"
        self.run(SERVERS[-1].with_name("pg_ctl"), "-D", self.data, "-l", log, "-w", "start")

    def stop(self, how: str) -> None:
        self.run(SERVERS[-1].with_name("pg_ctl"), "-D", self.data, "-m", how, "-w", "stop")

    async def sql(self, statement: str, database: str = "postgres") -> object:
        connection = await asyncpg.connect(host=HOST, port=self.port, user=USER, database=database)
        try:
            return await connection.fetchval(statement)
        finally:
            await connection.close()


@contextmanager
def archived() -> Iterator[Archived]:
    # Its user may not enter the directories of pytest.
    with TemporaryDirectory(prefix="adsvc-") as directory:
        made = Archived(Path(directory), free_port())
        made.make()
        made.start()
        try:
            yield made
        finally:
            # Where the drill failed, it may be stopped already.
            with suppress(AssertionError):
                made.stop("immediate")


@pytest.fixture
async def server() -> AsyncIterator[Archived]:
    with archived() as made:
        await made.sql("CREATE ROLE adsvc LOGIN")
        await made.sql("CREATE DATABASE adsvc OWNER adsvc")
        yield made


async def test_row_42_rows_come_back_as_they_were_at_a_moment_between_two_writes(
    server: Archived, tmp_path: Path
) -> None:
    server.pgbackrest("stanza-create")
    server.pgbackrest("check")
    service = Service(tmp_path, database_url=server.url, jwt_secret=SECRET, rate_limits="off")
    assert (await service.run("migrate")).returncode == 0
    server.pgbackrest("--type=full", "backup")
    async with service, service.client() as client:
        person = await register(client)
        before = await person.request("POST", "/ads", files=ad_form(title="Before"))
        assert before.status_code == httpx2.codes.CREATED
        moment = await server.sql("SELECT clock_timestamp()::text")
        # Then a mistake, and something new.
        after = await person.request("POST", "/ads", files=ad_form(title="After"))
        assert after.status_code == httpx2.codes.CREATED
        gone = await person.request("DELETE", f"/ads/{before.json()['pk']}")
        assert gone.status_code == httpx2.codes.NO_CONTENT
    # Both are in the log that is archived, and the cluster is lost.
    server.stop("fast")
    shutil.rmtree(server.data)
    began = time.monotonic()
    server.data.mkdir(mode=0o700)
    shutil.chown(server.data, *([USER, USER] if os.geteuid() == 0 else [os.geteuid(), None]))
    server.pgbackrest("--type=time", f"--target={moment}", "--target-action=promote", "restore")
    server.start()
    async with service, service.client() as client:
        measured("row 42: back at a moment", time.monotonic() - began)
        person.client = client
        found = await person.request("GET", f"/ads/{before.json()['pk']}")
        assert found.json()["title"] == "Before"
        missing = await person.request("GET", f"/ads/{after.json()['pk']}")
        assert missing.status_code == httpx2.codes.NOT_FOUND
        # It takes writes, and its own log is archived.
        again = await person.request("POST", "/ads", files=ad_form(title="Again"))
        assert again.status_code == httpx2.codes.CREATED
    server.pgbackrest("check")
