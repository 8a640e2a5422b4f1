"""The server process, killed or stopped while it writes."""

import asyncio
import signal
import time
from random import Random

import pytest

from adsvc.kit.pictures.containers import files_of
from faults import kernel
from faults.conftest import NewService
from faults.ledger import Ledger, Writers, audit
from faults.scale import measured, times
from faults.served import Service, register
from faults.wire import Wire, noise, request_head
from support.scene.api import ad_form

pytestmark = pytest.mark.drill

SETTLING_SECONDS = 5
# Writes that were answered, of which none may be lost.
ENOUGH = 100
# Of a body that does not come.
UNSENT = "Content-Length: 100"


@pytest.mark.alone
async def test_row_23_nothing_is_lost_when_the_server_is_killed(service: Service) -> None:
    random = Random(23)
    ledger = Ledger()
    writers = Writers(service, ledger)
    await writers.start()
    for _ in range(times(20, short=3)):
        await asyncio.sleep(random.uniform(0.3, 1.5))
        workers = kernel.descendants(service.pid)
        await service.kill()
        # Decoder processes do not outlive their parent.
        deadline = time.monotonic() + SETTLING_SECONDS
        while any(kernel.is_alive(pid) for pid in workers):
            assert time.monotonic() < deadline
            await asyncio.sleep(0.05)
        await service.start()
    # Enough of them, however slow the machine.
    async with asyncio.timeout(20):
        while ledger.kept <= ENOUGH:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await writers.stop()
    await audit(service, ledger)
    assert ledger.unknown > 0

    await _sweep(service)
    await audit(service, ledger)


async def _sweep(service: Service) -> None:
    """What no row names is removed, if it is old enough."""
    stray = service.image_dir / "ab" / f"ab{30 * '0'}.jpg"
    stray.write_bytes(b"written a moment ago, and its row not yet")
    draft = stray.with_name(f".{stray.name}.tmp")
    draft.write_bytes(b"half of it")
    before = service.image_files()
    spared = await service.run("sweep", "--grace", "3600")
    assert spared.returncode == 0, spared.stderr
    assert service.image_files() == before
    # However many the kills left behind.
    swept = await service.run("sweep", "--grace", "0", "--force")
    assert swept.returncode == 0, swept.stderr
    assert not stray.exists()
    assert not draft.exists()
    async with service.client() as client:
        answer = await client.get("/ads", params={"limit": 1000})
        named = {ad["image"].rpartition("/")[2] for ad in answer.json()["results"]}
        assert answer.json()["next"] is None
    # Each with its variants.
    assert service.image_files() == set(files_of(sorted(named)))


async def test_row_23_workers_of_a_killed_server_give_up_the_port(
    new_service: NewService,
) -> None:
    """With several workers, the one that is killed only watches over them."""
    service = new_service(workers=2)
    await service.start()
    workers = kernel.descendants(service.pid)
    assert len(workers) >= 2
    await service.kill()
    deadline = time.monotonic() + SETTLING_SECONDS + 10
    while any(kernel.is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)
    await service.start()


async def test_a_worker_that_is_killed_is_replaced(new_service: NewService) -> None:
    service = new_service(workers=2)
    await service.start()
    command = b"multiprocessing.forkserver"

    def of_python() -> list[int]:
        """The process that forks, and the workers."""
        return [pid for pid in kernel.descendants(service.pid) if command in kernel.command(pid)]

    before = of_python()
    assert len(before) == 3
    kernel.signal_all(before, signal.SIGKILL)
    await asyncio.sleep(1)
    await service.answering()
    after = of_python()
    assert len(after) == 3
    assert not set(before) & set(after)


async def test_a_signal_to_all_processes_ends_the_first_of_them_last(
    new_service: NewService,
) -> None:
    """As some service managers send it; they then kill what is left."""
    service = new_service(workers=2)
    await service.start()
    slow = await Wire.open(service.port)
    await slow.send(request_head("POST", "/login", "Content-Type: application/json", UNSENT))
    others = [
        pid for pid in kernel.descendants(service.pid) if b"forkserver" in kernel.command(pid)
    ]
    kernel.signal_all([service.pid, *others], signal.SIGTERM)
    assert await service.ended(12) == 0
    _forking, *workers = others
    assert not any(kernel.is_alive(pid) for pid in workers)
    await slow.close()


async def _until_refused(service: Service, *, within: float) -> None:
    """New connections, which until then are still taken."""
    async with asyncio.timeout(within):
        while True:
            try:
                await (await Wire.open(service.port)).close()
            except ConnectionRefusedError:
                return
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("workers", [1, 2])
async def test_row_29_a_server_that_is_to_end_finishes_what_it_does(
    new_service: NewService, workers: int
) -> None:
    service = new_service(workers=workers)
    await service.start()
    async with service.client() as client:
        person = await register(client)
        await person.post_ad()
        # Uploads are under way, some of them in the middle of their body.
        uploads = [
            asyncio.create_task(person.post("/ads", files=ad_form(image=noise(700))))
            for _ in range(4)
        ]
        idle = await Wire.open(service.port)
        slow = await Wire.open(service.port)
        json_head = ("Content-Type: application/json", UNSENT)
        await slow.send(request_head("POST", "/login", *json_head))
        await asyncio.sleep(0.15)
        service.signal(signal.SIGTERM)
        began = time.monotonic()
        await _until_refused(service, within=3)
        answers = await asyncio.gather(*uploads)
        assert [answer.status_code for answer in answers] == [201] * len(answers)
        status = await service.ended(12)
        measured(f"row 29: from SIGTERM to the end, {workers} workers", time.monotonic() - began)
        assert time.monotonic() - began < 10
        assert status == 0
        # A client that has not sent all gets a response and is not just cut off.
        assert b" 408 " in (await slow.rest(1)).partition(b"\r\n")[0]
        await idle.close()
        await slow.close()
    assert "Traceback" not in service.log()


async def test_row_29_under_load_no_client_is_cut_off(service: Service) -> None:
    ledger = Ledger()
    writers = Writers(service, ledger)
    await writers.start()
    await asyncio.sleep(1)
    before = ledger.unknown
    service.signal(signal.SIGTERM)
    began = time.monotonic()
    assert await service.ended(12) == 0
    assert time.monotonic() - began < 10
    await service.start()
    await asyncio.sleep(1)
    await writers.stop()
    assert before == 0
    await audit(service, ledger)
