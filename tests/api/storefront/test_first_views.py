"""What pages show before their scripts run, and without them: lists, ads, and their addresses."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from adsvc.api.storefront import views
from adsvc.api.storefront.branding import Branding, OperatorPage
from adsvc.services.categories.reading import CategoryTree
from adsvc.settings import Storefront
from adsvc.settings.money import Money
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.categories import CARS, plant
from support.scene.storefront import HOSTILE, WORDS, Elements, build, path_of
from support.scene.warmth import reads, settle

SLUGS = Path(__file__).parents[3] / "web/tests/slugs.json"
PAGES = ("/", "/search", "/search?q=oak", "/c/furniture")

# All that views are made of.
TAGS = frozenset({
    "a", "article", "aside", "bdi", "button", "dd", "div", "dl", "dt", "footer", "form", "h1", "h2",
    "header", "img", "input", "li", "main", "nav", "ol", "p", "search", "section", "span", "svg",
    "ul",
})  # fmt: skip
SHELL = frozenset(["html", "head", "title", "meta", "link", "script", "body"])


@pytest.mark.heavy
async def test_lists_and_ads_are_there_without_scripts(api: Api) -> None:
    await plant(api, furniture={
        "name": "Furniture", "names": {"de": "Möbel"}, "attributes": [
            {"name": "wood", "type": "enum", "labels": {"de": "Holz"},
             "options": [{"value": "oak", "label": "Oak", "labels": {"de": "Eiche"}}]},
            {"name": "width", "type": "integer", "unit": "cm"},
        ],
    })  # fmt: skip
    anna = await api.person()
    ad = await anna.post_ad(
        title="Oak table", category="furniture", place="Bonn", priceType="negotiable",
        attributes={"wood": "oak", "width": 90},
    )  # fmt: skip
    for path in PAGES:
        page = Elements((await api.client.get(path)).text)
        assert path_of(ad) in page.of("a", "href"), path
        # Without the wood, which the title has.
        for said in ("Oak table", "€1,500 negotiable", "90 cm\xa0", "Bonn · "):
            assert said in page.text_of("main"), (path, said)
        assert page.of("img", "src") == [ad["thumbnail"]], path
    german = await api.client.get(path_of(ad), headers={"Accept-Language": "fr, de-AT;q=0.8"})
    assert "Accept-Language" in german.headers["Vary"]
    page = Elements(german.text)
    for said in ("1.500\u00a0€ VB", "Möbel", "Holz", "Eiche", "90 cm", "one scratch"):
        assert said in page.text_of("main"), said
    assert page.of("html", "lang") == ["de"]
    assert page.links["preload"] == page.of("img", "src")[0]


@pytest.mark.heavy
@pytest.mark.parametrize("small", [{"page_size_max": 10}, {"search_page_size_max": 10}])
async def test_small_pages_are_there_without_scripts_too(
    start_api: ApiFactory, tmp_path: Path, small: dict[str, int]
) -> None:
    """The app takes the largest page from the frame, so that it requests no larger one either."""
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path / "web")}
    async with start_api(**front, page_size_default=5, **small) as api:
        await plant(api, furniture={"name": "Furniture"})
        ad = await (await api.person()).post_ad(title="Oak table", category="furniture")
        for path in PAGES:
            html = (await api.client.get(path)).text
            assert path_of(ad) in Elements(html).of("a", "href"), path
            assert re.search(r'"most":10[,}]', html)


@pytest.mark.heavy
async def test_what_the_app_counts_and_dates_is_there_before_it_starts(api: Api) -> None:
    await plant(api, furniture={"name": "Furniture"}, tools={"name": "Tools"})
    await (await api.person()).post_ad(category="furniture", priceType="free")
    await api.sql("UPDATE ads SET created_at = '2026-03-05 12:00:00+00'")
    page = Elements((await api.client.get("/")).text)
    assert "Mar 5, 2026" in page.text_of("main")
    assert page.text_of("ul").startswith("Furniture1Tools0")
    assert "tag good" in page.of("span", "class")


async def test_an_ad_says_who_when_and_whether_it_is_free(api: Api) -> None:
    anna = await api.person(firstName="Anna")
    ad = await anna.post_ad(title="Oak table")
    await anna.post(f"/ads/{ad['pk']}/reserve")
    page = Elements((await api.client.get(path_of(ad))).text)
    assert f"/seller/{anna.id}" in page.of("a", "href")
    for said in ("Reserved", "Seller: Anna", "Posted "):
        assert said in page.text_of("main"), said


@pytest.mark.heavy
async def test_results_lead_on(api: Api) -> None:
    await plant(api, home={"name": "Home"}, furniture={"name": "Furniture", "parent": "home"})
    anna = await api.person()
    for number in range(26):
        await anna.post_ad(title=f"Oak table {number}", category="furniture")
    for path in ("/search?q=oak", "/c/furniture", "/c/home?q=oak"):
        first = Elements((await api.client.get(path)).text)
        assert "26 ads" in first.text_of("main"), path
        [further] = [href for href in first.of("a", "href") if "cursor=" in href]
        second = Elements((await api.client.get(further)).text)
        ads = [
            {href for href in page.of("a", "href") if href.startswith("/a/")}
            for page in (first, second)
        ]
        assert [len(one) for one in ads] == [24, 2], path
        assert not ads[0] & ads[1], path
        if "q=" in path:
            assert first.of("input", "value") == ["oak"], path
    page = Elements((await api.client.get("/c/home")).text)
    assert "/c/furniture" in page.of("a", "href")
    assert page.of("a", "href")[-1] == "/docs"


async def test_results_without_ads_say_so(api: Api) -> None:
    page = Elements((await api.client.get("/search", params={"q": '"nothing'})).text)
    assert "No ads found." in page.text_of("main")
    assert page.of("input", "value") == ['"nothing']


def test_results_without_ads_ask_what_was_meant() -> None:
    words = views.read_words(json.dumps(WORDS).encode())["en"]
    view = views.View(words, "Site", Money("EUR"), [("/pages/imprint", "Imprint & terms")])
    found = {"count": 0, "countExact": True, "results": [], "next": None, "suggestion": "a&b"}
    filters = [("q", "ab"), ("maxPrice", "9")]
    page = Elements(view.results("“ab”", found, CategoryTree({}), path="/c/x", filters=filters))
    assert "Did you mean a&b" in page.text_of("main")
    assert "/c/x?maxPrice=9&q=a%26b" in page.of("a", "href")
    assert "/pages/imprint" in page.of("a", "href")
    assert "Imprint & terms" in page.text_of("footer")


def test_results_say_what_was_relaxed() -> None:
    words = views.read_words(json.dumps(WORDS).encode())["en"]
    view = views.View(words, "Site", Money("EUR"))
    relaxed = [
        {"kind": "spelling", "from": "bycicle", "to": "bicycle"},
        {"kind": "dropped", "from": "<red>", "to": ""},
    ]
    found = {"count": 0, "countExact": True, "results": [], "next": None, "relaxed": relaxed}
    html = view.results("“ab”", found, CategoryTree({}), path="/search", filters=[("q", "ab")])
    page = Elements(html)
    assert "“bicycle” instead of “bycicle”, without “<red>”" in page.text_of("main")


def test_pages_of_the_operator_are_in_the_language_of_the_view() -> None:
    pages = [
        OperatorPage("imprint", "", "Imprint", ""), OperatorPage("imprint", "de", "Impressum", ""),
        OperatorPage("terms", "de", "Bedingungen", ""),
    ]  # fmt: skip
    branding = Branding({}, "", "", pages=pages)
    terms = ("/pages/terms.de", "Bedingungen")
    assert branding.links("de") == [("/pages/imprint.de", "Impressum"), terms]
    assert branding.links("en") == [("/pages/imprint", "Imprint"), terms]


def test_russian_has_three_forms() -> None:
    forms = {1: "one", 3: "few", 5: "many", 11: "many", 13: "many", 21: "one", 22: "few"}
    texts = {f"count.{form}": form for form in forms.values()}
    words = views.read_words(json.dumps({"ru": {"texts": texts}}).encode())["ru"]
    assert {count: words.counted("count", count) for count in forms} == forms


@pytest.mark.parametrize(
    ("language", "day", "amount", "number"),
    [
        ("en", "Mar 5, 2026", "€1,234,567", "1,234,567"),
        ("de", "05.03.2026", "1.234.567\u00a0€", "1.234.567"),
        ("ru", "5 мар. 2026\u202fг.", "1\u00a0234\u00a0567\u00a0€", "1\u00a0234\u00a0567"),
    ],
)
def test_dates_and_prices_are_as_the_app_writes_them(
    language: str, day: str, amount: str, number: str
) -> None:
    words = views.read_words(json.dumps({language: {"texts": {}}}).encode())[language]
    assert words.date(1_772_668_800_000) == day
    price = Money("EUR").text(1_234_567, words.language)
    assert (price, words.number(1_234_567)) == (amount, number)


@pytest.mark.heavy
async def test_a_seller_is_there_without_scripts(api: Api) -> None:
    anna = await api.person(firstName=HOSTILE[1])
    for path in (f"/seller/{anna.id}", "/seller/0", "/seller/x", f"/seller/{10**19}"):
        # Who has published nothing is no seller.
        assert (await api.client.get(path)).status_code == 404, path
    ad = await anna.post_ad(title="Oak table")
    answer = await api.client.get(f"/seller/{anna.id}")
    page = Elements(answer.text)
    assert path_of(ad) in page.of("a", "href")
    for said in (f"Ads of {HOSTILE[1]}", "Member since", "Oak table"):
        assert said in page.text_of("main"), said
    assert "canonical" not in page.links
    again = await api.client.get(
        f"/seller/{anna.id}", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert again.status_code == 304


async def test_each_language_has_an_address(api: Api) -> None:
    ad = await (await api.person()).post_ad()
    site = f"http://testserver{path_of(ad)}"
    english = Elements((await api.client.get(path_of(ad))).text)
    german = Elements((await api.client.get(f"{path_of(ad)}?lang=de")).text)
    unknown = Elements((await api.client.get(f"{path_of(ad)}?lang=xx")).text)
    assert (english.links["canonical"], unknown.links["canonical"]) == (site, site)
    assert german.links["canonical"] == f"{site}?lang=de"
    assert german.of("html", "lang") == ["de"]
    for page in (english, german):
        others = {told["hreflang"]: told["href"] for tag, told in page.tags if "hreflang" in told}
        assert others == {
            "en": f"{site}?lang=en", "de": f"{site}?lang=de", "x-default": site,
        }  # fmt: skip


@pytest.mark.heavy
async def test_an_ad_has_one_address(api: Api) -> None:
    anna = await api.person()
    ad = await anna.post_ad(title="Golf Variant")
    at = f"/a/{ad['pk']}"
    for given in (at, f"{at}-", f"{at}-golf", f"{at}-GOLF-VARIANT", f"{at}-golf-variant-"):
        answer = await api.client.get(f"{given}?lang=de&x=%0d%0aa")
        assert answer.status_code == 301, given
        assert answer.headers["Location"] == f"{at}-golf-variant?lang=de&x=%0d%0aa", given
        # A browser that keeps it would not find the ad when its title changes back.
        assert answer.headers["Cache-Control"] == "no-cache", given
    assert (await api.client.get(f"{at}-golf-variant")).status_code == 200
    await api.sql("UPDATE ads SET title = 'Passat: günstig' WHERE id = :id", id=ad["pk"])
    await anna.patch(at.replace("/a/", "/ads/"), json={"price": 5})
    moved = await api.client.get(f"{at}-golf-variant")
    assert moved.headers["Location"] == f"{at}-passat-gunstig"
    # What is hidden has no address that says what it was.
    await anna.post(f"/ads/{ad['pk']}/withdraw")
    for given in (at, f"{at}-passat-gunstig"):
        answer = await api.client.get(given)
        assert (answer.status_code, "passat" in str(answer.headers).lower()) == (404, False), given


def test_both_sides_make_the_same_addresses() -> None:
    cases = json.loads(SLUGS.read_text())
    assert [views.slug_of(title) for title, _ in cases] == [slug for _, slug in cases]


@pytest.mark.heavy
async def test_what_people_write_has_its_own_direction(api: Api) -> None:
    await plant(api)
    [named] = [one for one in CARS["attributes"] if one["type"] == "string"]
    author = await api.person(firstName="\u0644\u064a\u0644\u0649")
    book = "\u0643\u062a\u0627\u0628"
    texts: dict[str, Any] = {
        name: f"{book} {name} 2020" for name in ("title", "place", "description")
    }
    attributes = {"fuel": "diesel", named["name"]: f"{book} GTI"}
    ad = await author.post_ad(**texts, category="cars", attributes=attributes)
    html = (await api.client.get(path_of(ad))).text
    said = [*texts.values(), attributes[named["name"]]]
    for text in said:
        assert re.search(f'<(?:h1|p|dd)[^>]* dir="auto">{text}<', html), text
    assert "<bdi>\u0644\u064a\u0644\u0649</bdi>" in html
    for path in ("/", "/c/cars", "/search", f"/seller/{author.id}"):
        html = (await api.client.get(path)).text
        assert re.search(f'<a class="card-title" dir="auto"[^>]*>{texts["title"]}<', html), path
        assert f'dir="auto">{texts["place"]}' in html, path
    assert "<bdi>\u0644\u064a\u0644\u0649</bdi>" in html
    found = (await api.client.get("/search", params={"q": book})).text
    assert re.search('<input name="q"[^>]* dir="auto"', found)


@pytest.mark.heavy
async def test_what_people_write_is_text_in_first_views(api: Api) -> None:
    await plant(api, furniture={"name": HOSTILE[1], "names": {"de": HOSTILE[2]}})
    anna = await api.person(firstName=HOSTILE[0])
    for text in HOSTILE:
        ad = {**await anna.post_ad(category="furniture"), "title": text}
        await api.sql(
            "UPDATE ads SET title = :text, place = :text, description = :text WHERE id = :id",
            id=ad["pk"], text=text,
        )  # fmt: skip
        for path in (path_of(ad), *PAGES):
            page = Elements((await api.client.get(path)).text)
            assert {tag for tag, _ in page.tags} <= TAGS | SHELL, (text, path)
            assert sum(tag == "script" for tag, _ in page.tags) <= 3, (text, path)
            assert not any(re.match("on|style", name) for _, told in page.tags for name in told)
            assert all(href.startswith("/") for href in page.of("a", "href")), (text, path)
        assert page.text_of("main").count(text) >= 1, text
        query = await api.client.get("/search", params={"q": text})
        assert {tag for tag, _ in Elements(query.text).tags} <= TAGS | SHELL, text


@pytest.mark.heavy
async def test_pages_are_there_where_their_lists_are_refused(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path / "web")}
    async with start_api(**front, rate_limits="on", searches_per_address=1) as api:
        await plant(api, furniture={"name": "Furniture"})
        await (await api.person()).post_ad(title="Oak table")
        await settle(api)
        assert "Oak table" in (await api.client.get("/search?q=oak")).text
        for path in ("/search?q=table", "/search?near=nonsense", "/search?minPrice=x"):
            answer = await api.client.get(path)
            assert answer.status_code == 200, path
            assert '<div id="app"></div>' in answer.text, path


@pytest.mark.heavy
async def test_a_first_view_costs_its_list_once(api: Api) -> None:
    await (await api.person()).post_ad()
    for path in PAGES[:3]:
        await settle(api)
        await api.client.get(path)
        with reads(api) as counted:
            for _ in range(3):
                assert (await api.client.get(path)).status_code == 200
            # The app's request finds the answer.
            await api.client.get({"/": "/ads?limit=20"}.get(path, f"/ads{path[7:]}&limit=24"))
            assert counted.total() == 0, path
