"""Rate limits of a running service, by account, by address and behind proxies."""

import asyncio
import statistics
import time
from collections.abc import Iterable
from typing import Any

import httpx2
import pytest

from faults.conftest import NewService
from faults.scale import measured, times
from faults.served import HOST, Service, register
from support.scene.api import PASSWORD

pytestmark = pytest.mark.drill

# All of 127.0.0.0/8 is this machine.
ELSEWHERE = "127.0.0.2"
WRONG = "a wrong password"


def _from(service: Service, source: str) -> httpx2.AsyncClient:
    transport = httpx2.AsyncHTTPTransport(local_address=source)
    return service.client(transport=transport)


async def _log_in(
    client: httpx2.AsyncClient, name: str, password: str, **headers: str
) -> httpx2.Response:
    record = {"username": name, "password": password}
    return await client.post("/login", json=record, headers=headers)


async def test_row_13_guessing_is_stopped_and_the_owner_is_not(new_service: NewService) -> None:
    service = new_service(rate_limits="on", log_format="json")
    await service.start()
    async with _from(service, HOST) as thief, _from(service, ELSEWHERE) as owner:
        anna = await register(owner)
        guesses = [await _log_in(thief, anna.username, WRONG) for _ in range(11)]
        assert [guess.status_code for guess in guesses] == [401] * 10 + [429]
        refused = guesses[-1]
        assert int(refused.headers["retry-after"]) >= 1
        assert refused.headers["ratelimit-policy"] == '"login";q=10;w=300'
        assert refused.headers["ratelimit"].startswith('"login";r=0;t=')
        assert refused.json()["type"] == "/problems#rate-limited"
        # Before any hashing: far quicker than a wrong password.
        hashed = statistics.median(guess.elapsed.total_seconds() for guess in guesses[:10])
        refusals = [await _log_in(thief, anna.username, WRONG) for _ in range(10)]
        quick = statistics.median(refusal.elapsed.total_seconds() for refusal in refusals)
        assert quick < hashed / 2
        # A header that anybody can write changes nothing.
        forged = await _log_in(
            thief, anna.username, PASSWORD, **{"X-Forwarded-For": "198.51.100.1"}
        )
        assert forged.status_code == 429
        assert (await _log_in(owner, anna.username, PASSWORD)).status_code == 200
        assert [entry["event"] for entry in service.entries("adsvc.audit")].count(
            "rate_limited"
        ) >= 11


async def test_row_13_one_address_cannot_try_a_thousand_accounts(new_service: NewService) -> None:
    service = new_service(rate_limits="on")
    await service.start()
    async with _from(service, HOST) as thief, _from(service, ELSEWHERE) as owner:
        anna = await register(owner)
        began = time.monotonic()
        statuses: dict[int, int] = {}
        accounts = times(1000, short=300)
        for start in range(0, accounts, 20):
            answers = await asyncio.gather(
                *(
                    _log_in(thief, f"account{n}@example.com", WRONG)
                    for n in range(start, start + 20)
                )
            )
            for answer in answers:
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
        # Besides the hundred at once, what the window gives back meanwhile.
        regained = (time.monotonic() - began) / 3 + 2
        assert statuses[401] <= 100 + regained
        assert statuses[429] == accounts - statuses[401]
        assert (await _log_in(owner, anna.username, PASSWORD)).status_code == 200


async def test_row_13_addresses_count_only_from_trusted_proxies(new_service: NewService) -> None:
    service = new_service(rate_limits="on", login_attempts=2, trusted_proxies=HOST)
    await service.start()
    async with _from(service, HOST) as proxy, _from(service, ELSEWHERE) as stranger:
        anna = await register(proxy)

        async def attempts(client: httpx2.AsyncClient, *addresses: str) -> list[int]:
            return [
                (
                    await _log_in(client, anna.username, WRONG, **{"X-Forwarded-For": address})
                ).status_code
                for address in addresses
            ]

        one, other = "198.51.100.1", "198.51.100.2"
        assert await attempts(proxy, one, one, one) == [401, 401, 429]
        assert await attempts(proxy, other) == [401]
        # The client's own words stand before those of the proxy and count for nothing.
        assert await attempts(proxy, f"203.0.113.9, {one}") == [429]
        # Not a proxy that anybody trusts.
        found = await attempts(stranger, *(f"192.0.2.{n}" for n in range(4)))
        assert found == [401, 401, 429, 429]


@pytest.mark.alone
async def test_row_13_a_wide_network_is_stopped_and_the_owner_is_not(
    new_service: NewService,
) -> None:
    service = new_service(rate_limits="on", trusted_proxies=HOST)
    await service.start()
    async with service.client() as client:
        anna = await register(client)

        async def guesses(addresses: Iterable[str]) -> tuple[int, float]:
            """How many of them were looked at, and how long refusing one took."""
            looked_at, refusals = 0, []
            for address in addresses:
                answer = await _log_in(client, anna.username, WRONG, **{"X-Forwarded-For": address})
                assert answer.status_code in {401, 429}
                looked_at += answer.status_code == 401
                if answer.status_code == 429:
                    refusals.append(answer.elapsed.total_seconds())
            return looked_at, statistics.median(refusals)

        began = time.monotonic()
        of_site, wait = await guesses(f"2001:db8:7:{n * 251:x}::1" for n in range(200))
        measured("row 13: of 200 guesses from one /48 looked at", of_site, "guesses")
        measured("row 13: one of the others was refused within", 1000 * wait, "ms")
        # Besides the forty at once, what the window gives back meanwhile.
        assert of_site <= 40 + (time.monotonic() - began) * 40 / 300 + 1
        of_crowd, _ = await guesses(f"2001:{n:x}::1" for n in range(0x1000, 0x1000 + 200))
        measured("row 13: of 200 more from as many networks", of_crowd, "guesses")
        assert of_site + of_crowd <= 100 + (time.monotonic() - began) * 100 / 3600 + 1
        # Where she registered and logged in, and with her token from anywhere.
        record = {"username": anna.username, "password": PASSWORD}
        assert (await client.post("/login", json=record)).status_code == 200
        away = {"X-Forwarded-For": "192.0.2.77"}
        assert (await client.post("/login", json=record, headers=away)).status_code == 429
        with_token = {**away, **anna.headers}
        assert (await client.post("/login", json=record, headers=with_token)).status_code == 200


async def test_row_13_writes_and_uploads_are_limited_by_user(new_service: NewService) -> None:
    service = new_service(rate_limits="on", writes_per_user=3, uploads_per_user=2)
    await service.start()
    async with service.client() as client:
        busy, other = await register(client), await register(client)
        for person in (busy, other):
            ad = await person.post_ad()
            await person.post_ad()
            answer = await person.patch(f"/ads/{ad['pk']}", json={"title": "Another"})
            assert answer.headers["ratelimit-policy"].startswith('"write";q=3;w=')
            assert answer.headers["ratelimit"].startswith('"write";r=2;t=')
        changes: dict[str, Any] = {"json": {"firstName": "Anna"}}
        statuses = [(await busy.patch("/users/me", **changes)).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        assert (await other.patch("/users/me", **changes)).status_code == 200
        with pytest.raises(AssertionError, match="rate-limited"):
            await busy.post_ad()


async def test_row_13_workers_count_together(new_service: NewService) -> None:
    service = new_service(rate_limits="on", workers=2, login_attempts=5)
    await service.start()
    statuses = []
    for _ in range(12):
        # Each on a connection of its own, which either worker may take.
        async with service.client() as client:
            statuses.append((await _log_in(client, "nobody@example.com", WRONG)).status_code)
    assert statuses.count(401) == 5
