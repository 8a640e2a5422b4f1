"""Repositories of restic: encrypted, deduplicated backups in directories, in S3 or on servers.

Each snapshot has one plain backup. restic reads its password and the credentials of the store from
its own environment variables (`RESTIC_PASSWORD_FILE`, `AWS_ACCESS_KEY_ID`).
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from adsvc.errors import OperatorError
from adsvc.kit.process import pdeathsig

SCHEME = "restic:"
# Of the snapshots that this program makes. The installation is their second tag.
TAG = "adsvc"
# Variables with secrets of the service and its database.
OURS = ("ADSVC_", "PG")


class ResticSnapshot(NamedTuple):
    """A backup in a repository: restic's id of it, its name, and the installation it is of."""

    id: str
    name: str
    installation: str


class Repository:
    """`address` begins with `restic:`; `variables` are added to restic's environment."""

    def __init__(self, address: str, variables: Mapping[str, str]) -> None:
        self.location = address
        self._variables = variables

    def backups(self) -> list[ResticSnapshot]:
        """The oldest first."""
        found = json.loads(self._run("snapshots", "--json", "--tag", TAG)) or []
        return sorted(
            (
                ResticSnapshot(one["id"], Path(one["paths"][0]).name, tag)
                for one in found
                for tag in one["tags"]
                if tag != TAG
            ),
            key=lambda snapshot: snapshot.name,
        )

    def backup(self, name: str | None) -> ResticSnapshot:
        """The one of that name, or the newest."""
        found = [one for one in self.backups() if name in {None, one.name}]
        if not found:
            where = f"{self.location}/{name}" if name else self.location
            raise OperatorError(f"There is no backup in {where}.")
        return found[-1]

    def add(self, backup: Path, installation: str) -> None:
        """Stores a plain backup. Files that the newest one has too are not read."""
        tags = f"{TAG},{installation}"
        # Another link to a file changes its time of change.
        words = ["backup", "--tag", tags, "--ignore-ctime", "--json", "--quiet"]
        parent = [f"--parent={one.id}" for one in self.backups()[-1:]]
        self._run(*words, *parent, ".", directory=backup)

    def fetch(self, name: str | None, directory: Path) -> Path:
        """Writes that backup, or the newest, into the directory as a plain one."""
        snapshot = self.backup(name)
        target = directory / snapshot.name
        self._run("restore", snapshot.id, "--target", str(target), "--quiet")
        return target

    def prune(self, keep: int) -> list[str]:
        """Removes all but the newest `keep`, and returns their names."""
        old = self.backups()[:-keep]
        if old:
            self._remove_stale_locks()
            self._run("forget", "--prune", "--quiet", *(one.id for one in old))
        return [one.name for one in old]

    def faults(self) -> list[str]:
        """What restic says about everything in the repository that is not as it was written."""
        self._remove_stale_locks()
        finished = self._finished("check", "--read-data", "--quiet")
        if finished.returncode == 0:
            return []
        return [f"{self.location}: {line}" for line in finished.stderr.splitlines() if line]

    def _remove_stale_locks(self) -> None:
        """Those of commands that were killed; what changes the whole repository waits for them."""
        self._run("unlock", "--quiet")

    def _run(self, *words: str, directory: Path | None = None) -> str:
        """The standard output. `OperatorError` with what restic says if it fails."""
        finished = self._finished(*words, directory=directory)
        if finished.returncode != 0:
            raise OperatorError(f"restic {words[0]} failed:\n{finished.stderr.strip()}")
        return finished.stdout

    def _finished(
        self, *words: str, directory: Path | None = None
    ) -> "subprocess.CompletedProcess[str]":
        program = shutil.which("restic")
        if program is None:
            raise OperatorError(
                f"{self.location}: the program restic is not installed. "
                "Install it (apt-get install restic), or name a directory."
            )
        environment = {name: text for name, text in os.environ.items() if not name.startswith(OURS)}
        address = self.location.removeprefix(SCHEME)
        return subprocess.run(  # noqa: S603
            pdeathsig.command(program, *words),
            cwd=directory,
            env={**environment, **self._variables, "RESTIC_REPOSITORY": address},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
