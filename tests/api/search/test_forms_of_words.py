"""Words that are written in several ways: joined, apart, with marks, in scripts without spaces."""

from itertools import permutations
from urllib.parse import quote, urlencode

import pytest

from adsvc.repositories.categories import reword_ads
from adsvc.services.categories import changes
from adsvc.settings import Jobs
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.listings import insert_ads, listed, titles_of
from support.scene.searches import Matching, save

# Titles by which an ad is found, in each of these spellings.
OWN_TITLES = (
    "LP/CD", "A4/B8", "24-70mm", "iPhone-12", "RTX-3080", "USB-C/HDMI", "1.5l", "50+1", "AC/DC",
    "snake_case", "H&M", "3.5", "T5/T6", "example.com/page", "0.5-10V", "C++", "S8+", "2x4",
    "i7-9700K", "v2.0", "1e5", "../etc", "rock'n'roll", "M4x20", "8,5x17",
)  # fmt: skip
# Each finds each other.
SAME = (
    ("iPhone-12", "iphone12", "iphone 12"),
    ("RTX-3080", "rtx3080", "RTX 3080"),
    ("PS5", "ps 5", "ps-5"),
    ("24-70mm", "24 70 mm", "24-70 mm"),
    ("24-70mm", "2470mm"),
    ("e-bike", "ebike"),
    ("LP/CD", "lp-cd", "lpcd"),
    ("LP/CD", "lp cd"),
    ("A4/B8", "a4 b8", "A4-B8"),
    ("T-Shirt", "tshirt"),
    ("wi-fi", "wifi", "Wi\u2011Fi"),
    ("O'Brien", "O\u2019Brien", "O\u02bcbrien", "obrien"),
    ("rock\u2019n\u2019roll", "rock'n'roll", "rocknroll"),
    ("Levi's", "levis", "LEVI\u00b4S"),
    ("Café", "cafe", "CAFÉ", "cafe\u0301"),
    ("Škoda", "skoda", "S\u030ckoda"),
    ("Citroën", "citroen", "Citroe\u0308n"),
    ("Møbel", "mobel"),
    ("Łódź", "lodz"),
    ("Straße", "strasse"),
    ("Müller", "MU\u0308LLER", "muller"),
    ("Müller", "mueller"),
    ("Möbel", "moebel"),
    ("Œuvre", "oeuvre"),
    ("Þór", "thor"),
    ("Æbler", "aebler"),
    ("ёлка", "елка"),
    ("Αθήνα", "αθηνα", "ΑΘΗΝΑ"),
    ("ﬁnish", "finish", "ｆｉｎｉｓｈ"),
    ("so\u00adfa", "sofa", "so\u200bfa"),
)
# What finds a title, and what does not.
SPACELESS = {
    "山地自行车 九成新": (
        ["自行车", "山地", "车", "九成新", "山地自行车"],
        ["汽车", "车行", "自车"],
    ),
    "子供用自転車": (["自転車", "子供", "車"], ["車転", "電車"]),
    "จักรยานเสือหมอบ": (["จักรยาน", "เสือหมอบ"], ["รถยนต์"]),
    "iPhone手机壳": (["手机", "iphone", "iphone 手机壳"], ["机手"]),
    "ソファベッド 白": (["ソファ", "ベッド", "白"], ["テーブル"]),
    "日本語の本 10冊": (["日本語", "10冊", "本"], ["英語"]),
}


async def advertise(api: Api, *titles: str) -> None:
    author = await api.person()
    await insert_ads(
        api, author.id, [{"title": title, "description": "As new."} for title in titles]
    )


@pytest.mark.parametrize("title", OWN_TITLES)
async def test_an_ad_is_found_by_its_title(api: Api, title: str) -> None:
    await advertise(api, f"Old {title} here", "Something else")
    for q in (
        title.removeprefix("-"),
        title.lower().removeprefix("-"),
        f"old {title} here",
        f"{title.removeprefix('-')} ",
    ):
        assert await titles_of(api.client, q=q) == [f"Old {title} here"], q
    assert await titles_of(api.client, q=f'"old {title} here"') == [f"Old {title} here"]


