"""`GET /ads/{id}/similar`: ads like one ad, and no other ones."""

from typing import Any

import pytest

from support.scene.api import Api
from support.scene.categories import plant
from support.scene.warmth import settle
from support.trouble.clocks import Clock

BERLIN = {"latitude": 52.52, "longitude": 13.405}
POTSDAM = {"latitude": 52.39, "longitude": 13.06}
MUNICH = {"latitude": 48.137, "longitude": 11.575}


async def similar(api: Api, ad: int) -> list[int]:
    answer = await api.client.get(f"/ads/{ad}/similar")
    assert answer.status_code == 200
    return [one["pk"] for one in answer.json()["results"]]


@pytest.mark.heavy
async def test_similar_ads_have_the_words_the_price_and_the_place(api: Api) -> None:
    anna = await api.person()

    async def post(title: str, price: int = 100, location: Any = BERLIN) -> int:
        ad = await anna.post_ad(
            title=title, price=price, location=location, description="As it stands there."
        )
        return int(ad["pk"])

    table = await post("Oak table from Denmark")
    dearer, farther = await post("Oak table", 900), await post("Oak table", location=MUNICH)
    nearly = await post("Oak table", 110, POTSDAM)
    stem = await post("Two oak tables")
    await post("Trumpet")
    found = await similar(api, table)
    assert set(found) == {dearer, farther, nearly, stem}
    assert found.index(nearly) < found.index(farther) < found.index(dearer)
    # They are as lists show them.
    [listed] = [
        one for one in (await api.client.get("/ads")).json()["results"] if one["pk"] == nearly
    ]
    assert listed in (await api.client.get(f"/ads/{table}/similar")).json()["results"]


@pytest.mark.heavy
async def test_the_same_category_goes_before_one_beside_it(api: Api) -> None:
    await plant(api)
    anna = await api.person()

    async def post(title: str, category: str | None) -> int:
        ad = await anna.post_ad(title=title, price=100, category=category)
        return int(ad["pk"])

    boat = await post("Golden dinghy", "boats")
    other, same = await post("Golden watch", "home"), await post("Kayak", "boats")
    await post("Kettle", "home")
    assert await similar(api, boat) == [same, other]


@pytest.mark.heavy
async def test_what_is_hidden_is_not_similar_to_anything(api: Api) -> None:
    anna = await api.person()
    ads = [(await anna.post_ad(title=f"Oak table {n}"))["pk"] for n in range(7)]
    table, *others = ads
    await anna.post_ad(title="Oak table", status="draft")
    assert set(await similar(api, table)) == set(others)
    hidden = others[:4]
    for ad, step in zip(hidden, ("sell", "withdraw", "delete", "expire"), strict=True):
        match step:
            case "delete":
                await anna.delete(f"/ads/{ad}")
            case "expire":
                await api.sql("UPDATE ads SET expires_at = now() WHERE id = :id", id=ad)
                await settle(api)
            case _:
                await anna.post(f"/ads/{ad}/{step}")
        # In the very next answer, though the one before was in memory.
        assert ad not in await similar(api, table), step
    assert set(await similar(api, table)) == set(others[4:])
    for ad, status in zip(hidden, (200, 404, 404, 200), strict=True):
        assert (await api.client.get(f"/ads/{ad}/similar")).status_code == status
    # Not even its author.
    assert (await anna.get(f"/ads/{hidden[1]}/similar")).status_code == 404
    assert (await api.client.get("/ads/nonsense/similar")).status_code == 400


@pytest.mark.heavy
async def test_similar_ads_are_kept_for_a_minute(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(api.state.responses, "now", clock.monotonic)
    anna = await api.person()
    table, first = [(await anna.post_ad(title="Oak table"))["pk"] for _ in range(2)]
    await settle(api)
    assert await similar(api, table) == [first]
    tag = (await api.client.get(f"/ads/{table}/similar")).headers["ETag"]
    same = await api.client.get(f"/ads/{table}/similar", headers={"If-None-Match": tag})
    assert same.status_code == 304
    second = (await anna.post_ad(title="Oak table"))["pk"]
    assert await similar(api, table) == [first]
    clock.now += 60
    assert set(await similar(api, table)) == {first, second}
    # What it is like decides; and what is kept of it is no list of ads.
    await anna.patch(f"/ads/{table}", json={"title": "Trumpet"})
    assert await similar(api, table) == []
    kept = (await api.client.get(f"/ads?similar%20{table}")).json()
    assert kept["count"] == 3


async def test_at_most_twelve_are_similar(api: Api) -> None:
    anna = await api.person()
    ad = await anna.post_ad(title="Oak table")
    await api.sql(
        "INSERT INTO ads (author_id, title, description, price, image)"
        " SELECT author_id, title, description, price, n || image FROM ads,"
        " generate_series(1, 20) AS n RETURNING 1"
    )
    assert len(await similar(api, ad["pk"])) == 12
