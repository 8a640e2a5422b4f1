"""Ads near a place by its id."""

import pytest

from adsvc.services.places.loading import GivenPlace, add
from support.scene.api import Api

LUNEBURG = GivenPlace("DE", 2875115, "Lüneburg", 53.251, 10.415, keys=["luneburg"])
NEAR = {"near": "place:2875115", "radius": "10000"}


@pytest.mark.heavy
async def test_ads_near_a_place_are_those_near_its_centre(api: Api) -> None:
    async with api.state.database.transaction() as transaction:
        await add(transaction, [LUNEBURG])
    author = await api.person()
    here = await author.post_ad(location={"latitude": 53.25, "longitude": 10.41})
    await author.post_ad(location={"latitude": 48.1, "longitude": 11.5})
    by_point = {"near": "53.251, 10.415", "radius": "10000"}

    for query in (NEAR, by_point, {"near": " place:2875115 ", "radius": "10000"}):
        found = (await api.client.get("/ads", params=query)).json()
        assert [ad["pk"] for ad in found["results"]] == [here["pk"]], query
        assert found["results"][0]["distance"] < 1000
    counted = (await api.client.get("/ads/facets", params=NEAR)).json()
    assert sum(month["count"] for month in counted["months"]) == 1
    box = {"bbox": "-10,40,20,60", **NEAR}
    assert (
        sum(c["count"] for c in (await api.client.get("/ads/map", params=box)).json()["results"])
        == 1
    )
    saved = await author.post(
        "/users/me/searches", json={"name": "Near", "query": "q=oak&near=place%3A2875115"}
    )
    assert saved.status_code == 201, saved.text
    assert "near=53.251%2C10.415" in saved.json()["query"]


async def test_an_unknown_place_is_refused_by_name(api: Api) -> None:
    author = await api.person()
    for near in ("place:1", "place:0", "place:x", "place:", "place:99999999999999999"):
        for path in ("/ads", "/ads/facets", "/ads/map"):
            query = {"near": near, "bbox": "-10,40,20,60"}
            refused = await api.client.get(path, params=query)
            assert refused.status_code == 400, (path, near)
            assert refused.json()["errors"][0]["parameter"] == "near"
    refused = await author.post(
        "/users/me/searches", json={"name": "x", "query": "q=oak&near=place:1"}
    )
    assert refused.status_code == 400
