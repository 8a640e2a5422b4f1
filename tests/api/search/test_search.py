"""Full-text search: what people type, in three languages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy.engine import URL

from adsvc import migrations
from adsvc.errors import ConfigurationError
from conftest import ApiFactory, DatabaseFactory
from support.scene.api import Api
from support.scene.listings import STRICT, analyze, insert_ads, listed, titles_of
from support.scene.warmth import settle

# The newest last.
ENGLISH = {
    "Oak table": "Seats six people, one scratch.",
    "Vintage lamp": "Stands on an oak table in the picture.",
    "Running shoes": "Ran only twice in them, size 43.",
    "Bicycle, red": "A folding bike with a lamp.",
    "Sewing machine": "Sews everything, from the 1960s.",
    "Machine tools": "For sewing leather and more.",
    "The Who, record": "Live at Leeds. 12-inch.",
    "Café chairs": "Four of them, 25 € each; O'Neill & Sons.",
}
GERMAN = {
    "Eichentisch": "Ein Tisch aus Eiche, mit Kratzern.",
    "Zwei Häuser für Vögel": "Vogelhäuschen zum Aufhängen.",
    "Fahrräder": "Zwei alte Räder, eins davon fährt noch.",
    "Bücherregal": "Für viele Bücher, weiß lackiert.",
    "Vase": "Für die Straße zu schade.",
}
RUSSIAN = {
    "Дубовый стол": "Крепкий стол, одна царапина.",
    "Книжная полка": "Для книг и журналов, до ста килограммов.",
    "Велосипед красный": "Складной, почти новый. Стоит у стола.",
    "Ёлка": "Искусственная ёлка с игрушками.",
    "Две лампы": "Лампа настольная и лампа напольная.",
}
ANSWERS = {
    "english": (
        ENGLISH,
        {
            "table": ["Oak table", "Vintage lamp"],
            "TABLES": ["Oak table", "Vintage lamp"],
            "lamp": ["Vintage lamp", "Bicycle, red"],
            "run": ["Running shoes"],
            "a lamp": ["Vintage lamp", "Bicycle, red"],
            "the oak": ["Oak table", "Vintage lamp"],
            "oak for": ["Oak table", "Vintage lamp"],
            "the who": ["The Who, record"],
            '"the who"': ["The Who, record"],
            "oak lamp": ["Vintage lamp"],
            "oak -lamp": ["Oak table"],
            "table -lamps": ["Oak table"],
            "table -stands": ["Oak table"],
            "-oak -machines record -leather": ["The Who, record"],
            '"sewing machine"': ["Sewing machine"],
            '"scratch one"': [],
            "sewing machine": ["Sewing machine", "Machine tools"],
            '-"sewing machine" machine': ["Machine tools"],
            "bicycle or shoes": ["Bicycle, red", "Running shoes"],
            "shoes OR oak lamp": ["Running shoes", "Vintage lamp"],
            "shoes or": ["Running shoes"],
            "or shoes": ["Running shoes"],
            "bicy": ["Bicycle, red"],
            "oak ta": ["Oak table", "Vintage lamp"],
            "sew mach": ["Sewing machine", "Machine tools"],
            "b": [],
            "bi": ["Bicycle, red"],
            "bic oak": [],
            "bicy ": [],
            '"oak ta"': [],
            # A whole word goes before one that only begins so.
            "shoes or bicy": ["Running shoes", "Bicycle, red"],
            "43": ["Running shoes"],
            "café": ["Café chairs"],
            "o'neill": ["Café chairs"],
            "leeds/": ["The Who, record"],
            "zebra": [],
        },
    ),
    "german": (
        GERMAN,
        {
            "tisch": ["Eichentisch"],
            "tische": ["Eichentisch"],
            "haus": ["Zwei Häuser für Vögel"],
            "Vogel": ["Zwei Häuser für Vögel"],
            "buch": ["Bücherregal"],
            "bücher": ["Bücherregal"],
            "ein buch": ["Bücherregal"],
            "rad": ["Fahrräder"],
            "fahrr": ["Fahrräder"],
            "straße": ["Vase"],
            "weiß -regal": ["Bücherregal"],
            "weiße -bücherregale": [],
            "zwei -vögel": ["Fahrräder"],
            "vase or eiche": ["Vase", "Eichentisch"],
        },
    ),
    "russian": (
        RUSSIAN,
        {
            "стол": ["Дубовый стол", "Велосипед красный"],
            "столы": ["Дубовый стол", "Велосипед красный"],
            "столами": ["Дубовый стол", "Велосипед красный"],
            "книги": ["Книжная полка"],
            "лампа": ["Две лампы"],
            "ЛАМПАМИ": ["Две лампы"],
            "красные велосипеды": ["Велосипед красный"],
            "стол -велосипеды": ["Дубовый стол"],
            "вело": ["Велосипед красный"],
            "у стола": ["Дубовый стол", "Велосипед красный"],
            "ёлка": ["Ёлка"],
            "ёлки": ["Ёлка"],
            "полка or ёлка": ["Ёлка", "Книжная полка"],
            '"лампа настольная"': ["Две лампы"],
        },
    ),
}


async def advertise(api: Api, ads: dict[str, str]) -> None:
    author = await api.person()
    rows = [{"title": title, "description": text} for title, text in ads.items()]
    await insert_ads(api, author.id, rows)


@asynccontextmanager
async def searching(
    start_api: ApiFactory, bare_database: DatabaseFactory, language: str
) -> AsyncIterator[tuple[Api, URL]]:
    """An application whose database knows that language."""
    async with bare_database() as url:
        await migrations.upgrade(url, language=language)
        address = url.render_as_string(hide_password=False)
        async with start_api(database_url=address, search_language=language) as api:
            yield api, url


@pytest.mark.heavy
@pytest.mark.parametrize("language", ANSWERS)
async def test_a_search_finds_matching_ads(
    start_api: ApiFactory, bare_database: DatabaseFactory, language: str
) -> None:
    ads, answers = ANSWERS[language]
    async with searching(start_api, bare_database, language) as (api, _):
        await advertise(api, ads)
        found = {}
        for query in answers:
            page = await listed(api.client, "/ads", STRICT, q=query)
            found[query] = [ad["title"] for ad in page["results"]]
            assert page["count"] == len(page["results"])
        assert {query: titles for query, titles in found.items() if titles != answers[query]} == {}


@pytest.mark.heavy
async def test_another_language_is_set_later(
    start_api: ApiFactory, bare_database: DatabaseFactory
) -> None:
    async with searching(start_api, bare_database, "english") as (api, url):
        await advertise(api, GERMAN | RUSSIAN)
        assert await titles_of(api.client, q="haus ") == []
        assert await titles_of(api.client, q="столами ") == []
        await migrations.upgrade(url, language="german")
        await settle(api)
        assert await titles_of(api.client, q="haus ") == ["Zwei Häuser für Vögel"]
        await migrations.upgrade(url, language="russian")
        await settle(api)
        assert await titles_of(api.client, q="haus ") == []
        assert len(await titles_of(api.client, q="столами ")) == 2
        # What is written later is found too, and once more says the same.
        await advertise(api, {"Письменные столы": "Для работы."})
        await migrations.upgrade(url, language="russian")
        assert (await titles_of(api.client, q="стол "))[0] == "Письменные столы"
        indexes = await api.sql(
            "SELECT relname FROM pg_class WHERE reloptions = ARRAY['gin_pending_list_limit=256']"
        )
        assert {"ix_ads_search", "ix_ads_title_search"} == set(indexes)


@pytest.mark.heavy
async def test_a_language_that_is_not_there_is_refused(bare_database: DatabaseFactory) -> None:
    async with bare_database() as url:
        for language in ("klingon", "adsvc", "", "english; DROP TABLE ads"):
            with pytest.raises(ConfigurationError, match="ADSVC_SEARCH_LANGUAGE"):
                await migrations.upgrade(url, language=language)
        # Nothing is left half done.
        await migrations.upgrade(url, language="simple")


async def test_titles_come_first_and_the_newest_first_among_each(api: Api) -> None:
    author = await api.person()
    rows = [
        {"title": f"{'Desk' if number % 3 else 'Chair'} {number}", "description": "Fits a desk."}
        for number in range(9)
    ]
    await insert_ads(api, author.id, rows)
    desks = [f"Desk {number}" for number in (8, 7, 5, 4, 2, 1)]
    chairs = [f"Chair {number}" for number in (6, 3, 0)]
    assert await titles_of(api.client, q="desk") == [*desks, *chairs]
    assert await titles_of(api.client, q="desk", sort="relevance") == [*desks, *chairs]
    assert await titles_of(api.client, q="desk", sort="-created") == sorted(
        desks + chairs, key=lambda title: -int(title.split()[1])
    )


async def test_what_is_excluded_is_excluded_wherever_it_stands(api: Api) -> None:
    """The title has the word searched for, the description the one excluded."""
    await advertise(api, {"Desk": "One scratch.", "Old desk": "As new.", "Chair": "For a desk."})
    assert await titles_of(api.client, q="desk -scratch") == ["Old desk", "Chair"]
    assert await titles_of(api.client, q="-scratch") == ["Chair", "Old desk"]
    assert (await listed(api.client, q="-scratch"))["count"] == 2


async def test_few_ads_are_all_counted_where_words_are_only_excluded(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although fewer would fill the page."""
    monkeypatch.setattr("adsvc.repositories.ads.search.repository.FEWEST", 2)
    await advertise(api, {f"Desk {n}": "As new." if n else "One scratch." for n in range(20)})
    await analyze(api)
    found = await listed(api.client, q="-scratch", limit=1)
    assert (found["count"], found["countExact"]) == (19, True)