@pytest.mark.heavy
@pytest.mark.parametrize("spellings", SAME, ids=lambda spellings: spellings[0])
async def test_spellings_of_a_word_find_each_other(api: Api, spellings: tuple[str, ...]) -> None:
    for title, q in permutations(spellings, 2):
        author = await api.person()
        [ad] = await insert_ads(
            api, author.id, [{"title": f"Old {title}", "description": "As new."}]
        )
        for typed in (q, f"{q} ", f"old {q}"):
            found = await listed(api.client, q=typed, author=author.id)
            assert [each["pk"] for each in found["results"]] == [ad], (title, typed)
        assert (await listed(api.client, q=f"old -{q.split()[0]}", author=author.id))["count"] == 0


@pytest.mark.heavy
async def test_letters_belong_to_the_words_behind_them(api: Api) -> None:
    for spellings in (
        ("E Bike", "ebike", "e-bike"),
        ("S Bahn", "sbahn"),
        ("hi-fi", "hifi", "Hi Fi"),
    ):
        for title, q in permutations(spellings, 2):
            if (title, q) == ("Hi Fi", "hifi"):
                # Only in queries.
                continue
            author = await api.person()
            [ad] = await insert_ads(
                api, author.id, [{"title": f"Old {title}", "description": "As new."}]
            )
            begun = (q[:-1],) if q in {"ebike", "E Bike"} else ()
            for typed in (q, f"{q} ", f"old {q}", f"zzyzx or {q}", *begun):
                found = await listed(api.client, q=typed, author=author.id)
                assert [each["pk"] for each in found["results"]] == [ad], (title, typed)
            assert (await listed(api.client, q=f"{q} -new", author=author.id))["count"] == 0
    await advertise(api, "Vitamin B table")
    assert await titles_of(api.client, q="btable") == ["Vitamin B table"]
    assert await titles_of(api.client, q="b -table") == []


@pytest.mark.parametrize("title", SPACELESS)
async def test_scripts_without_spaces_are_found_by_their_signs(api: Api, title: str) -> None:
    await advertise(api, title)
    finding, missing = SPACELESS[title]
    for q in finding:
        assert await titles_of(api.client, q=q) == [title], q
        assert await titles_of(api.client, q=f'"{q}"') == [title], q
    for q in missing:
        assert await titles_of(api.client, q=q) == [], q


@pytest.mark.heavy
@pytest.mark.parametrize(
    "spellings",
    [("Café", "Cafe"), ("e-bike", "ebike"), ("Müller", "Mueller"), ("tables", "table")],
)
async def test_the_exact_spelling_comes_first(api: Api, spellings: tuple[str, str]) -> None:
    for first, second in permutations(spellings):
        author = await api.person()
        rows = [
            {"title": title, "description": "As new."} for title in (first, second, f"Old {first}")
        ]
        await insert_ads(api, author.id, rows)
        for typed, other in ((first, second), (second, first)):
            found = await listed(api.client, q=typed, author=author.id)
            titles = [ad["title"] for ad in found["results"]]
            exact = [title for title in (f"Old {first}", second, first) if title.endswith(typed)]
            assert titles == [
                *exact,
                *(t for t in (f"Old {first}", second, first) if t.endswith(other)),
            ]
            pages = []
            query: dict[str, str | int] = {"q": typed, "author": author.id, "limit": 1}
            while True:
                page = await listed(api.client, **query)
                pages += [ad["title"] for ad in page["results"]]
                if page["next"] is None:
                    break
                query["cursor"] = page["next"]
            assert pages == titles


async def test_a_word_of_parts_is_excluded_as_a_whole(api: Api) -> None:
    await advertise(api, "Old e-bike", "Old bike", "Old ebike", "Letter e")
    assert await titles_of(api.client, q="old -e-bike") == ["Old bike"]
    assert await titles_of(api.client, q="old -ebike") == ["Old bike"]


async def test_phrases_hold_words_of_parts(api: Api) -> None:
    await advertise(api, "Small e-bike with iPhone12 holder", "Bike with a small e")
    for phrase in ("small e-bike", "e-bike with", "iphone 12 holder", "iphone-12 holder"):
        assert await titles_of(api.client, q=f'"{phrase}"') == ["Small e-bike with iPhone12 holder"]
    assert await titles_of(api.client, q='"e-bike small"') == []


