"""Image stores that fail, and pictures that many clients change at once."""

import asyncio
import os
import socket
import time
from contextlib import nullcontext
from io import BytesIO
from typing import Any

import httpx2
import pytest
from PIL import Image

from adsvc.kit.pictures.containers import files_of
from faults.conftest import NewService
from faults.readers import Readers
from faults.scale import times
from faults.served import HOST, Service, register
from faults.stores import FAULTS, Fault, small_disk
from faults.wire import noise, request_head
from support.pictures.samples import encoded
from support.scene.api import Person, ad_form, image_form

pytestmark = pytest.mark.drill

# Stored, it is larger than there is room for.
LARGE = noise(400)
# Files go when nothing refers to them any more, not before the response is sent.
SWEPT_SECONDS = 10


def a_picture(number: int) -> bytes:
    """No two are alike."""
    colour = (number * 37 % 256, number * 91 % 256, number * 151 % 256)
    return encoded(Image.new("RGB", (320, 240), colour), "JPEG", quality=92)


async def uploads(person: Person, ad: dict[str, Any], image: bytes) -> list[httpx2.Response]:
    """The same picture wherever one can be sent."""
    return [
        await person.post("/ads", files=ad_form(image=image)),
        await person.patch(f"/ads/{ad['pk']}/image", files=image_form(image)),
        await person.patch("/users/me/image", files=image_form(image)),
    ]


async def rows(person: Person, ad: dict[str, Any]) -> list[dict[str, Any]]:
    paths = ("/ads?limit=1000", f"/ads/{ad['pk']}", "/users/me")
    answers = [await person.get(path) for path in paths]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    return [answer.json() for answer in answers]


async def named(person: Person) -> set[str]:
    """The files that rows name."""
    listing = (await person.get("/ads?limit=1000")).json()
    assert listing["next"] is None
    avatar = (await person.get("/users/me")).json()["image"]
    pictures = files_of([ad["image"].rpartition("/")[2] for ad in listing["results"]])
    return {*pictures, (avatar or "").rpartition("/")[2]} - {""}


async def only_named_files_are_left(service: Service, person: Person) -> None:
    expected = await named(person)
    deadline = time.monotonic() + SWEPT_SECONDS
    while (found := service.image_files()) != expected:
        assert time.monotonic() < deadline, (found - expected, expected - found)
        await asyncio.sleep(0.05)


def assert_unavailable(answer: httpx2.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems#image-store-unavailable"
    assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.parametrize("name", FAULTS)
async def test_row_27_a_store_that_takes_nothing_loses_nothing(
    new_service: NewService, name: str
) -> None:
    fault = FAULTS[name]
    # What a reserve of free space would keep from happening.
    service = new_service(disk_reserve_bytes=0)
    with small_disk(service.image_dir) if fault.on_small_disk else nullcontext():
        await service.start()
        async with service.client() as client:
            await _survive(service, await register(client), fault)


async def _survive(service: Service, person: Person, fault: Fault) -> None:
    ad = await person.post_ad(image=a_picture(0))
    shown = (await person.client.get(ad["image"])).content
    before, files = await rows(person, ad), service.image_files()
    for _ in range(times(5, short=1)):
        with fault.breaking(service):
            for answer in await uploads(person, ad, LARGE):
                assert_unavailable(answer)
            assert await rows(person, ad) == before
            kept = await person.client.get(ad["image"])
            if fault.readable:
                assert service.image_files() - {"filler"} == files
                assert kept.status_code == 200
            # What was shown a moment ago may be in memory still.
            if kept.status_code == 200:
                assert kept.content == shown
            else:
                assert_unavailable(kept)
        assert service.image_files() == files
        assert (await person.client.get(ad["image"])).content == shown
        assert await rows(person, ad) == before
    assert [answer.status_code for answer in await uploads(person, ad, LARGE)] == [201, 200, 200]
    for file in await named(person):
        stored = await person.client.get(f"/images/{file}")
        Image.open(BytesIO(stored.content)).load()
    await only_named_files_are_left(service, person)


async def test_row_27_a_picture_that_cannot_be_read_is_refused_and_replaced(
    service: Service,
) -> None:
    async with service.client() as client:
        person = await register(client)
        # Never read, it is not in memory.
        ad = await person.post_ad(image=a_picture(0))
        [path] = service.image_dir.rglob("*[0-9a-f][0-9a-f].jpg")
        kept = path.rename(path.with_name("kept"))
        path.mkdir()
        for method in ("GET", "GET", "HEAD"):
            answer = await client.request(method, ad["image"], headers={"Range": "bytes=0-9"})
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) >= 1
        assert_unavailable(await client.get(ad["image"]))
        path.rmdir()
        kept.rename(path)
        whole = await client.get(ad["image"])
        assert (whole.status_code, len(whole.content)) == (200, path.stat().st_size)
        # The old one cannot be removed now; the new one is served all the same.
        path.unlink()
        path.mkdir()
        form = image_form(a_picture(1))
        answer = await person.patch(f"/ads/{ad['pk']}/image", files=form)
        assert answer.status_code == 200
        detail = (await person.get(f"/ads/{ad['pk']}")).json()
        assert (await client.get(detail["image"])).content == answer.content
        path.rmdir()
        await only_named_files_are_left(service, person)


