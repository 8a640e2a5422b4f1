"""Saved searches as their accounts see them. Which ads match is in test_percolation.py."""

from typing import Any
from unicodedata import normalize
from urllib.parse import urlencode

import pytest

from adsvc.settings import Jobs
from adsvc.settings.groups import PlanLimits
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.category_tree import insert_tree
from support.scene.listings import insert_ads
from support.scene.searches import Matching, save
from support.trouble.blocking import while_changing

PATH = "/users/me/searches"
SENT = {"query": "q=oak+table&maxPrice=500", "name": "Tables"}


async def saved(person: Person, **members: Any) -> dict[str, Any]:
    answer = await person.post(PATH, json={**SENT, **members})
    assert answer.status_code == 201, answer.text
    search: dict[str, Any] = answer.json()
    return search


async def new_counts(person: Person) -> list[int]:
    return [each["newCount"] for each in (await person.get(PATH)).json()["results"]]


@pytest.mark.guard
async def test_what_was_there_is_not_new_whenever_the_log_hears_of_it(api: Api) -> None:
    """An ad is in the log a moment after it was committed."""
    person, author = await api.person(), await api.person()
    matching = Matching(api)
    await matching.begin()
    # The sequencer waits.
    async with while_changing(api, "LOCK TABLE events IN SHARE MODE"):
        there, cheaper = [await author.post_ad(title="Oak table", price=n) for n in (100, 900)]
        await saved(person)
        [query] = await api.sql("SELECT query_id FROM saved_searches")
        new = await author.post_ad(title="Oak table", price=200)
        await author.patch(f"/ads/{cheaper['pk']}", json={"price": 300})
    ads = {ad["pk"] for ad in (there, cheaper, new)}
    assert await matching.step() == {(ad, query) for ad in ads}
    assert await new_counts(person) == [2]
    # Another account saves the same query later; to that one all of them are known.
    other = await api.person()
    await saved(other)
    assert await new_counts(other) == [0]
    # An ad that comes to match again is new.
    await author.patch(f"/ads/{there['pk']}", json={"price": 800})
    await matching.step()
    await author.patch(f"/ads/{there['pk']}", json={"price": 80})
    await matching.step()
    assert (await new_counts(person), await new_counts(other)) == ([3], [1])


@pytest.mark.heavy
async def test_a_saved_search_s_life(api: Api) -> None:
    person = await api.person()
    first = await saved(person)
    assert first == {
        "id": first["id"], **SENT, "notify": "daily", "createdAt": first["createdAt"],
        "newCount": 0,
    }  # fmt: skip
    second = await saved(person, query="q=lamp", notify="never", name=" Lamps ")
    assert (second["notify"], second["name"]) == ("never", "Lamps")
    assert (await person.get(PATH)).json() == {"results": [second, first], "next": None}
    path = f"{PATH}/{first['id']}"
    changed = await person.patch(path, json={"notify": "instant"})
    assert changed.json() == {**first, "notify": "instant"}
    assert (await person.patch(path, json={"name": "Oak"})).json()["name"] == "Oak"
    assert (await person.post(f"{path}/seen")).status_code == 204
    assert (await person.delete(path)).status_code == 204
    assert (await person.get(PATH)).json() == {"results": [second], "next": None}


@pytest.mark.heavy
async def test_the_same_search_again_is_the_first(api: Api) -> None:
    person, other = await api.person(), await api.person()
    await insert_tree(api)
    place, cars = "near=52.520,13.405", "category=cars&attr=year:2015..2020"
    spellings = [
        f"{cars}&attr=fuel:diesel|petrol&q=red++car&{place}",
        f"?q=red%20car&radius=25000&{place}0&attr=fuel%3Apetrol|diesel|petrol&{cars}&limit=5&a=1",
        f"{cars}&attr=fuel:diesel|petrol&q=+red+car&{place}&sort=price&cursor=x",
    ]
    first = await saved(person, query=spellings[0])
    for spelling in spellings[1:]:
        again = await person.post(PATH, json={**SENT, "query": spelling, "name": "Another"})
        assert (again.status_code, again.json()) == (200, first), spelling
    # Not that of another account, whose query it shares.
    assert (await saved(other, query=spellings[1]))["query"] == first["query"]
    assert len(await api.sql("SELECT id FROM saved_queries")) == 1
    # What is typed to its end is something else than a beginning.
    assert await saved(person, query="q=oak") != await saved(person, query="q=oak+")
    assert [search["id"] for search in (await person.get(PATH)).json()["results"]][-1] == first[
        "id"
    ]


