"""The category and the attributes of an ad: what is accepted, what is refused, and where."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from conftest import ApiFactory
from support.scene.api import Api, Person, ad_form
from support.scene.categories import CARS, TREE, plant

CAR: dict[str, Any] = {"category": "cars", "attributes": {"fuel": "diesel", "mileage": 84_000}}


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 400, answer.text
    return [fault["pointer"] for fault in answer.json()["errors"]]


async def post(who: Person, **properties: Any) -> httpx2.Response:
    return await who.post("/ads", files=ad_form(**properties))


async def attributes(who: Person, ad: int) -> Any:
    return (await who.get(f"/ads/{ad}")).json()["attributes"]


@pytest.fixture
async def author(api: Api) -> Person:
    await plant(api)
    return await api.person()


@pytest.mark.heavy
async def test_an_ad_has_its_category_and_attributes(api: Api, author: Person) -> None:
    ad = await author.post_ad(**CAR)
    assert ad["category"] == "cars"
    assert (await api.client.get("/ads")).json()["results"][0]["category"] == "cars"
    found = (await author.get(f"/ads/{ad['pk']}")).json()
    assert (found["category"], found["attributes"]) == ("cars", CAR["attributes"])
    exported = (await author.get("/users/me/export")).json()["ads"][0]
    assert (exported["category"], exported["attributes"]) == ("cars", CAR["attributes"])


async def test_an_ad_needs_neither(author: Person) -> None:
    ad = await author.post_ad()
    assert ad["category"] is None
    assert await attributes(author, ad["pk"]) == {}
    plain = await author.patch(f"/ads/{ad['pk']}", json={"price": 5})
    assert plain.json()["category"] is None


@pytest.mark.heavy
async def test_each_error_has_its_pointer_and_nothing_is_stored(api: Api, author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    wrong: list[tuple[Any, list[str]]] = [
        ({"fuel": "gas"}, ["/attributes/fuel"]),
        ({"fuel": 5}, ["/attributes/fuel"]),
        ({"mileage": -1}, ["/attributes/mileage"]),
        ({"mileage": 2_000_001}, ["/attributes/mileage"]),
        ({"mileage": 1.5}, ["/attributes/mileage"]),
        ({"mileage": "5"}, ["/attributes/mileage"]),
        ({"mileage": True}, ["/attributes/mileage"]),
        ({"mileage": 10**30}, ["/attributes/mileage"]),
        ({"mileage": [5]}, ["/attributes/mileage"]),
        ({"mileage": {"is": None}}, ["/attributes/mileage"]),
        ({"engine": 0}, ["/attributes/engine"]),
        ({"engine": 1e300}, ["/attributes/engine"]),
        ({"parking": 1}, ["/attributes/parking"]),
        ({"parking": "true"}, ["/attributes/parking"]),
        ({"model": ""}, ["/attributes/model"]),
        ({"model": "x" * 21}, ["/attributes/model"]),
        ({"inspectedUntil": "2026-02-29"}, ["/attributes/inspectedUntil"]),
        ({"inspectedUntil": "2026-2-1"}, ["/attributes/inspectedUntil"]),
        ({"inspectedUntil": "0000-01-01"}, ["/attributes/inspectedUntil"]),
        ({"inspectedUntil": "2026-02-01T00:00:00Z"}, ["/attributes/inspectedUntil"]),
        ({"colour": "red"}, ["/attributes"]),
        ({"a/b~": 1}, ["/attributes"]),
        ({f"a{number}": number for number in range(4_000)}, ["/attributes"]),
        ({"fuel": None}, ["/attributes/fuel"]),
        ({"fuel": "gas", "mileage": -1}, ["/attributes/fuel", "/attributes/mileage"]),
        (None, ["/attributes"]),
        ([], ["/attributes"]),
        ("fuel", ["/attributes"]),
    ]
    for sent, places in wrong:
        changed = await author.patch(f"/ads/{ad}", json={"attributes": sent})
        assert sorted(pointers(changed)) == places, sent
        whole = CAR["attributes"] | sent if isinstance(sent, dict) else sent
        posted = await post(author, category="cars", attributes=whole)
        assert sorted(pointers(posted)) == places, sent
    assert await attributes(author, ad) == CAR["attributes"]
    assert await api.sql("SELECT count(*) FROM ads") == [1]


async def test_what_was_sent_is_not_repeated(author: Person) -> None:
    for sent in ({"fuel": "secretword"}, {"secretword": 1}, {"fuel": "diesel", "model": 77_777}):
        answer = await post(author, category="cars", attributes=sent)
        assert answer.status_code == 400
        assert "secretword" not in answer.text
        assert "77777" not in answer.text


async def test_numbers_that_json_does_not_have_are_refused(author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    headers = {"Content-Type": "application/json"}
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 5000):
        body = f'{{"attributes": {{"engine": {number}}}}}'
        answer = await author.patch(f"/ads/{ad}", content=body, headers=headers)
        assert answer.status_code == 400, number[:10]
    assert await attributes(author, ad) == CAR["attributes"]


async def test_a_required_attribute_must_be_there(author: Person) -> None:
    missing: list[dict[str, Any]] = [{}, {"attributes": {}}, {"attributes": {"fuel": None}}]
    for sent in missing:
        assert pointers(await post(author, category="cars", **sent)) == ["/attributes/fuel"], sent


async def test_attributes_need_a_category(author: Person) -> None:
    assert pointers(await post(author, attributes={"fuel": "diesel"})) == ["/attributes"]
    ad = (await author.post_ad())["pk"]
    answer = await author.patch(f"/ads/{ad}", json={"attributes": {"fuel": "diesel"}})
    assert pointers(answer) == ["/attributes"]


@pytest.mark.heavy
async def test_a_category_that_is_not_there_is_refused(author: Person) -> None:
    ad = (await author.post_ad())["pk"]
    for slug in ("boots", "CARS", "", 5, ["cars"]):
        assert pointers(await post(author, category=slug)) == ["/category"], slug
        changed = await author.patch(f"/ads/{ad}", json={"category": slug})
        assert pointers(changed) == ["/category"], slug


async def test_attributes_that_are_not_sent_stay(author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    sent = {"attributes": {"mileage": None, "parking": True}, "title": "A good car"}
    answer = await author.patch(f"/ads/{ad}", json=sent)
    assert answer.status_code == 200
    assert answer.json()["title"] == "A good car"
    assert await attributes(author, ad) == {"fuel": "diesel", "parking": True}


async def test_whole_numbers_are_stored_as_such(author: Person) -> None:
    sent = {"fuel": "diesel", "mileage": 5.0, "engine": 2.5}
    ad = await author.post_ad(category="cars", attributes=sent)
    found = await attributes(author, ad["pk"])
    assert json.dumps([found["mileage"], found["engine"]]) == "[5, 2.5]"


async def test_another_category_validates_the_attributes_again(author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    answer = await author.patch(f"/ads/{ad}", json={"category": "boats"})
    assert pointers(answer) == ["/attributes"]
    # It says what has to go, which is the site's own word.
    assert "fuel" in answer.json()["errors"][0]["detail"]
    sent = {"category": "boats", "attributes": {"fuel": None}}
    assert (await author.patch(f"/ads/{ad}", json=sent)).json()["category"] == "boats"
    assert await attributes(author, ad) == {"mileage": 84_000}


@pytest.mark.heavy
async def test_without_its_category_an_ad_has_no_attributes(api: Api, author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    sent = {"category": None, "attributes": {"fuel": "petrol"}}
    assert pointers(await author.patch(f"/ads/{ad}", json=sent)) == ["/attributes"]
    assert (await author.patch(f"/ads/{ad}", json={"category": None})).json()["category"] is None
    assert await attributes(author, ad) == {}
    assert await api.sql("SELECT attribute_words FROM ads") == [""]


@pytest.mark.heavy
async def test_a_new_required_attribute_counts_at_the_next_change_of_attributes(
    api: Api, author: Person
) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    admin = await api.admin()
    changed = CARS | {"attributes": [{"name": "seats", "type": "integer", "required": True}]}
    answer = await admin.request("PUT", "/categories/cars", json=changed)
    assert answer.status_code == 200
    assert await attributes(author, ad) == CAR["attributes"]
    for sent in ({"price": 7}, {"category": "cars"}):
        assert (await author.patch(f"/ads/{ad}", json=sent)).status_code == 200, sent
    answer = await author.patch(f"/ads/{ad}", json={"attributes": {"mileage": 5}})
    assert sorted(pointers(answer)) == ["/attributes", "/attributes/seats"]
    answer = await author.patch(f"/ads/{ad}", json={"attributes": {"fuel": None, "seats": 4}})
    assert answer.status_code == 200
    assert await attributes(author, ad) == {"mileage": 84_000, "seats": 4}


@pytest.mark.heavy
async def test_a_category_that_a_process_has_not_heard_of_is_looked_for(
    api: Api, author: Person, start_api: ApiFactory
) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    # As if no notice came.
    silently = """
        DO $$ BEGIN
            SET LOCAL session_replication_role = replica;
            INSERT INTO categories (slug, parent_id, name) VALUES ('vans', 2, 'Vans');
        END $$
    """
    async with start_api(data_dir=api.state.settings.data_dir) as other:
        there = Person(author.id, author.username, author.token, other.client)
        assert (await there.patch(f"/ads/{ad}", json={"category": "cars"})).status_code == 200
        await api.sql(silently)
        answer = await there.patch(f"/ads/{ad}", json={"category": "vans"})
        assert answer.status_code == 200, answer.text


@pytest.mark.heavy
async def test_two_changes_at_once_leave_what_fits_together(author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    changes = [
        {"attributes": {"parking": True}},
        {"attributes": {"engine": 2.5}},
        {"attributes": {"model": "T4"}},
        {"category": "boats", "attributes": dict.fromkeys(("fuel", "parking", "engine", "model"))},
    ]  # fmt: skip
    answers = await asyncio.gather(*(author.patch(f"/ads/{ad}", json=change) for change in changes))
    found = (await author.get(f"/ads/{ad}")).json()
    statuses = [answer.status_code for answer in answers]
    assert statuses[3] == 200
    assert set(statuses) <= {200, 400}
    assert (found["category"], found["attributes"]) == ("boats", {"mileage": 84_000})


@pytest.mark.heavy
async def test_changes_of_different_attributes_at_once_are_all_kept(author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    sent = [{"parking": True}, {"engine": 2.5}, {"model": "T4"}, {"mileage": 1}]
    answers = await asyncio.gather(
        *(author.patch(f"/ads/{ad}", json={"attributes": one}) for one in sent)
    )
    assert {answer.status_code for answer in answers} == {200}
    assert await attributes(author, ad) == {
        "fuel": "diesel", "parking": True, "engine": 2.5, "model": "T4", "mileage": 1,
    }  # fmt: skip


async def test_a_missing_right_to_change_an_ad_is_reported_first(api: Api, author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    stranger = await api.person()
    sent = {"attributes": {"fuel": "gas"}}
    assert (await api.client.patch(f"/ads/{ad}", json=sent)).status_code == 401
    assert (await stranger.patch("/ads/99", json=sent)).status_code == 404
    assert (await stranger.patch(f"/ads/{ad}", json=sent)).status_code == 403
    assert await attributes(author, ad) == CAR["attributes"]


async def test_an_administrator_changes_the_attributes_of_others_on_record(
    api: Api, author: Person
) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    admin = await api.admin()
    answer = await admin.patch(f"/ads/{ad}", json={"attributes": {"fuel": "petrol"}})
    assert answer.status_code == 200
    events = "SELECT target FROM audit_events WHERE event = 'foreign_ad_changed'"
    assert await api.sql(events) == [str(ad)]


async def test_a_category_with_ads_is_not_deleted(api: Api, author: Person) -> None:
    ad = (await author.post_ad(**CAR))["pk"]
    admin = await api.admin()
    assert (await admin.delete("/categories/cars")).status_code == 409
    await author.delete(f"/ads/{ad}")
    assert (await admin.delete("/categories/cars")).status_code == 204


async def test_texts_and_the_labels_of_options_are_words(api: Api, author: Person) -> None:
    sent = {"fuel": "diesel", "model": "Transporter", "mileage": 5}
    ad = (await author.post_ad(category="cars", attributes=sent))["pk"]
    words = "SELECT attribute_words FROM ads"
    assert await api.sql(words) == ["Diesel Selbstzünder Transporter"]
    await author.patch(f"/ads/{ad}", json={"attributes": {"fuel": "petrol", "model": None}})
    assert await api.sql(words) == ["Petrol Benzin"]


async def counts(api: Api) -> dict[str, int]:
    tree = (await api.client.get("/categories")).json()["results"]
    return {category["slug"]: category["count"] for category in tree}


@pytest.mark.heavy
async def test_a_category_counts_its_visible_ads_and_those_below(api: Api, author: Person) -> None:
    none = dict.fromkeys(TREE, 0)
    ads = [(await author.post_ad(**CAR))["pk"] for _ in range(2)]
    await author.post_ad(category="vehicles")
    await author.post_ad()
    assert await counts(api) == none | {"cars": 2, "vehicles": 3}
    await author.patch(f"/ads/{ads[0]}", json={"category": None})
    assert await counts(api) == none | {"cars": 1, "vehicles": 2}
    await author.patch(
        f"/ads/{ads[1]}", json={"category": "home", "attributes": {"fuel": None, "mileage": None}}
    )
    assert await counts(api) == none | {"home": 1, "vehicles": 1}
    for status, shown in (("sold", 0), ("reserved", 1), ("expired", 0), ("active", 1)):
        await api.sql("UPDATE ads SET status = :status WHERE id = :id", status=status, id=ads[1])
        assert await counts(api) == none | {"home": shown, "vehicles": 1}, status
    await api.sql("UPDATE ads SET status = 'withdrawn' WHERE id = :id", id=ads[1])
    await author.delete(f"/ads/{ads[1]}")
    assert await counts(api) == none | {"vehicles": 1}
    await api.sql("DELETE FROM ads")
    assert await counts(api) == none


@pytest.mark.heavy
async def test_where_every_ad_needs_a_category_it_must_be_given(
    api: Api, author: Person, start_api: ApiFactory
) -> None:
    before = (await author.post_ad())["pk"]
    data_dir = api.state.settings.data_dir
    async with start_api(data_dir=data_dir, category_required=True) as strict:
        there = Person(author.id, author.username, author.token, strict.client)
        assert pointers(await post(there)) == ["/category"]
        assert pointers(await post(there, category=None)) == ["/category"]
        ad = await there.post_ad(category="boats")
        answer = await there.patch(f"/ads/{ad['pk']}", json={"category": None})
        assert pointers(answer) == ["/category"]
        # What was there before goes on as it was.
        assert (await there.patch(f"/ads/{before}", json={"price": 3})).status_code == 200
