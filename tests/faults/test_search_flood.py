"""Expensive searches from one address, without credentials."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable

import httpx2
import pytest

from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import register

pytestmark = pytest.mark.drill

ADS = times(100_000, short=10_000)
FLOOD_SECONDS = 8
FLOOD = 200
# None of them can be answered from memory, by an index or from the next few ads.
DEAR = (
    "-kind -zebra -yacht -violin -walrus -rocket -quilt -opera -marble -lizard -snake ",
    '"kind number" -oak -table -lamp -desk ',
    "kind number oak table pick up only scratch original box smoke ",
    "oak or table or lamp or sofa or tent or desk or -kind ",
)


Query = dict[str, str | int]


def _dear(number: int) -> tuple[str, Query]:
    path = "/ads/facets" if number % 5 == 0 else "/ads"
    query: Query = {
        "q": DEAR[number % len(DEAR)], "minPrice": number % 7, "maxPrice": 10_000 + number,
    }  # fmt: skip
    if path == "/ads":
        query["limit"] = 100
    return path, query


def _unknown(number: int) -> tuple[str, Query]:
    """Nothing matches, so the service looks for what could be meant."""
    return "/ads", {"q": " ".join(f"zz{number}yzx{word}" for word in "abcdefghijkl")}


def _misspelt(number: int) -> tuple[str, Query]:
    return "/places", {"q": f"sanfranz{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}"}


async def _flood(
    client: httpx2.AsyncClient, request: Callable[[int], tuple[str, Query]]
) -> Counter[int]:
    statuses: Counter[int] = Counter()

    async def ask(number: int) -> None:
        await asyncio.sleep(number * FLOOD_SECONDS / FLOOD)
        path, query = request(number)
        statuses[(await client.get(path, params=query)).status_code] += 1

    await asyncio.gather(*(ask(number) for number in range(FLOOD)))
    return statuses


class Met:
    """How everybody else fared."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.readiness: Counter[int] = Counter()
        self.slowest = 0.0

    def note(self, path: str, status: int, seconds: float) -> None:
        (self.readiness if path == "/readyz" else self.statuses)[status] += 1
        self.slowest = max(self.slowest, seconds)


async def _others(client: httpx2.AsyncClient, seconds: float) -> Met:
    """What everybody else does meanwhile, one thing after another."""
    person = await register(client)
    found, began, number = Met(), time.perf_counter(), 0
    cursor = ""
    while time.perf_counter() - began < seconds:
        number += 1
        for path in (
            "/readyz",
            "/ads?limit=20",
            f"/ads?limit={20 + number % 50}&cursor={cursor}" if cursor else "/ads?limit=30",
            f"/ads/{number * 7}",
            f"/ads?minPrice={number}&limit=20",
            f"/ads?q=oak+{number}&limit=20",
        ):
            asked = time.perf_counter()
            answer = await client.get(path, headers=person.headers)
            found.note(path, answer.status_code, time.perf_counter() - asked)
            if path == "/ads?limit=20":
                cursor = answer.json()["next"]
        await asyncio.sleep(0.1)
    return found


async def test_row_32_a_flood_of_searches_leaves_others_alone(new_service: NewService) -> None:
    service = new_service(rate_limits="on", database_timeout_seconds=30)
    seeded = await service.run("seed", "--ads", str(ADS))
    assert seeded.returncode == 0, seeded.stderr
    service = new_service(rate_limits="on")
    await service.start()
    limits = httpx2.Limits(max_connections=FLOOD)
    floods = (("dear searches", _dear), ("unknown words", _unknown), ("misspelt places", _misspelt))
    for number, (name, request) in enumerate(floods, start=2):
        # Each has a limit of its own.
        here, elsewhere = (
            httpx2.AsyncHTTPTransport(local_address=f"127.0.{network}.{number}", limits=limits)
            for network in (0, 1)
        )
        async with (
            service.client(transport=here) as attacker,
            service.client(transport=elsewhere) as client,
        ):
            others = asyncio.create_task(_others(client, FLOOD_SECONDS))
            flood = await _flood(attacker, request)
            met = await others
        total = met.statuses.total()
        measured(f"row 32: of {FLOOD} {name} answered", flood[200], "requests")
        measured(f"row 32: {name} refused with 429", flood[429], "requests")
        measured(f"row 32: {name} refused with 503", flood[503], "requests")
        succeeded = met.statuses[200] / total * 100
        measured(f"row 32: beside {name}, other requests that succeeded", succeeded, "%")
        measured(f"row 32: beside {name}, other requests", total, "requests")
        measured(f"row 32: beside {name}, the slowest of them", met.slowest)
        assert set(flood) <= {200, 429, 503}
        # Places have five times the limit of searches.
        assert flood[429] + flood[503] > 0 or request is _misspelt
        assert set(met.readiness) == {200}
        assert met.statuses[200] >= 0.95 * total
