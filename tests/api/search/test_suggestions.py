"""Suggestions while people type, and corrected queries."""

from typing import Any

import pytest

from adsvc.repositories.suggestions import FEWEST_AUTHORS
from adsvc.services.suggestions import errors_forgiven, folded, near, renew_phrases
from adsvc.settings import Jobs
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.category_tree import insert_ads_of_tree
from support.scene.listings import announce_all, listed

CARS = {
    "name": "Cars",
    "names": {"de": "Autos", "ru": "Автомобили"},
    "synonyms": {"en": ["automobile"]},
    "attributes": [
        {
            "name": "make",
            "type": "enum",
            "options": [{"value": "vw", "label": "Volkswagen"}, {"value": "s", "label": "Škoda"}],
        },
        {"name": "model", "type": "string"},
    ],
}


async def suggested(api: Api, q: str, language: str = "en") -> list[tuple[str, str | None, int]]:
    answer = await api.client.get(
        "/ads/suggest", params={"q": q}, headers={"Accept-Language": language}
    )
    assert answer.status_code == 200
    return [(one["text"], one["category"], one["count"]) for one in answer.json()["results"]]


async def renew(api: Api) -> None:
    await renew_phrases(api.state.database)
    announce_all(api)
    # Kept for some minutes.
    api.state.vocabularies._until = 0


@pytest.mark.heavy
async def test_a_suggestion_has_its_kind(api: Api) -> None:
    admin = await api.admin()
    for slug, record in {"cars": CARS, "lamps": {"name": "Lamps"}}.items():
        assert (await admin.request("PUT", f"/categories/{slug}", json=record)).status_code == 201
    for person in [await api.person() for _ in range(FEWEST_AUTHORS)]:
        await insert_ads_of_tree(
            api,
            person.id,
            [
                {
                    "title": "Old roadster", "category": "cars",
                    "attributes": {"make": "vw", "model": "Golf GTI"},
                },
                {"title": "Old lamp", "category": "lamps"},
            ],
        )  # fmt: skip
        await api.sql(
            "UPDATE ads SET place = 'München' WHERE author_id = :author RETURNING id",
            author=person.id,
        )
    [first, *_] = await api.sql("SELECT min(id) FROM ads")
    await api.sql("UPDATE ads SET place = 'Hideout' WHERE id = :id RETURNING id", id=first)
    author = await api.person()
    await insert_ads_of_tree(api, author.id, [{"title": "Lamp"}])
    await api.sql(
        "UPDATE ads SET place = 'München' WHERE author_id = :author RETURNING id", author=author.id
    )
    await renew(api)
    for q, kind, text in (
        ("automob", "category", "Cars"), ("volksw", "brand", "Volkswagen"),
        ("munch", "place", "München"), ("old road", "phrase", "old roadster"),
        # The text of an attribute.
        ("gol", "phrase", "golf gti"), ("gti", "phrase", "golf gti"),
    ):  # fmt: skip
        found = (await api.client.get("/ads/suggest", params={"q": q})).json()["results"]
        assert (found[0]["kind"], found[0]["text"]) == (kind, text), q
    # Words of one category are suggested within it, too.
    assert await suggested(api, "volksw") == [("Volkswagen", None, 5), ("Volkswagen", "cars", 5)]
    assert await suggested(api, "roadst") == [
        ("old roadster", None, 5), ("roadster", None, 5), ("roadster", "cars", 5),
    ]  # fmt: skip
    assert await suggested(api, "old road") == [("old roadster", None, 5)]
    assert await suggested(api, "old", "de") == [
        ("old", None, 10), ("old lamp", None, 5), ("old roadster", None, 5),
    ]  # fmt: skip
    assert await suggested(api, "hideo") == [], "the place of one author"
    api.state.vocabularies._until = 0


