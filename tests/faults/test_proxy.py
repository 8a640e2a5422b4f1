"""The shipped proxy configuration, before two servers, under hostile clients."""

import asyncio
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from faults import kernel
from faults.conftest import NewService
from faults.scale import SHORT, measured
from faults.wire import Wire, request_head
from proxy.nginx import PROGRAM, WORKERS, Proxy, proxying

pytestmark = [
    pytest.mark.drill,
    pytest.mark.alone,
    pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed"),
]

CROWD, SOMEBODY = "127.0.0.3", "127.0.0.2"
# Nearly as many as Debian's nginx has on a machine with two processors.
CONNECTIONS = 1500
# What one client may have under way.
LIMIT = 64
JSON = "Content-Type: application/json"
FORM = "Content-Type: multipart/form-data; boundary=x"
UPLOAD = ("Authorization: Bearer x", FORM, "Content-Length: 10000000")
LOGIN = request_head("POST", "/login", JSON, "Content-Length: 1000")
CLIENTS = {
    "half a login": (LOGIN + b" " * 500, 0),
    "a dripped login": (LOGIN, 1),
    "half an upload": (request_head("POST", "/ads", *UPLOAD) + b"x" * 500_000, 0),
}
# The short form has all of them in one crowd, the long form a crowd of each.
CROWDS = [[*CLIENTS]] if SHORT else [[kind] for kind in CLIENTS]


async def _until_closed(port: int, request: bytes, drip: float) -> tuple[float, int]:
    """How long it was let live, and what it was answered; 0: nothing."""
    async with await Wire.open(port, source=CROWD) as wire:
        received = b""
        with suppress(OSError):
            await wire.send(request)
        dripping = asyncio.create_task(wire.drip(b" " * 900, seconds=drip)) if drip else None
        with suppress(TimeoutError):
            received = await wire.rest(60)
        if dripping is not None:
            dripping.cancel()
            await asyncio.gather(dripping, return_exceptions=True)
        return time.monotonic() - wire.opened, int(received[9:12] or 0)


class Somebody:
    """Asks for what the database answers, ten times a second, from another address."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self.statuses: Counter[int] = Counter()
        self.slowest = 0.0

    async def go_on(self) -> None:
        transport = httpx2.AsyncHTTPTransport(local_address=SOMEBODY)
        number = 0
        while True:
            number += 1
            began = time.monotonic()
            # A connection for each, as for as many visitors.
            async with httpx2.AsyncClient(
                base_url=self._proxy.address,
                timeout=30,
                transport=transport,
                headers={"Connection": "close"},
            ) as client:
                try:
                    status = (await client.get(f"/ads?minPrice={number}")).status_code
                except httpx2.TransportError:
                    status = 0
            transport = httpx2.AsyncHTTPTransport(local_address=SOMEBODY)
            self.statuses[status] += 1
            self.slowest = max(self.slowest, time.monotonic() - began)
            await asyncio.sleep(0.1)


@pytest.mark.parametrize("kinds", CROWDS, ids=" and ".join)
async def test_row_34_half_bodies_through_the_proxy_are_bounded_and_others_are_served(
    new_service: NewService, tmp_path: Path, kinds: list[str]
) -> None:
    services = [new_service(trusted_proxies="127.0.0.1") for _ in range(2)]
    for service in services:
        await service.start()
    ports = [service.port for service in services]
    with proxying(tmp_path / "nginx", ports, services[0].image_dir) as proxy:
        somebody = Somebody(proxy)
        asking = asyncio.create_task(somebody.go_on())
        while len(workers := kernel.descendants(proxy.process.pid)) < WORKERS:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        before, kept = (sum(map(of, workers)) for of in (kernel.resident, kernel.file_bytes))
        idle = [kernel.open_sockets(service.pid) for service in services]
        crowd = asyncio.gather(
            *(
                _until_closed(proxy.port, *CLIENTS[kinds[number % len(kinds)]])
                for number in range(CONNECTIONS)
            )
        )
        sockets = memory = files = 0
        while not crowd.done():
            now = [kernel.open_sockets(service.pid) for service in services]
            sockets = max(sockets, sum(now) - sum(idle))
            memory = max(memory, sum(map(kernel.resident, workers)) - before)
            files = max(files, sum(map(kernel.file_bytes, workers)) - kept)
            await asyncio.sleep(0.2)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        ends = await crowd
    longest = max(seconds for seconds, _ in ends)
    kind = " and ".join(kinds)
    measured(f"{kind}, {CONNECTIONS} times: others waited at most", somebody.slowest)
    measured(f"{kind}: the last was closed after", longest)
    measured(f"{kind}: memory of the proxy", memory / kernel.MEBIBYTE, "MiB")
    assert files == 0
    assert sockets < 2 * LIMIT
    assert memory < 100 * kernel.MEBIBYTE
    assert longest < 40
    assert somebody.statuses.keys() == {200}
    assert somebody.slowest < 5
