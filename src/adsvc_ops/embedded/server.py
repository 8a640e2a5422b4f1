"""The server process of an embedded database: found, started, waited for and stopped."""

import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from adsvc.kit.settings.validators import (
    EMBEDDED_PORT,
    SOCKET_DIRECTORY_PREFIX,
    embedded_socket_directory,
)
from adsvc_ops.embedded.cluster import LOG_NAME, Cluster, EmbeddedPostgresError, failure, read_log

# Long enough for the recovery of a large cluster after a crash.
START_SECONDS = 300
# How long the processes of a killed server may take to notice and end.
RETRY_SECONDS = 30
POLL_SECONDS = 0.1
LOG_LIMIT_BYTES = 10 * 1024 * 1024
PROC = Path("/proc")
# No system gives out this pid.
NO_PID = 2**31 - 1
# The answers of pg_isready.
ACCEPTS, REJECTS, SILENT = 0, 1, 2
# What the log says while another server of the cluster is not quite gone, or not quite there.
PASSING_FAULT = re.compile(
    r'pre-existing shared memory block|lock file ".*" (already exists|is empty)'
)


class EmbeddedServer:
    """At most one server for a cluster; the caller has the cluster's mutex.

    `sockets` is the directory where it listens, and it listens nowhere else.
    """

    def __init__(self, cluster: Cluster, options: Mapping[str, str]) -> None:
        self.cluster = cluster
        self.sockets = socket_directory(cluster.directory)
        self._pid_file = cluster.directory / "postmaster.pid"
        self._options = options
        self._settings = {
            "listen_addresses": "",
            "port": str(EMBEDDED_PORT),
            "unix_socket_permissions": "0700",
        }

    def ensure(self) -> None:
        """Attach to the server that runs, or start one, and wait until it accepts connections."""
        began = time.monotonic()
        while True:
            lines = self._pid_lines()
            answer = self._ask(lines)
            if answer == ACCEPTS:
                self.sockets = Path(lines[4])
                return
            if answer == REJECTS or self._is_alive(lines):
                queue_timeout, complaint = (
                    START_SECONDS,
                    "It runs, but accepts no connections. Stop it.",
                )
            else:
                self._open_sockets()
                self._forget_pid(self._pid_file)
                self._forget_pid(self.sockets / f".s.PGSQL.{EMBEDDED_PORT}.lock")
                if self._launch():
                    return
                queue_timeout, complaint = (
                    RETRY_SECONDS,
                    "Processes of a killed server still run. End them.",
                )
            if time.monotonic() - began > queue_timeout:
                raise failure(self.cluster.directory, complaint)
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        if self._is_alive(self._pid_lines()):
            command = ("pg_ctl", "stop", "-m", "fast", "-w", "-t", str(START_SECONDS))
            status, output = self.cluster.run(*command)
            # A server that was about to die does not make a clean stop, but has ended too.
            if status != 0 and self._is_alive(self._pid_lines()):
                raise failure(self.cluster.directory, "PostgreSQL does not stop.", output)
        if self.sockets.name.startswith(SOCKET_DIRECTORY_PREFIX):
            with suppress(OSError):
                self.sockets.rmdir()

    def _pid_lines(self) -> list[str]:
        try:
            return os.fsdecode(self._pid_file.read_bytes()).splitlines()
        except FileNotFoundError:
            return []

    def _is_alive(self, lines: list[str]) -> bool:
        return bool(lines) and _serves(self.cluster.directory, lines[0])

    def _ask(self, lines: list[str]) -> int:
        """Runs pg_isready for the recorded address: the server may run in another container."""
        # A server that has just begun has not yet written where it listens.
        if len(lines) < 5 or not lines[4]:  # noqa: PLR2004
            return SILENT
        status, _ = self.cluster.run(
            "pg_isready", "--host", lines[4], "--port", lines[3], "--username=adsvc"
        )
        return status

    def _forget_pid(self, lock_file: Path) -> None:
        """Keeps another process with the pid of a killed server from being mistaken for it.

        PostgreSQL does not start while any process of its user has that pid, be it a stranger or
        the zombie, and in a container either may last. The rest of the file stays, because it
        lists what the killed server may have left running.
        """
        try:
            file = os.open(lock_file, os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:
            return
        with os.fdopen(file, "r+b") as content:
            pid, _, rest = content.read().partition(b"\n")
            # As root, write to no file but the server's, to which another name may lead here.
            ours = os.fstat(file).st_uid == self.cluster.account.uid
            # A server started meanwhile has a file of its own, and this one is unlinked.
            if pid and ours and not _serves(self.cluster.directory, os.fsdecode(pid)):
                content.seek(0)
                content.write(b"%d\n%s" % (NO_PID, rest))
                content.truncate()

    def _launch(self) -> bool:
        """Start the server; False if it may work a moment later."""
        log = self.cluster.directory / LOG_NAME
        size = log.stat().st_size if log.exists() else 0
        if size > LOG_LIMIT_BYTES:
            log.replace(log.with_name(f"{LOG_NAME}.1"))
            size = 0
        # As an argument of its own pg_ctl would hand -D, and the log's path, to a shell unquoted.
        words = ["-D", str(self.cluster.directory), "-c", f"unix_socket_directories={self.sockets}"]
        self.cluster.drop_ballast()
        settings = {
            "timezone": "UTC",
            "log_timezone": "UTC",
            **self.cluster.log_settings(),
            **self.cluster.access_settings(),
            **self._options,
            **self._settings,
        }
        for name, value in settings.items():
            words += ["-c", f"{name}={value}"]
        status, output = self.cluster.run(
            *("pg_ctl", "start", "-w", "-t", str(START_SECONDS)),
            *("-l", LOG_NAME, "-o", shlex.join(words)),
        )
        if status == 0:
            return True
        said = read_log(self.cluster.directory, size)
        if PASSING_FAULT.search(said):
            return False
        raise failure(self.cluster.directory, "PostgreSQL does not start.", output)

    def _open_sockets(self) -> None:
        """Make the directory of the socket, and make it private, if it is not the cluster."""
        self.sockets = socket_directory(self.cluster.directory)
        if self.sockets == self.cluster.directory:
            return
        with suppress(FileExistsError):
            self.sockets.mkdir(mode=0o700)
        self.cluster.let_through(self.sockets)
        opened = os.open(self.sockets, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(opened).st_uid not in {os.geteuid(), self.cluster.account.uid}:
                raise EmbeddedPostgresError(
                    f"{self.sockets} belongs to another user. Remove it, or set TMPDIR elsewhere."
                )
            os.fchown(opened, *self.cluster.account)
            os.fchmod(opened, 0o700)
        finally:
            os.close(opened)


def socket_directory(directory: Path) -> Path:
    place = embedded_socket_directory(directory)
    if place is None:
        raise EmbeddedPostgresError(
            f"{tempfile.gettempdir()} cannot contain a socket. Set TMPDIR to a short path of plain "
            "letters."
        )
    return place


def _serves(directory: Path, pid: str) -> bool:
    """Whether the process is a server of this cluster, not one that has got its pid since."""
    # A server in single-user mode writes its pid with a minus.
    if not (pid := pid.strip().removeprefix("-")).isdecimal():
        return False
    command = _command_line(pid)
    if Path(command.partition(" -")[0].strip()).name != "postgres":
        return False
    try:
        return (PROC / pid / "cwd").readlink() == directory
    except OSError:
        # There is no /proc, or it does not show us other users' processes.
        return f" {directory} " in command


def _command_line(pid: str) -> str:
    if (PROC / "self").exists():
        try:
            return os.fsdecode((PROC / pid / "cmdline").read_bytes()).replace("\0", " ")
        except OSError:
            # It has ended.
            return ""
    ps = ["ps", "-ww", "-o", "command=", "-p", pid]
    return subprocess.run(ps, capture_output=True, text=True, check=False).stdout  # noqa: S603
