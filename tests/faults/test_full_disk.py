"""A disk that fills, with the embedded database on it; and uploads that never come to their end."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
from PIL import Image

from faults.conftest import NewService
from faults.kernel import resident
from faults.scale import measured, times
from faults.served import Service, register
from faults.stores import small_disk
from faults.wire import Answer, Wire, noise, request_head
from support.scene.api import Person, ad_form

pytestmark = pytest.mark.drill

MEBIBYTE = 1024 * 1024
DISK = "512m"
RESERVE = 96 * MEBIBYTE
# So much is left above the reserve before the uploads begin: enough for some dozen pictures.
ROOM = times(64, short=32) * MEBIBYTE
UPLOADERS = 4
PICTURE = noise(1000)
STALLED = 60
WHOLE = "/readyz?require=pictures&require=text&require=writes"


@pytest.fixture
def on_small_disk() -> Iterator[Service]:
    # Root's server runs as another user, who may not enter the directories of pytest.
    with TemporaryDirectory(prefix="adsvc-") as name:
        directory = Path(name)
        with small_disk(directory / "data", DISK):
            service = Service(directory, rate_limits="off", disk_reserve_bytes=RESERVE)
            try:
                yield service
            finally:
                service.end()


def free(directory: Path) -> int:
    disk = os.statvfs(directory)
    return disk.f_bavail * disk.f_frsize


@contextmanager
def filled(directory: Path, left: int) -> Iterator[None]:
    """Somebody else's file takes all the room but so much."""
    # Of one name for each size, so that one may stand beside another.
    filler = directory / f"filler-{left}"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while (room := free(directory) - left) > 0:
            file.write(bytes(min(room, MEBIBYTE)))
    try:
        yield
    finally:
        filler.unlink()


async def post_until_refused(person: Person) -> tuple[list[dict[str, Any]], httpx.Response]:
    posted: list[dict[str, Any]] = []
    while True:
        answer = await person.post("/ads", files=ad_form(image=PICTURE))
        if answer.status_code != httpx.codes.CREATED:
            return posted, answer
        posted.append(answer.json())


async def comment(person: Person, ad: dict[str, Any], text: str) -> int:
    path = f"/ads/{ad['pk']}/comments"
    return (await person.post(path, json={"text": text})).status_code


async def nothing_is_lost(client: httpx.AsyncClient, posted: list[dict[str, Any]]) -> None:
    listed = (await client.get("/ads?limit=1000")).json()
    assert {ad["pk"] for ad in listed["results"]} == {ad["pk"] for ad in posted}
    for ad in posted:
        picture = await client.get(ad["image"])
        assert picture.status_code == httpx.codes.OK
        Image.open(BytesIO(picture.content)).load()


async def test_row_33_uploads_end_before_the_reserve_and_the_database_goes_on(
    on_small_disk: Service,
) -> None:
    service = on_small_disk
    await service.start()
    data = service.image_dir.parent
    async with service.client() as client:
        people = [await register(client) for _ in range(UPLOADERS)]
        with filled(data, RESERVE + ROOM):
            results = await asyncio.gather(*(post_until_refused(person) for person in people))
            least = free(data)
            for _, refusal in results:
                assert refusal.status_code == httpx.codes.SERVICE_UNAVAILABLE
                assert refusal.json()["type"] == "/problems#disk-nearly-full"
            posted = [ad for ads, _ in results for ad in ads]
            measured("row 33: pictures until the refusal", len(posted), "")
            measured("row 33: free when uploads ended", least / MEBIBYTE, "MiB")
            assert len(posted) > UPLOADERS
            # What is under way is counted beforehand, but not what PostgreSQL writes.
            assert least > RESERVE - 4 * MEBIBYTE
            # What there is no room for as a picture may have room as text.
            for number in range(200):
                status = await comment(people[0], posted[0], f"Number {number}")
                assert status in {httpx.codes.OK, httpx.codes.SERVICE_UNAVAILABLE}
            assert (await people[0].post(f"/ads/{posted[0]['pk']}/withdraw")).is_success
            assert (await people[0].post(f"/ads/{posted[0]['pk']}/publish")).is_success
            # A picture of the size that was refused is what there is no room for.
            with filled(data, RESERVE - MEBIBYTE):
                await until_not_ready(client, "pictures", "/problems#disk-nearly-full")
                ready = await client.get("/readyz")
                assert ready.json()["degraded"] == ["pictures", "text"]
            await nothing_is_lost(client, posted)
        assert await service.answering(WHOLE, seconds=10) < 10
        posted.append(await people[0].post_ad(image=PICTURE))
        await nothing_is_lost(client, posted)


