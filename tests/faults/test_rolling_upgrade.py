"""Two nodes behind the shipped proxy configuration, replaced one after the other under load."""

import asyncio
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from faults.conftest import NewService
from faults.ledger import COLOURS, PICTURES, Ledger, Promise, Writers, audit, properties
from faults.load import Crowd, Result
from faults.scale import measured, times
from faults.served import HOST, Service, register
from faults.wire import request_head
from proxy.nginx import PROGRAM, Proxy, proxying
from support.scene.api import Person

pytestmark = [
    pytest.mark.drill,
    pytest.mark.alone,
    pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed"),
]

# The proxy keeps an unused connection for four seconds.
UNREADY_SECONDS = 5
REQUESTS = times(100_000, short=2_000)
ROUNDS = times(10, short=1)
ADS = 20
# The proxy lets each address have so many requests under way.
CROWD = [f"127.0.1.{number}" for number in range(1, 33)]
PEAK_SECONDS = times(10, short=2)
# Of what the smaller node can do: it has all of the load while the other one is replaced. The short
# form runs where other programs run too.
SHARE = 1 / times(2, short=4)
SUCCESSES = {200, 304}


@dataclass
class Site:
    """What writers need of a service, with the proxy's address."""

    proxy: Proxy

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.proxy.address, timeout=30)


async def _reads(person: Person, ledger: Ledger) -> list[bytes]:
    """Of any ten six are hot, two conditional, one is of an ad by its id and one a search."""
    requests = []
    for number in range(ADS):
        text = f"Oak table {number}"
        ad = await person.post_ad(image=PICTURES[COLOURS[0]], **properties(text))
        ledger.ads[ad["pk"]] = Promise({text}, {COLOURS[0]})
        path = f"/ads/{ad['pk']}"
        tag = (await person.client.get(f"{path}/details")).headers["etag"]
        requests += [request_head("GET", "/ads?limit=20")] * 6
        requests += [request_head("GET", f"{path}/details", f"If-None-Match: {tag}")] * 2
        requests.append(request_head("GET", path, f"Authorization: Bearer {person.token}"))
        requests.append(request_head("GET", f"/ads?q=table&minPrice={number}"))
    return requests


async def _replace(node: Service) -> None:
    node.signal(signal.SIGTERM)
    assert await node.ended(UNREADY_SECONDS + 12) == 0, node.log()
    await node.start()
    await node.answering("/readyz")


async def _replace_all(nodes: Sequence[Service], reading: asyncio.Task[Result]) -> int:
    """How often, until the load is over, but each of them once."""
    replaced = 0
    for _ in range(ROUNDS):
        for node in nodes:
            if reading.done() and replaced >= len(nodes):
                return replaced
            await _replace(node)
            replaced += 1
    return replaced


async def test_row_41_a_new_version_goes_out_without_a_refused_request(
    new_service: NewService, tmp_path: Path
) -> None:
    nodes = [
        new_service(trusted_proxies=HOST, unready_seconds=UNREADY_SECONDS, workers=workers)
        for workers in (1, 2)
    ]
    smaller, larger = nodes
    await smaller.start()
    ledger = Ledger()
    ports = [node.port for node in nodes]
    with proxying(tmp_path / "nginx", ports, nodes[0].image_dir) as proxy:
        site = Site(proxy)
        async with site.client() as client:
            reads = await _reads(await register(client), ledger)
        crowd = Crowd(proxy.port, reads, sources=CROWD)
        writers = Writers(site, ledger, number=2)
        await writers.start()
        # Beside the writers: what they change is not in memory any more.
        peak = (await crowd.at_most(16, PEAK_SECONDS)).rate()
        await larger.start()
        await larger.answering("/readyz")
        rate = peak * SHARE
        seconds = max(1.05 * REQUESTS / rate, ROUNDS * len(nodes) * (UNREADY_SECONDS + 2))
        reading = asyncio.create_task(crowd.at_rate(rate, seconds))
        began = time.monotonic()
        replaced = await _replace_all(nodes, reading)
        lasted = time.monotonic() - began
        result = await reading
        await writers.stop()
        crowd.close()
        log = proxy.log
        await audit(nodes[0], ledger)
    answered = sum(len(latencies) for latencies in result.latencies.values())
    measured("row 41: peak of the smaller node", peak, "requests/s")
    measured("row 41: requests", answered + ledger.kept, "requests")
    measured("row 41: of these changes and uploads", ledger.kept, "requests")
    measured("row 41: replaced", replaced, f"times, in {lasted:.0f} s")
    measured("row 41: p99 of answers", result.p99())
    measured("row 41: the slowest answer", max(map(max, result.latencies.values())))
    assert not +result.failures, (result.failures, result.unsent, log)
    # Both write it. What they did not refuse, the proxy did.
    refused = [entry for entry in nodes[0].entries("adsvc.access") if entry["status"] >= 500]
    assert set(result.latencies) <= SUCCESSES, (result.count(503), len(refused), refused[:9], log)
    assert answered >= REQUESTS
    assert ledger.unknown == 0
