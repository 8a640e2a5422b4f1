"""What nginx refuses itself: with the same problems as adsvc, and readable by the client."""

import asyncio
import socket

import pytest

from adsvc.kit.http.messages import SECURITY_HEADERS
from faults.served import HOST, free_port
from faults.wire import Answer, Wire, request_head
from proxy.conftest import Site, StartProxy
from proxy.distant_server import BUFFER_BYTES, slow_line

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("proxy")]

OUTSIDE = "127.0.0.2"
ORIGIN = "http://localhost:3000"
JSON = "Content-Type: application/json"
REFUSED = {
    "no host": (b"GET /ads HTTP/1.1\r\n\r\n", 400, "malformed-http"),
    "no HTTP": (b"hello\r\n\r\n", 400, "malformed-http"),
    "a version to come": (request_head("GET", "/ads").replace(b"/1.1", b"/3.0"), 400, None),
    "another protocol": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed-http"),
    "two lengths": (
        request_head("POST", "/login", "Content-Length: 1", "Content-Length: 2"),
        400,
        None,
    ),
    "two framings": (
        request_head("POST", "/login", "Content-Length: 1", "Transfer-Encoding: chunked"),
        400,
        None,
    ),
    "an unknown framing": (request_head("POST", "/login", "Transfer-Encoding: gzip"), 400, None),
    "NUL in the path": (request_head("GET", "/ads/%00"), 400, None),
    "above the root": (request_head("GET", "/../etc/passwd"), 400, None),
    "a tunnel": (request_head("CONNECT", "adsvc:80"), 400, "malformed-http"),
    "a long path": (request_head("GET", "/ads?" + "y" * 9000), 431, "headers-too-large"),
    "a long header": (request_head("GET", "/ads", "X: " + "y" * 9000), 431, "headers-too-large"),
    "many headers": (request_head("GET", "/ads", *["X: " + "y" * 4000] * 20), 431, None),
    "a large body": (
        request_head("POST", "/login", "Content-Length: 200000"),
        413,
        "content-too-large",
    ),
    "a larger upload": (request_head("POST", "/ads", "Content-Length: 130000000"), 413, None),
    "a body for a picture": (
        request_head("POST", f"/images/{'0' * 32}.jpg", "Content-Length: 200000"),
        413,
        None,
    ),
    "its own page": (request_head("GET", "/.problem"), 404, "not-found"),
}


async def ask(port: int, request: bytes, *, source: str | None = None) -> Answer:
    async with await Wire.open(port, source=source) as wire:
        await wire.send(request)
        return await wire.answer()


def check(answer: Answer, status: int, slug: str | None, what: str) -> None:
    assert answer.status == status, what
    problem = answer.problem()
    assert problem.keys() == {"type", "title", "status", "detail", "instance"}
    assert slug is None or problem["type"] == f"/problems#{slug}", what
    assert problem["instance"] == f"urn:uuid:{answer.headers['x-request-id']}"
    assert answer.headers["cache-control"] == "no-store"
    for name, text in SECURITY_HEADERS.items():
        assert answer.headers[name.lower()] == text.lower()


async def test_what_nginx_refuses_are_problems(site: Site) -> None:
    for what, (request, status, slug) in REFUSED.items():
        check(await ask(site.proxy.port, request), status, slug, what)


async def test_methods_that_nginx_refuses_are_refused_by_the_server(site: Site) -> None:
    for method in ("TRACE", "PUT"):
        answer = await ask(site.proxy.port, request_head(method, "/ads"))
        assert (answer.status, answer.headers["allow"]) == (405, "get, head, post"), method
        assert answer.problem()["type"] == "/problems#method-not-allowed"


