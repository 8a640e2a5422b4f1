"""More connections than a process can have."""

import asyncio
import resource

import pytest

from adsvc.kit.process import setup
from faults.conftest import NewService
from faults.here import ServeHere
from faults.scale import figures
from faults.served import register
from faults.wire import Wire, noise, request_head

CROWD = "127.0.0.1"
SOMEBODY = "127.0.0.2"
LOGIN = ("POST", "/login", "Content-Type: application/json")


@pytest.mark.heavy
async def test_row_20_the_client_with_the_most_connections_loses_them_first(
    serve_here: ServeHere,
) -> None:
    async with serve_here(connections=20) as here:
        kept = await Wire.open(here.port, source=SOMEBODY)
        await kept.send(request_head("GET", "/livez"))
        assert (await kept.answer()).status == 200
        uploading = await Wire.open(here.port, source=SOMEBODY)
        await uploading.send(request_head(*LOGIN, "Content-Length: 2") + b"{")
        crowd = []
        for _ in range(100):
            crowd.append(await Wire.open(here.port, source=CROWD))
            # It is there, and was not turned away.
            await crowd[-1].send(request_head("GET", "/livez"))
            assert (await crowd[-1].answer()).status == 200
        await uploading.send(b"}")
        assert (await uploading.answer()).status == 400
        await kept.send(request_head("GET", "/livez"))
        assert (await kept.answer()).status == 200
        left = [wire for wire in crowd if not wire.is_closed]
        assert 0 < len(left) <= 20
        for wire in (kept, uploading, *crowd):
            await wire.close()


def test_the_soft_limit_of_open_files_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"soft": 256, "hard": resource.RLIM_INFINITY}

    def set_limit(_: int, pair: tuple[int, int]) -> None:
        limits["soft"], limits["hard"] = pair

    monkeypatch.setattr(resource, "getrlimit", lambda _: (limits["soft"], limits["hard"]))
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    room = setup.room.__wrapped__
    assert room(21) == (256 - 128 - 21) // 2
    setup.raise_limit()
    assert limits == {"soft": setup.WANTED, "hard": resource.RLIM_INFINITY}
    assert room(21) > 8192
    limits.update(soft=256, hard=1024)
    setup.raise_limit()
    assert limits == {"soft": 1024, "hard": 1024}
    # What is more already, or cannot be enough, is left.
    limits.update(soft=100_000, hard=100_000)
    setup.raise_limit()
    assert limits["soft"] == 100_000
    limits.update(soft=100, hard=100)
    assert room(21) == 1
    limits.update(soft=resource.RLIM_INFINITY)
    assert room(21) > 8192


@pytest.mark.drill
@pytest.mark.alone
async def test_row_20_idle_connections_leave_the_service_the_files_that_it_needs(
    new_service: NewService,
) -> None:
    """It may open 400, and a crowd holds 3,000 connections or tries to."""
    service = new_service()
    service.descriptors = 400
    await service.start()
    async with service.client() as client:
        person = await register(client)
        crowd: list[Wire] = []

        async def gather() -> None:
            while len(crowd) < 3000:
                crowd.append(await Wire.open(service.port, source=SOMEBODY))

        gathering = asyncio.create_task(gather())
        statuses: list[list[int]] = []
        while not gathering.done():
            ad = await person.post_ad(image=noise(200))
            answers = (
                await client.get(f"/ads?minPrice={len(statuses)}"),
                await client.get(ad["image"]),
                await client.get("/readyz"),
            )
            statuses.append([answer.status_code for answer in answers])
        await gathering
        assert statuses == [[200, 200, 200]] * len(statuses)
    figures.append(f"20: {len(statuses)} uploads while 3,000 connections were opened, all served")
    for wire in crowd:
        await wire.close()
    assert "Too many open files" not in service.log()
