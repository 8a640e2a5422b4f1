"""Hostile pictures, and decoders that fail, hang or are killed."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from io import BytesIO

import pytest
from PIL import Image

from adsvc.kit.bulkheads.pools import ProcessPool, WorkFailedError
from adsvc.kit.pictures.containers import files_of
from adsvc.kit.process.offload import CHILD
from faults import kernel
from faults.conftest import NewService, Town
from faults.scale import measured
from faults.served import Service, register
from faults.wire import noise
from support.pictures import samples as pictures
from support.pictures.harmless import HARMLESS
from support.pictures.hostile import HOSTILE
from support.scene.api import ad_form, image_form

# Of the slowest three, on a machine that others use too.
SECONDS = 0.3
GROWTH = 200 * kernel.MEBIBYTE
LARGEST = 10 * kernel.MEBIBYTE


def _family(pid: int) -> list[int]:
    return [pid, *kernel.descendants(pid)]


async def _warm(town: Town) -> list[int]:
    """Both processes that decode are there, and have done some work."""
    form = image_form(pictures.jpeg(2000, 1500))
    path = f"/ads/{town.ad['pk']}/image"
    await asyncio.gather(*(town.author.patch(path, files=form) for _ in range(4)))
    return _family(town.service.pid)


@pytest.mark.alone
@pytest.mark.drill
async def test_row_07_hostile_pictures_are_refused_quickly_and_cheaply(town: Town) -> None:
    family = await _warm(town)
    before = sorted(town.service.image_files())
    resident = sum(kernel.resident(pid) for pid in family)
    for pid in family:
        kernel.forget_peak(pid)
    took: dict[str, float] = {}
    for name, hostile in HOSTILE.items():
        data = hostile.make()
        status = hostile.status if len(data) <= LARGEST else 413
        form = image_form(data)
        # The better of two: other programs run here too.
        for _ in range(2):
            began = time.perf_counter()
            answer = await town.author.patch(f"/ads/{town.ad['pk']}/image", files=form)
            seconds = time.perf_counter() - began
            took[name] = min(took.get(name, seconds), seconds)
            assert (name, answer.status_code) == (name, status)
    slowest = max(took, key=lambda name: took[name])
    grown = sum(kernel.peak(pid) for pid in _family(town.service.pid)) - resident
    measured(f"row 7: slowest refusal ({slowest})", took[slowest])
    measured("row 7: memory for hostile pictures", grown / kernel.MEBIBYTE, "MiB")
    assert sorted(town.service.image_files()) == before
    assert took[slowest] < SECONDS
    assert grown < GROWTH


@pytest.mark.drill
async def test_row_07_stored_pictures_carry_nothing_of_their_origin(town: Town) -> None:
    photo = pictures.phone_photo()
    ad = await town.author.post_ad(image=photo)
    stored = (await town.client.get(ad["image"])).content
    picture = Image.open(BytesIO(stored))
    assert pictures.SECRET in photo
    assert pictures.SECRET not in stored
    assert not picture.getexif()
    # A camera held upright: turned by a quarter.
    assert picture.height > picture.width
    for name, make in HARMLESS.items():
        answer = await town.author.patch(f"/ads/{town.ad['pk']}/image", files=image_form(make()))
        assert (name, answer.status_code) == (name, 200)
        assert b"<?php" not in answer.content


@pytest.mark.alone
@pytest.mark.drill
async def test_row_07_the_worst_picture_that_is_accepted_is_bounded_too(town: Town) -> None:
    """As many pixels as are allowed, in the mode that takes most."""
    family = await _warm(town)
    resident = {pid: kernel.resident(pid) for pid in family}
    for pid in family:
        kernel.forget_peak(pid)
    side = 6324
    large = Image.linear_gradient("L").resize((side, side)).convert("RGBA")
    data = pictures.encoded(large, "PNG", compress_level=1)
    began = time.perf_counter()
    answer = await town.author.patch(f"/ads/{town.ad['pk']}/image", files=image_form(data))
    seconds = time.perf_counter() - began
    assert answer.status_code == 200, answer.text
    grown = sum(max(0, kernel.peak(pid) - resident[pid]) for pid in family)
    measured("row 7: the largest accepted picture", seconds)
    measured("row 7: memory for it", grown / kernel.MEBIBYTE, "MiB")
    assert grown < 400 * kernel.MEBIBYTE
    assert seconds < 15


@pytest.mark.alone
@pytest.mark.drill
async def test_a_decoder_that_is_killed_costs_one_request(service: Service) -> None:
    async with service.client() as client:
        person = await register(client)
        ad = await person.post_ad()
        form = image_form(noise(1700))
        for _ in range(3):
            upload = asyncio.create_task(person.patch(f"/ads/{ad['pk']}/image", files=form))
            deadline = time.monotonic() + 10
            # Once it is busy, it has the picture.
            while not (busy := _busy_decoders(service)):
                assert time.monotonic() < deadline
                await asyncio.sleep(0.005)
            kernel.signal_all(busy, signal.SIGKILL)
            answer = await upload
            assert answer.status_code == 400
            assert answer.json()["type"] == "/problems#invalid-image"
            assert (await person.patch(f"/ads/{ad['pk']}/image", files=form)).status_code == 200
        assert (await client.get("/readyz")).status_code == 200
        named = (await person.get(f"/ads/{ad['pk']}")).json()["image"].rpartition("/")[2]
        assert service.image_files() == set(files_of([named]))


def _busy_decoders(service: Service) -> list[int]:
    return [
        pid
        for pid in kernel.descendants(service.pid)
        if os.fsencode(CHILD) in kernel.command(pid)
        if kernel.is_running(pid)
    ]


@pytest.mark.alone
@pytest.mark.drill
async def test_a_decoder_that_hangs_is_ended(new_service: NewService) -> None:
    service = new_service(image_seconds=1, image_workers=1)
    await service.start()
    async with service.client() as client:
        person = await register(client)
        await person.post_ad()
        [decoder] = kernel.descendants(service.pid)
        kernel.signal_all([decoder], signal.SIGSTOP)
        began = time.monotonic()
        answer = await person.post("/ads", files=ad_form())
        assert answer.status_code == 400
        assert time.monotonic() - began < 3
        assert not kernel.is_alive(decoder)
        assert (await person.post("/ads", files=ad_form())).status_code == 201


def crash(_: bytes) -> bytes:
    os._exit(1)


def loop(_: bytes) -> bytes:
    while True:
        pass


def hog(_: bytes) -> bytes:
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


@pytest.mark.heavy
@pytest.mark.parametrize("fail", [crash, loop, hog])
async def test_row_07_failed_work_is_distinguished_from_finished_work(
    fail: Callable[[bytes], bytes],
) -> None:
    pool = ProcessPool(workers=1, queue=0, seconds=2)
    with pool.slot() as slot, pytest.raises(WorkFailedError):
        await slot.run(fail)
    with pool.slot() as slot:
        assert await slot.run(bytes.upper) == b""
