"""The category tree: reading it, changing it, and who may."""

import asyncio
from typing import Any

import httpx2
import pytest
from jsonschema_rs import Draft202012Validator
from sqlalchemy import text

from adsvc.services.categories import changes
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.categories import BOATS, CARS, HOME, TREE, VEHICLES, plant
from support.scene.snapshots import snapshot


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 400, answer.text
    return [fault["pointer"] for fault in answer.json()["errors"]]


async def put(who: Person, slug: str, definition: object) -> httpx2.Response:
    return await who.request("PUT", f"/categories/{slug}", json=definition)


async def test_a_fresh_installation_has_no_categories(api: Api) -> None:
    answer = await api.client.get("/categories")
    assert answer.status_code == 200
    assert answer.json() == {"results": []}
    assert answer.headers["cache-control"] == "public, no-cache"


async def test_the_tree_comes_parents_before_children_in_the_order_of_display(api: Api) -> None:
    await plant(api)
    tree = (await api.client.get("/categories")).json()["results"]
    assert [category["slug"] for category in tree] == ["home", "vehicles", "boats", "cars"]
    assert [category["parent"] for category in tree] == [None, None, "vehicles", "vehicles"]
    assert tree[1]["names"] == VEHICLES["names"]


async def test_a_category_has_the_attributes_of_its_ancestors(api: Api) -> None:
    await plant(api)
    answer = await api.client.get("/categories/cars")
    assert answer.status_code == 200
    found = {a["name"]: a for a in answer.json()["attributes"]}
    assert {name: a["inherited"] for name, a in found.items()} == {
        "mileage": True, "inspectedUntil": True,
        "fuel": False, "model": False, "parking": False, "engine": False,
    }  # fmt: skip
    assert found["mileage"] == {
        "name": "mileage", "label": "mileage", "labels": {}, "type": "integer", "unit": "km",
        "minimum": 0, "maximum": 2_000_000, "maxLength": None, "options": [], "required": False,
        "filterable": True, "facetable": True, "inherited": True,
    }  # fmt: skip
    assert found["fuel"]["options"][1] == {
        "value": "petrol", "label": "Petrol", "labels": {"de": "Benzin"},
    }  # fmt: skip


