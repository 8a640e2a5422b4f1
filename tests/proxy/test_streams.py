"""Streams of events behind the configuration of nginx that is shipped."""

import asyncio

import httpx2
import pytest

from adsvc.services.events import StreamKind
from faults.here import Here
from proxy.conftest import Site
from support.scene.api import Api, Person

pytestmark = [pytest.mark.heavy, pytest.mark.xdist_group("proxy")]

# Longer than nginx waits for other answers, and than the pause between two comments.
QUIET_SECONDS = 17


async def _administrator(site: Site) -> Person:
    return await Api(site.client, site.nodes[0].api.app).admin()


def _streams(node: Here) -> int:
    return sum(map(node.api.state.streams.count, StreamKind))


@pytest.mark.long
async def test_a_stream_is_passed_on_as_it_comes(site: Site) -> None:
    admin = await _administrator(site)
    headers = {"Authorization": f"Bearer {admin.token}"}
    async with site.client.stream("GET", "/events/stream", headers=headers) as answer:
        assert answer.status_code == 200
        pieces = answer.aiter_text()
        async with asyncio.timeout(10):
            assert await anext(pieces) == ": \n\n"
            ad = await admin.post_ad()
            while "ad.created" not in (piece := await anext(pieces)):
                pass
        assert f'"ad":{ad["pk"]},' in piece
        # nginx neither ends it while nothing happens, nor keeps the comments back.
        async with asyncio.timeout(QUIET_SECONDS):
            assert await anext(pieces) == ": \n\n"
        assert sum(map(_streams, site.nodes)) == 1
    # It ends behind nginx when its client leaves.
    async with asyncio.timeout(10):
        while any(map(_streams, site.nodes)):  # noqa: ASYNC110 - there is no event
            await asyncio.sleep(0.05)


@pytest.mark.long
async def test_a_request_waits_for_events_behind_nginx(site: Site) -> None:
    admin = await _administrator(site)
    page = (await admin.get("/events", params={"type": "ad.sold"})).json()
    began = asyncio.get_running_loop().time()
    query = {"type": "ad.sold", "after": page["next"], "wait": 12}
    answer = await admin.get("/events", params=query, timeout=httpx2.Timeout(30))
    assert answer.status_code == 200, answer.text
    assert asyncio.get_running_loop().time() - began >= query["wait"]
