"""nginx as configured for pictures in an S3: it caches them."""

import asyncio
from pathlib import Path

import httpx2
import pytest

from adsvc.kit.storage import LocalImageStore, new_image_name
from faults.served import HOST, free_port
from proxy.conftest import StartProxy
from proxy.nginx import TO_HTTPS
from proxy.upstream import answering

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("proxy")]

NAME = "0f8fad5bd9cb469fa16570867728950e.jpg"
PATH = f"/images/{NAME}"
HEAD = (
    "Content-Type: image/jpeg\r\nCache-Control: public, max-age=31536000, immutable\r\n"
    f'ETag: "{NAME}"\r\nVary: Origin\r\nAccept-Ranges: bytes\r\n'
)
PICTURE = f"HTTP/1.1 200 OK\r\n{HEAD}Content-Length: 7\r\n\r\npicture".encode()
AWAY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
GONE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


async def test_a_picture_is_fetched_once_and_then_revalidated(start_proxy: StartProxy) -> None:
    answers = [PICTURE]
    async with answering(lambda _: answers[-1]) as upstream:
        proxy = start_proxy(upstream.port, bucket=True)
        async with httpx2.AsyncClient(base_url=proxy.address) as client:
            found = await asyncio.gather(*(client.get(PATH) for _ in range(8)))
            assert {answer.content for answer in found} == {b"picture"}
            assert upstream.asked == 1
            assert found[0].headers["Cache-Control"] == "public, max-age=31536000, immutable"
            part = await client.get(PATH, headers={"Range": "bytes=1-3"})
            assert (part.status_code, part.content) == (206, b"ict")
            known = await client.get(PATH, headers={"If-None-Match": f'"{NAME}"'})
            assert known.status_code == 304
            assert upstream.asked == 1


async def test_files_of_before_the_bucket_are_not_shown(
    start_proxy: StartProxy, tmp_path: Path
) -> None:
    """They would hide that the bucket is away, and pictures that are deleted there."""
    file = tmp_path / "images" / NAME[:2] / NAME
    file.parent.mkdir(parents=True)
    file.write_bytes(b"of before")
    async with answering(lambda _: PICTURE) as upstream:
        for bucket, content in ((False, b"of before"), (True, b"picture")):
            proxy = start_proxy(upstream.port, bucket=bucket)
            async with httpx2.AsyncClient(base_url=proxy.address) as client:
                assert (await client.get(PATH)).content == content, bucket


async def test_a_hidden_picture_is_gone_from_the_directory(
    start_proxy: StartProxy, tmp_path: Path
) -> None:
    store = LocalImageStore(tmp_path / "images")
    store.prepare()
    await store.put(NAME, b"picture")
    async with answering(lambda _: GONE) as upstream:
        proxy = start_proxy(upstream.port)
        async with httpx2.AsyncClient(base_url=proxy.address) as client:
            assert (await client.get(PATH)).content == b"picture"
            assert upstream.asked == 0
            await store.rename_all({NAME: new_image_name("jpg")})
            assert (await client.get(PATH)).status_code == 404


async def test_http_leads_to_https(start_proxy: StartProxy) -> None:
    port = free_port()
    server = TO_HTTPS.read_text().replace("listen 80;", f"listen {HOST}:{port};")
    start_proxy(1, more=server.replace("listen [::]:80;", ""))
    async with httpx2.AsyncClient(base_url=f"http://{HOST}:{port}") as client:
        answer = await client.post("/ads?a=%2F", headers={"Host": "ads.example.com"})
        assert answer.status_code == 308
        assert answer.headers["Location"] == "https://ads.example.com/ads?a=%2F"
        assert (await client.get("/.well-known/acme-challenge/x")).status_code == 404


async def test_copies_are_shown_while_the_bucket_is_away_and_not_when_they_are_gone(
    start_proxy: StartProxy,
) -> None:
    answers = [PICTURE]
    async with answering(lambda _: answers[-1]) as upstream:
        proxy = start_proxy(upstream.port, bucket=True, valid="1s")
        async with httpx2.AsyncClient(base_url=proxy.address) as client:

            async def ask_until_asked(status: int) -> httpx2.Response:
                """The copy is valid for a second before it is revalidated."""
                before = upstream.asked
                async with asyncio.timeout(20):
                    while True:
                        answer = await client.get(PATH)
                        if upstream.asked > before:
                            assert answer.status_code == status
                            return answer
                        assert answer.content == b"picture"
                        await asyncio.sleep(0.05)

            await ask_until_asked(200)
            answers.append(AWAY)
            assert (await ask_until_asked(200)).content == b"picture"
            assert b"if-none-match" in upstream.heads[-1].lower()
            answers.append(GONE)
            await ask_until_asked(404)
