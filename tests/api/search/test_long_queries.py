"""Queries of more words than are searched for: the rarest ones count."""

from typing import Any
from unicodedata import normalize
from urllib.parse import parse_qs, urlencode

import pytest

from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.listings import analyze, faulty_parameters, insert_ads, listed
from support.scene.warmth import reads, settle

COMMON = "oak table solid good old large brown round heavy long wide new"
RARE = "walnut"

# Where matches are only counted, and what such a request needs besides.
COUNTED: dict[str, dict[str, Any]] = {"/ads/facets": {}, "/ads/map": {"bbox": "13,52,14,53"}}


def dropped(*words: str) -> list[dict[str, str]]:
    return [{"kind": "dropped", "from": word, "to": ""} for word in words]


@pytest.mark.guard
async def test_the_rarest_words_of_a_long_query_count(api: Api) -> None:
    author = await api.person()
    await insert_ads(api, author.id, [{"title": f"{COMMON} desk"} for _ in range(300)])
    [found] = await insert_ads(api, author.id, [{"title": f"{COMMON.replace('oak ', '')} {RARE}"}])
    await analyze(api)
    # The ad lacks a word, which is more common than the others.
    await insert_ads(api, author.id, [{"title": "oak chair"} for _ in range(200)])
    await analyze(api)
    q = f"{COMMON} {RARE}"
    page = await listed(api.client, q=q)
    assert [ad["pk"] for ad in page["results"]] == [found]
    assert page["relaxed"] == dropped("oak")
    # Stop words go first, and what stays is in its order.
    page = await listed(api.client, q=f"the {q} of")
    assert page["relaxed"] == dropped("the", "oak", "of")
    assert "relaxed" not in await listed(api.client, q=COMMON)
    answer = await api.client.get("/ads", params={"q": q}, headers={"Prefer": "handling=strict"})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["parameter"] == "q"


async def test_a_phrase_of_as_many_words_stays(api: Api) -> None:
    author = await api.person()
    [found] = await insert_ads(api, author.id, [{"title": COMMON}])
    page = await listed(api.client, q=f'desk "{COMMON}" lamp')
    assert [ad["pk"] for ad in page["results"]] == [found]
    assert page["relaxed"] == dropped("desk", "lamp")


async def test_every_page_of_a_long_query_says_so(api: Api) -> None:
    author = await api.person()
    words = [f"word{letter}" for letter in "abcdefghijklmnopq"]
    ids = await insert_ads(api, author.id, [{"title": " ".join(words)} for _ in range(3)])
    first = await listed(api.client, q=" ".join(words), limit=2)
    second = await listed(api.client, q=" ".join(words), limit=2, cursor=first["next"])
    assert [ad["pk"] for page in (first, second) for ad in page["results"]] == ids[::-1]
    assert first["relaxed"] == second["relaxed"] == dropped(*words[12:])
    answer = await api.client.get("/ads", params={"q": " ".join(words), "limit": 2})
    assert answer.headers["Link"].count("wordq") == 1, "the next page has the query as typed"


async def test_words_are_counted_however_their_letters_are_encoded(api: Api) -> None:
    author = await api.person()
    q = "größe höhe länge übergröße stärke fläche bügel schränke"
    [found] = await insert_ads(api, author.id, [{"title": q}])
    for spelling in (q, normalize("NFD", q), q.replace("ö", "ö\u00ad")):
        page = await listed(api.client, q=spelling)
        assert [ad["pk"] for ad in page["results"]] == [found]
        assert "relaxed" not in page
    # The bound on characters is on that form too.
    assert "relaxed" not in await listed(api.client, q=normalize("NFD", "ö" * 256))
    assert await faulty_parameters(api.client, q="\u0958" * 129) == ["q"]
    long = normalize("NFD", " ".join(f"{word}{n}" for word in q.split() for n in "12"))
    dropped_words = [each["from"] for each in (await listed(api.client, q=long))["relaxed"]]
    assert dropped_words == ["bügel1", "bügel2", "schränke1", "schränke2"]


async def test_what_may_not_be_left_out_is_refused(api: Api) -> None:
    for q in ("-a " * 13, '"a b c d e f g" "h i j k l m n"', '"a b" or ' * 7):
        assert await faulty_parameters(api.client, q=q) == ["q"], q
        for path, more in COUNTED.items():
            answer = await api.client.get(path, params={"q": q, **more})
            assert answer.status_code == 400, (path, q)


@pytest.mark.guard
async def test_what_counts_and_what_is_saved_have_the_words_of_the_listing(api: Api) -> None:
    author = await api.person()
    center = {"latitude": 52.5, "longitude": 13.4}
    await insert_ads(api, author.id, [{"title": "oak chair"} for _ in range(20)])
    await author.post_ad(title=f"{COMMON.replace('oak ', '')} {RARE}", location=center)
    await analyze(api)
    q = f"{COMMON} {RARE}"
    assert (await listed(api.client, q=q))["relaxed"] == dropped("oak")
    facets, cells = [
        (await api.client.get(path, params={"q": q, **more})).json()
        for path, more in COUNTED.items()
    ]
    assert sum(category["count"] for category in facets["prices"]) == 1
    assert [cell["count"] for cell in cells["results"]] == [1]
    saving = {"query": urlencode({"q": q}), "name": "Desks"}
    answer = await author.post("/users/me/searches", json=saving)
    assert answer.status_code == 201, answer.text
    assert parse_qs(answer.json()["query"]) == {"q": [q.replace("oak ", "")]}
    strict = {"Prefer": "handling=strict"}
    refused = [
        await api.client.get(path, params={"q": q, **more}, headers=strict)
        for path, more in COUNTED.items()
    ] + [await author.post("/users/me/searches", json=saving, headers=strict)]
    for answer in refused:
        assert answer.status_code == 400
        [error] = answer.json()["errors"]
        assert (error["code"], error["parameter"]) == ("wrong-count", "q")


@pytest.mark.heavy
@pytest.mark.parametrize("path", ["/ads", *COUNTED])
async def test_a_long_query_is_refused_before_its_words_are_looked_up(
    start_api: ApiFactory, path: str
) -> None:
    async with start_api(rate_limits=RateLimits.ON, searches_per_address=1) as api:
        await api.client.get("/categories")
        await settle(api)
        query = {"q": f"{COMMON} {RARE}", **COUNTED.get(path, {})}
        refused = (({"minPrice": "5", "maxPrice": "4"}, "minPrice"), ({"q": "-a " * 13}, "q"))
        with reads(api) as counted:
            for changed, name in refused:
                answer = await api.client.get(path, params=query | changed)
                assert [error["parameter"] for error in answer.json()["errors"]] == [name]
            assert counted.total() == 0
        assert (await api.client.get(path, params=query)).status_code == 200
        with reads(api) as counted:
            answer = await api.client.get(path, params=query | {"q": f"{COMMON} oddity"})
            assert answer.status_code == 429
            assert counted.total() == 0


@pytest.mark.heavy
async def test_a_long_query_in_memory_does_not_count(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, searches_per_address=1) as api:
        await settle(api)
        first = await api.client.get("/ads", params={"q": f"{COMMON} {RARE}", "minPrice": 1})
        again = await api.client.get("/ads", params={"minPrice": 1, "q": f" {COMMON}  {RARE}"})
        assert (first.status_code, again.status_code) == (200, 200)
        assert first.json() == again.json()


async def test_all_faults_of_a_long_query_are_named(api: Api) -> None:
    q = "word " * 60
    assert await faulty_parameters(api.client, q=q, minPrice="x") == ["minPrice", "q"]
