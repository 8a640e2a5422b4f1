"""Clients that are too slow or never end are cut off: deadlines and limits, one connection each."""

import asyncio
import json
import threading

import httpx2
import pytest
from sqlalchemy import text

from faults.here import Here, ServeHere
from faults.served import register
from faults.wire import Wire, noise, request_head

pytestmark = pytest.mark.heavy

LOGIN = ("POST", "/login", "Content-Type: application/json")


@pytest.mark.parametrize(
    ("beginning", "changes"),
    [
        (b"", {"header_timeout_seconds": 0.2}),
        (b"GET /ads HT", {"header_timeout_seconds": 0.2}),
        (
            request_head(*LOGIN, "Content-Length: 9") + b"{",
            {"body_timeout_seconds": 0.2},
        ),
    ],
    ids=["silent", "half a head", "half a body"],
)
async def test_row_20_each_part_of_a_request_has_its_deadline(
    serve_here: ServeHere, beginning: bytes, changes: dict[str, object]
) -> None:
    async with serve_here(**changes) as here, await Wire.open(here.port) as wire:
        await wire.send(beginning)
        answer = await wire.answer(5)
        assert answer.status == 408
        assert answer.problem()["type"] == "/problems#request-timeout"
        assert await wire.rest(5) == b""


async def test_row_20_a_body_that_comes_slowly_but_steadily_is_taken(
    serve_here: ServeHere,
) -> None:
    body = json.dumps({"username": "nobody", "password": "x" * 64}).encode()
    length = f"Content-Length: {len(body)}"
    changes = {"body_timeout_seconds": 0.2, "body_min_bytes_per_second": 4}
    async with serve_here(**changes) as here, await Wire.open(here.port) as wire:
        await wire.send(request_head(*LOGIN, length) + body[:40])
        # Past the deadline, and within what forty bytes have earned.
        await asyncio.sleep(0.5)
        await wire.send(body[40:])
        assert (await wire.answer(5)).status == 401


async def test_row_43_no_body_takes_longer_than_the_longest_time(serve_here: ServeHere) -> None:
    changes = {"body_min_bytes_per_second": 1, "body_max_seconds": 0.4}
    async with serve_here(**changes) as here, await Wire.open(here.port) as wire:
        # By its rate it has a minute.
        await wire.send(request_head(*LOGIN, "Content-Length: 100") + b" " * 60)
        assert (await wire.answer(10)).status == 408


async def test_row_43_what_waits_for_a_hash_is_dropped_with_its_connection(
    serve_here: ServeHere,
) -> None:
    body = json.dumps({"username": "somebody", "password": "x" * 20}).encode()
    async with serve_here(password_workers=1) as here:
        done, pool = threading.Event(), here.api.state.password_pool
        hashing = asyncio.create_task(pool.run(done.wait))
        try:
            async with asyncio.timeout(20):
                async with await Wire.open(here.port) as wire:
                    await wire.send(request_head(*LOGIN, f"Content-Length: {len(body)}") + body)
                    while not pool._turns._lines:  # noqa: ASYNC110 - there is no event
                        await asyncio.sleep(0.01)
                    assert pool.usage.waiting == 1
                while pool.usage.waiting:  # noqa: ASYNC110 - there is no event
                    await asyncio.sleep(0.01)
        finally:
            done.set()
            await hashing


async def test_row_20_a_head_has_its_deadline_on_a_kept_connection_too(
    serve_here: ServeHere,
) -> None:
    async with serve_here(header_timeout_seconds=0.2) as here, await Wire.open(here.port) as wire:
        await wire.send(request_head("GET", "/livez"))
        assert (await wire.answer()).status == 200
        await wire.send(b"GET /ads HT")
        assert (await wire.answer(5)).status == 408
        assert await wire.rest(5) == b""


async def test_row_20_a_deadline_does_not_answer_for_a_request_that_is_under_way(
    serve_here: ServeHere,
) -> None:
    """The head of the next request is late while the one before still waits for its answer."""
    async with (
        serve_here(header_timeout_seconds=0.2) as here,
        await Wire.open(here.port) as wire,
        here.api.state.database.engine.connect() as connection,
    ):
        await connection.execute(text("LOCK TABLE ads IN ACCESS EXCLUSIVE MODE"))
        await wire.send(request_head("GET", "/ads") + b"GET /liv")
        await asyncio.sleep(0.1)
        await wire.send(b"e")
        # The one answer there is, that of the database.
        assert (await wire.rest(10)).count(b"HTTP/1.1 503 ") == 1


async def test_row_20_unread_responses_have_a_deadline(serve_here: ServeHere) -> None:
    async with serve_here(send_timeout_seconds=0.2) as here:
        async with httpx2.AsyncClient(base_url=here.address, timeout=30) as client:
            ad = await (await register(client)).post_ad(image=noise())
        async with await Wire.open(here.port) as wire:
            # Several, so that the kernel's buffers cannot hold them.
            await wire.send(request_head("GET", ad["image"]) * 8)
            await asyncio.sleep(2)
            assert len(await wire.rest(10)) < 8 * len(noise())


@pytest.mark.parametrize(
    "beginning",
    [
        b"GET /ads HTTP/1.1\r\nHost: adsvc\r\nX: ",
        b"GET /ads HTTP/1.1\r\nHost: adsvc\r\n" + b"X: y\r\n" * 120,
        b"GET /ads?cursor=",
        request_head(*LOGIN, "Transfer-Encoding: chunked") + b"0\r\nX: ",
        request_head(*LOGIN, "Transfer-Encoding: chunked") + b"1;x=",
        request_head("GET", "/ads", *(f"X{n}: {'y' * 1000}" for n in range(80))),
        request_head("GET", "/ads", *(f"X{n}: y" for n in range(100))),
    ],
    ids=["a header", "headers", "a URL", "a trailer", "an extension", "a complete head", "many"],
)
async def test_row_21_each_part_of_a_head_has_its_limit(here: Here, beginning: bytes) -> None:
    async with await Wire.open(here.port) as wire:
        await wire.send((beginning + b"x" * 128 * 1024)[: 128 * 1024])
        answer = await wire.answer()
        assert answer.status == 431
        assert answer.problem()["type"] == "/problems#headers-too-large"


async def test_row_21_requests_without_end_on_one_connection_are_cut_off(here: Here) -> None:
    async with await Wire.open(here.port) as wire:
        await wire.send(request_head("GET", "/livez") * 500)
        assert 1 < (await wire.rest(5)).count(b"HTTP/1.1 200 ") < 500
