"""PgBouncer before a database."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy.engine import URL

from support.running.processes import free_port

# Debian puts it where not every user looks.
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
SECONDS = 10


@contextmanager
def pooled(url: URL, mode: str = "session", *, size: int | None = None) -> Iterator[URL]:
    """The same database, by a pooler as its package configures it but for where it listens.

    Without a size it has so few that clients meet connections that others have just used, but
    enough for the jobs' lanes: each holds one for a step, and may read by another.
    """
    size = size or (50 if mode == "session" else 6)
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
        options = " ".join(f"{name}='{value}'" for name, value in server.items())
        configuration.write_text(
            f"[databases]\n* = {options}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n"
            # A server that was away is looked for each second.
            f"server_login_retry = 1\ndefault_pool_size = {size}\n"
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
