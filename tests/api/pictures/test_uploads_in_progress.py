"""Uploads in progress: how many of one account, how many bytes, and room on the disk."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, nullcontext, suppress
from pathlib import Path

import httpx2
import pytest

from adsvc.api.input.multipart import PREFIX
from adsvc.errors import DiskNearlyFullError, OverloadedError
from adsvc.kit import invalidation
from adsvc.kit.bulkheads.admission import Client
from adsvc.kit.bulkheads.uploads import DiskReserve, UploadReservation, Uploads
from conftest import ApiFactory
from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Person, ad_form, image_form, in_pieces
from support.trouble.breaking import full_after, gone
from support.trouble.clocks import Clock
from support.trouble.faults import form
from support.trouble.half_uploads import half_way

MEBIBYTE = 1024 * 1024
# All of one network but the last.
ANNA, BERTA, CARLA = (Client(name, ("192.0.2.1", "192.0.2.0/24")) for name in ("a", "b", "c"))
DORA = Client("d", ("198.51.100.1", "198.51.100.0/24"))
NO_RESERVE = DiskReserve({}, 0)
# More than any disk has.
EVERYTHING = 2**50
UPLOADS = (("POST", "/ads"), ("PATCH", "/ads/1/image"), ("PATCH", "/users/me/image"))
FORM = {"Content-Type": "multipart/form-data; boundary=frontier"}


async def refused_unread(
    person: Person, method: str, path: str, length: int = 0
) -> httpx2.Response:
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


@pytest.mark.heavy
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


@pytest.mark.heavy
async def test_so_many_bytes_are_under_way_of_all_together(start_api: ApiFactory) -> None:
    async with start_api(uploads_under_way_max_bytes=MEBIBYTE) as api:
        person, other = await api.person(), await api.person()
        # Who does not say how much it is has a MiB ahead.
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


@pytest.mark.heavy
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
        assert api.state.image_pool.admission.admitted == 0
        assert not left_files(tmp_path)
        assert (await person.post("/ads", files=ad_form())).status_code == 201


@pytest.mark.heavy
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


async def test_what_has_come_in_counts_as_if_it_were_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = os.statvfs(tmp_path)
    # UploadReservation for one and a half, however much others write to the disk meanwhile.
    large = 800 * MEBIBYTE
    reserve = max(1, stat.f_bavail * stat.f_frsize - 3 * large // 2)
    uploads = Uploads(DiskReserve({"disk": tmp_path}, reserve), per_user=8, max_bytes=10 * large)
    clock = Clock.of(invalidation, monkeypatch)
    clock.now = 1e9

    async def is_refused() -> bool:
        with suppress(DiskNearlyFullError):
            async with uploads.room(BERTA, large):
                return False
        return True

    for _ in range(2):
        async with uploads.room(ANNA, large) as room:
            # What was only announced does not count.
            assert not await is_refused()
            await room.take(large)
            assert await is_refused()
        # What has been stored since the disk was looked at does.
        assert await is_refused()
        clock.now += 1


async def test_an_account_has_its_share_of_the_bytes_that_have_come_in() -> None:
    uploads = Uploads(NO_RESERVE, per_user=8, max_bytes=64 * MEBIBYTE)
    async with AsyncExitStack() as stack:

        async def begin(party: Client, announced: int | None = None) -> UploadReservation:
            return await stack.enter_async_context(uploads.room(party, announced))

        # Whatever they announce and do not send, they have a MiB each.
        for _ in range(4):
            await begin(ANNA, 24 * MEBIBYTE)
        assert uploads.bytes_under_way == 4 * MEBIBYTE
        greedy = await begin(ANNA, 24 * MEBIBYTE)
        # More than their share, while there is as much for others.
        await greedy.take(24 * MEBIBYTE)
        with pytest.raises(OverloadedError):
            await begin(ANNA, 5 * MEBIBYTE)
        unknown = await begin(ANNA)
        await unknown.take(2 * MEBIBYTE)
        with pytest.raises(OverloadedError):
            await unknown.take(2 * MEBIBYTE)
        other = await begin(BERTA, 8 * MEBIBYTE)
        await other.take(8 * MEBIBYTE)
        with pytest.raises(OverloadedError):
            await begin(BERTA, MEBIBYTE)
        # What could not end is not begun.
        with pytest.raises(OverloadedError):
            await begin(CARLA, 9 * MEBIBYTE)
        await begin(CARLA, 8 * MEBIBYTE)


async def test_a_network_leaves_room_to_others() -> None:
    uploads = Uploads(NO_RESERVE, per_user=8, max_bytes=64 * MEBIBYTE)
    async with AsyncExitStack() as stack:
        for account in range(6):
            party = Client(account, ("192.0.2.1", "192.0.2.0/24"))
            room = await stack.enter_async_context(uploads.room(party, 8 * MEBIBYTE))
            await room.take(8 * MEBIBYTE)
        with pytest.raises(OverloadedError):
            await stack.enter_async_context(uploads.room(ANNA, MEBIBYTE))
        await stack.enter_async_context(uploads.room(DORA, 8 * MEBIBYTE))
    assert uploads.bytes_under_way == 0
    assert not uploads._bytes_of


@pytest.mark.heavy
async def test_each_picture_counts_and_not_each_upload(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", uploads_per_user=5) as api:
        person, other = await api.person(), await api.person()
        three = form(PROPERTIES, *[pictures.jpeg()] * 3)
        answer = await person.post("/ads", **three)
        assert answer.status_code == 201
        assert answer.headers["RateLimit"].startswith('"upload";r=2;')
        assert (await person.post("/ads", **three)).status_code == 429
        # Nothing was decoded.
        assert sum(api.state.image_pool.works.counts) == 3
        assert (await other.post("/ads", **three)).status_code == 201


@pytest.mark.guard
async def test_a_form_that_announces_more_than_the_limit_is_refused_before_it_is_read(
    start_api: ApiFactory,
) -> None:
    limits = {"uploads_per_user": 5, "image_max_bytes": MEBIBYTE}
    async with start_api(rate_limits="on", **limits) as api:
        person = await api.person()
        assert (await person.post("/ads", **form(PROPERTIES, pictures.jpeg()))).status_code == 201
        for _ in range(6):
            await refused_unread(person, "POST", "/ads", 6 * MEBIBYTE)
        # They counted nothing.
        four = form(PROPERTIES, *[pictures.jpeg()] * 4)
        assert (await person.post("/ads", **four)).status_code == 201


@pytest.mark.heavy
@pytest.mark.parametrize("body", ["declared", "chunked"])
async def test_what_was_received_of_a_form_beyond_the_limit_counts(
    start_api: ApiFactory, body: str
) -> None:
    limits = {"uploads_per_user": 5, "upload_window_seconds": 500, "image_max_bytes": MEBIBYTE}
    async with start_api(rate_limits="on", **limits) as api:
        person = await api.person()
        three = form(PROPERTIES, *[pictures.jpeg()] * 3)
        assert (await person.post("/ads", **three)).status_code == 201
        # Four pictures in the bytes of one and a half.
        large = pictures.jpeg()
        large += bytes(MEBIBYTE // 2 - len(large))
        four = form(PROPERTIES, *[large] * 3, pictures.jpeg())
        if body == "chunked":
            four["content"] = in_pieces(four["content"])
        refused = await person.post("/ads", **four)
        assert refused.status_code == 429
        # Three before and one and a half now: the wait is that for four.
        assert int(refused.headers["Retry-After"]) in range(320, 352)
        answer = await person.post("/ads", **form(PROPERTIES, pictures.jpeg()))
        assert answer.status_code == 429


@pytest.mark.guard
async def test_a_form_beyond_the_limit_counts_its_bytes_alone_and_fits_after_the_wait(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", uploads_per_user=5, upload_window_seconds=500) as api:
        person = await api.person()
        three = form(PROPERTIES, *[pictures.jpeg()] * 3)
        assert (await person.post("/ads", **three)).status_code == 201
        waits = []
        for path in ("/ads", "/ads", "/ads/1/images", "/ads"):
            refused = await person.post(path, **three)
            assert refused.status_code == 429, path
            waits.append(int(refused.headers["Retry-After"]))
        # The third picture has room when one of those before is 100 seconds old.
        assert {wait in range(80, 101) for wait in waits} == {True}, waits
        assert waits == sorted(waits, reverse=True)
        # What the refusals left: room for two.
        later = "UPDATE rate_limits SET due_at = due_at - make_interval(secs => :n)"
        await api.sql(later, n=waits[-1])
        assert (await person.post("/ads", **three)).status_code == 201
        assert (await person.post("/ads", **form(PROPERTIES, pictures.jpeg()))).status_code == 429


@pytest.mark.heavy
async def test_a_form_that_the_service_has_no_room_for_counts_nothing(
    start_api: ApiFactory,
) -> None:
    async with start_api(rate_limits="on", uploads_per_user=5) as api:
        person = await api.person()
        with full_after(100):
            for _ in range(6):
                answer = await person.post("/ads", **form(PROPERTIES, *[pictures.jpeg()] * 2))
                assert answer.status_code == 503
        answer = await person.post("/ads", **form(PROPERTIES, pictures.jpeg()))
        assert answer.headers["RateLimit"].startswith('"upload";r=4;')


@pytest.mark.heavy
async def test_a_repeated_form_counts_once(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", uploads_per_user=5) as api:
        person = await api.person()
        three = form(PROPERTIES, *[pictures.jpeg()] * 3)
        sent = {**three, "headers": {**three["headers"], "Idempotency-Key": "a form of three"}}
        first = await person.post("/ads", **sent)
        assert first.status_code == 201
        again = await person.post("/ads", **sent)
        assert (again.status_code, again.json()) == (201, first.json())
        assert again.headers["RateLimit"].startswith('"upload";r=1;')


@pytest.mark.heavy
async def test_a_reserve_of_nothing_is_none(start_api: ApiFactory) -> None:
    async with start_api(disk_reserve_bytes=0) as api:
        await (await api.person()).post_ad()
        assert (await api.client.get("/readyz")).status_code == 200
