"""Place, location and kind of price of an ad, and who sees what of them."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from adsvc.public_location import public_point
from adsvc.services.places.loading import GivenPlace, add
from support.scene.api import PROPERTIES, Api, Person, ad_form, image_form
from support.scene.listings import ids_of, listed
from support.scene.places import distance, towards
from support.scene.warmth import settle
from support.trouble.clocks import Clock

EXACT = {"latitude": 52.5162734, "longitude": 13.3777021}
PUBLIC = public_point(**EXACT)._asdict()
# However it is written, rounded or cut.
TRACES = ("52.5162", "52.5163", "13.3777", "13.378")


async def post(person: Person, **members: Any) -> dict[str, Any]:
    return await person.post_ad(**members)


async def test_an_ad_has_a_place_a_location_and_a_kind_of_price(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    sent = {"place": "  Berlin-Mitte ", "location": EXACT, "priceType": "negotiable"}
    ad = await post(anna, **sent)
    told = {"place": "Berlin-Mitte", "location": PUBLIC, "priceType": "negotiable"}
    path = f"/ads/{ad['pk']}"
    [listed] = (await api.client.get("/ads")).json()["results"]
    [own] = (await anna.get("/ads/me")).json()["results"]
    extended = (await ben.get(path)).json()
    details = (await api.client.get(f"{path}/details")).json()
    for record in (ad, listed, own, extended, details):
        assert {name: record[name] for name in told} == told
    [exported] = (await anna.get("/users/me/export")).json()["ads"]
    for record in (exported, (await anna.get(path)).json()):
        assert {name: record[name] for name in told} == {**told, "location": EXACT}


async def test_an_ad_needs_none_of_them(api: Api) -> None:
    person = await api.person()
    for sent in ({}, {"place": None, "location": None}):
        ad = await post(person, **sent)
        extended = (await person.get(f"/ads/{ad['pk']}")).json()
        for record in (ad, extended):
            assert [record[name] for name in ("place", "location", "priceType")] == [
                None, None, "fixed",
            ]  # fmt: skip


@pytest.mark.heavy
async def test_each_is_changed_and_removed_by_itself(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await post(person))['pk']}"
    elsewhere = {"latitude": -33.8688, "longitude": 151.2093}
    steps: list[dict[str, object]] = [
        {"location": EXACT},
        {"place": "Berlin"},
        {"priceType": "free"},
        {"price": 3},
        {"location": elsewhere, "place": "Sydney"},
        {"location": None},
        {"place": None},
        {"priceType": "onRequest", "location": {"latitude": 90, "longitude": -180}},
    ]
    expected = (await person.get(path)).json()
    for sent in steps:
        answer = await person.patch(path, json=sent)
        assert answer.status_code == 200, sent
        expected |= {**sent, "updatedAt": answer.json()["updatedAt"]}
        expected["locationKind"] = "exact" if expected["location"] else None
        assert (await person.get(path)).json() == expected
        location: Any = expected["location"]
        public = location and public_point(**location)._asdict()
        assert answer.json()["location"] == public


REFUSED: dict[str, tuple[Any, ...]] = {
    "/location": ([52.5, 13.4], "52.5,13.4", 5, True),
    "/location/latitude": (91, -90.000001, 1e300, "52.5", True, None, [52.5]),
    "/location/longitude": (181, -180.5, "13.4", False, None, {}),
    "/place": ("", "  ", "x" * 121, 5, ["Berlin"], True),
    "/priceType": ("gift", "", "Free", None, 1, ["free"]),
}


def refused() -> Iterator[tuple[dict[str, Any], set[str]]]:
    """What is sent, and what is to be named."""
    for pointer, values in REFUSED.items():
        _, member, *rest = pointer.split("/")
        for value in values:
            if rest:
                yield {member: {**EXACT, rest[0]: value}}, {pointer}
            else:
                yield {member: value}, {pointer}
    yield {"location": {"latitude": 52.5}}, {"/location/longitude"}
    yield {"location": {"longitude": 13.4}}, {"/location/latitude"}
    yield {"location": {}}, {"/location/latitude", "/location/longitude"}


@pytest.mark.heavy
async def test_what_is_no_place_location_or_kind_of_price_is_refused(api: Api) -> None:
    person = await api.person()
    path = f"/ads/{(await post(person, location=EXACT))['pk']}"
    before = (await person.get(path)).json()
    for sent, pointers in refused():
        for answer in (
            await person.patch(path, json=sent),
            await person.post("/ads", files=ad_form(**{**PROPERTIES, **sent})),
        ):
            assert answer.status_code == 400, sent
            assert {fault["pointer"] for fault in answer.json()["errors"]} == pointers, sent
    # These are not JSON, or text that cannot be stored.
    for raw in ('"location": {"latitude": NaN, "longitude": 1}', '"place": "a\\u0000b"',
                '"location": {"latitude": 1, "longitude": Infinity}',
                '"location": {"latitude": 1, "longitude": 1e999}',
                '"location": {"latitude": 1, "latitude": 2, "longitude": 1}'):  # fmt: skip
        answer = await person.patch(
            path, content=f"{{{raw}}}", headers={"Content-Type": "application/json"}
        )
        pointer = "/place" if "place" in raw else ""
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer), raw
    assert (await person.get(path)).json() == before
    assert (await api.client.get("/ads")).json()["count"] == 1


async def test_the_longest_place_fits(api: Api) -> None:
    person = await api.person()
    assert (await post(person, place="ö" * 120))["place"] == "ö" * 120


@pytest.mark.heavy
async def test_only_the_author_gets_the_exact_point(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not in a body, a header, a refusal or a line of the log, cold or hot, by any operation."""
    anna, ben, admin = await api.person(), await api.person(), await api.admin()
    ad = await post(anna, location=EXACT, place="Berlin")
    path, hidden = f"/ads/{ad['pk']}", f"/ads/{(await post(anna, location=EXACT))['pk']}"
    await api.sql("UPDATE ads SET status = 'draft' WHERE id = :id", id=int(hidden[5:]))
    # The author's view is cached beside that of others.
    own = [await anna.get(path) for _ in range(2)]
    assert all(answer.json()["location"] == EXACT for answer in own)
    answers = [
        await anna.patch(path, json={"location": EXACT}),
        await admin.patch(path, json={"location": EXACT}),
        await anna.patch(path, json={"location": {**EXACT, "longitude": 181}}),
        await anna.get("/ads/me"),
    ]
    for person in (ben, admin):
        for method in ("GET", "HEAD"):
            answers += [await person.request(method, path) for _ in range(2)]
            answers += [await person.request(method, hidden) for _ in range(2)]
        etag = own[0].headers["ETag"]
        answers.append(await person.get(path, headers={"If-None-Match": etag}))
        assert answers[-1].status_code == 200
    for query in (
        "/ads", "/ads/facets", "/ads?q=oak", "/ads?near=52.5162734,13.3777021", f"{path}/details",
        "/ads?near=52.5162734,13.3777021&radius=1&sort=distance", f"{hidden}/details", "/site",
        f"{path}/comments", "/ads?bbox=13.3777,52.5162,13.3778,52.5163",
    ):  # fmt: skip
        answers += [await api.client.get(query), await ben.get(query)]
    answers += [
        await ben.patch(path, json={"location": EXACT, "title": 1}),
        await ben.get("/users/me/export"),
        await admin.get("/users/me/export"),
    ]
    for answer in answers:
        headers = {k: v for k, v in answer.headers.items() if k not in {"etag", "link"}}
        text = f"{headers}{answer.text}".replace("52.5162734,13.3777021", "")
        assert not [trace for trace in TRACES if trace in text], answer.request.url
    logged = capfd.readouterr()
    assert not [trace for trace in TRACES if trace in logged.out + logged.err]
    # A validator depends only on what is shown.
    told = await ben.get(path, headers={"Accept-Encoding": "identity"})
    assert told.headers["ETag"] == f'"{hashlib.sha256(told.content).hexdigest()[:30]}"'