@pytest.mark.heavy
async def test_a_search_is_one_however_its_letters_are_encoded(api: Api) -> None:
    person, author = await api.person(), await api.person()
    matching = Matching(api)
    await matching.begin()
    word = "Übergröße"
    spellings = [normalize("NFD", word), word, "Über\u00adgröße", f"\u200b{word}"]
    first = await saved(person, query=urlencode({"q": spellings[0]}))
    assert first["query"] == urlencode({"q": word})
    for spelling in spellings[1:]:
        again = await person.post(PATH, json={**SENT, "query": urlencode({"q": spelling})})
        assert (again.status_code, again.json()) == (200, first), spelling
    await author.post_ad(title=f"{word} Jacke")
    await matching.step()
    assert await new_counts(person) == [1]


@pytest.mark.heavy
async def test_a_stored_search_matches_although_its_letters_are_decomposed(api: Api) -> None:
    """As an earlier version stored it, after its keys were chosen anew."""
    person, author = await api.person(), await api.person()
    matching = Matching(api)
    await matching.begin()
    await saved(person, query=urlencode({"q": "Übergröße"}))
    await api.sql(
        "UPDATE saved_queries SET keyed_at = '-infinity', query = :query",
        query=urlencode({"q": normalize("NFD", "Übergröße")}),
    )
    await author.post_ad(title="Übergröße Jacke")
    await matching.step()
    assert await new_counts(person) == [1]


@pytest.mark.heavy
async def test_a_query_is_validated_as_that_of_get_ads(api: Api) -> None:
    person = await api.person()
    await insert_tree(api)
    bad = [
        "minPrice=-1&q=oak", "minPrice=5&maxPrice=4", "category=boats", "near=91,0", "radius=5",
        "near=1,1&radius=0", "bbox=1,2,3", "attr=fuel:wood", "attr=nothing:1", "attr=model:oak",
        "author=x", "createdAfter=2&createdBefore=1", "priceType=dear",
        "q=" + "a" * 257, "q=%00", "minPrice=x&attr=fuel&bbox=1&category=none",
        "q=" + "-a+" * 13, "minPrice=x&q=" + "word+" * 60,
    ]  # fmt: skip
    for query in bad:
        listed = await api.client.get(f"/ads?{query}")
        answer = await person.post(PATH, json={**SENT, "query": query})
        assert answer.status_code == listed.status_code == 400, query
        assert answer.json()["errors"] == listed.json()["errors"], query
        assert all("parameter" in error for error in answer.json()["errors"])
    assert (await person.get(PATH)).json() == {"results": [], "next": None}


@pytest.mark.heavy
async def test_a_search_that_any_ad_might_match_is_too_broad(api: Api) -> None:
    person = await api.person()
    broad = [
        "", "?", "limit=5", "minPrice=1", "maxPrice=500&minPrice=3", "createdAfter=5",
        "priceType=fixed", "q=", "q=-oak", "q=oak+or+-lamp", "q=%2B",
        "priceType=fixed&maxPrice=5",
    ]  # fmt: skip
    for query in broad:
        answer = await person.post(PATH, json={**SENT, "query": query})
        assert answer.status_code == 400, query
        [error] = answer.json()["errors"]
        assert (error["pointer"], error["code"]) == ("/query", "too-broad")
    narrow = [
        "author=7", "near=1,1", "bbox=-180,-90,180,90", "priceType=free", "q=%22the+oak%22",
        "q=oak+-lamp", "q=oak+or+lamp", "q=the",
    ]  # fmt: skip
    for query in narrow:
        await saved(person, query=query)


@pytest.mark.heavy
async def test_what_is_wrong_with_a_search_is_named(api: Api) -> None:
    person = await api.person()
    path = f"{PATH}/{(await saved(person))['id']}"
    bad: list[tuple[dict[str, Any], str]] = [
        ({"name": " "}, "/name"), ({"name": "a" * 101}, "/name"),
        ({"name": None}, "/name"), ({"notify": "hourly"}, "/notify"), ({"notify": None}, "/notify"),
    ]  # fmt: skip
    for members, pointer in bad:
        answers = [
            await person.post(PATH, json={**SENT, **members}),
            await person.patch(path, json=members),
        ]
        for answer in answers:
            assert answer.status_code == 400, members
            assert [each["pointer"] for each in answer.json()["errors"]] == [pointer], members
    for query in ("q=" + "a" * 4000, None, 3):
        answer = await person.post(PATH, json={**SENT, "query": query})
        assert [each["pointer"] for each in answer.json()["errors"]] == ["/query"], query
    assert (await person.patch(path, json={})).status_code == 400


