"""The database behind PgBouncer, which gives a connection for as long as a session lasts."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import URL

from conftest import ApiFactory
from support.running.processes import free_port
from support.scene.api import Api

# Debian puts it where not every user looks.
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SECONDS = 10
SHOWN = "SELECT current_setting(:name)"

pytestmark = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")


@contextmanager
def pooled(url: URL) -> Iterator[URL]:
    """The same database, by a pooler as its package configures it but for where it listens."""
    port = free_port()
    server = {
        "host": url.host or url.query["host"],
        "port": url.port or url.query.get("port", 5432),
        "user": url.username,
        **({"password": url.password} if url.password else {}),
    }
    with TemporaryDirectory(prefix="adsvc-") as directory:
        Path(directory).chmod(0o755)
        configuration = Path(directory, "pgbouncer.ini")
        told = " ".join(f"{name}='{value}'" for name, value in server.items())
        configuration.write_text(
            f"[databases]\n* = {told}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = session\n"
        )
        # It does not run as root.
        account = ["-u", "nobody"] if os.geteuid() == 0 else []
        command = [str(PGBOUNCER), *account, str(configuration)]
        with Path(directory, "log").open("wb") as log:
            process = subprocess.Popen(command, stderr=log, stdout=log)
        try:
            _wait_for(port, process, Path(directory, "log"))
            address = url.set(host="127.0.0.1", port=port, query={})
            yield address.set(username=url.username or "adsvc")
        finally:
            process.terminate()
            process.wait(SECONDS)


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        else:
            return


async def _used(api: Api) -> None:
    person = await api.register("anna@example.com")
    ad = await person.post_ad(title="Oak table")
    assert (await api.client.get("/ads", params={"q": "oak"})).json()["count"] == 1
    for _ in range(2):
        assert (await person.get(f"/ads/{ad['pk']}")).status_code == 200
    assert (await api.client.get("/readyz")).status_code == 200
    assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204


async def test_the_service_works_by_a_pooler_that_keeps_sessions(
    start_api: ApiFactory, database_url: URL
) -> None:
    with pooled(database_url) as url:
        address = SecretStr(url.render_as_string(hide_password=False))
        async with start_api(database_url=address) as api:
            await _used(api)
            database = api.state.database
            # What the connections are told is in force there too.
            assert await api.sql(SHOWN, name="statement_timeout") == ["3s"]
            assert await api.sql(SHOWN, name="enable_seqscan") == ["off"]
            shown = await database.reader.fetchrow(
                "SELECT current_setting('statement_timeout') AS a,"
                " current_setting('plan_cache_mode') AS b, current_setting('application_name') AS c"
            )
            assert shown is not None
            assert tuple(shown.values()) == ("3s", "force_custom_plan", "adsvc")
            # And the service hears of what others change.
            deadline = time.monotonic() + SECONDS
            while not database.changes.reliable:
                assert time.monotonic() < deadline
                await api.client.get("/livez")
