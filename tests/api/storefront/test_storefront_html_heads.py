"""What the HTML of an ad's and a category's page says to search engines, whatever users wrote."""

import re
from pathlib import Path

import httpx2
import pytest

from adsvc.settings import Storefront
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.categories import plant
from support.scene.storefront import HOSTILE, Elements, build, path_of
from support.scene.warmth import reads, settle


async def test_an_ad_says_what_it_is_and_what_it_costs(api: Api) -> None:
    await plant(api, furniture={"name": "Furniture"})
    anna = await api.person()
    ad = await anna.post_ad(category="furniture", place="Berlin", title="Oak table")
    page = Elements((answer := await api.client.get(path_of(ad))).text)
    assert answer.status_code == 200
    url = f"http://testserver{path_of(ad)}"
    image = f"http://testserver{ad['image']}"
    assert page.text["title"].startswith("Oak table · adsvc")
    assert page.links["canonical"] == url
    assert page.meta["description"] == "1500 EUR · Berlin · Solid oak, one scratch."
    told = {name: page.meta[f"og:{name}"] for name in ("type", "url", "image", "site_name")}
    preview = image.removesuffix(".jpg") + "-share.jpg"
    assert told == {"type": "product", "url": url, "image": preview, "site_name": "adsvc"}
    product, crumbs = page.graph
    assert (product["@type"], product["name"], product["image"]) == (
        "Product",
        "Oak table",
        [image],
    )
    assert product["category"] == "Furniture"
    assert product["offers"] == {
        "@type": "Offer", "url": url, "priceCurrency": "EUR", "price": 1500,
        "availability": "https://schema.org/InStock",
        "availableAtOrFrom": {"@type": "Place", "name": "Berlin"},
    }  # fmt: skip
    assert crumbs["itemListElement"][0]["item"] == "http://testserver/c/furniture"


@pytest.mark.heavy
async def test_a_category_page_lists_its_newest_ads_and_its_feed(api: Api) -> None:
    await plant(api, furniture={"name": "Furniture", "names": {"de": "Möbel"}})
    assert "og:image" not in (await api.client.get("/c/furniture")).text
    anna = await api.person()
    ads = [await anna.post_ad(category="furniture", title=f"Table {n}") for n in range(2)]
    page = Elements((await api.client.get("/c/furniture")).text)
    assert page.links == {
        "manifest": "/manifest.webmanifest",
        "alternate": "http://testserver/ads.atom?category=furniture",
        "canonical": "http://testserver/c/furniture",
    }
    collection = page.graph[0]
    items = [item["item"] for item in collection["mainEntity"]["itemListElement"]]
    assert [item["url"] for item in items] == [
        f"http://testserver{path_of(ad)}" for ad in ads[::-1]
    ]
    assert all(item["offers"]["price"] == 1500 for item in items)
    await anna.delete(f"/ads/{ads[1]['pk']}")
    assert "Table 1" not in (await api.client.get("/c/furniture")).text
    for slug in ("nothing", "No%20slug", "x" * 65, "..%2f.."):
        answer = await api.client.get(f"/c/{slug}")
        assert answer.status_code == 404, slug


@pytest.mark.heavy
async def test_the_price_is_what_it_means(api: Api) -> None:
    anna = await api.person()
    for kind, price in (("free", 0), ("negotiable", 1500), ("onRequest", None)):
        ad = await anna.post_ad(priceType=kind)
        page = Elements((await api.client.get(path_of(ad))).text)
        assert page.graph[0]["offers"].get("price") == price, kind
        assert ("EUR" in str(page.meta["description"])) == (kind != "onRequest"), kind
    reserved = f"/ads/{ad['pk']}"
    await anna.post(f"{reserved}/reserve")
    page = Elements((await api.client.get(path_of(ad))).text)
    assert page.graph[0]["offers"]["availability"] == "https://schema.org/Reserved"


@pytest.mark.heavy
async def test_what_people_write_stays_text(api: Api) -> None:
    categories = {f"hostile-{number}": {"name": text} for number, text in enumerate(HOSTILE)}
    await plant(api, **categories)
    anna = await api.person(firstName=HOSTILE[0], lastName=HOSTILE[1])
    for slug, text in zip(categories, HOSTILE, strict=True):
        ad = {**await anna.post_ad(category=slug), "title": text, "place": text}
        # As ads from before controls and marks of direction were refused.
        await api.sql(
            "UPDATE ads SET title = :text, place = :text, description = :text || :text"
            " WHERE id = :id", id=ad["pk"], text=text,
        )  # fmt: skip
        of_ad = await api.client.get(path_of(ad))
        of_category = await api.client.get(f"/c/{slug}")
        for answer in (of_ad, of_category):
            page = Elements(answer.text)
            # The data of the page and of the site, and the app.
            assert [tag for tag, _ in page.tags].count("script") == 3, text
            assert not any(name.startswith("on") for _, told in page.tags for name in told), text
            [data] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', answer.text)
            assert not set(data) & set("<>&\u2028\u2029"), text
        product = Elements(of_ad.text).graph[0]
        assert (product["name"], product["description"]) == (ad["title"], text * 2)
        assert product["offers"]["availableAtOrFrom"]["name"] == ad["place"], text
        assert product["category"] == Elements(of_category.text).graph[0]["name"], text
        title = Elements(of_ad.text).text["title"]
        assert title.startswith(f"{ad['title']} · adsvc"), text


