"""Queries of more words than are searched for: the rarest ones count."""

from unicodedata import normalize

import pytest

from support.scene.api import Api
from support.scene.listings import analyze, faulty_parameters, insert_ads, listed

COMMON = "oak table solid good old large brown round heavy long wide new"
RARE = "walnut"


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
    for path, more in (("/ads/facets", {}), ("/ads/map", {"bbox": "1,1,2,2"})):
        answer = await api.client.get(path, params={"q": "a " * 13, **more})
        assert answer.status_code == 400, path