async def until_not_ready(client: httpx.AsyncClient, part: str, problem: str) -> None:
    async with asyncio.timeout(5):
        while True:
            answer = await client.get(f"/readyz?require={part}")
            if answer.status_code != httpx.codes.OK:
                break
            await asyncio.sleep(0.1)
    assert answer.json()["type"] == problem


async def test_row_33_at_no_byte_free_nothing_is_lost_and_the_database_starts_again_by_itself(
    on_small_disk: Service,
) -> None:
    service = on_small_disk
    await service.start()
    data = service.image_dir.parent
    async with service.client() as client:
        person = await register(client)
        posted = [await person.post_ad(image=PICTURE) for _ in range(3)]
        acknowledged = []
        with filled(data, 0):
            for number in range(times(300, short=100)):
                with suppress(httpx.TransportError):
                    status = await comment(person, posted[0], f"{number} " + "x" * 1900)
                    assert status in {httpx.codes.OK, httpx.codes.SERVICE_UNAVAILABLE}
                    if status == httpx.codes.OK:
                        acknowledged.append(number)
            # Whether or not it has ended by itself by now, it cannot come back as it is.
            pid = int((data / "postgres" / "postmaster.pid").read_text().split()[0])
            if pid > 0:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            await until_not_ready(client, "writes", "/problems#unavailable")
            assert (await client.get("/livez")).status_code == httpx.codes.OK
            await asyncio.sleep(times(5, short=2))
            assert (await client.get("/readyz")).status_code == httpx.codes.SERVICE_UNAVAILABLE
        took = await service.answering("/readyz", seconds=60)
        measured("row 33: from room on the disk to readiness", took)
        measured("row 33: comments acknowledged on a full disk", len(acknowledged), "")
        await nothing_is_lost(client, posted)
        found: set[int] = set()
        path = f"/ads/{posted[0]['pk']}/comments?limit=1000"
        for record in (await person.get(path)).json()["results"]:
            found.add(int(record["text"].split()[0]))
        assert set(acknowledged) <= found
        assert (await person.post("/ads", files=ad_form(image=PICTURE))).status_code == 201


async def stall(service: Service, head: bytes, body: bytes) -> tuple[Wire, Answer | None]:
    """All of an upload but its end; the answer, if it is refused before that."""
    wire = await Wire.open(service.port)
    answer = asyncio.create_task(wire.answer(seconds=5))
    with suppress(ConnectionError):
        async with asyncio.timeout(10):
            await wire.send(head + body)
    try:
        return wire, await answer
    except TimeoutError:
        return wire, None


async def test_row_34_stalled_uploads_of_one_account_are_few_and_others_are_served(
    new_service: NewService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    service = new_service(body_timeout_seconds=8)
    monkeypatch.undo()
    assert tempfile.gettempdir() != str(temporary)
    await service.start()
    async with service.client() as client:
        person, other = [await register(client) for _ in range(2)]
        await other.post_ad(image=PICTURE)
        before = resident(service.pid)
        length = 10 * MEBIBYTE
        head = request_head(
            *("POST", "/ads", f"Authorization: Bearer {person.token}"),
            *("Content-Type: multipart/form-data; boundary=frontier", f"Content-Length: {length}"),
        )
        part = b'--frontier\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'
        body = part + bytes(length - len(part) - 1024)
        stalling = asyncio.gather(*(stall(service, head, body) for _ in range(STALLED)))
        most = 0
        while not stalling.done():
            sizes = [path.stat().st_size for path in temporary.glob("adsvc-upload-*")]
            most = max(most, sum(sizes))
            assert (await other.post("/ads", files=ad_form(image=PICTURE))).status_code == 201
        results = await stalling
        refused = [answer.status for _, answer in results if answer is not None]
        measured("row 34: bytes of stalled uploads in files", most / MEBIBYTE, "MiB")
        grown = (resident(service.pid) - before) / MEBIBYTE
        measured("row 34: memory that 60 stalled uploads took", grown, "MiB")
        measured("row 34: refused of 60", len(refused), "")
        assert set(refused) <= {408, 429, 503}
        assert refused.count(429) >= STALLED // 2
        assert most <= 8 * 10.5 * MEBIBYTE
        for wire, _ in results:
            await wire.close()
        # The places are given back, by the deadline at the latest.
        async with asyncio.timeout(15):
            while True:
                answer = await person.post("/ads", files=ad_form(image=PICTURE))
                if answer.status_code == httpx.codes.CREATED:
                    break
                await asyncio.sleep(0.2)
        assert not list(temporary.glob("adsvc-upload-*"))
