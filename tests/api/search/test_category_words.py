"""Names and synonyms of categories find their ads; whole words go before beginnings."""

from typing import Any

import pytest

from adsvc.repositories.categories import reword_ads
from adsvc.services.categories import changes
from adsvc.settings import Jobs
from conftest import ApiFactory
from support.scene.api import Api, Person
from support.scene.category_tree import insert_ads_of_tree
from support.scene.listings import announce_all, listed

VEHICLES = {"name": "Vehicles", "names": {"de": "Fahrzeuge"}}
CARS = {
    "name": "Cars",
    "names": {"de": "Autos", "ru": "Автомобили"},
    "parent": "vehicles",
    "synonyms": {"en": ["automobile"], "ru": ["машина"]},
}


async def put(who: Person, slug: str, **definition: Any) -> None:
    answer = await who.request("PUT", f"/categories/{slug}", json=definition)
    assert answer.status_code in {200, 201}, answer.text
    assert answer.json()["synonyms"] == definition.get("synonyms", {})


def titles_of(page: dict[str, Any]) -> list[str]:
    return [ad["title"] for ad in page["results"]]


async def found(api: Api, q: str, **filters: str | int) -> list[str]:
    return titles_of(await listed(api.client, q=q, **filters))


@pytest.mark.heavy
async def test_an_ad_has_the_words_of_its_category_and_of_those_above(
    start_own_api: ApiFactory,
) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        admin = await api.admin()
        await put(admin, "vehicles", **VEHICLES)
        await put(admin, "cars", **CARS)
        golf, lamp = await insert_ads_of_tree(
            api, admin.id, [{"title": "Golf", "category": "cars"}, {"title": "Lamp for a car"}]
        )
        for query in ("vehicle", "Fahrzeuge", "Autos", "автомобили", "машина", "automobiles"):
            assert await found(api, query) == ["Golf"], query
        # With its title: its own names, but not those above. A stem comes behind the word itself.
        assert await found(api, "cars") == ["Golf", "Lamp for a car"]
        assert await found(api, "cars -golf") == ["Lamp for a car"]
        # What begins a word is no inflection of it.
        assert await found(api, "carpenter") == []
        await api.sql("UPDATE ads SET status = 'sold' WHERE id = :id", id=golf)
        announce_all(api)
        assert await found(api, "vehicle") == []
        await api.sql("UPDATE ads SET status = 'active' WHERE id = :id", id=golf)
        await api.sql("UPDATE ads SET category_id = NULL WHERE id = :id", id=golf)
        await api.sql(
            "UPDATE ads SET category_id = (SELECT id FROM categories WHERE slug = 'vehicles')"
            " WHERE id = :id RETURNING id",
            id=lamp,
        )
        announce_all(api)
        assert await found(api, "vehicle") == ["Lamp for a car"]


@pytest.mark.heavy
async def test_a_job_gives_new_words_to_the_ads_that_are_there(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        admin = await api.admin()
        await put(admin, "vehicles", **VEHICLES)
        await put(admin, "cars", **CARS)
        ads = [{"title": f"Golf {number}", "category": "cars"} for number in range(5)]
        ids = await insert_ads_of_tree(api, admin.id, ads)
        # They have those of a new category from the start, and are not written again.
        assert await changes.add_words(api.state.database) == 0
        before = await api.client.get(f"/ads/{ids[0]}/details")
        await put(admin, "vehicles", name="Wheels")
        assert len(await found(api, "vehicles")) == len(ids)
        assert await reword_ads(api.state.database.writer, 2) == 0, "the category above has no ads"
        assert await reword_ads(api.state.database.writer, 2) == 2
        # A change while the job is at work begins again with all of them.
        await put(admin, "vehicles", name="Motors")
        assert await changes.add_words(api.state.database) == len(ids)
        # Nothing is done twice.
        assert await changes.add_words(api.state.database) == 0
        api.state.database.changes.apply_all()
        assert await found(api, "vehicles") == []
        assert await found(api, "wheels") == []
        assert len(await found(api, "motors")) == len(ids)
        after = await api.client.get(f"/ads/{ids[0]}/details")
        assert after.headers["ETag"] == before.headers["ETag"], "nothing of the ad has changed"


@pytest.mark.heavy
async def test_an_older_transaction_is_waited_for(start_own_api: ApiFactory) -> None:
    """Its ad has the words of before, and may be committed behind the job's back."""
    async with start_own_api(jobs=Jobs.OFF) as api:
        admin = await api.admin()
        await put(admin, "cars", name="Cars")
        await insert_ads_of_tree(api, admin.id, [{"title": "Golf", "category": "cars"}])
        await changes.add_words(api.state.database)
        async with api.state.database.transaction() as older:
            connection = await older.connection()
            await connection.exec_driver_sql("UPDATE ads SET price = 7")
            await put(admin, "cars", name="Motors")
            assert await reword_ads(api.state.database.writer, 9) is None
        assert await changes.add_words(api.state.database) == 1


async def test_whole_words_go_before_those_that_only_begin_so(api: Api) -> None:
    person = await api.person()
    rows = [
        {"title": "Zither", "description": "With a quern of old."},
        {"title": "Quern of stone"},
        {"title": "Quernstone"},
        {"title": "Mortar", "description": "Of a quernmaker."},
        {"title": "Two querns"},
    ]
    await insert_ads_of_tree(api, person.id, rows)
    expected = ["Two querns", "Quern of stone", "Zither", "Quernstone", "Mortar"]
    assert await found(api, "quern") == expected
    assert await found(api, "quern ") == expected[:3], "a space ends the word"
    pages: list[str] = []
    page = await listed(api.client, q="quern", limit=2)
    while True:
        pages += titles_of(page)
        if page["next"] is None:
            break
        page = await listed(api.client, q="quern", limit=2, cursor=page["next"])
    assert pages == expected


@pytest.mark.parametrize(
    ("synonyms", "code"),
    [
        (["car"], "wrong-type"),
        ({"en": "car"}, "wrong-type"),
        ({"e": ["car"]}, "wrong-format"),
        ({"en": [""]}, "wrong-format"),
        ({"en": ["c" * 41]}, "wrong-format"),
        ({"en": ["car", " car"]}, "duplicate"),
        ({"en": [7]}, "wrong-format"),
        ({"en": ["car", "car"]}, "duplicate"),
        ({"en": [f"car{n}" for n in range(101)]}, "wrong-count"),
    ],
)
async def test_synonyms_that_are_none(api: Api, synonyms: object, code: str) -> None:
    admin = await api.admin()
    answer = await admin.request(
        "PUT", "/categories/synonyms", json={"name": "None", "synonyms": synonyms}
    )
    assert answer.status_code == 400
    [fault] = answer.json()["errors"]
    assert (fault["pointer"], fault["code"]) == ("/synonyms", code)
