"""How the server reads bytes, in this process; `test_slow_clients` does it with many clients."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator

import httpx2
import pytest

from faults.here import Here
from faults.served import register
from faults.wire import Wire, request_head
from support.scene.api import image_form

pytestmark = pytest.mark.heavy

JSON = "Content-Type: application/json"


async def test_pipelined_requests_are_answered_in_order(here: Here) -> None:
    async with await Wire.open(here.port) as wire:
        await wire.send(request_head("GET", "/livez") + request_head("GET", "/nowhere") * 30)
        assert [(await wire.answer()).status for _ in range(31)] == [200, *[404] * 30]


LOGIN = ("POST", "/login", JSON)

AMBIGUOUS = [
    request_head(*LOGIN, "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked", "Content-Length: 5") + b"0\r\n\r\n",
    request_head(*LOGIN, "Content-Length: 2", "Content-Length: 3") + b"{}",
    request_head(*LOGIN, "Content-Length: +2") + b"{}",
    request_head(*LOGIN, "Content-Length: -2") + b"{}",
    request_head(*LOGIN, "Content-Length: 0x2") + b"{}",
    request_head(*LOGIN, f"Content-Length: {10**24}") + b"{}",
    request_head(*LOGIN, "Transfer-Encoding: xchunked") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked, identity") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding : chunked") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding:\x0bchunked") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"-1\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"f" * 17 + b"\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"2\n{}\n0\n\n",
    request_head(*LOGIN, "Content-Length: 2", "Content-Length: 2") + b"{}",
    request_head(*LOGIN, "Content-Length: 2, 2") + b"{}",
    request_head(*LOGIN, "Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked, chunked") + b"0\r\n\r\n",
    request_head(*LOGIN, *["Transfer-Encoding: chunked"] * 2) + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked").replace(b"1.1", b"1.0") + b"0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"2;a\n{}\r\n0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"1\r\n{}\r\n0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"2\r\n{}0\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"0\r\nConnection: close\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"0\r\nUpgrade: h2c\r\n\r\n",
    request_head(*LOGIN, "Transfer-Encoding: chunked") + b"0\r\nContent-Length: 9\r\n\r\n",
    request_head("GET", "/livez", host="a b"),
    request_head("GET", "/livez", host="adsvc/elsewhere"),
    request_head("GET", "/livez", host="somebody@adsvc"),
    request_head("GET", "/livez").replace(b"1.1", b"2.0"),
    request_head("GET", "/livez").replace(b"1.1", b"0.9"),
    request_head("GET", "/ads", "X: a\r\n folded"),
    request_head("GET", "/ads", "X: a\rb"),
    request_head("GET", "/ads", "X: a\nY: b"),
    request_head("GET", "/ads", "X: a\0b"),
    request_head("GET", "/ads", "X y: z"),
    request_head("GET", "/ads", "Host: another"),
    request_head("GET", "/ads").replace(b"\r\n", b"\n"),
    request_head("CONNECT", "adsvc:80"),
    request_head("BREW", "/ads"),
    request_head("GET", "/ads/\xe9"),
    b"GET /ads HTTP/1.1\r\n\r\n",
    b"GET /ads\r\n\r\n",
    b"GET /ads HTTP/3.0\r\nHost: adsvc\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
    b"\0" * 100 + b"\r\n\r\n",
]

ODD = [
    (b"GET /livez HTTP/1.0\r\n\r\n", 200),
    (request_head("GET", "http://elsewhere/livez"), 200),
    (request_head("OPTIONS", "*"), 404),
    (request_head("TRACE", "/livez"), 405),
    (request_head("GET", "//livez"), 404),
    (request_head("GET", "/images/../../etc/passwd"), 404),
    (request_head("GET", "/docs-assets/..%2f..%2f__init__.py"), 404),
    (
        request_head(*LOGIN, "Transfer-Encoding: chunked")
        + b"2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n",
        400,
    ),
    (request_head(*LOGIN, "Expect: 100-continue", "Content-Length: 2000000"), 413),
    (request_head("GET", "/livez", "Content-Length: 5") + b"abcde", 200),
]


async def test_what_two_servers_could_read_in_two_ways_is_refused(here: Here) -> None:
    """Request smuggling lives on such differences; the connection must not go on."""
    for ambiguous in AMBIGUOUS:
        async with await Wire.open(here.port) as wire:
            await wire.send(ambiguous + request_head("GET", "/livez"))
            answer = await wire.answer()
            assert (ambiguous, answer.status) == (ambiguous, 400)
            problem = answer.problem()["type"]
            assert (ambiguous, problem) == (ambiguous, "/problems#malformed-http")
            assert await wire.rest(5) == b""


async def test_what_is_odd_but_clear_is_answered(here: Here) -> None:
    for odd, status in ODD:
        async with await Wire.open(here.port) as wire:
            await wire.send(odd)
            answer = await wire.answer()
            assert (odd, answer.status) == (odd, status)
            assert answer.headers["x-content-type-options"] == "nosniff"


OFFERS = (
    ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAA"),
    ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="),
    ("Upgrade: TLS/1.0", "Connection: keep-alive, upgrade", "Upgrade: h2c"),
)


def chunked(body: bytes, *trailers: bytes) -> bytes:
    half = len(body) // 2
    pieces = (body[:half], body[half:], b"")
    chunks = b"\r\n".join(b"%x\r\n" % len(piece) + piece for piece in pieces)
    return chunks + b"".join(trailer + b"\r\n" for trailer in trailers) + b"\r\n"


async def test_row_31_an_upgrade_that_is_offered_changes_nothing(here: Here) -> None:
    """RFC 9110 §7.8: a server may ignore it; then the body is the body, whatever it looks like."""
    async with httpx2.AsyncClient(base_url=here.address) as client:
        person = await register(client)
    login = json.dumps({"username": person.username, "password": person.password}).encode()
    # What would be answered if it were taken for a request.
    disguised = request_head("GET", "/livez")
    for offer in OFFERS:
        announced = request_head(*LOGIN, *offer, f"Content-Length: {len(login)}")
        in_chunks = request_head(*LOGIN, *offer, "Transfer-Encoding: chunked")
        hidden = request_head(*LOGIN, *offer, f"Content-Length: {len(disguised)}")
        hidden_in_chunks = chunked(disguised, b"Expires: 0")
        requests = [
            (announced, login, 200),
            (in_chunks, chunked(login), 200),
            (hidden, disguised, 400),
            (in_chunks, hidden_in_chunks, 400),
            (request_head("GET", "/ads", *offer), b"", 200),
            (request_head("GET", "/livez", *offer), b"", 200),
        ]
        async with await Wire.open(here.port) as wire:
            for head, body, status in requests:
                # In one packet, in two, and byte by byte.
                for pieces in ([head + body], [head, body], [bytes((b,)) for b in head + body]):
                    for piece in pieces:
                        await wire.send(piece)
                        await asyncio.sleep(0)
                    assert (head, (await wire.answer()).status) == (head, status)
            await wire.send(b"".join(head + body for head, body, _ in requests * 2))
            statuses = [(await wire.answer()).status for _ in requests * 2]
            assert statuses == [status for _, _, status in requests * 2]
            await wire.send(request_head("GET", "/livez", *offer, "Connection: close"))
            assert (await wire.rest(5)).count(b"HTTP/1.1 ") == 1


async def test_row_31_no_tunnel_is_dug(here: Here) -> None:
    offer = OFFERS[0]
    for connect in (
        request_head("CONNECT", "adsvc:80"),
        request_head("CONNECT", "adsvc:80", *offer),
        request_head("CONNECT", "adsvc:80", "Content-Length: 5"),
    ):
        for pieces in ([connect + request_head("GET", "/livez")], [connect, b"hello"]):
            async with await Wire.open(here.port) as wire:
                for piece in pieces:
                    await wire.send(piece)
                assert (await wire.rest(5)).count(b"HTTP/1.1 400 ") == 1


async def test_expect_100_continue_is_answered(here: Here) -> None:
    async with await Wire.open(here.port) as wire:
        await wire.send(request_head(*LOGIN, "Expect: 100-continue", "Content-Length: 2"))
        assert (await wire.answer()).status == 100
        await wire.send(b"{}")
        assert (await wire.answer()).status == 400


async def test_garbage_behind_a_request_does_not_cost_it_its_answer(here: Here) -> None:
    """For the request may have been carried out."""
    async with await Wire.open(here.port) as wire:
        await wire.send(request_head("GET", "/ads") + b"\0garbage\r\n\r\n" * 10_000)
        received = await wire.rest(5)
        assert received.startswith(b"HTTP/1.1 200 ")
        assert b"connection: close" in received
        assert received.count(b"HTTP/1.1") == 1


async def test_refusals_of_the_transport_stand_in_the_log(
    here: Here, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "adsvc.access"):
        async with await Wire.open(here.port) as wire:
            await wire.send(b"nonsense\r\n\r\n")
            answer = await wire.answer()
    [entry] = [record for record in caplog.records if record.name == "adsvc.access"]
    assert vars(entry)["status"] == 400
    assert vars(entry)["request_id"] == answer.headers["x-request-id"]


async def test_pictures_arrive_in_chunks_of_any_size(here: Here) -> None:
    async with httpx2.AsyncClient(base_url=here.address, timeout=30) as client:
        person = await register(client)
        ad = await person.post_ad()
        form = client.build_request("PATCH", "/", files=image_form())
        body = form.read()

        async def dribble() -> AsyncIterator[bytes]:
            for at in range(0, len(body), 7):
                yield body[at : at + 7]

        headers = {"Content-Type": form.headers["content-type"]}
        path = f"/ads/{ad['pk']}/image"
        answer = await person.patch(path, content=dribble(), headers=headers)
        assert answer.status_code == 200
