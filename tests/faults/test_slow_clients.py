"""Clients that send slowly, too much, or not at all."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress

import httpx2
import pytest

from faults import kernel
from faults.conftest import NewService
from faults.scale import times
from faults.served import Service, register
from faults.wire import Wire, noise, request_head

pytestmark = pytest.mark.drill

CONNECTIONS = 200
# How long a body may take.
BODY_SECONDS = times(30, short=12)
JSON = "Content-Type: application/json"
Client = Callable[[Wire], Coroutine[None, None, None]]


class Probe:
    """Somebody decent, whose requests go on meanwhile; each is one that the database answers."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.slowest = 0.0

    async def ask(self, client: httpx2.AsyncClient) -> None:
        began = time.monotonic()
        path = f"/ads?minPrice={len(self.statuses)}"
        self.statuses.append((await client.get(path)).status_code)
        self.slowest = max(self.slowest, time.monotonic() - began)


@asynccontextmanager
async def probing(service: Service) -> AsyncIterator[Probe]:
    probe = Probe()

    async def go_on(client: httpx2.AsyncClient) -> None:
        while True:
            await probe.ask(client)
            await asyncio.sleep(0.1)

    async with service.client() as client:
        task = asyncio.create_task(go_on(client))
        try:
            yield probe
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await probe.ask(client)
    assert set(probe.statuses) == {200}
    assert probe.slowest < 2


async def stay_silent(_: Wire) -> None:
    pass


async def send_half_a_head(wire: Wire) -> None:
    await wire.send(request_head("GET", "/ads")[:-8])


async def drip_a_head(wire: Wire) -> None:
    await wire.drip(request_head("GET", "/ads", *(f"A{n}: b" for n in range(99))), seconds=0.5)


async def drip_a_body(wire: Wire) -> None:
    head = request_head("POST", "/login", JSON, "Content-Length: 1000")
    await wire.send(head)
    await wire.drip(b" " * 1000, seconds=0.5)


async def drip_chunks(wire: Wire) -> None:
    await wire.send(request_head("POST", "/login", JSON, "Transfer-Encoding: chunked"))
    for _ in range(100):
        await wire.send(b"1\r\n \r\n")
        await asyncio.sleep(0.5)


async def _until_closed(service: Service, client: Client, seconds: float) -> tuple[float, bytes]:
    async with await Wire.open(service.port) as wire:
        sending = asyncio.create_task(client(wire))
        received = await wire.rest(seconds)
        took = time.monotonic() - wire.opened
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        return took, received


CLIENTS: dict[Client, float] = {
    stay_silent: 10,
    send_half_a_head: 10,
    drip_a_head: 10,
    drip_a_body: BODY_SECONDS,
    drip_chunks: BODY_SECONDS,
}