async def test_the_beginning_of_a_word_of_parts_finds_it(api: Api) -> None:
    await advertise(api, "Old RTX-3080", "Old e-bike")
    for q in ("rtx-30", "rtx30", "rtx3080"):
        assert await titles_of(api.client, q=q) == ["Old RTX-3080"], q
    for q in ("e-bi", "ebi", "e-bike"):
        assert await titles_of(api.client, q=q) == ["Old e-bike"], q


@pytest.mark.heavy
async def test_saved_searches_are_matched_by_other_forms(start_own_api: ApiFactory) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        person, matching = await api.person(), Matching(api)
        await matching.begin()
        spellings = {
            "ebike": "e-bike",
            "rtx-3080": "RTX 3080",
            "cafe": "Café",
            "自行车": "山地自行车",
        }
        queries = [await save(api, person, f"q={quote(q)}") for q in spellings]
        author = await api.person()
        rows = [{"title": f"Old {title}", "description": "As new."} for title in spellings.values()]
        ads = await insert_ads(api, author.id, rows)
        assert await matching.step() == set(zip(ads, queries, strict=True))


async def test_ads_are_similar_by_other_forms(api: Api) -> None:
    author = await api.person()
    rows = [{"title": title} for title in ("Old e-bike", "Fast ebike", "Green chair")]
    first, second, _ = await insert_ads(api, author.id, rows)
    similar = (await api.client.get(f"/ads/{first}/similar")).json()["results"]
    assert [ad["pk"] for ad in similar] == [second]


@pytest.mark.heavy
async def test_a_job_gives_forms_to_the_words_of_ads_that_are_there(
    start_own_api: ApiFactory,
) -> None:
    async with start_own_api(jobs=Jobs.OFF) as api:
        titles = ["Old RTX-3080", "Old e-bike", "Old Café", "Old 3.5 l"]
        await advertise(api, *titles)
        await api.sql(
            "UPDATE ads SET title_search = to_tsvector('simple', title)"
            " || to_tsvector('english', title), search = to_tsvector('simple', title)"
            " || to_tsvector('english', title) RETURNING id"
        )
        await api.sql("UPDATE installation SET reworded = 0 RETURNING 1")
        # What was found is still found.
        assert sorted(await titles_of(api.client, q="old")) == sorted(titles)
        for q, title in (("e-bike", titles[1]), ("café", titles[2]), ("3.5", titles[3])):
            assert await titles_of(api.client, q=q) == [title], q
        assert await titles_of(api.client, q="ebike") == []
        assert await reword_ads(api.state.database.writer, 3) == 3
        assert await changes.add_words(api.state.database) == 1
        assert await changes.add_words(api.state.database) == 0
        api.state.database.changes.apply_all()
        for q, title in zip(("rtx 3080", "ebike", "cafe", "3.5"), titles, strict=True):
            assert await titles_of(api.client, q=q) == [title], q


@pytest.mark.parametrize(
    "q",
    [
        "\U00020000" * 256,
        ("\U00020000" * 62 + " ") * 4,
        '"' + "\U00020000" * 254 + '"',
        "車" * 256,
        "ä-ö-ü-ä-ö-ü-ä-ö " * 16,
        "ä-ö-ü-ä " * 32,
        "1a" * 128,
        "\ufdfa" * 256,
        "a b " + "車" * 252,
        "a b " + "\U00020000" * 62 + (" " + "\U00020000" * 62) * 3,
        "a b " + "ä-ö-ü-ä " * 31,
    ],
    ids=range(11),
)
async def test_the_longest_query_of_many_forms_is_searched_and_saved(api: Api, q: str) -> None:
    person = await api.person()
    assert len(q) <= 256
    assert (await api.client.get("/ads", params={"q": q})).status_code == 200
    search = {"name": "Long", "query": urlencode({"q": q})}
    answer = await person.post("/users/me/searches", json=search)
    assert answer.status_code == 201, answer.text
