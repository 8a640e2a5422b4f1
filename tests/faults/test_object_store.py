"""A real S3 that fails under a running service."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from adsvc.kit.pictures.containers import files_of
from faults.conftest import NewService
from faults.scale import SHORT, times
from faults.served import Service, register
from faults.stores import KIBIBYTE, LEFT_FREE, small_disk
from faults.wire import noise
from support.s3.gateway import Gateway, gateway, missing
from support.s3.server import BUCKET
from support.scene.api import Person, ad_form, image_form

pytestmark = pytest.mark.drill

PREFIX = "ads"
# Stored, it is larger than there is room for.
LARGE = noise(400)
SECONDS = 2


@contextmanager
def away(s3: Gateway) -> Iterator[None]:
    s3.kill()
    yield
    s3.start()


@contextmanager
def frozen(s3: Gateway) -> Iterator[None]:
    s3.signal(signal.SIGSTOP)
    yield
    s3.signal(signal.SIGCONT)


@contextmanager
def forbidden(s3: Gateway) -> Iterator[None]:
    """The secret was changed."""
    s3.kill()
    s3.start(secret="another secret")
    yield
    s3.kill()
    s3.start()


@contextmanager
def full(s3: Gateway) -> Iterator[None]:
    filler = s3.directory / "filler"
    with filler.open("wb", buffering=0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(KIBIBYTE))
        file.truncate(file.tell() - LEFT_FREE)
    yield
    filler.unlink()


FAULTS: dict[str, Callable[[Gateway], Any]] = {
    "away": away,
    "frozen": frozen,
    "forbidden": forbidden,
    "full": full,
}


@pytest.fixture
def s3(s3_credentials: None, tmp_path: Path) -> Iterator[Gateway]:  # noqa: ARG001 - variables
    """On a disk of its own, which is small."""
    why = missing(build=not SHORT)
    if why is not None:
        pytest.skip(why)
    with small_disk(tmp_path / "small", "8m"), gateway(tmp_path / "small") as started:
        yield started


def objects(s3: Gateway) -> set[str]:
    directory = s3.directory / "s3" / BUCKET / PREFIX
    return {path.name for path in directory.iterdir() if not path.name.startswith(".")}


async def rows(person: Person, ad: dict[str, Any]) -> list[dict[str, Any]]:
    answers = [await person.get(path) for path in ("/ads", f"/ads/{ad['pk']}", "/users/me")]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    return [answer.json() for answer in answers]


async def uploads(person: Person, ad: dict[str, Any]) -> list[httpx2.Response]:
    return [
        await person.post("/ads", files=ad_form(image=LARGE)),
        await person.patch(f"/ads/{ad['pk']}/image", files=image_form(LARGE)),
        await person.patch("/users/me/image", files=image_form(LARGE)),
    ]


@pytest.mark.parametrize("name", FAULTS)
async def test_row_27_a_bucket_that_fails_loses_nothing(
    new_service: NewService, s3: Gateway, name: str
) -> None:
    service = new_service(
        **s3.server.settings(PREFIX), s3_timeout_seconds=SECONDS, disk_reserve_bytes=0,
        answers_max_bytes=0,
    )  # fmt: skip
    await service.start()
    async with service.client() as client:
        await _survive(service, s3, await register(client), name)


async def _survive(service: Service, s3: Gateway, person: Person, name: str) -> None:
    ad = await person.post_ad()
    before, files = await rows(person, ad), objects(s3)
    for _ in range(times(3, short=1)):
        with FAULTS[name](s3):
            answers = await uploads(person, ad)
            if name != "full":
                answers.append(await person.client.get(ad["image"]))
                answers.append(await person.client.get("/readyz?require=pictures"))
            for answer in answers:
                assert answer.status_code == 503, answer.text
                assert answer.json()["type"] == "/problems#image-store-unavailable"
                assert int(answer.headers["retry-after"]) >= 1
            assert await rows(person, ad) == before
        await service.answering("/readyz?require=pictures")
        # What a frozen one carried out after the request was given up is swept.
        assert (await service.run("sweep", "--grace", "0")).returncode == 0
        assert objects(s3) == files
        assert (await person.client.get(ad["image"])).status_code == 200
    assert [answer.status_code for answer in await uploads(person, ad)] == [201, 200, 200]
    for file in await named(person):
        stored = await person.client.get(f"/images/{file}")
        Image.open(BytesIO(stored.content)).load()
    assert objects(s3) == await named(person)


@pytest.mark.parametrize("name", ["away", "frozen", "forbidden"])
async def test_row_57_nodes_that_restart_while_the_bucket_is_away_serve_lists_and_ads(
    new_service: NewService, s3: Gateway, name: str
) -> None:
    services = [
        new_service(**s3.server.settings(PREFIX), s3_timeout_seconds=SECONDS, disk_reserve_bytes=0)
        for _ in range(times(2, short=1))
    ]
    await services[0].start()
    async with services[0].client() as client:
        person = await register(client)
        ad = await person.post_ad()
        before = await rows(person, ad)
        await services[0].kill()
        with FAULTS[name](s3):
            for service in services:
                await service.start()
            assert await rows(person, ad) == before
            ready = await client.get("/readyz")
            assert (ready.status_code, ready.json()["degraded"]) == (200, ["pictures"])
            for answer in await uploads(person, ad):
                assert answer.status_code == 503, answer.text
                assert answer.json()["type"] == "/problems#image-store-unavailable"
            assert await rows(person, ad) == before
        for service in services:
            await service.answering("/readyz?require=pictures")
        assert [answer.status_code for answer in await uploads(person, ad)] == [201, 200, 200]


async def named(person: Person) -> set[str]:
    listing = (await person.get("/ads")).json()["results"]
    avatar = (await person.get("/users/me")).json()["image"].rpartition("/")[2]
    return {*files_of([ad["image"].rpartition("/")[2] for ad in listing]), avatar}