async def test_row_20_slow_clients_are_cut_off_and_delay_no_one(
    new_service: NewService,
) -> None:
    service = new_service(body_timeout_seconds=BODY_SECONDS)
    await service.start()
    crowd = [*CLIENTS.items()] * (CONNECTIONS // len(CLIENTS))
    async with probing(service):
        ends = await asyncio.gather(
            *(_until_closed(service, client, seconds + 10) for client, seconds in crowd)
        )
    for (client, seconds), (took, received) in zip(crowd, ends, strict=True):
        assert took < seconds + 2, client
        assert received.startswith(b"HTTP/1.1 408 "), client
        assert b"application/problem+json" in received, client


async def test_row_20_a_kept_connection_does_not_stay_for_ever(service: Service) -> None:
    async with await Wire.open(service.port) as wire:
        await wire.send(request_head("GET", "/livez"))
        assert (await wire.answer()).status == 200
        began = time.monotonic()
        assert await wire.rest(10) == b""
        assert time.monotonic() - began < 7


@pytest.mark.alone
async def test_row_20_clients_that_take_no_answer_are_cut_off(new_service: NewService) -> None:
    service = new_service(send_timeout_seconds=8)
    await service.start()
    async with service.client() as client:
        ad = await (await register(client)).post_ad(image=noise())
    async with probing(service):
        wires = []
        for _ in range(CONNECTIONS):
            # One after another: a crowd would be refused, as it should.
            wires.append(await Wire.open(service.port))
            # Several answers, so that the kernel's buffers cannot hold them.
            await wires[-1].send(request_head("GET", ad["image"]) * 20)
            await asyncio.sleep(0.01)
        # Of all of them, where the machine is quick; the first may have been cut off already.
        assert kernel.open_sockets(service.pid) > CONNECTIONS / 2
        # Eight seconds after the last of them has taken the last that its buffers hold.
        async with asyncio.timeout(60):
            while kernel.open_sockets(service.pid) >= CONNECTIONS / 10:  # noqa: ASYNC110
                await asyncio.sleep(0.5)
    for wire in wires:
        await wire.close()


HEADERS = b"".join(b"X-%d: y\r\n" % number for number in range(10_000))


CHUNKED = request_head("POST", "/login", JSON, "Transfer-Encoding: chunked")
ENDLESS = {
    "one header of 20 MB": (b"GET /ads HTTP/1.1\r\nHost: adsvc\r\nX: ", b"x" * 20_000_000),
    "10,000 headers": (b"GET /ads HTTP/1.1\r\nHost: adsvc\r\n", HEADERS + b"\r\n"),
    "a URL of 5 MB": (b"GET /ads?cursor=", b"x" * 5_000_000),
    "a trailer": (CHUNKED + b"0\r\nX: ", b"x" * 20_000_000),
    "an extension": (CHUNKED + b"1;x=", b"x" * 20_000_000),
}


async def test_row_21_heads_without_end_are_refused_early(service: Service) -> None:
    for name, (beginning, rest) in ENDLESS.items():
        kernel.forget_peak(service.pid)
        before = kernel.resident(service.pid)
        # 128 KiB are enough to be refused; the rest need not be sent.
        async with await Wire.open(service.port) as wire:
            await wire.send((beginning + rest)[: 128 * 1024])
            answer = await wire.answer()
            assert (name, answer.status) == (name, 431)
            assert answer.problem()["type"] == "/problems#headers-too-large", name
            assert "x-request-id" in answer.headers, name
            assert answer.headers["x-content-type-options"] == "nosniff", name
        # Who sends it all the same is not listened to.
        async with await Wire.open(service.port) as wire:
            with suppress(ConnectionError):
                await wire.send(beginning + rest)
            await wire.rest(5)
        assert kernel.peak(service.pid) - before < 5 * kernel.MEBIBYTE, name
        async with service.client() as client:
            assert (await client.get("/ads")).status_code == 200, name


async def test_row_21_requests_without_end_on_one_connection_take_no_memory(
    service: Service,
) -> None:
    one = request_head("GET", "/ads")
    kernel.forget_peak(service.pid)
    before = kernel.resident(service.pid)
    async with probing(service):
        wires = [await Wire.open(service.port) for _ in range(20)]
        for wire in wires:
            await wire.send(one * (200_000 // len(one)))
        await asyncio.gather(*(wire.rest(20) for wire in wires))
        for wire in wires:
            await wire.close()
    assert kernel.peak(service.pid) - before < 30 * kernel.MEBIBYTE


async def test_row_20_requests_in_time_are_answered_although_the_service_stalled(
    new_service: NewService,
) -> None:
    service = new_service(keep_alive_seconds=1, header_timeout_seconds=1)
    await service.start()
    request = request_head("GET", "/livez")
    async with await Wire.open(service.port) as begun, await Wire.open(service.port) as kept:
        await begun.send(request[:10])
        await kept.send(request)
        assert (await kept.answer()).status == 200
        service.signal(signal.SIGSTOP)
        try:
            await begun.send(request[10:])
            await kept.send(request)
            # Until what they have sent would be too late.
            await asyncio.sleep(1.5)
        finally:
            service.signal(signal.SIGCONT)
        assert [(await wire.answer()).status for wire in (begun, kept)] == [200, 200]
