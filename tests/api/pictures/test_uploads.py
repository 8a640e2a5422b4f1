"""Uploads of one picture, by `POST /ads` and `PATCH /ads/{id}/image`."""

import json
import os
import tempfile
import time
from collections.abc import AsyncIterator
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import httpx2
import pytest
from PIL import Image

from conftest import ApiFactory
from support.pictures import samples as pictures
from support.pictures.hostile import HOSTILE
from support.scene.api import (
    PROPERTIES,
    Api,
    Person,
    ad_form,
    image_form,
    in_pieces,
    multipart,
    part,
)
from support.scene.snapshots import snapshot
from support.trouble.blocking import busy
from support.trouble.breaking import full_after, gone

MEBIBYTE = 1024 * 1024
OPERATIONS = ("POST", "PATCH")


@cache
def noise(side: int) -> bytes:
    """A picture that no compression makes much smaller than three bytes a pixel."""
    picture = Image.frombytes("RGB", (side, side), Random(side).randbytes(side * side * 3))
    return pictures.encoded(picture, "PNG")


@cache
def coarse_noise(side: int) -> bytes:
    """A picture that grows by what it is encoded with here."""
    picture = Image.frombytes("RGB", (side, side), Random(side).randbytes(side * side * 3))
    return pictures.encoded(picture, "JPEG", quality=20)


async def upload(person: Person, operation: str, image: bytes) -> httpx2.Response:
    if operation == "POST":
        return await person.post("/ads", files=ad_form(image=image))
    return await person.patch("/ads/1/image", files=image_form(image))


@pytest.fixture
async def author(api: Api) -> Person:
    """Has one ad, with the id 1."""
    person = await api.person()
    await person.post_ad()
    return person


@pytest.fixture
async def unchanged(api: Api, author: Person) -> AsyncIterator[Person]:
    """Has one ad, and when the test is over, nothing in the service has changed."""
    before = await snapshot(api)
    yield author
    assert await snapshot(api) == before


@pytest.mark.heavy
@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_file_that_is_no_good_picture_is_refused(unchanged: Person, operation: str) -> None:
    expected = {415: "/problems#unsupported-image", 400: "/problems#invalid-image"}
    for kind in (
        "nothing", "text", "HTML", "SVG", "GIF", "half a JPEG", "half a PNG",
        "13,000 by 13,000 one-bit PNG", "JPEG header of 400 megapixels",
        "script behind a JPEG header", "zTXt bomb",
    ):  # fmt: skip
        hostile = HOSTILE[kind]
        answer = await upload(unchanged, operation, hostile.make())
        assert answer.status_code == hostile.status, kind
        assert answer.json()["type"] == expected[hostile.status], kind
        if hostile.status == 400:
            assert [fault["parameter"] for fault in answer.json()["errors"]] == ["image"], kind


@pytest.mark.heavy
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", ["declared", "chunked"])
async def test_an_image_over_the_limit_is_refused(
    unchanged: Person, operation: str, form: str
) -> None:
    request = multipart(
        part("properties", b"{}"),
        part("image", pictures.jpeg() + bytes(10 * MEBIBYTE), filename="photo.jpg"),
    )
    content = request["content"] if form == "declared" else in_pieces(request["content"])
    path = "/ads" if operation == "POST" else "/ads/1/image"
    answer = await unchanged.request(operation, path, content=content, headers=request["headers"])
    assert answer.status_code == 413
    assert answer.json()["detail"] == "The part image is larger than 10485760 bytes."


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", ["declared", "chunked", "declared too small"])
async def test_a_form_over_all_limits_is_refused_while_it_comes(
    unchanged: Person, operation: str, form: str
) -> None:
    read = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        yield multipart(part("image", b"", filename="photo.jpg"))["content"].partition(b"--\r\n")[0]
        for _ in range(100):
            read += MEBIBYTE
            yield bytes(MEBIBYTE)

    headers = {"Content-Type": "multipart/form-data; boundary=frontier"}
    if form != "chunked":
        headers["Content-Length"] = str(200 * MEBIBYTE if form == "declared" else 1000)
    path = "/ads" if operation == "POST" else "/ads/1/image"
    answer = await unchanged.request(operation, path, content=body(), headers=headers)
    assert answer.status_code == 413
    assert read <= (0 if form == "declared" else 11 * MEBIBYTE)


@pytest.mark.heavy
async def test_an_image_of_just_the_limit_is_read(api: Api) -> None:
    person = await api.person()
    picture = pictures.jpeg()
    padded = picture + bytes(10 * MEBIBYTE - len(picture))
    assert (await upload(person, "POST", padded)).status_code == 201


@pytest.mark.parametrize("parameters", [{}, {"filename": "blob"}])
async def test_properties_over_the_limit_are_refused(
    unchanged: Person, parameters: dict[str, str]
) -> None:
    form = multipart(
        part("properties", b" " * (64 * 1024 + 1), **parameters),
        part("image", pictures.jpeg(), filename="photo.jpg"),
    )
    answer = await unchanged.post("/ads", **form)
    assert answer.status_code == 413
    assert answer.json()["detail"] == "The part properties is larger than 65536 bytes."


@pytest.mark.heavy
@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_store_that_is_gone_changes_nothing(start_api: ApiFactory, operation: str) -> None:
    async with start_api() as api:
        author = await api.person()
        ad = await author.post_ad()
        before = await snapshot(api)
        with gone(api.state.settings.image_dir):
            answer = await upload(author, operation, pictures.png())
            assert answer.status_code == 503
            assert answer.json()["type"] == "/problems#image-store-unavailable"
            assert answer.headers["Retry-After"] == "5"
            assert (await api.client.get(ad["image"])).status_code == 503
        assert await snapshot(api) == before
        assert (await upload(author, operation, pictures.png())).is_success


@pytest.mark.heavy
# The coarse one is small until it is stored; the other fills the disk while it is being uploaded.
@pytest.mark.parametrize("form", ["coarse", "fine"])
@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_disk_that_fills_up_changes_nothing(
    api: Api, unchanged: Person, operation: str, form: str
) -> None:
    picture = coarse_noise(800) if form == "coarse" else noise(800)
    size = len(coarse_noise(800)) + 1024
    assert (len(picture) < size) == (form == "coarse")
    with full_after(size):
        answer = await upload(unchanged, operation, picture)
        assert answer.status_code == 503
        assert answer.json()["type"] == "/problems#image-store-unavailable"
        served = await api.client.get((await unchanged.get("/ads/1")).json()["image"])
        assert served.status_code == 200


@pytest.mark.heavy
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("end", ["stored", "no picture", "cut off", "too large"])
async def test_the_file_of_an_upload_goes_with_it(
    author: Person, operation: str, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = "/ads" if operation == "POST" else "/ads/1/image"
    images = {"no picture": b"text", "too large": bytes(10 * MEBIBYTE + 1)}
    properties = part("properties", json.dumps(PROPERTIES).encode())
    form = multipart(properties, part("image", images.get(end, noise(800)), filename="a.png"))
    sent = len(form["content"]) - (100 if end == "cut off" else 0)
    seen: list[list[int]] = []

    def there() -> list[int]:
        return [path.stat().st_size for path in tmp_path.iterdir()]

    async def body() -> AsyncIterator[bytes]:
        for start in range(0, sent, MEBIBYTE // 4):
            seen.append(there())
            yield form["content"][start : min(start + MEBIBYTE // 4, sent)]

    answer = await author.request(operation, path, content=body(), headers=form["headers"])
    statuses = {"stored": (200, 201), "no picture": (415,), "cut off": (400,), "too large": (413,)}
    assert answer.status_code in statuses[end]
    # Meanwhile there is one, which grows as the picture comes in.
    assert all(len(sizes) <= 1 for sizes in seen)
    assert any(map(sum, seen)) == (end != "no picture")
    assert not there()


async def test_a_start_removes_what_killed_processes_left(
    start_api: ApiFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ages = {"adsvc-upload-old": 3700, "adsvc-upload-almost": 3500, "adsvc-upload-young": 0}
    files = [tmp_path / name for name in (*ages, "other")]
    for file in files:
        file.touch()
        os.utime(file, (0, time.time() - ages.get(file.name, 3700)))
    async with start_api():
        assert [file.exists() for file in files] == [False, True, True, True]


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_more_pictures_than_the_service_can_turn_are_refused_at_once(
    api: Api, unchanged: Person, operation: str
) -> None:
    with busy(api.state.image_pool):
        answer = await upload(unchanged, operation, pictures.jpeg())
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems#overloaded"


@pytest.mark.parametrize("path", ["/ads", "/ads/1/image"])
async def test_what_there_is_no_room_for_is_not_read(
    api: Api, unchanged: Person, path: str
) -> None:
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append(True)
        yield b""

    with busy(api.state.image_pool):
        answer = await unchanged.request(
            "POST" if path == "/ads" else "PATCH",
            path,
            content=body(),
            headers={"Content-Type": "multipart/form-data; boundary=x"},
        )
    assert (answer.status_code, read) == (503, [])


@pytest.mark.heavy
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", ["jpeg", "png", "webp"])
async def test_a_picture_is_stored_in_its_own_format(
    api: Api, author: Person, operation: str, form: str
) -> None:
    picture = pictures.encoded(pictures.scene(3000, 100), form)
    assert (await upload(author, operation, picture)).is_success
    newest = (await api.client.get("/ads")).json()["results"][0]
    served = await api.client.get(newest["image"])
    assert served.headers["Content-Type"] == f"image/{form}"
    assert newest["image"].endswith({"jpeg": ".jpg", "png": ".png", "webp": ".webp"}[form])


@pytest.mark.heavy
async def test_a_phone_photo_comes_back_upright_and_clean(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad(image=pictures.phone_photo())
    served = (await api.client.get(ad["image"])).content
    assert pictures.SECRET not in served
    assert b"Exif" not in served
    with Image.open(BytesIO(served)) as picture:
        assert picture.size[0] < picture.size[1] <= 2048


async def test_an_author_deleted_during_the_upload_leaves_nothing(api: Api) -> None:
    person = await api.person()
    form = multipart(
        part("properties", b'{"title": "Oak table", "price": 1, "description": "12345678"}'),
        part("image", pictures.jpeg(), filename="photo.jpg"),
    )

    async def body() -> AsyncIterator[bytes]:
        await api.sql("DELETE FROM users WHERE id = :id", id=person.id)
        yield form["content"]

    answer = await person.post("/ads", content=body(), headers=form["headers"])
    assert answer.status_code == 401
    found = await snapshot(api)
    assert (found.rows["ads"], found.files) == ([], {})


UNUSED = part("image", b"", filename="")


@pytest.mark.heavy
async def test_a_file_field_without_a_file_is_no_picture(api: Api) -> None:
    person = await api.person()
    used = part("image", pictures.jpeg(), filename="photo.jpg")
    properties = part("properties", json.dumps(PROPERTIES).encode())
    for parts, count in (
        ([properties, UNUSED, used], 1),
        ([properties, used, *[UNUSED] * 30], 1),
        ([UNUSED, used, properties, UNUSED, used], 2),
    ):
        answer = await person.post("/ads", **multipart(*parts))
        assert (answer.status_code, answer.json().get("imageCount")) == (201, count)
    answer = await person.post("/ads", **multipart(properties, UNUSED))
    assert [fault["code"] for fault in answer.json()["errors"]] == ["missing"]
    answer = await person.patch("/ads/1/image", **multipart(UNUSED, used))
    assert answer.status_code == 200
    answer = await person.patch("/users/me/image", **multipart(UNUSED, used, UNUSED))
    assert answer.status_code == 200
    answer = await person.patch("/users/me/image", **multipart(UNUSED))
    assert [fault["code"] for fault in answer.json()["errors"]] == ["missing"]


async def test_a_picture_without_a_file_name_is_one(api: Api) -> None:
    person = await api.person()
    properties = part("properties", json.dumps(PROPERTIES).encode())
    unnamed = part("image", pictures.jpeg(), filename="")
    answer = await person.post("/ads", **multipart(properties, unnamed))
    assert (answer.status_code, answer.json()["imageCount"]) == (201, 1)
    many = multipart(properties, *[unnamed] * 13)
    assert (await person.post("/ads", **many)).status_code == 409