async def test_half_a_location_cannot_be_stored_past_the_service_either(api: Api) -> None:
    person = await api.person()
    await post(person, location=EXACT)
    with pytest.raises(Exception, match="ck_ads_location"):
        await api.sql("UPDATE ads SET public_latitude = NULL")
    with pytest.raises(Exception, match="ck_ads_price_type"):
        await api.sql("UPDATE ads SET price_type = 'gift'")


@pytest.mark.heavy
async def test_distances_and_what_is_near_are_of_the_public_point(api: Api) -> None:
    """Three distances from places of one's own choice would else give the exact point away."""
    exact, public = (
        (EXACT["latitude"], EXACT["longitude"]),
        (PUBLIC["latitude"], PUBLIC["longitude"]),
    )
    away = round(distance(exact, public))
    assert away > 101
    anna = await api.person()
    ad = (await post(anna, location=EXACT))["pk"]
    # Nearer to the exact point of the other by its own exact point, but not by its public one.
    for number in range(1000):
        other = towards(exact, away / 2, number * 7)
        other_public = public_point(*other)
        if (
            further := round(distance(exact, (other_public.latitude, other_public.longitude)))
        ) > away:
            break
    location = {"latitude": other[0], "longitude": other[1]}
    beside = (await post(anna, location=location))["pk"]
    near: dict[str, str | int] = {"near": f"{exact[0]},{exact[1]}"}
    for sort in ("distance", "-created", "price"):
        found = (await listed(api.client, **near, sort=sort))["results"]
        assert {one["pk"]: one["distance"] for one in found} == {ad: away, beside: further}, sort
    ordered = await listed(api.client, **near, sort="distance")
    assert [one["pk"] for one in ordered["results"]] == [ad, beside]
    # Words, authors and prices are found by other ways, each of which holds the radius itself.
    for more in ({}, {"q": "oak"}, {"author": anna.id}, {"maxPrice": 9999, "minPrice": 1}):
        for radius, expected in ((away - 1, []), (away, [ad]), (further, [ad, beside])):
            query: dict[str, str | int] = {**near, **more, "radius": radius}
            page = await listed(api.client, **query, sort="-created")
            assert [one["pk"] for one in page["results"]] == expected[::-1], query
            assert page["count"] == len(expected), query
            facets = await listed(api.client, "/ads/facets", **query)
            assert facets["count"] == len(expected), query
            feed = (await api.client.get("/ads.atom", params=query)).text
            assert feed.count("<entry>") == len(expected), query
    for point, expected in ((exact, []), (public, [ad])):
        south, west = point[0] - 0.0001, point[1] - 0.0001
        box = f"{west},{south},{west + 0.0002},{south + 0.0002}"
        assert await ids_of(api.client, bbox=box) == expected, point


