"""Several servers behind nginx: which of them gets a request, and with which headers."""

import asyncio
import json

import httpx2
import pytest

from faults.here import serving
from faults.served import free_port
from faults.wire import Wire, request_head
from proxy.conftest import Site, StartProxy
from proxy.upstream import answering
from support.scene.api import Api, ad_form, image_form, in_pieces

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("proxy")]

# What depends neither on the request nor on adsvc's version, which nginx does not know.
PER_SERVER = {
    *("connection", "date", "server", "x-request-id", "content-length", "keep-alive"),
    "adsvc-version",
}


async def test_one_site_of_two_servers(site: Site) -> None:
    author = await Api(site.client, site.nodes[0].api.app).person()
    for _ in range(4):
        ad = await author.post_ad()
        for _ in range(2):
            assert (await author.get(f"/ads/{ad['pk']}")).json()["image"] == ad["image"]
        picture = await site.client.get(ad["image"])
        assert picture.status_code == 200
        # Only what comes from a file has none.
        assert "x-request-id" not in picture.headers


async def test_a_request_has_one_id_in_the_logs_of_proxy_and_server(
    site: Site,
) -> None:
    answer = await site.client.get("/ads/none")
    request_id = answer.headers["x-request-id"]
    assert answer.json()["instance"] == f"urn:uuid:{request_id}"
    async with asyncio.timeout(10):
        while request_id not in site.proxy.access_log:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.05)


async def test_a_long_parameter_takes_no_server_away(site: Site) -> None:
    for _ in range(4):
        answer = await site.client.get(f"/ads?limit=1&x={'y' * 5000}")
        assert answer.status_code == 200, answer.text
        assert (await site.client.get("/ads")).status_code == 200


async def test_a_long_head_of_an_answer_takes_no_server_away(start_proxy: StartProxy) -> None:
    def answers(length: int) -> bytes:
        field = b"Link: " + b"y" * length + b"\r\n"
        return b"HTTP/1.1 200 OK\r\n" + field + b"Content-Length: 2\r\n\r\nok"

    # The second is longer than any that adsvc sends.
    sizes = iter([12_000] * 4 + [20_000] * 4 + [0] * 8)
    async with answering(lambda _: answers(next(sizes))) as one:
        proxy = start_proxy(one.port, one.port)
        async with httpx2.AsyncClient(base_url=proxy.address) as client:
            found = [(await client.get("/ads")).status_code for _ in range(16)]
    assert found == [200] * 4 + [503] * 4 + [200] * 8


async def test_a_server_that_is_gone_is_passed_over_at_once(start_proxy: StartProxy) -> None:
    async with answering() as there:
        proxy = start_proxy(free_port(), there.port)
        async with httpx2.AsyncClient(base_url=proxy.address) as client:
            for method in ("GET", "POST", "PATCH", "DELETE"):
                for _ in range(4):
                    answer = await client.request(method, "/ads/1", content=b"{}")
                    assert answer.text == "ok", (method, proxy.log)
        assert there.asked == 16


async def test_only_what_may_be_repeated_is_sent_to_the_next_server(
    start_proxy: StartProxy,
) -> None:
    async with answering(lambda _: b"") as one, answering(lambda _: b"") as two:
        proxy = start_proxy(one.port, two.port)
        async with httpx2.AsyncClient(base_url=proxy.address) as client:
            for method, body, times in (
                ("GET", None, 2),
                ("POST", None, 1),
                ("POST", b"{}", 1),
                ("PATCH", b"{}", 1),
            ):
                asked = one.asked + two.asked
                answer = await client.request(method, "/ads/1", content=body)
                assert answer.status_code == 503
                assert one.asked + two.asked - asked == times, method


async def test_what_a_client_says_about_itself_does_not_reach_the_server(
    start_proxy: StartProxy,
) -> None:
    forged = (
        "X-Forwarded-For: 192.0.2.1",
        "X-Forwarded-For: 192.0.2.2",
        "X_Forwarded_For: 192.0.2.3",
        "X-Forwarded-Proto: https",
        "X-Request-Id: 11111111-2222-4333-8444-555555555555",
        "Connection: Upgrade, X-Forwarded-For, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "TE: trailers",
        "Keep-Alive: 9999",
    )
    async with answering() as upstream:
        proxy = start_proxy(upstream.port)
        async with await Wire.open(proxy.port) as wire:
            await wire.send(request_head("GET", "/ads//1/%2e%2e/x?%20", *forged, host="Any:80"))
            assert (await wire.answer()).status == 200
    first, *lines = upstream.heads[0].decode().rstrip().split("\r\n")
    # As it was written, so that both mean the same by it.
    assert first == "GET /ads//1/%2e%2e/x?%20 HTTP/1.1"
    [given] = [line for line in lines if line.startswith("X-Request-Id: ")]
    lines.remove(given)
    assert "11111111" not in given
    # Its own line has the same.
    async with asyncio.timeout(10):
        while given.removeprefix("X-Request-Id: ") not in proxy.access_log:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    line = json.loads(proxy.access_log.splitlines()[-1])
    assert (line["method"], line["status"], line["upstream_status"]) == ("GET", 200, "200")
    assert sorted(lines) == [
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "Host: any",
        "X-Forwarded-For: 127.0.0.1",
        "X-Forwarded-Proto: http",
    ]