async def test_there_are_so_many_categories_and_no_more(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_CATEGORIES", len(TREE))
    admin = await plant(api)
    answer = await put(admin, "garden", {"name": "Garden"})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "wrong-count"
    # One that is there may be changed.
    assert (await put(admin, "home", {"name": "Garden"})).status_code == 200


async def test_an_unknown_category_is_not_found(api: Api) -> None:
    for path in ("/categories/cars", "/categories/cars/schema"):
        answer = await api.client.get(path)
        assert answer.status_code == 404, path
        assert answer.json()["type"] == "/problems#category-not-found"
    admin = await api.admin()
    assert (await admin.delete("/categories/cars")).status_code == 404


async def test_a_slug_that_none_can_be_is_refused(api: Api) -> None:
    admin = await api.admin()
    for slug in ("Cars", "a_b", "a" * 65, "%D0%B0"):
        for method in ("GET", "PUT", "DELETE"):
            answer = await admin.request(method, f"/categories/{slug}", json=HOME)
            assert answer.status_code == 400, (method, slug)
            assert answer.json()["errors"][0]["parameter"] == "slug"


async def test_the_schema_says_what_the_attributes_must_be(api: Api) -> None:
    await plant(api)
    answer = await api.client.get("/categories/cars/schema")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/schema+json"
    schema = answer.json()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["fuel"]
    assert schema["properties"]["fuel"]["enum"] == ["diesel", "petrol"]
    assert schema["properties"]["inspectedUntil"]["format"] == "date"
    assert schema["properties"]["mileage"]["maximum"] == 2_000_000
    valid = Draft202012Validator(schema, validate_formats=True).is_valid
    assert valid({"fuel": "diesel", "mileage": 5, "model": "T4", "inspectedUntil": "2026-02-28"})
    for wrong in ({}, {"fuel": "gas"}, {"fuel": "diesel", "inspectedUntil": "2026-02-30"}):
        assert not valid(wrong), wrong


async def test_a_second_put_changes_the_category(api: Api) -> None:
    admin = await plant(api)
    answer = await put(admin, "home", {"name": "House and garden", "parent": "vehicles"})
    assert answer.status_code == 200
    assert "location" not in answer.headers
    found = (await api.client.get("/categories/home")).json()
    assert (found["name"], found["parent"]) == ("House and garden", "vehicles")
    assert found == answer.json()


async def test_a_new_category_says_where_it_is(api: Api) -> None:
    admin = await api.admin()
    answer = await put(admin, "home", HOME)
    assert answer.status_code == 201
    assert answer.headers["location"] == "/categories/home"


async def test_a_record_that_was_read_can_be_put_back(api: Api) -> None:
    admin = await plant(api)
    for slug in TREE:
        before = (await api.client.get(f"/categories/{slug}")).json()
        assert (await put(admin, slug, before)).status_code == 200, slug
        assert (await api.client.get(f"/categories/{slug}")).json() == before


@pytest.mark.heavy
async def test_definitions_that_cannot_be_are_refused_at_their_place(api: Api) -> None:
    admin = await plant(api)
    number = {"name": "rooms", "type": "integer"}
    choice = {"name": "kind", "type": "enum", "options": [{"value": "a"}]}
    note = {"name": "note", "type": "string"}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "/name"),
        ({"name": ""}, "/name"),
        ({"name": " \u200b"}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"name": None}, "/name"),
        ({"parent": "nowhere"}, "/parent"),
        ({"parent": "No Slug"}, "/parent"),
        ({"position": 2**31}, "/position"),
        ({"position": "1"}, "/position"),
        ({"names": {"deutsch": "x"}}, "/names"),
        ({"names": {"de": ""}}, "/names"),
        ({"names": {"de": "\u200b"}}, "/names"),
        ({"names": {"de": 5}}, "/names"),
        ({"names": []}, "/names"),
        ({"attributes": [{"name": "rooms"}]}, "/attributes/0/type"),
        ({"attributes": [number, {"name": "Rooms", "type": "date"}]}, "/attributes/1/name"),
        ({"attributes": [{"name": "a" * 41, "type": "date"}]}, "/attributes/0/name"),
        ({"attributes": [number, number]}, "/attributes"),
        ({"attributes": [number | {"type": "object"}]}, "/attributes/0/type"),
        ({"attributes": [number | {"minimum": 2, "maximum": 1}]}, "/attributes/0"),
        ({"attributes": [number | {"minimum": 1.5}]}, "/attributes/0"),
        ({"attributes": [number | {"minimum": True}]}, "/attributes/0/minimum"),
        ({"attributes": [number | {"maximum": 2**60}]}, "/attributes/0/maximum"),
        ({"attributes": [number | {"maxLength": 5}]}, "/attributes/0"),
        ({"attributes": [number | {"options": [{"value": "a"}]}]}, "/attributes/0"),
        ({"attributes": [note | {"filterable": True}]}, "/attributes/0"),
        ({"attributes": [note | {"facetable": True}]}, "/attributes/0"),
        ({"attributes": [note | {"minimum": 1}]}, "/attributes/0"),
        ({"attributes": [note | {"maxLength": 0}]}, "/attributes/0/maxLength"),
        ({"attributes": [choice | {"options": []}]}, "/attributes/0"),
        ({"attributes": [choice | {"options": [{"value": "a"}] * 2}]}, "/attributes/0/options"),
        ({"attributes": [choice | {"options": [{"value": "a|b"}]}]},
         "/attributes/0/options/0/value"),
        ({"attributes": [choice | {"options": [{"value": str(n)} for n in range(501)]}]},
         "/attributes/0/options"),
        ({"attributes": [choice | {"options": [{"value": str(n)} for n in range(10_000)]}]},
         "/attributes/0/options"),
        ({"attributes": [{"name": f"a{n}", "type": "date"} for n in range(101)]}, "/attributes"),
    ]  # fmt: skip
    before = await snapshot(api)
    for change, place in wrong:
        sent = change if "name" in change or not change else {"name": "Odd", **change}
        assert pointers(await put(admin, "odd", sent)) == [place], change
    after = await snapshot(api)
    assert after.rows["categories"] == before.rows["categories"]


