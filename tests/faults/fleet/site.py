"""Two nodes behind the proxy that is shipped, on a database that fails over."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from faults import kernel
from faults.fleet import etcd, patroni
from faults.fleet.cluster import DATABASE, Cluster, running_cluster, until
from faults.served import HOST, Service
from proxy import nginx
from proxy.nginx import Proxy, configured
from support.s3.gateway import Gateway
from support.s3.server import CREDENTIALS

SECRET = "a secret of the fleet, 0123456789"
# What the fleet is made of, by the package of Debian that brings it.
NEEDED = {
    "etcd-server": etcd.PROGRAM,
    "nginx": nginx.PROGRAM,
    "patroni": patroni.PROGRAM,
    "postgresql": patroni.binaries(),
}
MISSING = sorted(package for package, found in NEEDED.items() if found is None)


@dataclass
class Site:
    cluster: Cluster
    nodes: list[Service]
    proxy: Proxy
    pictures: Gateway

    def client(self, **options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=self.proxy.address, **{"timeout": 30, **options})

    async def is_whole(self) -> bool:
        return await self.cluster.is_whole() and all(await asyncio.gather(*map(_ready, self.nodes)))

    def log(self) -> str:
        return self.cluster.log() + "\n".join(node.log()[-4000:] for node in self.nodes)

    async def settled(self) -> float:
        """How long it took until nothing was missing."""
        return await until(self.is_whole, self.log)

    async def kill(self, node: Service) -> None:
        """With all its processes, as the end of the machine does it."""
        await asyncio.to_thread(
            kernel.kill_at_once, lambda: [node.pid, *kernel.descendants(node.pid)]
        )
        await node.ended(10)


async def _ready(node: Service) -> bool:
    async with node.client() as client:
        try:
            return (await client.get("/readyz?require=writes&require=pictures")).is_success
        except httpx2.TransportError:
            return False


@asynccontextmanager
async def running_site(directory: Path) -> AsyncIterator[Site]:
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(running_cluster())
        pictures = Gateway(_made(directory / "pictures"))
        stack.callback(pictures.kill)
        pictures.start()
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        database = f"postgresql://{DATABASE}@{cluster.addresses}/{DATABASE}"
        settings = {
            "database_url": database,
            "jwt_secret": SECRET,
            "rate_limits": "off",
            "trusted_proxies": HOST,
            **pictures.server.settings("fleet"),
        }
        nodes = [
            Service(_made(directory / "node0"), **settings),
            # Lists come from whichever is the standby.
            Service(
                _made(directory / "node1"),
                database_replica_url=f"{database}?target_session_attrs=standby",
                **settings,
            ),
        ]
        migrated = await nodes[0].run("migrate")
        assert migrated.returncode == 0, migrated.stderr
        for node in nodes:
            stack.callback(node.end)
            await node.start()
        # The pictures are nowhere that nginx could find them.
        nowhere = directory / "nowhere"
        proxy = configured(directory / "nginx", [node.port for node in nodes], nowhere)
        stack.callback(proxy.end)
        proxy.start()
        yield Site(cluster, nodes, proxy, pictures)


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory
