"""Suggestions and corrections on a site whose vocabulary is as large and as alike as it can be."""

import asyncio
from itertools import product

import pytest

from adsvc.repositories.suggestions import ADS_OF_AN_AUTHOR, FEWEST_AUTHORS, MOST_PHRASES
from adsvc.services.suggestions import renew_phrases
from adsvc.settings import RateLimits
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.listings import insert_ads

# As long as a phrase may be, and each near thousands of the others.
ALIKE = [f"aaaa{''.join(letters)}" for letters in product("abcde", repeat=6)][:MOST_PHRASES]
PAIRS = [f"{'a' * 19} {''.join(letters) + 'a' * 13}" for letters in product("abcde", repeat=6)]
PAIRS = PAIRS[:MOST_PHRASES]
TYPED = (
    "", "a", "aaaa", "aaaaaaaa", "aaaaabcdef", "bcdefghi", "a" * 40, "a" * 256, "ab" * 20,
    "ba" * 20, "a " * 20, f"{'a' * 19} {'b' * 20}", "é" * 40, "\ufdfa" * 40, "\U0001d15e" * 40,
    "a\u0301" * 128,
    "aaaaxaaaax", "xaaaaxaaaa", "edcbaaaa", " ".join("ab" for _ in range(85)), "ㅋ" * 200,
)  # fmt: skip
UNKNOWN = (
    " ".join(f"aaaa{word}" for word in ("xbcde", "bxcde", "bcxde", "bcdxe")),
    " ".join(f"aaaa{word}" for word in ("xbcdef", "bxcdef", "bcxdef")),
    "serettisr nseenense iaieieaoa ntresieta aeseineta tresnaeit senetaris tnesatire rsetanies",
    "é" * 120, "ab" * 60, "a " * 12, "\ufdfa" * 12, " ".join(["aaaaabcdx"] * 12),
)  # fmt: skip


async def filled(api: Api, phrases: list[str]) -> None:
    await api.sql(
        "INSERT INTO search_phrases (phrase, ads, authors)"
        " SELECT unnest(CAST(:phrases AS text[])), 9, 5 RETURNING phrase",
        phrases=phrases,
    )
    api.state.vocabularies._until = 0


@pytest.mark.parametrize("phrases", [ALIKE, PAIRS], ids=["words", "pairs"])
@pytest.mark.guard
async def test_no_text_holds_the_event_loop(api: Api, phrases: list[str]) -> None:
    """That they do not is checked after each test."""
    await filled(api, phrases)
    for q in TYPED:
        answer = await api.client.get("/ads/suggest", params={"q": q})
        assert answer.status_code == 200, q
    for q in UNKNOWN:
        answer = await api.client.get("/ads", params={"q": q})
        assert answer.status_code in {200, 400}, q
    api.state.vocabularies._until = 0


async def test_of_many_unknown_words_four_are_corrected(api: Api) -> None:
    author = await api.person()
    await author.post_ad(title="oak table lamp chair")
    await filled(api, ["oak", "table", "lamp", "chair"])
    for q, understood in (
        ("tabel lmap chiar", "q=table+lamp+chair+"),
        ("okk tabel lmap chiar", "q=oak+table+lamp+chair+"),
        ("tabel lmap chiar okk tabxl oka", "q=table+lamp+chair+oak+"),
    ):
        page = (await api.client.get("/ads", params={"q": q})).json()
        assert page["results"], q
        assert page["understood"] == understood, q
    api.state.vocabularies._until = 0


@pytest.mark.guard
async def test_a_few_accounts_with_many_ads_do_not_make_the_phrases_of_all(api: Api) -> None:
    people = [await api.person() for _ in range(FEWEST_AUTHORS)]
    # The newest last.
    titles = [f"word{chr(97 + number)}x" for number in range(ADS_OF_AN_AUTHOR + 5)]
    for title in titles:
        for person in people:
            await insert_ads(api, person.id, [{"title": title}])
    await renew_phrases(api.state.database)
    phrases = await api.sql("SELECT phrase FROM search_phrases ORDER BY phrase")
    assert phrases == sorted(titles)[-ADS_OF_AN_AUTHOR:]


@pytest.mark.heavy
async def test_suggestions_are_limited_by_address(start_api: ApiFactory) -> None:
    async with start_api(rate_limits=RateLimits.ON, suggestions_per_address=3) as api:
        for _ in range(3):
            assert (await api.client.get("/ads/suggest")).status_code == 200
        answer = await api.client.get("/ads/suggest", params={"q": "a"})
        assert answer.status_code == 429
        assert answer.json()["type"] == "/problems#rate-limited"
        assert int(answer.headers["Retry-After"]) > 0
        assert (await api.at("203.0.113.9").get("/ads/suggest")).status_code == 200
        # Searches are counted apart.
        assert (await api.client.get("/ads", params={"q": "a"})).status_code == 200


async def test_a_suggestion_waits_for_its_turn(start_api: ApiFactory) -> None:
    async with start_api(search_workers=1, search_queue=1) as api:
        searches = api.state.searches
        async with searches.slot():
            first = asyncio.create_task(api.client.get("/ads/suggest"))
            async with asyncio.timeout(10):
                while not searches.is_full:  # noqa: ASYNC110
                    await asyncio.sleep(0)
            assert (await api.client.get("/ads/suggest")).status_code == 503
        assert (await first).status_code == 200