async def test_an_inherited_attribute_is_not_defined_anew(api: Api) -> None:
    admin = await plant(api)
    again = {"name": "mileage", "type": "date"}
    sent = {"name": "Vans", "parent": "cars", "attributes": [HOME | again]}
    assert pointers(await put(admin, "vans", sent)) == ["/attributes/0/name"]
    # Neither from above: what a child defines already, or what it would come to inherit.
    fuel = {"name": "fuel", "type": "date"}
    assert pointers(await put(admin, "vehicles", VEHICLES | {"attributes": [fuel]})) == [
        "/attributes"
    ]
    await put(admin, "engines", {"name": "Engines", "attributes": [fuel]})
    moved = {"name": "Engines", "parent": "cars", "attributes": [fuel]}
    assert pointers(await put(admin, "engines", moved)) == ["/attributes/0/name"]


async def test_a_category_cannot_become_its_own_ancestor(api: Api) -> None:
    admin = await plant(api)
    for parent in ("cars", "vehicles"):
        answer = await put(admin, "vehicles", VEHICLES | {"parent": parent})
        assert answer.status_code == 409, parent
        assert answer.json()["type"] == "/problems#category-cycle"


async def test_two_moves_at_once_make_no_circle(api: Api) -> None:
    admin = await plant(api, a=HOME, b=HOME)
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with api.state.database.transaction() as transaction:
        # Nobody can write until both have read whatever they read before that.
        await transaction.execute(text("LOCK TABLE categories IN SHARE MODE"))
        moves = [
            asyncio.create_task(put(admin, slug, HOME | {"parent": parent}))
            for slug, parent in (("a", "b"), ("b", "a"))
        ]
        async with asyncio.timeout(5):
            while await api.sql(waiting) != [2]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    answers = await asyncio.gather(*moves)
    assert sorted(answer.status_code for answer in answers) == [200, 409]


async def test_a_category_with_children_is_not_deleted(api: Api) -> None:
    admin = await plant(api)
    answer = await admin.delete("/categories/vehicles")
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems#category-in-use"
    for slug in ("cars", "boats", "vehicles"):
        assert (await admin.delete(f"/categories/{slug}")).status_code == 204, slug
    tree = (await api.client.get("/categories")).json()["results"]
    assert [category["slug"] for category in tree] == ["home"]


async def test_only_administrators_change_the_tree(api: Api) -> None:
    await plant(api, home=HOME)
    stranger = await api.person()
    before = await snapshot(api)
    for slug in ("home", "new"):
        for method in ("PUT", "DELETE"):
            answer = await api.client.request(method, f"/categories/{slug}", json=HOME)
            assert answer.status_code == 401, (method, slug)
            answer = await stranger.request(method, f"/categories/{slug}", content=b"{")
            assert answer.status_code == 403, (method, slug)
            assert answer.json()["type"] == "/problems#forbidden"
    assert await snapshot(api) == before


async def test_what_changes_the_tree_is_json_of_bounded_size(api: Api) -> None:
    admin = await api.admin()
    sent: dict[str, Any] = {"content": b"name=x", "headers": {"Content-Type": "text/plain"}}
    assert (await admin.request("PUT", "/categories/home", **sent)).status_code == 415
    sent = {"content": b" " * (2**20 + 1), "headers": {"Content-Type": "application/json"}}
    assert (await admin.request("PUT", "/categories/home", **sent)).status_code == 413


async def test_changes_of_the_tree_are_in_the_audit_trail(api: Api) -> None:
    admin = await plant(api, home=HOME)
    await put(admin, "home", HOME)
    await put(admin, "home", BOATS | {"parent": None})
    await admin.delete("/categories/home")
    events = "SELECT event || ' ' || actor || ' ' || target FROM audit_events ORDER BY id"
    # What changed nothing is no change.
    assert await api.sql(events) == [
        f"category_changed {admin.id} home",
        f"category_changed {admin.id} home",
        f"category_deleted {admin.id} home",
    ]


@pytest.mark.heavy
async def test_answers_in_memory_fall_with_the_tree(api: Api, start_api: ApiFactory) -> None:
    admin = await plant(api)
    paths = ("/categories", "/categories/cars", "/categories/cars/schema")
    async with start_api() as other:
        for one in (api, other):
            for path in paths:
                answer = await one.client.get(path)
                again = {"If-None-Match": answer.headers["etag"]}
                assert (await one.client.get(path, headers=again)).status_code == 304, path
        await put(admin, "cars", CARS | {"name": "Automobiles"})
        for path in paths:
            assert "Automobiles" in (await api.client.get(path)).text, path
            async with asyncio.timeout(5):
                # The other process hears of it from the database.
                while "Automobiles" not in (await other.client.get(path)).text:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
