"""A process that is killed with all that it has started, and started again by a supervisor."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from faults import kernel

STOP_SECONDS = 20


class Machine:
    """One that runs one program. `user` is who runs it, if the tests run as root."""

    def __init__(
        self, name: str, words: Sequence[str | Path], directory: Path, *, user: str | None = None
    ) -> None:
        self.name = name
        self.log_path = directory / f"{name}.log"
        self._words = words
        self._directory = directory
        self._user = pwd.getpwnam(user) if user is not None and os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(
                self._words,
                cwd=self._directory,
                # Debian's programs run with Debian's Python, not with that of the tests.
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                user=None if self._user is None else self._user.pw_uid,
                group=None if self._user is None else self._user.pw_gid,
                extra_groups=None if self._user is None else [],
            )

    def processes(self) -> list[int]:
        if self._process is None:
            return []
        return [self._process.pid, *kernel.descendants(self._process.pid)]

    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        kernel.kill_at_once(self.processes)
        if self._process is not None:
            self._process.wait()

    def end(self) -> None:
        """In peace, or else by force."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_SECONDS)
        if self.processes():
            self.kill()

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")
