"""A client that is refused while still sending can read why (RFC 9112 §9.6)."""

import asyncio

import pytest

from adsvc.kit.http import connection, protocol
from faults.here import Here, ServeHere
from faults.served import HOST
from faults.slow_line import slow_line
from faults.wire import Wire, request_head

pytestmark = pytest.mark.heavy

LOGIN = ("POST", "/login", "Content-Type: application/json")
LARGE = 1_000_000
BODY = f"Content-Length: {LARGE}"
CHUNKED = "Transfer-Encoding: chunked"
CLOSE = "Connection: close"


def refused() -> list[tuple[int, bytes]]:
    """What is refused at its beginning, and takes a while to be sent."""
    body = b" " * LARGE
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (LARGE, body)
    fields = b"".join(b"X-%d: %b\r\n" % (number, b"y" * 980) for number in range(1000))
    form = "Content-Type: multipart/form-data; boundary=x"
    return [
        (413, request_head(*LOGIN, BODY) + body),
        (413, request_head(*LOGIN, BODY, CLOSE) + body),
        (413, request_head(*LOGIN, CHUNKED, CLOSE) + chunks),
        (413, request_head(*LOGIN, BODY).replace(b"1.1", b"1.0") + body),
        (401, request_head("POST", "/ads", form, BODY, CLOSE) + body),
        (431, b"GET /ads HTTP/1.1\r\nHost: adsvc\r\n" + fields + b"\r\n"),
        (431, b"GET /ads?q=" + body),
        (400, b"nonsense\r\n\r\n" + body),
        (200, request_head("GET", "/ads") + b"nonsense\r\n\r\n" + body),
        (200, request_head("GET", "/livez", BODY, CLOSE) + body),
    ]


async def test_row_35_a_client_still_sending_on_a_slow_line_can_read_a_refusal(here: Here) -> None:
    """A client that reads only when it has sent everything."""

    async def ask(port: int, request: bytes) -> int:
        async with await Wire.open(port) as wire:
            await wire.send(request)
            return (await wire.answer()).status

    async with slow_line(here.port, bytes_per_second=2_000_000, delay=0.2) as port:
        requests = refused()
        answers = await asyncio.gather(
            *(ask(port, request) for _, request in requests), return_exceptions=True
        )
    for (status, request), answer in zip(requests, answers, strict=True):
        assert (request[:100], answer) == (request[:100], status)


async def test_row_35_a_client_that_is_too_slow_can_read_that_it_is(serve_here: ServeHere) -> None:
    async with (
        serve_here(body_timeout_seconds=0.2) as here,
        slow_line(here.port, bytes_per_second=1_000_000, delay=0.2) as port,
        await Wire.open(port) as wire,
    ):
        await wire.send(request_head(*LOGIN, "Content-Length: 60000") + b" " * 100)
        await wire.drip(b" " * 20, seconds=0.03)
        assert (await wire.answer()).status == 408


async def drip(wire: Wire) -> None:
    for _ in range(500):
        await wire.send(b" ")
        await asyncio.sleep(0.02)


async def test_row_35_a_client_that_goes_on_sending_is_cut_off(
    serve_here: ServeHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (connection, protocol):
        monkeypatch.setattr(module, "LINGER_BYTES", LARGE)
    # By a bound of bytes.
    unending = b" " * 100 * LARGE
    async with serve_here() as here:
        for headers in ((CLOSE,), ()):
            head = request_head(*LOGIN, f"Content-Length: {len(unending)}", *headers)
            async with await Wire.open(here.port) as wire:
                with pytest.raises(ConnectionError):
                    await wire.send(head + unending)
    # By a bound of time, which what drips in does not put off.
    async with serve_here(body_timeout_seconds=0.3) as here, await Wire.open(here.port) as wire:
        await wire.send(b"nonsense\r\n\r\n")
        assert (await wire.answer()).status == 400
        assert await wire.rest(5) == b""
        with pytest.raises(ConnectionError):
            await drip(wire)


async def test_row_35_what_lingers_does_not_put_off_the_end_of_the_service(
    serve_here: ServeHere, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve_here(body_timeout_seconds=0.2) as here:
        reader, writer = await asyncio.open_connection(HOST, here.port)
        writer.write(request_head(*LOGIN, "Content-Length: 9"))
        assert b" 408 " in await reader.read()
    # The client's side is still open, and the server has not waited for it.
    assert "exceeded" not in caplog.text
    writer.close()