@pytest.mark.parametrize("packets", [1, 2])
async def test_an_upgrade_is_not_passed_on_and_the_body_is_a_body(site: Site, packets: int) -> None:
    person = await Api(site.client, site.nodes[0].api.app).person()
    body = json.dumps({"username": person.username, "password": person.password}).encode()
    head = request_head(
        "POST",
        "/login",
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    async with await Wire.open(site.proxy.port) as wire:
        for piece in [head + body] if packets == 1 else [head, body]:
            await wire.send(piece)
            await asyncio.sleep(0.05)
        assert (await wire.answer()).status == 200


async def test_clients_of_http_1_0_are_answered(site: Site) -> None:
    async with await Wire.open(site.proxy.port) as wire:
        await wire.send(b"GET /ads HTTP/1.0\r\n\r\n")
        assert (await wire.answer()).status == 200
        assert await wire.rest(5) == b""


async def test_pictures_are_answered_alike_by_nginx_and_by_the_server(site: Site) -> None:
    author = await Api(site.client, site.nodes[0].api.app).person()
    path = (await author.post_ad())["image"]
    whole = await site.client.get(path)
    etag = whole.headers["etag"]
    ranges = ",".join(f"{n}-" for n in range(1000))
    for method, asked, status, length in (
        ("GET", {}, 200, len(whole.content)),
        ("HEAD", {}, 200, 0),
        ("GET", {"If-None-Match": etag}, 304, 0),
        ("HEAD", {"If-None-Match": etag}, 304, 0),
        ("GET", {"If-None-Match": '"other"'}, 200, len(whole.content)),
        ("GET", {"Range": "bytes=2-5"}, 206, 4),
        ("GET", {"Range": "bytes=99999999-"}, 416, None),
        ("GET", {"Range": f"bytes={ranges}"}, 200, len(whole.content)),
        ("POST", {}, 405, None),
        ("DELETE", {}, 405, None),
    ):
        answers = [
            await client.request(method, path, headers=asked)
            for client in (site.client, site.nodes[0].api.client)
        ]
        for answer in answers:
            assert answer.status_code == status, (method, asked)
            assert length in {None, len(answer.content)}, (method, asked)
        one, two = (
            {name: text for name, text in answer.headers.items() if name not in PER_SERVER}
            for answer in answers
        )
        assert one == two, (method, asked)


@pytest.mark.long
async def test_an_upload_goes_to_the_server_that_has_room_for_it(
    site: Site, start_proxy: StartProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than any disk has.
    full = site.settings.model_copy(update={"disk_reserve_bytes": 2**50})
    async with serving(full, monkeypatch) as one, serving(full, monkeypatch) as two:
        with_room = site.nodes[0].port
        proxy = start_proxy(one.port, with_room, two.port)
        async with httpx2.AsyncClient(base_url=proxy.address, timeout=30) as client:
            person = await Api(client, site.nodes[0].api.app).person()
            for _ in range(6):
                ad = await person.post_ad()
                image = await person.patch(f"/ads/{ad['pk']}/image", files=image_form())
                assert image.status_code == 200, image.text
                chunked = in_pieces(b"no form")
                headers = {"Content-Type": "multipart/form-data; boundary=frontier"}
                answer = await person.post("/ads", content=chunked, headers=headers)
                assert answer.status_code == 400, answer.text
                # What is no upload goes to any.
                assert (await client.get("/ads")).status_code == 200
        proxy = start_proxy(one.port, two.port)
        async with httpx2.AsyncClient(base_url=proxy.address, timeout=30) as client:
            person.client = client
            answer = await person.post("/ads", files=ad_form())
            assert answer.status_code == 503
            assert answer.json()["type"] == "/problems#disk-nearly-full"
            assert (await client.post("/ads", files=ad_form())).status_code == 401
