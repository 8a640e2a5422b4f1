"""A disk that fills, with the embedded database on it; and uploads that never end."""

import asyncio
import os
import secrets
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
import pytest
from PIL import Image

from adsvc.kit.bulkheads.uploads import RECOVERY_BYTES
from adsvc_ops.embedded.server import NO_PID
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


async def post_until_refused(person: Person) -> tuple[list[dict[str, Any]], httpx2.Response]:
    posted: list[dict[str, Any]] = []
    while True:
        answer = await person.post("/ads", files=ad_form(image=PICTURE))
        if answer.status_code != httpx2.codes.CREATED:
            return posted, answer
        posted.append(answer.json())


async def comment(person: Person, ad: dict[str, Any], text: str) -> int:
    path = f"/ads/{ad['pk']}/comments"
    return (await person.post(path, json={"text": text})).status_code


async def nothing_is_lost(client: httpx2.AsyncClient, posted: list[dict[str, Any]]) -> None:
    listed = (await client.get("/ads?limit=1000")).json()
    assert {ad["pk"] for ad in listed["results"]} == {ad["pk"] for ad in posted}
    for ad in posted:
        picture = await client.get(ad["image"])
        assert picture.status_code == httpx2.codes.OK
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
                assert refusal.status_code == httpx2.codes.SERVICE_UNAVAILABLE
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
                assert status in {httpx2.codes.OK, httpx2.codes.SERVICE_UNAVAILABLE}
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


async def until_not_ready(client: httpx2.AsyncClient, part: str, problem: str) -> None:
    async with asyncio.timeout(5):
        while True:
            answer = await client.get(f"/readyz?require={part}")
            if answer.status_code != httpx2.codes.OK:
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
                with suppress(httpx2.TransportError):
                    status = await comment(person, posted[0], f"{number} " + "x" * 1900)
                    assert status in {httpx2.codes.OK, httpx2.codes.SERVICE_UNAVAILABLE}
                    if status == httpx2.codes.OK:
                        acknowledged.append(number)
            kill_database(data)
            # Room was kept for its recovery.
            measured("row 33: back from a kill at no byte free", await until_back(client, data))
            # Now none is left, so it does not come back from the next.
            with filled(data, 1):
                kill_database(data)
                await until_not_ready(client, "writes", "/problems#unavailable")
                assert (await client.get("/livez")).status_code == httpx2.codes.OK
                await asyncio.sleep(times(10, short=5))
                assert (await client.get("/readyz")).status_code == 503
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
    told = [line for line in service.log().splitlines() if "does not start" in line]
    assert told
    assert all("MiB free" in line for line in told), told
    # Not twice a second.
    assert len(told) <= times(10, short=8)


def kill_database(data: Path) -> None:
    pid = int((data / "postgres" / "postmaster.pid").read_text().split()[0])
    # It may have ended by itself.
    if 0 < pid < NO_PID:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


async def until_back(client: httpx2.AsyncClient, data: Path) -> float:
    """How long it took until another server than the killed one answered."""
    began = time.monotonic()
    pid_file = data / "postgres" / "postmaster.pid"
    killed = pid_file.read_text()
    async with asyncio.timeout(60):
        while (now := pid_file.read_text()) == killed or "ready" not in now:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.05)
        while (await client.get("/ads?minPrice=1")).is_error:  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.05)
    return time.monotonic() - began


# On a disk this small the reserve is that of a recovery: more than a tenth.
SMALL = "200m"


def incompressible() -> str:
    """As long as a comment may be, four bytes a letter."""
    return "".join(chr(0x20000 + secrets.randbelow(0xA000)) for _ in range(2000))


async def test_row_44_text_ends_before_the_reserve_and_a_killed_database_comes_back() -> None:
    with TemporaryDirectory(prefix="adsvc-") as name, small_disk(Path(name) / "data", SMALL):
        service = Service(Path(name), rate_limits="off", text_quota_bytes=0)
        try:
            await service.start()
            await fill_by_text(service)
        finally:
            service.end()


async def fill_by_text(service: Service) -> None:
    data = service.image_dir.parent
    async with service.client() as client:
        people = [await register(client) for _ in range(6)]
        ads = [await person.post_ad() for person in people]

        async def write(person: Person, ad: dict[str, Any]) -> tuple[int, httpx2.Response]:
            for number in count():
                answer = await person.post(
                    f"/ads/{ad['pk']}/comments",
                    json={"text": incompressible()},
                    headers={"Idempotency-Key": f"{number}"},
                )
                if not answer.is_success:
                    return number, answer
            raise AssertionError

        with filled(data, RECOVERY_BYTES + times(64, short=6) * MEBIBYTE):
            results = await asyncio.gather(*map(write, people, ads))
            left = free(data)
            ready = await client.get("/readyz")
            assert (ready.status_code, ready.json()["degraded"]) == (200, ["pictures", "text"])
            # What gives room, and what needs none, goes on.
            assert (await people[0].delete(f"/ads/{ads[0]['pk']}")).status_code == 204
            assert (await client.get("/ads")).json()["count"] == len(ads) - 1
        measured("row 44: comments until the refusal", sum(number for number, _ in results), "")
        measured("row 44: free when text ended", left / MEBIBYTE, "MiB")
        for number, refusal in results:
            assert refusal.status_code == httpx2.codes.SERVICE_UNAVAILABLE, refusal.text
            assert refusal.json()["type"] == "/problems#disk-nearly-full"
            assert number > 0
        assert left > 32 * MEBIBYTE
        with filled(data, 13 * MEBIBYTE):
            kill_database(data)
            measured("row 44: back from a kill with 13 MiB free", await until_back(client, data))


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
                if answer.status_code == httpx2.codes.CREATED:
                    break
                await asyncio.sleep(0.2)
        assert not list(temporary.glob("adsvc-upload-*"))