async def test_row_27_a_picture_that_ends_early_is_never_taken_for_a_whole_one(
    service: Service,
) -> None:
    async with service.client() as client:
        person = await register(client)
        ad = await person.post_ad(image=noise(1700))
        [path] = service.image_dir.rglob("*.png")
        size = path.stat().st_size
        # Little fits between the two, so that most is yet to be read.
        own = socket.socket()
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        own.connect((HOST, service.port))
        own.settimeout(0)
        reader, writer = await asyncio.open_connection(sock=own)
        writer.write(request_head("GET", ad["image"]))
        head = await reader.readuntil(b"\r\n\r\n")
        assert f"content-length: {size}".encode() in head.lower()
        os.truncate(path, size // 100)
        received = 0
        async with asyncio.timeout(10):
            while piece := await reader.read(1024 * 1024):
                received += len(piece)
        writer.close()
        assert 0 < received < size
        # It costs this one answer.
        assert (await client.get("/readyz")).status_code == 200


async def test_row_28_of_two_replacements_one_wins_and_all_that_is_served_is_whole(
    new_service: NewService,
) -> None:
    service = new_service(workers=2)
    await service.start()
    async with service.client() as client:
        author = await register(client)
        for number in range(0, 4 * times(60, short=4), 4):
            await _compete(service, author, number)
        await only_named_files_are_left(service, author)


async def _compete(service: Service, author: Person, number: int) -> None:
    """Two replacements against each other, and then one against the end of the ad."""
    ad = await author.post_ad(image=a_picture(number))
    old = (await author.client.get(ad["image"])).content
    async with Readers(service, author, ad["pk"]) as readers:
        first, second = await asyncio.gather(
            *(_replace(service, author, ad, number + at) for at in (1, 2))
        )
        assert [first.status_code, second.status_code] == [200, 200]
        await readers.settled(first.content, second.content)
        if number % 8:
            # Half of the ads stay, to be compared with the files.
            return
        late, gone = await asyncio.gather(
            _replace(service, author, ad, number + 3), _delete(service, author, ad)
        )
        assert gone.status_code == 204
        assert late.status_code in {200, 404}
        await readers.settled(None)
    assert readers.pictures <= {old, first.content, second.content, late.content}
    assert readers.pictures & {first.content, second.content}


async def _replace(
    service: Service, author: Person, ad: dict[str, Any], number: int
) -> httpx2.Response:
    async with service.client(headers=author.headers) as client:
        form = image_form(a_picture(number))
        return await client.patch(f"/ads/{ad['pk']}/image", files=form)


async def _delete(service: Service, author: Person, ad: dict[str, Any]) -> httpx2.Response:
    async with service.client(headers=author.headers) as client:
        return await client.delete(f"/ads/{ad['pk']}")