@pytest.mark.heavy
async def test_what_an_ad_cost_before_its_price_fell(api: Api) -> None:
    anna, ben = await api.person(), await api.person()
    path = f"/ads/{(await post(anna, price=1500))['pk']}"

    async def before() -> object:
        return (await api.client.get(f"{path}/details")).json().get("priceBefore")

    assert await before() is None
    steps: list[tuple[int, int | None]] = [
        (1200, 1500),
        (1200, 1500),
        (1100, 1200),
        # It rises, and falls to what is not the lowest of 30 days: a price raised to be lowered.
        (2000, None),
        (1300, None),
        (1000, 1100),
        (1100, None),
    ]
    for price, expected in steps:
        await anna.patch(path, json={"price": price})
        assert await before() == expected, price
    # Others than visitors read the price that is.
    for person in (anna, ben):
        assert "priceBefore" not in (await person.get(path)).json()


async def test_a_price_that_fell_is_news_for_30_days(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(api.state.responses, "now", clock.monotonic)
    anna = await api.person()
    ad = (await post(anna, price=1500))["pk"]
    path = f"/ads/{ad}/details"
    await anna.patch(f"/ads/{ad}", json={"price": 1200})
    await settle(api)
    assert (await api.client.get(path)).json()["priceBefore"] == 1500
    # What is in memory is dropped at that moment without a change.
    kept, month = api.state.responses.details, 30 * 24 * 3600
    clock.now += month - 60
    assert kept(str(ad)) is not None
    clock.now += 60
    assert kept(str(ad)) is None
    await api.sql("UPDATE ads SET priced_at = priced_at - interval '30 days'")
    assert "priceBefore" not in (await api.client.get(path)).json()
    # The price before counts no longer either.
    await anna.patch(f"/ads/{ad}", json={"price": 1100})
    assert (await api.client.get(path)).json()["priceBefore"] == 1200


async def test_what_a_draft_cost_is_not_a_price_before(api: Api) -> None:
    anna = await api.person()
    path = f"/ads/{(await post(anna, price=1500, status='draft'))['pk']}"
    await anna.patch(path, json={"price": 1000})
    await anna.post(f"{path}/publish")
    assert "priceBefore" not in (await api.client.get(f"{path}/details")).json()
    # One that was taken back in between to be raised has cost what it cost.
    for body in ({"price": 3000}, {"price": 1000}):
        await anna.post(f"{path}/withdraw")
        await anna.patch(path, json=body)
        await anna.post(f"{path}/publish")
    assert "priceBefore" not in (await api.client.get(f"{path}/details")).json()


@pytest.mark.heavy
@pytest.mark.parametrize("kind", ["free", "onRequest"])
async def test_an_ad_that_has_no_price_needs_none(api: Api, kind: str) -> None:
    person = await api.person()
    unpriced = {name: value for name, value in PROPERTIES.items() if name != "price"}

    def form(**members: Any) -> dict[str, Any]:
        sent = ("properties.json", json.dumps({**unpriced, **members}), "application/json")
        return {**image_form(), "properties": sent}

    answer = await person.post("/ads", files=form(priceType=kind))
    assert (answer.status_code, answer.json().get("price")) == (201, 0)
    draft = await person.post("/ads/drafts", json={**unpriced, "priceType": kind})
    path = f"/ads/{draft.json()['pk']}"
    assert (await person.post(f"{path}/images", files=image_form())).status_code == 201
    assert (await person.post(f"{path}/publish")).status_code == 200
    for other in ({}, {"priceType": "fixed"}, {"priceType": "negotiable"}, {"priceType": [kind]}):
        answer = await person.post("/ads", files=form(**other))
        faults = [(fault["pointer"], fault["code"]) for fault in answer.json()["errors"]]
        assert ("/price", "missing") in faults, other


@pytest.mark.guard
@pytest.mark.parametrize("kind", ["free", "onRequest"])
@pytest.mark.parametrize("other", ["fixed", "negotiable"])
async def test_an_ad_without_a_price_gets_one_before_it_has_a_price_type_of_one(
    api: Api, kind: str, other: str
) -> None:
    person = await api.person()
    ad = await post(person, priceType=kind, price=0)
    path = f"/ads/{ad['pk']}"
    before = (await person.get(path)).json()
    answer = await person.patch(path, json={"priceType": other, "title": "x"})
    faults = {fault["pointer"]: fault["code"] for fault in answer.json()["errors"]}
    assert (answer.status_code, faults) == (400, {"/price": "missing", "/title": "wrong-length"})
    answer = await person.patch(path, json={"priceType": other})
    faults = {fault["pointer"]: fault["code"] for fault in answer.json()["errors"]}
    assert (answer.status_code, faults) == (400, {"/price": "missing"})
    assert (await person.get(path)).json() == before
    # Other changes go on, and with a price the step is possible.
    assert (await person.patch(path, json={"place": "Berlin"})).status_code == 200
    assert (await person.patch(path, json={"priceType": other, "price": 0})).status_code == 200
    # A price that was given stays the price of the ad.
    for change in ({"price": 30}, {"priceType": kind}, {"priceType": other}):
        answer = await person.patch(path, json=change)
        assert answer.status_code == 200, change
    assert answer.json()["price"] == 30


@pytest.mark.parametrize("kind", ["free", "onRequest"])
async def test_a_draft_without_a_price_is_not_published_as_one_with_a_price(
    api: Api, kind: str
) -> None:
    person = await api.person()
    path = f"/ads/{(await post(person, priceType=kind, price=0, status='draft'))['pk']}"
    assert (await person.patch(path, json={"priceType": "fixed"})).status_code == 200
    answer = await person.post(f"{path}/publish")
    faults = [(fault["pointer"], fault["code"]) for fault in answer.json()["errors"]]
    assert (answer.status_code, faults) == (400, [("/price", "missing")])
    assert (await person.patch(path, json={"price": 0})).status_code == 200
    assert (await person.post(f"{path}/publish")).status_code == 200


@pytest.mark.parametrize("near", ["52.5, 13.4", " 52.5 ,13.4 ", "52.5,  13.4"])
async def test_a_point_may_have_spaces_around_its_comma(api: Api, near: str) -> None:
    person = await api.person()
    ad = await post(person, location={"latitude": 52.5, "longitude": 13.4})
    assert await ids_of(api.client, near=near) == [ad["pk"]]
    assert await ids_of(api.client, bbox="13, 52 , 14,53") == [ad["pk"]]
    assert (await api.client.get("/ads", params={"near": "52.5 13.4"})).status_code == 400


LUNEBURG = GivenPlace("DE", 2875115, "Lüneburg", 53.251, 10.415, keys=["luneburg"])
MUNICH = GivenPlace("DE", 2867714, "Munich", 48.137, 11.575, keys=["munich"])
CENTRES = {
    place.id: {"latitude": place.latitude, "longitude": place.longitude}
    for place in (LUNEBURG, MUNICH)
}


async def add_towns(api: Api) -> None:
    async with api.state.database.transaction() as transaction:
        await add(transaction, (LUNEBURG, MUNICH))


def town(place_id: int | None, place: str | None, kind: str | None) -> dict[str, object]:
    location = None
    if kind == "exact":
        location = PUBLIC
    elif kind == "place" and place_id:
        location = CENTRES[place_id]
    return {"placeId": place_id, "place": place, "locationKind": kind, "location": location}


async def test_an_ad_with_a_place_is_found_at_its_centre(api: Api) -> None:
    await add_towns(api)
    anna, ben = await api.person(), await api.person()
    ad = await post(anna, placeId=LUNEBURG.id)
    path = f"/ads/{ad['pk']}"
    [listed] = (await api.client.get("/ads?near=place:2875115&radius=1000")).json()["results"]
    assert listed["distance"] == 0
    assert (await api.client.get("/ads?near=52.5,13.4")).json()["results"] == []
    [own] = (await anna.get("/ads/me")).json()["results"]
    [exported] = (await anna.get("/users/me/export")).json()["ads"]
    details = (await api.client.get(f"{path}/details")).json()
    pages = [(await person.get(path)).json() for person in (anna, ben)]
    expected = town(LUNEBURG.id, "Lüneburg", "place")
    for record in (ad, listed, own, exported, details, *pages):
        assert {name: record[name] for name in expected} == expected


@pytest.mark.heavy
async def test_place_and_location_are_changed_by_themselves(api: Api) -> None:
    await add_towns(api)
    anna, ben = await api.person(), await api.person()
    path = f"/ads/{(await post(anna, place='Here'))['pk']}"
    steps: list[tuple[dict[str, object], dict[str, object]]] = [
        ({"placeId": LUNEBURG.id, "place": "The harbour"},
         town(LUNEBURG.id, "The harbour", "place")),
        ({"placeId": MUNICH.id}, town(MUNICH.id, "Munich", "place")),
        ({"title": "Something else"}, town(MUNICH.id, "Munich", "place")),
        ({"location": EXACT}, town(MUNICH.id, "Munich", "exact")),
        ({"placeId": LUNEBURG.id}, town(LUNEBURG.id, "Lüneburg", "exact")),
        ({"location": None}, town(LUNEBURG.id, "Lüneburg", "place")),
        ({"location": None}, town(LUNEBURG.id, "Lüneburg", "place")),
        ({"placeId": None}, town(None, "Lüneburg", None)),
        ({"placeId": MUNICH.id, "location": EXACT, "place": None}, town(MUNICH.id, None, "exact")),
        ({"placeId": None}, town(None, None, "exact")),
        ({"placeId": MUNICH.id, "location": None}, town(MUNICH.id, "Munich", "place")),
        ({"placeId": None, "location": None}, town(None, "Munich", None)),
    ]  # fmt: skip
    for sent, expected in steps:
        changed = await anna.patch(path, json=sent)
        assert changed.status_code == 200, sent
        for record in (changed.json(), (await ben.get(path)).json()):
            assert {name: record[name] for name in expected} == expected, sent


@pytest.mark.heavy
async def test_an_unknown_place_is_refused(api: Api) -> None:
    await add_towns(api)
    person = await api.person()
    path = f"/ads/{(await post(person, placeId=LUNEBURG.id))['pk']}"
    for bad, code in ((77, "unknown"), (0, None), (2**53, None), ("2875115", None), (1.5, None)):
        answers = [
            await person.patch(path, json={"placeId": bad}),
            await person.patch(f"{path}?validate=true", json={"placeId": bad}),
            await person.post("/ads", files=ad_form(placeId=bad)),
            await person.post("/ads?validate=true", files=ad_form(placeId=bad)),
            await person.post("/ads/drafts", json={"title": "Draft", "placeId": bad}),
        ]
        for answer in answers:
            assert answer.status_code == 400, (bad, answer.request.url)
            [fault] = answer.json()["errors"]
            assert fault["pointer"] == "/placeId"
            assert code is None or fault["code"] == code
    draft = await person.post("/ads/drafts", json={"title": "Draft", "placeId": MUNICH.id})
    assert draft.json()["locationKind"] == "place"


async def test_an_ad_keeps_its_point_without_its_place(api: Api) -> None:
    await add_towns(api)
    person = await api.person()
    path = f"/ads/{(await post(person, placeId=LUNEBURG.id))['pk']}"
    async with api.state.database.transaction() as transaction:
        await transaction.fetch("DELETE FROM places")
    assert (await person.patch(path, json={"title": "Something else"})).status_code == 200
    expected = town(LUNEBURG.id, "Lüneburg", "place")
    record = (await person.get(path)).json()
    assert {name: record[name] for name in expected} == expected