@pytest.mark.heavy
async def test_suggestions(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        admin = await api.admin()
        answer = await admin.request("PUT", "/categories/cars", json=CARS)
        assert answer.status_code == 201
        people = [await api.person() for _ in range(FEWEST_AUTHORS)]
        # One account alone cannot make a phrase, however often; nor do a few.
        ads: list[tuple[int, dict[str, Any]]] = [
            (people[0].id, {"title": "Buy at swindle.example"})
        ] * 20
        ads += [(person.id, {"title": "Oak table, 0157 1234567 and more"}) for person in people]
        ads += [(person.id, {"title": "Secret recipe"}) for person in people[1:]]
        golf = {"title": "Golf", "category": "cars", "attributes": {"make": "vw"}}
        ads += [(people[0].id, golf)] * 2
        for author, ad in ads:
            await insert_ads_of_tree(api, author, [ad])
        [hidden] = await insert_ads_of_tree(api, people[0].id, [{"title": "Secret recipe"}])
        await api.sql("UPDATE ads SET status = 'withdrawn' WHERE id = :id", id=hidden)
        await renew(api)

        table = ("oak table", None, FEWEST_AUTHORS)
        cars = ("Cars", "cars", 2)
        assert await suggested(api, "oak ta") == [table]
        assert {text for text, _, _ in await suggested(api, "tab")} == {"table", "oak table"}
        assert await suggested(api, "aok tab") == [table], "one error in a phrase"
        assert await suggested(api, "ook tabel") == [table], "two from six letters on"
        for word in ("swindle", "secret", "recipe", "0157", "1234567", "and", "golf"):
            assert await suggested(api, word) == [], word
        assert await suggested(api, "volks") == [("Volkswagen", None, 2)]
        # In the language of the caller, by words of any.
        assert await suggested(api, "automobil") == [cars]
        assert await suggested(api, "Auto", "fr, de;q=0.7") == [("Autos", "cars", 2)]
        assert await suggested(api, "car", "ru-RU") == [("Автомобили", "cars", 2)]
        assert await suggested(api, "car", "en, ru") == [cars], "the site's own language"
        assert (await suggested(api, ""))[0] == cars
        assert {text for text, _, _ in await suggested(api, "")} >= {"Cars", "oak table"}
        assert await suggested(api, "x" * 256) == []

        # Nothing matches, but for what is meant.
        page = await listed(api.client, q="Volkswagne Gulf")
        assert "understood" not in page, "golf is the word of one author"
        assert (await listed(api.client, q="tabel"))["understood"] == "q=table+"
        assert "understood" not in await listed(api.client, q='"oak tabel" -lamp')
        assert "understood" not in await listed(api.client, q="tabel", minPrice=10)
        assert "understood" not in await listed(api.client, q="secert")
        assert "understood" not in await listed(api.client, q="table")
        assert "understood" not in await listed(api.client, q="qqqq")


async def test_a_suggestion_is_public_and_kept_for_a_minute(api: Api) -> None:
    answer = await api.client.get("/ads/suggest")
    assert answer.headers["Cache-Control"] == "public, max-age=60"
    assert {"Accept-Language", "Accept-Encoding"} <= set(answer.headers["Vary"].split(", "))
    known = {"If-None-Match": answer.headers["ETag"]}
    assert (await api.client.get("/ads/suggest", headers=known)).status_code == 304


@pytest.mark.parametrize("q", ["x" * 257, "a\0b"])
async def test_what_cannot_be_typed_is_refused(api: Api, q: str) -> None:
    answer = await api.client.get("/ads/suggest", params={"q": q})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["parameter"] == "q"


@pytest.mark.parametrize(
    ("typed", "word", "errors"),
    [
        ("table", "table", 0), ("tabel", "table", 1), ("tble", "table", 1), ("taable", "table", 1),
        ("tafle", "table", 1), ("tabl", "table", 1), ("tables", "table", 1), ("atbel", "table", 2),
        ("abcd", "dcba", 3), ("ca", "abc", 3),
    ],
)  # fmt: skip
def test_errors(typed: str, word: str, errors: int) -> None:
    assert near(typed, ["unlike", word], errors) == [(errors, word)]
    assert not errors or near(typed, [word], errors - 1) == []


@pytest.mark.heavy
async def test_the_beginning_of_a_word_may_be_wrong(api: Api) -> None:
    author = await api.person()
    await author.post_ad(title="Volkswagen")
    await api.sql(
        "INSERT INTO search_phrases (phrase, ads, authors) VALUES ('volkswagen', 7, 5),"
        " ('old volkswagen', 6, 5), ('abcdefgh', 5, 5), ('abcdefgk', 4, 5)"
        " RETURNING phrase"
    )
    announce_all(api)
    api.state.vocabularies._until = 0
    both = [("volkswagen", None, 7), ("old volkswagen", None, 6)]
    for typed in ("volksv", "vlks", "vollk", "ovlk", "wolkswafen", "volkswagenx", "volkswgaenx"):
        assert await suggested(api, typed) == both, typed
    assert await suggested(api, "old wolks") == both[1:]
    for typed in ("vo", "wo", "volxw", "vzlkzwz", "wolkswafenx", "abcxyz", "bacdefhgx"):
        assert (await suggested(api, typed) == []) is (typed != "vo"), typed
    assert await suggested(api, "abcdxyz") == []
    # Nothing is forgiven to what is right.
    assert await suggested(api, "abcdefgh") == [("abcdefgh", None, 5)]
    assert await suggested(api, "abdcefxh") == [("abcdefgh", None, 5)]
    # A misspelt query becomes the nearest word, of equally near ones the more usual.
    assert (await listed(api.client, q="volkswagne"))["understood"] == "q=volkswagen+"
    api.state.vocabularies._until = 0


def test_how_many_errors_are_forgiven() -> None:
    assert [errors_forgiven("x" * length) for length in (2, 3, 5, 6)] == [0, 1, 1, 2]
    assert folded("Škoda-Fahrräder") == "skoda fahrrader"
