"""PostgreSQL with a standby, under Patroni, which alone decides who of the two is the primary."""

import os
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import yaml

from faults import kernel
from faults.fleet.etcd import Etcd
from faults.fleet.machine import Machine
from faults.served import HOST, free_port

PROGRAM = shutil.which("patroni")
# PostgreSQL refuses to run as root.
USER = "postgres"
SCOPE = "adsvc"
PRIMARY, SYNCHRONOUS, STANDBY = "leader", "sync_standby", "replica"
UP = frozenset({"running", "streaming"})
# What Patroni documents as the least, so that what is measured here can be had everywhere.
TTL_SECONDS = 20
SETTINGS: dict[str, object] = {
    "ttl": TTL_SECONDS,
    "loop_wait": 1,
    "retry_timeout": 9,
    # Without a standby there are no writes: what was acknowledged is always in two places.
    "synchronous_mode": True,
    "synchronous_mode_strict": True,
    # Counts for asynchronous replication only: without it a standby that is behind would never take
    # over, and what it misses would show as an outage and not as a loss.
    "maximum_lag_on_failover": 2**30,
    "postgresql": {
        "use_pg_rewind": True,
        "parameters": {"max_connections": 100, "shared_buffers": "64MB"},
    },
}


def binaries() -> Path | None:
    """Debian's directory of the newest PostgreSQL with what a server needs."""
    found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    newest = max(found, key=lambda path: float(path.parts[-3]), default=None)
    return None if newest is None else newest.parent


class Member(Machine):
    """Patroni and its PostgreSQL."""

    def __init__(self, number: int, etcd: Sequence[Etcd], directory: Path) -> None:
        self.port, self._api_port = free_port(), free_port()
        self._home = directory / f"member{number}"
        self._home.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self._home, USER, USER)
        self._data = self._home / "data"
        configuration = directory / f"member{number}.yml"
        configuration.write_text(yaml.safe_dump(self._configuration(number, etcd)))
        assert PROGRAM is not None
        super().__init__(f"member{number}", [PROGRAM, configuration], directory, user=USER)

    def _configuration(self, number: int, etcd: Sequence[Etcd]) -> dict[str, Any]:
        def trusted(kind: str) -> str:
            return f"host {kind} all {HOST}/32 trust"

        return {
            "scope": SCOPE,
            "name": f"member{number}",
            "restapi": {"listen": self._api, "connect_address": self._api},
            "etcd3": {"hosts": [one.endpoint for one in etcd]},
            "bootstrap": {
                "dcs": SETTINGS,
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"],
            },
            "postgresql": {
                "listen": f"{HOST}:{self.port}",
                "connect_address": f"{HOST}:{self.port}",
                "data_dir": str(self._data),
                "bin_dir": str(binaries()),
                "pgpass": str(self._home / "pgpass"),
                "pg_hba": [trusted("all"), trusted("replication")],
                "parameters": {"unix_socket_directories": str(self._home)},
                "authentication": {
                    "superuser": {"username": USER},
                    "replication": {"username": "replicator"},
                    "rewind": {"username": "rewinder"},
                },
            },
        }

    @property
    def _api(self) -> str:
        return f"{HOST}:{self._api_port}"

    def postgres(self) -> list[int]:
        """The processes of PostgreSQL, which are not below Patroni; none if it does not run."""
        try:
            server = int((self._data / "postmaster.pid").read_text().splitlines()[0])
        except (FileNotFoundError, IndexError):
            return []
        children = kernel.descendants(server)
        # After a crash the number may be that of the starter, or of another process.
        return [server, *children] if str(self._data).encode() in kernel.command(server) else []

    def processes(self) -> list[int]:
        return [*super().processes(), *self.postgres()]

    def kill_postgres(self) -> None:
        kernel.kill_at_once(self.postgres)

    def freeze(self) -> None:
        for _ in range(2):
            kernel.signal_all(self.processes(), signal.SIGSTOP)

    def hold_back(self) -> None:
        """From now on nothing goes to the standby."""
        senders = [pid for pid in self.postgres() if b"walsender" in kernel.command(pid)]
        assert senders
        kernel.signal_all(senders, signal.SIGSTOP)

    async def ask(self, method: str, path: str, **options: Any) -> httpx2.Response | None:
        """Patroni's own interface; None when it does not answer."""
        async with httpx2.AsyncClient(base_url=f"http://{self._api}", timeout=5) as client:
            with suppress(httpx2.TransportError):
                return await client.request(method, path, **options)
        return None

    async def roles(self) -> dict[str, str]:
        """As this one sees them: who is up, by name, as what."""
        answer = await self.ask("GET", "/cluster")
        if answer is None or not answer.is_success:
            return {}
        members = answer.json().get("members", [])
        return {one["name"]: one["role"] for one in members if one["state"] in UP}
