"""Two nodes behind the shipped proxy configuration, replaced one after the other under load."""

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from faults.conftest import NewService
from faults.ledger import COLOURS, PICTURES, Ledger, Promise, Writers, audit, properties
from faults.load import Crowd, Result
from faults.scale import measured, times
from faults.served import HOST, Service, register
from faults.wire import request_head
from proxy.nginx import PROGRAM, Proxy, proxying
from support.scene.api import Person
from support.scene.streams import PERSONAL
from support.scene.talk import write

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

    def client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=self.proxy.address, timeout=30)


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


BUYERS = 3
# Between two messages of a writer.
PAUSE_SECONDS = 0.1
# Clients connect again so long after their stream has ended.
AGAIN_SECONDS = 0.2
WAIT_SECONDS = 30


@dataclass
class Follower:
    """A client that follows an account's stream, and connects again whenever that ends."""

    person: Person
    # Whether it says where it was (`Last-Event-ID`). Otherwise it reads the conversations at each
    # beginning, as a page that was loaded anew does.
    resumes: bool
    streams: int = 0
    # When each message came first, and the ids of messages that came by streams.
    came: dict[int, float] = field(default_factory=dict)
    by_stream: list[int] = field(default_factory=list)
    _cursor: str = ""

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            with suppress(httpx2.TransportError):
                await self._follow()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _follow(self) -> None:
        last = {"Last-Event-ID": self._cursor} if self.resumes and self._cursor else {}
        is_new = True
        headers = self.person.headers | last
        async with self.person.client.stream("GET", PERSONAL, headers=headers) as answer:
            assert answer.status_code == httpx2.codes.OK, answer.status_code
            async for line in answer.aiter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    self._cursor = value
                    self.streams += is_new
                    if is_new and not self.resumes:
                        await self._read_conversations()
                    is_new = False
                elif name == "data" and "text" in (message := json.loads(value)):
                    self.by_stream.append(message["id"])
                    self.came.setdefault(message["id"], time.monotonic())

    async def _read_conversations(self) -> None:
        found = (await self.person.get("/conversations")).json()["results"]
        for conversation in found:
            path: str | None = f"/conversations/{conversation['id']}/messages?limit=100"
            while path is not None:
                answer = await self.person.get(path)
                page = answer.json()
                for message in page["results"]:
                    self.came.setdefault(message["id"], time.monotonic())
                next_page = answer.links.get("next")
                path = next_page["url"] if next_page else None


@asynccontextmanager
async def following(*followers: Follower) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(follower.run()) for follower in followers]
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while not all(follower.streams for follower in followers):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        yield
        assert not any(task.done() for task in tasks), tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _write_on(
    person: Person, path: str, sent: dict[int, float], enough: asyncio.Event
) -> None:
    while not enough.is_set():
        began = time.monotonic()
        sent[(await write(person, path))["id"]] = began
        await asyncio.sleep(PAUSE_SECONDS)


async def test_row_41_messages_arrive_once_while_the_nodes_of_their_streams_are_replaced(
    new_service: NewService, tmp_path: Path
) -> None:
    settings = {"trusted_proxies": HOST, "unready_seconds": UNREADY_SECONDS}
    nodes = [new_service(workers=workers, **settings) for workers in (1, 2)]
    for node in nodes:
        await node.start()
    sent: dict[int, float] = {}
    ports = [node.port for node in nodes]
    with proxying(tmp_path / "nginx", ports, nodes[0].image_dir) as proxy:
        async with Site(proxy).client() as client:
            seller, *buyers = [await register(client) for _ in range(1 + BUYERS)]
            about = f"/ads/{(await seller.post_ad(image=PICTURES[COLOURS[0]]))['pk']}"
            begun = [await write(buyer, about) for buyer in buyers]
            paths = [f"/conversations/{message['conversation']}" for message in begun]
            # One that resumes, and one that does not, of all messages; one of a conversation.
            followers = [
                Follower(seller, resumes=True),
                Follower(seller, resumes=False),
                Follower(buyers[0], resumes=True),
            ]
            expected = [sent, sent, {}]
            enough = asyncio.Event()
            async with following(*followers):
                writers = [
                    asyncio.create_task(_write_on(writer, path, found, enough))
                    for path, buyer, found in zip(
                        paths, buyers, (expected[2], sent, sent), strict=True
                    )
                    for writer in (buyer, seller)
                ]
                began = time.monotonic()
                for _ in range(ROUNDS):
                    for node in nodes:
                        await _replace(node)
                lasted = time.monotonic() - began
                enough.set()
                await asyncio.gather(*writers)
                sent |= expected[2]
                async with asyncio.timeout(WAIT_SECONDS):
                    for follower, due in zip(followers, expected, strict=True):
                        while not due.keys() <= follower.came.keys():  # noqa: ASYNC110
                            await asyncio.sleep(0.05)
    for follower in followers:
        assert len(set(follower.by_stream)) == len(follower.by_stream)
        assert follower.streams > ROUNDS
    assert [
        set(follower.came) - {message["id"] for message in begun} for follower in followers
    ] == [set(due) for due in expected]
    resuming = followers[0]
    delays = sorted(resuming.came[message] - at for message, at in sent.items())
    measured("row 41: replaced under messages", ROUNDS * len(nodes), f"times, in {lasted:.0f} s")
    measured("row 41: messages, each received once", len(sent), "")
    measured("row 41: streams of a follower", resuming.streams, "")
    measured("row 41: p95 from sending to the stream", delays[int(len(delays) * 0.95)])
    measured("row 41: the longest", delays[-1])
