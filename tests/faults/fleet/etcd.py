"""Three of etcd, of which any two agree on who is the primary."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import httpx2

from faults.fleet.machine import Machine
from faults.served import HOST, free_port

PROGRAM = shutil.which("etcd")
MEMBERS = 3
# Milliseconds. On a machine that does everything at once a heartbeat may be late.
HEARTBEAT, ELECTION = 300, 3000


class Etcd(Machine):
    def __init__(self, number: int, ports: Sequence[tuple[int, int]], directory: Path) -> None:
        client, peer = (f"http://{HOST}:{port}" for port in ports[number])
        self.endpoint = f"{HOST}:{ports[number][0]}"
        cluster = ",".join(f"etcd{n}=http://{HOST}:{port}" for n, (_, port) in enumerate(ports))
        assert PROGRAM is not None
        words: dict[str, str | Path] = {
            "--name": f"etcd{number}",
            "--data-dir": directory / f"etcd{number}",
            "--listen-client-urls": client,
            "--advertise-client-urls": client,
            "--listen-peer-urls": peer,
            "--initial-advertise-peer-urls": peer,
            "--initial-cluster": cluster,
            "--heartbeat-interval": str(HEARTBEAT),
            "--election-timeout": str(ELECTION),
            "--logger": "zap",
            "--log-level": "warn",
        }
        flat = [word for pair in words.items() for word in pair]
        super().__init__(f"etcd{number}", [PROGRAM, *flat], directory)

    async def leads(self) -> bool:
        async with httpx2.AsyncClient(timeout=5) as client:
            try:
                answer = await client.post(f"http://{self.endpoint}/v3/maintenance/status", json={})
            except httpx2.TransportError:
                return False
        status = answer.json()
        leads: bool = answer.is_success and status["leader"] == status["header"]["member_id"]
        return leads


def three(directory: Path) -> list[Etcd]:
    ports = [(free_port(), free_port()) for _ in range(MEMBERS)]
    return [Etcd(number, ports, directory) for number in range(MEMBERS)]
