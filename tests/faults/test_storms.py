"""More requests than can be served."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from faults.conftest import NewService
from faults.load import Crowd, Result
from faults.scale import measured, times
from faults.served import Service, register
from faults.wire import noise, request_head
from support.scene.api import PASSWORD, Person, image_form

pytestmark = [pytest.mark.drill, pytest.mark.alone]

ADS = 60
PROBE_SECONDS = times(15, short=5)
# The short form has a hundred searches, of which p99 is the slowest; it runs where other programs
# run too. It asks whether they wait for the storm, not how little.
BEARABLE_MILLISECONDS = times(150, short=1000)


def _reads(number: int = 500) -> list[bytes]:
    """Each asks the database: no two are alike."""
    return [request_head("GET", f"/ads?limit=20&minPrice={price}") for price in range(number)]


async def _populate(service: Service) -> Person:
    async with service.client() as client:
        person = await register(client)
        for number in range(ADS):
            await person.post_ad(price=100_000 + number)
        return person


async def test_row_22_what_exceeds_capacity_is_refused_and_the_rest_served(
    service: Service,
) -> None:
    person = await _populate(service)
    bearer = f"Authorization: Bearer {person.token}"
    body = b'{"text": "Is it still to be had?"}'
    head = ("Content-Type: application/json", f"Content-Length: {len(body)}", bearer)
    writes = [request_head("POST", f"/ads/{pk}/comments", *head) + body for pk in range(1, ADS)]
    # The goals are 0.8, and refusals at once; docs/reliability.md says how far it is. What is
    # asserted here is that there is a bound, on a machine of two cores that makes the load as well.
    for name, requests, least in (("comments", writes, 0.2), ("searches", _reads(100_000), 0.1)):
        crowd = Crowd(service.port, requests)
        seconds = times(10, short=4)
        peak = 0.0
        for concurrency in (8, 32, 64):
            calm = await crowd.at_most(concurrency, seconds / 2)
            peak = max(peak, calm.rate())
        storm = await crowd.at_rate(3 * peak, seconds)
        crowd.close()
        measured(f"row 22: {name}, at most", peak, "requests/s")
        measured(
            f"row 22: {name}, goodput under three times as many", storm.rate() / peak * 100, "%"
        )
        measured(f"row 22: {name}, for want of a connection not sent", storm.unsent, "requests")
        measured(f"row 22: {name}, p99 of refusals", storm.p99(503))
        measured(f"row 22: {name}, p99 of answers", storm.p99(200))
        assert set(storm.latencies) == {200, 503}
        assert storm.without_retry_after == 0
        assert not +storm.failures
        assert storm.p99(503) < 5
        assert storm.p99(200) < 5
        assert storm.rate() >= least * peak
        # And when the storm is over, all is as before.
        async with service.client() as client:
            assert (await client.get("/ads?minPrice=1")).status_code == 200


async def _request(service: Service, kind: str) -> bytes:
    """A login, or the upload of a picture that takes a while."""
    async with service.client() as client:
        person = await register(client)
        if kind == "logins":
            record = {"username": person.username, "password": PASSWORD}
            sent = client.build_request("POST", "/login", json=record)
        else:
            ad = await person.post_ad()
            path = f"/ads/{ad['pk']}/image"
            sent = client.build_request(
                "PATCH", path, files=image_form(noise(700)), headers=person.headers
            )
    names = ("Content-Type", "Content-Length", "Authorization")
    headers = [f"{name}: {sent.headers[name]}" for name in names if name in sent.headers]
    return request_head(sent.method, sent.url.path, *headers) + await sent.aread()


async def _probe(service: Service) -> Result:
    crowd = Crowd(service.port, _reads())
    result = await crowd.at_rate(20, PROBE_SECONDS)
    crowd.close()
    assert set(result.latencies) == {200}
    assert not +result.failures
    return result


def blow(port: int, request: bytes, seconds: float) -> set[int]:
    """Far more of them than the service can do; the statuses they get."""

    async def blowing() -> set[int]:
        crowd = Crowd(port, [request])
        result = await crowd.at_most(60, seconds, pause=0.5)
        crowd.close()
        return set(result.latencies)

    return asyncio.run(blowing())


async def _probe_in_a_storm(service: Service, kind: str) -> tuple[Result, set[int]]:
    """What makes the storm is another process, or the probe would wait for that, too."""
    request = await _request(service, kind)
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as elsewhere:
        # So that it is there, and has read this module, by the time it is to blow.
        await loop.run_in_executor(elsewhere, _reads, 1)
        storm = loop.run_in_executor(elsewhere, blow, service.port, request, PROBE_SECONDS + 3)
        await asyncio.sleep(1)
        return await _probe(service), await storm


async def test_row_22_a_storm_of_one_kind_leaves_the_others_alone(
    new_service: NewService,
) -> None:
    # One account makes the storm of uploads, which many would.
    service = new_service(uploads_under_way_per_user=64)
    await service.start()
    await _populate(service)
    idle = await _probe(service)
    measured("row 22: p99 of searches, idle", idle.p99() * 1000, "ms")
    for kind in ("logins", "uploads"):
        stormy, statuses = await _probe_in_a_storm(service, kind)
        assert statuses == {200, 503}, kind
        measured(f"row 22: p99 of searches among {kind}", stormy.p99() * 1000, "ms")
        # The goal is three times. The storm is made on the same machine, which has little left.
        assert stormy.p99() < max(3 * idle.p99(), BEARABLE_MILLISECONDS / 1000), kind