async def test_an_unknown_parameter_of_a_search_is_refused_where_the_client_is_strict(
    api: Api,
) -> None:
    person = await api.person()
    search = {"name": "Cars", "query": "q=car&maxprice=100&foo=1&sort=price"}
    strict = {"Prefer": "handling=strict"}
    refused = await person.post(PATH, json=search, headers=strict)
    assert refused.status_code == 400
    faults = [(error["parameter"], error["code"]) for error in refused.json()["errors"]]
    assert faults == [("maxprice", "unknown"), ("foo", "unknown")]
    lenient = await person.post(PATH, json=search)
    assert (lenient.status_code, lenient.json()["query"]) == (201, "q=car")
    known = {"name": "Cars", "query": "?q=car&maxPrice=100&sort=price&limit=5"}
    assert (await person.post(PATH, json=known, headers=strict)).status_code == 201


@pytest.mark.heavy
async def test_searches_are_their_account_s_alone(api: Api) -> None:
    owner, other = await api.person(), await api.person()
    search = await saved(owner)
    for number in (search["id"], 999):
        path = f"{PATH}/{number}"
        assert (await other.patch(path, json={"name": "Mine"})).status_code == 404
        assert (await other.delete(path)).status_code == 404
        assert (await other.post(f"{path}/seen")).status_code == 404
    assert (await other.get(PATH)).json() == {"results": [], "next": None}
    assert (await owner.get(PATH)).json() == {"results": [search], "next": None}
    assert (await owner.patch(f"{PATH}/x", json={"name": "Mine"})).status_code == 400


@pytest.mark.heavy
async def test_an_account_has_fifty(api: Api) -> None:
    person = await api.person()
    first = await saved(person)
    for number in range(PlanLimits(1, 1).searches - 1):
        await saved(person, query=f"q=table{number}")
    refused = await person.post(PATH, json={**SENT, "query": "q=one+more"})
    assert refused.status_code == 409
    assert refused.json()["type"].endswith("#too-many")
    assert (await person.post(PATH, json=SENT)).json() == first
    assert (await person.delete(f"{PATH}/{first['id']}")).status_code == 204
    await saved(person, query="q=one+more")


@pytest.mark.heavy
async def test_new_matches_are_counted_until_they_are_seen(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        author, other = await api.person(), await api.person()
        await author.post_ad(title="Oak table of before", price=100)
        matching = Matching(api)
        await matching.begin()
        mine, hers = await saved(author), await saved(other)
        ad = await author.post_ad(title="Oak table", price=100)
        await author.post_ad(title="Oak table", price=501)
        assert len(await matching.step()) == 1
        # One's own ads do not count.
        assert (await new_counts(author), await new_counts(other)) == ([0], [1])
        path = f"/ads/{ad['pk']}"
        # It matched before.
        await author.patch(path, json={"price": 400})
        assert not await matching.step()
        await author.patch(path, json={"price": 600})
        await matching.step()
        await author.patch(path, json={"price": 300})
        assert len(await matching.step()) == 1
        assert await new_counts(other) == [1]
        assert (await other.post(f"{PATH}/{hers['id']}/seen")).status_code == 204
        assert await new_counts(other) == [0]
        await author.post(f"{path}/withdraw")
        await matching.step()
        await author.post(f"{path}/publish")
        assert len(await matching.step()) == 1
        assert await new_counts(other) == [1]
        await author.post(f"{path}/sell")
        assert await new_counts(other) == [0]
        assert mine["id"] != hers["id"]


@pytest.mark.heavy
async def test_up_to_a_hundred_are_counted(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        person, author = await api.person(), await api.person()
        matching = Matching(api)
        await matching.begin()
        await save(api, person, "q=oak")
        await insert_ads(api, author.id, [{"title": f"Oak {number}"} for number in range(120)])
        assert len(await matching.step()) == 120
        assert await new_counts(person) == [100]


async def test_a_save_needs_an_account(api: Api) -> None:
    for method, path in (
        ("POST", PATH), ("GET", PATH), ("PATCH", f"{PATH}/1"), ("DELETE", f"{PATH}/1"),
        ("POST", f"{PATH}/1/seen"),
    ):  # fmt: skip
        answer = await api.client.request(method, path, json=SENT if method != "GET" else None)
        assert answer.status_code == 401, (method, path)


@pytest.mark.heavy
async def test_attempts_count_towards_the_limit_on_changes(start_api: ApiFactory) -> None:
    async with start_api(rate_limits="on", writes_per_user=2) as api:
        person = await api.person()
        await saved(person)
        await saved(person, query="q=lamp")
        assert (await person.post(PATH, json={**SENT, "query": "q=red"})).status_code == 429


@pytest.mark.heavy
async def test_searches_go_with_their_account(api: Api) -> None:
    person, other = await api.person(), await api.person()
    await saved(person)
    await saved(other)
    removed = await person.request("DELETE", "/users/me", json={"currentPassword": person.password})
    assert removed.status_code == 204, removed.text
    assert len(await api.sql("SELECT id FROM saved_searches")) == 1