@pytest.mark.heavy
async def test_an_ad_that_is_over_is_gone_and_what_never_was_is_not_there(api: Api) -> None:
    anna = await api.person()
    sold, withdrawn = [await anna.post_ad() for _ in range(2)]
    draft = await anna.post_ad(status="draft")
    assert (await api.client.get(path_of(sold))).status_code == 200
    await anna.post(f"/ads/{sold['pk']}/sell")
    await anna.post(f"/ads/{withdrawn['pk']}/withdraw")
    for ad_id, status in (
        (sold["pk"], 410), (withdrawn["pk"], 404), (draft["pk"], 404), (99, 404), (0, 404),
        ("99999999999999999999", 404), ("%00", 404), ("1e3", 404), ("me", 404), ("-1", 404),
    ):  # fmt: skip
        answer = await api.client.get(f"/a/{ad_id}")
        assert answer.status_code == status, ad_id
        assert answer.headers["Cache-Control"] == "no-store", ad_id
        assert '<meta name="robots" content="noindex">' in answer.text, ad_id
        assert '<div id="app">' in answer.text, ad_id
        assert "default-src 'none'; script-src 'self'" in answer.headers["Content-Security-Policy"]
        assert sold["title"] not in answer.text, ad_id
        head = await api.client.head(f"/a/{ad_id}")
        assert (head.status_code, head.content) == (status, b""), ad_id


async def test_an_ad_costs_the_statement_of_its_details_once(api: Api) -> None:
    ad = await (await api.person()).post_ad()
    await settle(api)
    with reads(api) as counted:
        first = await api.client.get(path_of(ad))
        assert counted.total() == 1
        for _ in range(3):
            again = await api.client.get(path_of(ad))
            assert again.headers["ETag"] == first.headers["ETag"]
        assert (await api.client.get(f"/ads/{ad['pk']}/details")).status_code == 200
        assert counted.total() == 1


@pytest.mark.heavy
async def test_addresses_are_those_of_the_site_whatever_a_request_says(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path / "web")}
    paths = ("/", "/ads.atom", "/sitemap.xml", "/robots.txt", "/sitemaps/pages.xml", "/search?q=a")
    hosts = ("evil.example", 'evil.example"><script>', "a b", "evil.example/../x", "")
    async with start_api(**front, site_url="https://ads.example.com") as api:
        ad = await (await api.person()).post_ad()
        for host in hosts:
            for path in (*paths, path_of(ad)):
                answer = await api.client.get(path, headers={"Host": host})
                assert "evil" not in answer.text, (host, path)
                assert "https://ads.example.com" in answer.text, (host, path)
    async with start_api(**front) as api:
        for host in hosts[1:]:
            for path in paths:
                answer = await api.client.get(path, headers={"Host": host})
                assert answer.status_code == 200, (host, path)
                assert "evil" not in answer.text, (host, path)
        answer = await api.client.get("/", headers={"Host": "[::1]:8080"})
        assert 'href="http://[::1]:8080/"' in answer.text


@pytest.mark.heavy
async def test_a_page_is_the_shell_also_when_the_service_has_too_much_to_do(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path / "web")}
    async with start_api(**front, rate_limits="on", searches_per_address=1) as api:
        await plant(api, furniture={"name": "Furniture"}, garden={"name": "Garden"})
        await settle(api)
        assert (await api.client.get("/c/furniture")).status_code == 200
        refused = await api.client.get("/c/garden")
        assert (refused.status_code, refused.headers["Content-Type"]) == (
            429, "text/html; charset=utf-8",
        )  # fmt: skip
        assert int(refused.headers["Retry-After"]) > 0
        assert '<div id="app">' in refused.text
        # What was made before is not counted again.
        assert (await api.client.get("/c/furniture")).status_code == 200


async def test_no_answer_of_the_listing_is_made_of_a_page_s(client: httpx2.AsyncClient) -> None:
    await client.get("/ads.atom?q=oak")
    for query in ("q=oak", "q=oak&limit=50", "ads.atom?q=oak"):
        answer = await client.get(f"/ads?{query}")
        assert answer.headers["Content-Type"] == "application/json", query