async def test_scripts_of_allowed_origins_can_read_refusals(site: Site) -> None:
    for origin, allowed in ((ORIGIN, ORIGIN), ("http://elsewhere.example", None)):
        head = request_head("POST", "/login", "Content-Length: 200000", f"Origin: {origin}")
        answer = await ask(site.proxy.port, head)
        assert answer.status == 413
        assert answer.headers.get("access-control-allow-origin") == allowed
        exposed = answer.headers.get("access-control-expose-headers", "")
        assert exposed == ("retry-after, x-request-id" if allowed else "")
        assert answer.headers["vary"] == "origin"


async def test_without_any_server_nginx_answers_with_a_problem(start_proxy: StartProxy) -> None:
    proxy = start_proxy(free_port(), free_port())
    for method in ("GET", "POST", "TRACE"):
        for path in ("/ads", "/login", "/readyz", f"/images/{'0' * 32}.jpg"):
            answer = await ask(proxy.port, request_head(method, path, "Content-Length: 0"))
            check(answer, 503, "unavailable", path)
            assert answer.headers["retry-after"] == "1"


READY = (
    "/readyz",
    "/readyz?x",
    "/readyz#x",
    "//readyz",
    "/./readyz",
    "/ads/../readyz",
    "/%72eadyz",
    "/readyz/",
    "/ready%7A/x",
    "http://adsvc/readyz",
    "/metrics",
    "/metrics/x",
)


async def test_readiness_is_for_monitoring_alone(site: Site) -> None:
    assert (await ask(site.proxy.port, request_head("GET", "/readyz"))).status == 200
    missing = await ask(site.proxy.port, request_head("GET", "/missing"), source=OUTSIDE)
    for path in READY:
        for forged in ((), ("X-Forwarded-For: 127.0.0.1",), ("X-Real-IP: 127.0.0.1",)):
            head = request_head("GET", path, *forged)
            answer = await ask(site.proxy.port, head, source=OUTSIDE)
            check(answer, 404, "not-found", path)
            # Word for word as what does not exist.
            own = {**answer.json(), "instance": ""}
            assert own == {**missing.json(), "instance": ""}, path
    alive = await ask(site.proxy.port, request_head("GET", "/livez"), source=OUTSIDE)
    assert alive.status == 200


async def test_no_other_spelling_leads_to_readiness(site: Site) -> None:
    for path in ("/%2572eadyz", "/READYZ", "/readyz;x", "/readyz%20", "/x/readyz", "/%2freadyz"):
        answer = await ask(site.proxy.port, request_head("GET", path), source=OUTSIDE)
        check(answer, 404, "not-found", path)


def answered_at_the_end(port: int, request: bytes) -> bytes:
    """For a client that looks for an answer only when it has sent everything."""
    with socket.create_connection((HOST, port), timeout=20) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        client.sendall(request)
        received = b""
        while piece := client.recv(65536):
            received += piece
            if b'"instance"' in received:
                break
        return received


async def test_who_is_refused_while_sending_on_a_slow_line_can_read_why(site: Site) -> None:
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    framed = request_head("POST", "/login", JSON, "Transfer-Encoding: chunked")
    upload = request_head("POST", "/ads", "Content-Type: multipart/form-data; boundary=x",
                          "Content-Length: 2000000")  # fmt: skip
    body = request_head("POST", "/login", JSON, "Content-Length: 2000000")
    for what, head, rest, status in (
        ("a body", body, b"x" * 2_000_000, 413),
        ("chunks", framed, chunk * 30, 413),
        ("an anonymous upload", upload, b"x" * 2_000_000, 401),
        ("headers", request_head("GET", "/ads")[:-2] + b"X: ", b"x" * 2_000_000, 431),
        ("a path", b"GET /ads?", b"x" * 2_000_000, 431),
    ):
        async with slow_line(site.proxy.port, piece_seconds=0.004, delay_seconds=0.05) as port:
            answer = await asyncio.to_thread(answered_at_the_end, port, head + rest)
        assert answer.startswith(b"HTTP/1.1 %d " % status), what
        assert b"application/problem+json" in answer, what
