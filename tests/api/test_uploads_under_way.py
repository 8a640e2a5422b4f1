"""Uploads that are coming in: how many of one account, how many bytes, and room on the disk."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest

from adsvc import cache
from adsvc.api.input.form_parts import PREFIX
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Person, ad_form, image_form, in_pieces, multipart, part
from support.trouble.breaking import gone
from support.trouble.clocks import Clock
from support.trouble.half_uploads import half_way

MEBIBYTE = 1024 * 1024
# More than any disk has.
EVERYTHING = 2**50
UPLOADS = (("POST", "/ads"), ("PATCH", "/ads/1/image"), ("PATCH", "/users/me/image"))
FORM = {"Content-Type": "multipart/form-data; boundary=frontier"}


async def refused_unread(person: Person, method: str, path: str, length: int = 0) -> httpx.Response:
    read = []

    async def body() -> AsyncIterator[bytes]:
        read.append(True)
        yield b""

    headers = {**FORM, **({"Content-Length": str(length)} if length else {})}
    answer = await person.request(method, path, content=body(), headers=headers)
    assert answer.status_code in {429, 503}
    assert int(answer.headers["Retry-After"]) >= 1
    assert not read
    return answer


async def test_one_account_has_so_many_uploads_under_way_and_others_theirs(
    start_api: ApiFactory,
) -> None:
    async with start_api(uploads_under_way_per_user=2) as api:
        person, other = await api.person(), await api.person()
        await person.post_ad()
        async with half_way(person, 2) as uploads:
            for method, path in UPLOADS:
                answer = await refused_unread(person, method, path)
                assert answer.status_code == 429
                assert answer.json()["type"] == "/problems#too-many-uploads"
            assert (await other.post("/ads", files=ad_form())).status_code == 201
        assert [upload.result().status_code for upload in uploads] == [201, 201]
        assert (await person.patch("/users/me/image", files=image_form())).status_code == 200


async def test_so_many_bytes_are_under_way_of_all_together(start_api: ApiFactory) -> None:
    async with start_api(uploads_under_way_max_bytes=MEBIBYTE) as api:
        person, other = await api.person(), await api.person()
        # Whoever does not say how much it is may send the most.
        async with half_way(person, 1) as [upload]:
            answer = await refused_unread(other, "POST", "/ads", 1000)
            assert answer.json()["type"] == "/problems#overloaded"
        # One upload is taken however large, or none of that size could ever be.
        assert upload.result().status_code == 201
        async with half_way(person, 1, length=MEBIBYTE // 2) as [upload]:
            await refused_unread(other, "POST", "/ads", MEBIBYTE // 2 + 1)
            assert (await other.post("/ads", files=ad_form())).status_code == 201
        assert upload.result().status_code == 400


def left_files(directory: Path) -> list[Path]:
    return list(directory.glob(f"{PREFIX}*"))


@pytest.mark.parametrize("end", ["stored", "refused", "left", "not stored"])
async def test_room_is_given_back_however_an_upload_ends(
    start_api: ApiFactory, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    complete = end in {"stored", "not stored"}
    async with start_api(uploads_under_way_per_user=1) as api:
        person, store = await api.person(), api.state.settings.image_dir
        for _ in range(3):
            with gone(store) if end == "not stored" else nullcontext():
                async with half_way(person, 1, length=0 if complete else 10) as [upload]:
                    await refused_unread(person, "POST", "/ads")
                    if end == "left":
                        upload.cancel()
                        await asyncio.wait([upload])
                if complete:
                    assert upload.result().status_code == (201 if end == "stored" else 503)
        assert api.state.uploads.bytes_under_way == 0
        assert api.state.image_pool._admission.admitted == 0
        assert not left_files(tmp_path)
        assert (await person.post("/ads", files=ad_form())).status_code == 201


async def test_below_the_reserve_no_picture_is_taken_and_everything_else_is(
    start_api: ApiFactory,
) -> None:
    async with start_api() as api:
        person = await api.person()
        ad = await person.post_ad()
    async with start_api(disk_reserve_bytes=EVERYTHING) as api:
        person.client = api.client
        for method, path in UPLOADS:
            answer = await refused_unread(person, method, path)
            assert answer.status_code == 503
            assert answer.json()["type"] == "/problems#disk-nearly-full"
        ready = await api.client.get("/readyz")
        assert (ready.status_code, ready.json()["degraded"]) == (200, ["pictures"])
        required = await api.client.get("/readyz?require=pictures")
        assert required.status_code == 503
        assert required.json()["type"] == "/problems#disk-nearly-full"
        assert (await person.post(f"/ads/{ad['pk']}/comments", json={"text": "x"})).is_success
        assert (await person.patch(f"/ads/{ad['pk']}", json={"price": 5})).status_code == 200
        assert (await api.client.get(ad["image"])).status_code == 200
        assert (await person.delete(f"/ads/{ad['pk']}")).status_code == 204


async def test_what_is_under_way_counts_as_if_it_were_on_the_disk(
    start_api: ApiFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = os.statvfs(tmp_path)
    # Room for one and a half, however much others write to the disk meanwhile.
    large = 800 * MEBIBYTE
    reserve = max(1, stat.f_bavail * stat.f_frsize - 3 * large // 2)
    limits = {"image_max_bytes": large, "uploads_under_way_max_bytes": 10 * large}
    async with start_api(disk_reserve_bytes=reserve, **limits) as api:
        person = await api.person()
        async with half_way(person, 1, length=large):
            answer = await refused_unread(person, "POST", "/ads", large)
            assert answer.json()["type"] == "/problems#disk-nearly-full"
        # So does what has been stored since the disk was looked at. Nobody says how much it is.
        clock = Clock.of(cache, monkeypatch)
        clock.now = 1e9
        for _ in range(2):
            assert (await person.post("/ads", **chunked_form())).status_code == 201
            await refused_unread(person, "POST", "/ads", large)
            clock.now += 1


def chunked_form() -> dict[str, Any]:
    form = multipart(
        part("properties", json.dumps(PROPERTIES).encode()),
        part("image", pictures.jpeg(), filename="photo.jpg"),
    )
    return {"content": in_pieces(form["content"]), "headers": form["headers"]}


async def test_a_reserve_of_nothing_is_none(start_api: ApiFactory) -> None:
    async with start_api(disk_reserve_bytes=0) as api:
        await (await api.person()).post_ad()
        assert (await api.client.get("/readyz")).status_code == 200
