"""One account that exports all it has, as often at once as it can."""

import asyncio
import statistics
import time
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context

import httpx2
import pytest

from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import Service, register
from support.scene.api import Person

pytestmark = [pytest.mark.drill, pytest.mark.alone]

SECONDS = times(20, short=8)
COMMENTS = times(620, short=300)
AT_ONCE = 50
LONGEST = "𝔸" * 2000


@dataclass
class Met:
    """How others fared."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.seconds, n=20)[-1]


async def others(client: httpx2.AsyncClient, person: Person, ad: str, until: float) -> Met:
    met, number = Met(), 0
    while time.monotonic() < until:
        number += 1
        for method, path, body in (
            ("GET", "/readyz", None),
            ("GET", ad, None),
            ("GET", "/users/me", None),
            ("GET", f"/ads?minPrice={number}", None),
            ("POST", f"{ad}/comments", {"text": f"Number {number}"}),
        ):
            began = time.monotonic()
            answer = await client.request(method, path, json=body, headers=person.headers)
            met.seconds.append(time.monotonic() - began)
            met.statuses[answer.status_code] += 1
        await asyncio.sleep(0.05)
    return met


async def _flood(address: str, headers: dict[str, str], seconds: float) -> Counter[str]:
    until, outcomes = time.monotonic() + seconds, Counter[str]()
    limits = httpx2.Limits(max_connections=AT_ONCE)

    async def export() -> None:
        while time.monotonic() < until:
            try:
                answer = await client.get("/users/me/export", headers=headers)
                whole = answer.content.endswith((b"]}", b'"}'))
                outcomes[str(answer.status_code) if whole else "broken off"] += 1
            except httpx2.TransportError:
                outcomes["broken off"] += 1
            await asyncio.sleep(0.2)

    async with httpx2.AsyncClient(base_url=address, limits=limits, timeout=30) as client:
        await asyncio.gather(*(export() for _ in range(AT_ONCE)))
    return outcomes


def flood(address: str, headers: dict[str, str], seconds: float) -> Counter[str]:
    """In a process of its own, so that the client does not hold up the others."""
    return asyncio.run(_flood(address, headers, seconds))


async def test_row_43_exports_of_one_account_leave_others_alone(new_service: NewService) -> None:
    service = new_service(rate_limits="off")
    await service.start()
    with ProcessPoolExecutor(1, get_context("spawn")) as attacker:
        await survive(service, attacker)


async def survive(service: Service, attacker: Executor) -> None:
    async with service.client() as client:
        person, other = await register(client), await register(client)
        ad = f"/ads/{(await other.post_ad())['pk']}"
        for _ in range(COMMENTS):
            answer = await person.post(f"{ad}/comments", json={"text": LONGEST})
            assert answer.is_success, answer.text
        usual = await others(client, other, ad, time.monotonic() + SECONDS)
        loop = asyncio.get_running_loop()
        # It has to start, too.
        flooding = loop.run_in_executor(
            attacker, flood, service.address, person.headers, SECONDS + 2
        )
        await asyncio.sleep(2)
        met = await others(client, other, ad, time.monotonic() + SECONDS)
        outcomes = await flooding
        document = (await person.get("/users/me/export")).json()
        assert len(document["comments"]) == COMMENTS
    measured("row 43: exports that were made", outcomes["200"], "")
    measured("row 43: exports that were refused", outcomes["429"], "")
    measured("row 43: p95 of others' requests before", usual.p95)
    measured("row 43: p95 of others' requests during the exports", met.p95)
    assert set(outcomes) <= {"200", "429"}
    assert outcomes["200"] > 0
    assert met.statuses[200] >= 0.95 * met.statuses.total()
    assert met.p95 <= 3 * usual.p95
    assert "Traceback" not in service.log()
