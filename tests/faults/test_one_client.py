"""One client that sends as much as it can, and what others get meanwhile."""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from faults import greedy
from faults.conftest import NewService
from faults.scale import SHORT, measured, times
from faults.served import Service, register
from proxy.nginx import PROGRAM, proxying
from support.pictures import samples
from support.scene.api import PASSWORD, PROPERTIES, Person

pytestmark = [pytest.mark.drill, pytest.mark.alone]

# All of 127.0.0.0/8 is this machine; these have no /24 in common.
GREEDY, OTHERS = "127.0.1.1", "127.0.2.1"
SECONDS = times(30, short=12)
PAUSE = 0.25
# A machine that is busy with other drills makes as much of a difference by itself.
UNNOTICED = 5 if SHORT else 0.5
SIDE = 6320

Ask = Callable[[int], Awaitable[httpx2.Response]]


class Probe:
    """What others ask for, again and again, one at a time."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._number = 0

    async def asked(self, seconds: float) -> tuple[float, float, Counter[int]]:
        """The part that was answered well, the 95th percentile of the times, and all statuses."""
        times_taken, statuses = [], Counter[int]()
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            self._number += 1
            began = time.monotonic()
            try:
                status = (await self._ask(self._number)).status_code
            except httpx2.TransportError:
                status = 0
            statuses[status] += 1
            times_taken.append(time.monotonic() - began)
            await asyncio.sleep(PAUSE)
        good = sum(number for status, number in statuses.items() if 200 <= status < 300)
        slow = sorted(times_taken)[int(len(times_taken) * 0.95)]
        return good / statuses.total(), slow, statuses


@asynccontextmanager
async def attack(port: int, **wanted: Any) -> AsyncIterator[None]:
    words = json.dumps({"port": port, "seconds": 120, "source": GREEDY, **wanted})
    process = await asyncio.create_subprocess_exec(sys.executable, greedy.__file__, words)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def others_are_served(
    name: str, ask: Ask, under_attack: AbstractAsyncContextManager[None]
) -> None:
    probe = Probe(ask)
    await probe.asked(1)
    _, usual, _ = await probe.asked(SECONDS / 2)
    async with under_attack:
        # It makes its pictures first, and the pool a process that was not needed before.
        await asyncio.sleep(4)
        await probe.asked(times(10, short=6))
        good, slow, statuses = await probe.asked(SECONDS)
    await asyncio.sleep(1)
    _, afterwards, _ = await probe.asked(SECONDS / 2)
    usual = max(usual, afterwards)
    measured(f"{name}: others were answered", 100 * good, "%")
    measured(f"{name}: p95 of others, and without it {usual:.3g} s", slow)
    assert good >= 0.95, statuses
    assert slow <= max(3 * usual, UNNOTICED)


def client_of(service: Service, source: str, **options: Any) -> httpx2.AsyncClient:
    return service.client(transport=httpx2.AsyncHTTPTransport(local_address=source), **options)


def upload_by(person: Person) -> Ask:
    content = samples.phone_photo(1600, 1200)
    record = json.dumps(PROPERTIES)

    async def ask(number: int) -> httpx2.Response:
        files = {
            "properties": (None, record, "application/json"),
            "image": (f"{number}.jpg", content, "image/jpeg"),
        }
        return await person.post("/ads", files=files)

    return ask


async def test_row_43_uploads_that_only_announce_take_no_room_from_others(
    new_service: NewService,
) -> None:
    service = new_service(rate_limits="on", uploads_per_user=100_000)
    await service.start()
    async with client_of(service, GREEDY) as near, client_of(service, OTHERS) as far:
        thief, other = await register(near), await register(far)
        await others_are_served(
            "row 43, announced",
            upload_by(other),
            attack(service.port, kind="announce", tokens=[thief.token]),
        )


@pytest.mark.parametrize("number", [1, 4])
async def test_row_43_logins_of_one_client_keep_no_others_out(
    new_service: NewService, number: int
) -> None:
    service = new_service(rate_limits="on", login_attempts_in_all=100_000)
    await service.start()
    async with client_of(service, GREEDY) as near, client_of(service, OTHERS) as far:
        thieves = [await register(near) for _ in range(number)]
        others = [await register(far) for _ in range(5)]
        await others_are_served(
            f"row 43, logins of {number}",
            login_of(far, others),
            attack(
                service.port,
                kind="log_in",
                accounts=[(thief.username, PASSWORD) for thief in thieves],
            ),
        )


def login_of(client: httpx2.AsyncClient, people: list[Person]) -> Ask:
    async def ask(number: int) -> httpx2.Response:
        name = people[number % len(people)].username
        return await client.post("/login", json={"username": name, "password": PASSWORD})

    return ask


@pytest.mark.parametrize("number", [1, 2])
async def test_row_43_slow_pictures_of_one_client_do_not_hold_up_those_of_others(
    new_service: NewService, number: int
) -> None:
    service = new_service(rate_limits="on", uploads_per_user=100_000)
    await service.start()
    async with client_of(service, GREEDY) as near, client_of(service, OTHERS) as far:
        thieves, other = [await register(near) for _ in range(number)], await register(far)
        await others_are_served(
            f"row 43, pictures of {number}",
            upload_by(other),
            attack(
                service.port,
                kind="upload",
                tokens=[thief.token for thief in thieves],
                side=SIDE,
            ),
        )


async def test_row_43_feeds_of_two_accounts_leave_time_for_others(new_service: NewService) -> None:
    service = new_service(rate_limits="on")
    await service.start()
    async with client_of(service, GREEDY) as near, client_of(service, OTHERS) as far:
        thieves = [await register(near) for _ in range(2)]
        probe = Probe(lambda number: far.get("/ads", params={"minPrice": number}))
        _, usual, _ = await probe.asked(2)
        async with attack(service.port, kind="feeds", tokens=[thief.token for thief in thieves]):
            # It makes its feeds first.
            await asyncio.sleep(2)
            good, slow, statuses = await probe.asked(8)
    measured("row 43, feeds: others were answered", 100 * good, "%")
    measured(f"row 43, feeds: p95 of others, and without them {usual:.3g} s", slow)
    assert good >= 0.95, statuses


@pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed")
async def test_row_43_through_the_proxy_too(new_service: NewService, tmp_path: Path) -> None:
    service = new_service(
        rate_limits="on",
        trusted_proxies="127.0.0.1",
        uploads_per_user=100_000,
        login_attempts_in_all=100_000,
    )
    await service.start()
    with proxying(tmp_path / "nginx", [service.port], service.image_dir) as proxy:
        transport = httpx2.AsyncHTTPTransport(local_address=OTHERS)
        async with (
            client_of(service, GREEDY) as near,
            httpx2.AsyncClient(base_url=proxy.address, timeout=30, transport=transport) as far,
        ):
            thief, others = await register(near), [await register(far) for _ in range(5)]
            await others_are_served(
                "row 43, announced, by nginx",
                upload_by(others[0]),
                attack(proxy.port, kind="announce", tokens=[thief.token]),
            )
            await others_are_served(
                "row 43, logins, by nginx",
                login_of(far, others),
                attack(proxy.port, kind="log_in", accounts=[(thief.username, PASSWORD)]),
            )
