"""How much of request bodies nginx accepts, and when it forwards them."""

import asyncio
import os
from contextlib import AsyncExitStack

import pytest

from faults.wire import Answer, Wire, noise, request_head
from proxy.conftest import Site, StartProxy
from proxy.upstream import answering
from support.scene.api import Api, ad_form

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("proxy")]

JSON = "Content-Type: application/json"
FORM = "Content-Type: multipart/form-data; boundary=x"
CROWD, ELSEWHERE = "127.0.0.3", "127.0.0.4"
LIMIT = 64


async def test_an_upload_without_credentials_is_refused_before_its_body(site: Site) -> None:
    for method, path in (
        ("POST", "/ads"),
        ("PATCH", "/ads/1/image"),
        ("PATCH", "/users/me/image"),
    ):
        for claim, slug in (
            ((), "unauthenticated"),
            (("Authorization: Bearer x",), "invalid-credentials"),
        ):
            head = request_head(
                method,
                path,
                FORM,
                "Content-Length: 5000000",
                "Origin: http://localhost:3000",
                *claim,
            )
            async with await Wire.open(site.proxy.port) as wire:
                await wire.send(head)
                answer = await wire.answer()
            assert answer.status == 401, path
            assert answer.problem()["type"] == f"/problems#{slug}"
            assert answer.headers["www-authenticate"]
            assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"


async def test_uploads_may_be_larger_than_anything_else(site: Site) -> None:
    author = await Api(site.client, site.nodes[0].api.app).person()
    ad = await author.post_ad(image=noise())
    form = {"image": ad_form(image=noise())["image"]}
    assert (await author.patch(f"/ads/{ad['pk']}/image", files=form)).status_code == 200
    assert (await author.patch("/users/me/image", files=form)).status_code == 200
    for path in ("/users/me", "/ads/1", "/ads/1/comments", "/token", "/ads/1/image/x", "/images"):
        answer = await author.post(path, content=b"x" * 200_000)
        assert answer.status_code == 413, path
    # nginx leaves to the service what it can answer itself.
    headers = {"Content-Type": "application/json"}
    answer = await author.post("/login", content=b"x" * 100_000, headers=headers)
    assert "65536" in answer.json()["detail"]


async def test_bodies_go_on_as_they_come_and_leave_no_files(start_proxy: StartProxy) -> None:
    async with answering() as upstream:
        proxy = start_proxy(upstream.port)
        async with await Wire.open(proxy.port) as wire:
            await wire.send(request_head("POST", "/ads", FORM, "Content-Length: 5000000"))
            # The server has the head, and may answer.
            assert (await wire.answer()).status == 200
            await wire.send(b"x" * 1_000_000)
        found = {name for _, _, files in os.walk(proxy.directory) for name in files}
        assert found == {"access.log", "adsvc.conf", "nginx.conf", "nginx.log", "nginx.pid"}


async def test_a_server_that_breaks_off_an_upload_becomes_a_problem_response(
    start_proxy: StartProxy,
) -> None:
    async with answering(lambda _: b"") as upstream:
        proxy = start_proxy(upstream.port)
        async with await Wire.open(proxy.port) as wire:
            await wire.send(request_head("POST", "/ads", FORM, "Content-Length: 5000000"))
            answer = await wire.answer()
    assert (answer.status, answer.problem()["type"]) == (503, "/problems#unavailable")
    assert upstream.asked == 1


async def fill(stack: AsyncExitStack, port: int, source: str, *headers: str) -> None:
    """As many requests under way as one client may have; returns when they are."""
    half = request_head("POST", "/login", JSON, "Content-Length: 1000", *headers) + b" " * 500
    for _ in range(LIMIT):
        wire = await stack.enter_async_context(await Wire.open(port, source=source))
        await wire.send(half)
    async with asyncio.timeout(10):
        while (await ask(port, source, *headers)).status != 429:
            pass


async def ask(port: int, source: str, *headers: str) -> Answer:
    async with await Wire.open(port, source=source) as wire:
        await wire.send(request_head("GET", "/livez", *headers))
        return await wire.answer()


async def test_one_client_has_so_many_requests_under_way_and_no_more(site: Site) -> None:
    async with AsyncExitStack() as stack:
        await fill(stack, site.proxy.port, CROWD)
        answer = await ask(site.proxy.port, CROWD)
        assert answer.problem()["type"] == "/problems#rate-limited"
        assert answer.headers["retry-after"] == "1"
        async with await Wire.open(site.proxy.port, source=CROWD) as wire:
            await wire.send(request_head("POST", "/ads", FORM, "Content-Length: 5000000"))
            assert (await wire.answer()).problem()["status"] == 429
            # It is not waited for long.
            assert await wire.rest(4) == b""
        assert (await ask(site.proxy.port, ELSEWHERE)).status == 200
    assert "limiting" not in site.proxy.log


async def test_an_ipv6_network_is_one_client(site: Site, start_proxy: StartProxy) -> None:
    said = "set_real_ip_from 127.0.0.0/8; real_ip_header X-Address;"
    proxy = start_proxy(*(node.port for node in site.nodes), more=said)
    async with AsyncExitStack() as stack:
        await fill(stack, proxy.port, CROWD, "X-Address: 2001:db8:a0a:1:1::1")
        for address, status in (
            ("2001:db8:a0a:1:ffff::2", 429),
            ("2001:db8:a0a:2::1", 200),
            ("192.0.2.1", 200),
        ):
            assert (await ask(proxy.port, CROWD, f"X-Address: {address}")).status == status
