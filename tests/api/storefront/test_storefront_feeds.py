"""Searches that can be followed, and sitemaps."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit
from xml.etree.ElementTree import Element, fromstring

import httpx2
import pytest

from adsvc.api.storefront import crawlers
from adsvc.settings import Storefront
from conftest import ApiFactory
from support.scene.api import Api
from support.scene.categories import plant
from support.scene.storefront import build
from support.scene.warmth import settle

ATOM, MAP = "{http://www.w3.org/2005/Atom}", "{http://www.sitemaps.org/schemas/sitemap/0.9}"
HOSTILE = '<b>&amp;]]></b> "it\'s" \u2028 \x01\x0b\ufffe 𝄞'


def parsed(answer: httpx2.Response) -> Element:
    assert answer.status_code == 200, answer.text
    return fromstring(answer.text)  # noqa: S314 - our own words


def entries(answer: httpx2.Response) -> list[Element]:
    return parsed(answer).findall(f"{ATOM}entry")


def text(element: Element, name: str) -> str:
    return str(element.findtext(f"{ATOM}{name}"))


def links(element: Element) -> dict[str, str]:
    return {link.attrib["rel"]: link.attrib["href"] for link in element.findall(f"{ATOM}link")}


def locations(answer: httpx2.Response) -> list[str]:
    assert answer.headers["Content-Type"] == "application/xml"
    return [str(found.text) for found in parsed(answer).iter(f"{MAP}loc")]


@pytest.mark.heavy
async def test_a_feed_has_what_the_listing_has(api: Api) -> None:
    anna = await api.person()
    ads = [await anna.post_ad(title=f"Oak table {n}", place="Berlin") for n in range(3)]
    await anna.post_ad(title="Lamp", price=3)
    answer = await api.client.get("/ads.atom?q=oak&minPrice=5&limit=2&nonsense=1")
    assert answer.headers["Content-Type"] == "application/atom+xml"
    first, second = entries(answer)
    assert [text(entry, "title") for entry in (first, second)] == ["Oak table 2", "Oak table 1"]
    assert links(first)["alternate"] == f"http://testserver/a/{ads[2]['pk']}-oak-table-2"
    assert links(first)["enclosure"] == f"http://testserver{ads[2]['thumbnail']}"
    assert text(first, "summary") == "1500 EUR · Berlin"
    feed = parsed(answer)
    # A reader may keep `self` for ever, so what means nothing is not in it.
    self = urlsplit(links(feed)["self"])
    assert dict(parse_qsl(self.query)) == {"q": "oak", "minPrice": "5", "limit": "2"}
    assert links(feed)["alternate"] == "http://testserver/search?q=oak&minPrice=5"
    following = await api.client.get(links(feed)["next"])
    assert [text(entry, "title") for entry in entries(following)] == ["Oak table 0"]
    assert "next" not in links(parsed(following))


async def test_ids_stay_and_moments_follow_changes(api: Api) -> None:
    anna = await api.person()
    ad = await anna.post_ad()
    before = await api.client.get("/ads.atom", headers={"Host": "one.example"})
    [entry] = entries(before)
    await anna.patch(f"/ads/{ad['pk']}", json={"title": "Something else"})
    after = await api.client.get("/ads.atom", headers={"Host": "two.example"})
    [changed] = entries(after)
    assert text(entry, "id") == text(changed, "id")
    assert text(entry, "id").startswith("urn:uuid:")
    assert text(changed, "title") == "Something else"
    assert text(changed, "updated") > text(entry, "updated")
    feeds = [parsed(answer) for answer in (before, after)]
    assert text(feeds[0], "id") == text(feeds[1], "id") != text(entry, "id")
    assert text(feeds[1], "updated") == text(changed, "updated")
    headers = {"Host": "two.example", "If-None-Match": after.headers["ETag"]}
    assert (await api.client.get("/ads.atom", headers=headers)).status_code == 304
    await anna.post(f"/ads/{ad['pk']}/sell")
    assert entries(await api.client.get("/ads.atom", headers=headers)) == []


@pytest.mark.heavy
async def test_what_people_write_is_text_in_a_feed_too(api: Api) -> None:
    await (await api.person()).post_ad()
    # As ads from before such characters were refused.
    await api.sql("UPDATE ads SET title = :text, place = :text", text=HOSTILE)
    told = "".join(sign for sign in HOSTILE if sign not in "\x01\x0b\ufffe")
    answer = await api.client.get("/ads.atom")
    [entry] = entries(answer)
    assert text(entry, "title") == told
    assert text(entry, "summary").endswith(told)
    query = {"q": '"><script>alert(1)</script>&amp;'}
    answer = await api.client.get("/ads.atom", params=query)
    assert entries(answer) == []
    assert parsed(answer).findtext(f"{ATOM}title") == f"adsvc · {query['q']}"


async def test_a_feed_is_refused_as_the_listing_is(client: httpx2.AsyncClient) -> None:
    for query in ("limit=0", "limit=101", "limit=1e2", "limit=", "cursor=x", "category=nothing",
                  "q=a%00b", "sort=distance", "minPrice=x"):  # fmt: skip
        answer = await client.get(f"/ads.atom?{query}")
        assert answer.status_code == 400, query
        assert answer.headers["Content-Type"] == "application/problem+json", query


async def test_results_name_their_feed(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/search?q=%22%3E%3Cscript%3E&evil=1&attr=a:b&attr=c:d&sort=price")
    feed = "/ads.atom?q=%22%3E%3Cscript%3E&amp;attr=a%3Ab&amp;attr=c%3Ad&amp;sort=price"
    assert f'rel="alternate" type="application/atom+xml" href="http://testserver{feed}"' in (
        answer.text
    )
    assert "evil" not in answer.text
    answer = await client.get(f"/search?q={'a' * 3000}")
    assert 'href="http://testserver/ads.atom"' in answer.text


@pytest.mark.heavy
async def test_a_sitemap_has_all_that_is_shown_in_parts(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    await plant(api, furniture={"name": "Furniture"})
    anna = await api.person()
    ads = [await anna.post_ad() for _ in range(6)]
    await anna.post(f"/ads/{ads[1]['pk']}/sell")
    await anna.post_ad(status="draft")
    # Ids that came along from elsewhere may be far away.
    await api.sql("SELECT setval(pg_get_serial_sequence('ads', 'id'), 3000000000000)")
    await anna.post_ad()
    monkeypatch.setattr(crawlers, "PART", 4)
    monkeypatch.setattr(crawlers, "BATCH", 2)
    parts = locations(index := await api.client.get("/sitemap.xml"))
    names = ["pages", "ads-0", "ads-1", "ads-750000000000"]
    assert parts == [f"http://testserver/sitemaps/{name}.xml" for name in names]
    headers = {"If-None-Match": index.headers["ETag"]}
    assert (await api.client.get("/sitemap.xml", headers=headers)).status_code == 304
    site = "http://testserver"
    assert locations(await api.client.get(parts[0])) == [f"{site}/", f"{site}/c/furniture"]
    found = [address for part in parts[1:] for address in locations(await api.client.get(part))]
    shown = [ads[number]["pk"] for number in (0, 2, 3, 4, 5)] + [3000000000001]
    assert found == [f"{site}/a/{ad_id}-oak-table" for ad_id in shown]
    page = await api.client.get(parts[1])
    assert page.headers["Cache-Control"] == "public, no-cache"
    headers = {"If-None-Match": page.headers["ETag"]}
    unchanged = await api.client.get(parts[1], headers=headers)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["ETag"] == page.headers["ETag"]
    await anna.post(f"/ads/{ads[0]['pk']}/withdraw")
    changed = await api.client.get(parts[1], headers=headers)
    assert changed.status_code == 200
    assert locations(changed) == [f"{site}/a/{ads[number]['pk']}-oak-table" for number in (2, 3)]
    days = {str(found.text) for found in parsed(page).iter(f"{MAP}lastmod")}
    assert all(len(day) == len("2026-01-01") for day in days)
    for name in ("ads-2", "ads-01", "ads--1", "ads-99999999999999", "users", "..%2fpages"):
        assert (await api.client.get(f"/sitemaps/{name}.xml")).status_code == 404, name


async def test_robots_are_led_to_it_and_kept_from_what_has_no_end(
    client: httpx2.AsyncClient,
) -> None:
    lines = (await client.get("/robots.txt")).text.splitlines()
    assert "Sitemap: http://testserver/sitemap.xml" in lines
    for path in (
        "/search",
        "/ads.atom",
        "/account",
        "/my",
        "/post",
        "/admin",
        "/console",
        "/review",
    ):
        assert f"Disallow: {path}" in lines, path


@pytest.mark.heavy
async def test_lists_of_addresses_are_compressed(api: Api) -> None:
    await api.sql(
        "INSERT INTO categories (slug, name)"
        " (VALUES " + ", ".join(f"('category-{n}', 'Name')" for n in range(30)) + ")"
    )
    answer = await api.client.get("/sitemaps/pages.xml", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(locations(answer)) == 31


@pytest.mark.heavy
async def test_feeds_and_sitemaps_count_as_searches(start_api: ApiFactory, tmp_path: Path) -> None:
    front = {"storefront": Storefront.ON, "storefront_dir": build(tmp_path / "web")}
    async with start_api(**front, rate_limits="on", searches_per_address=12) as api:
        await (await api.person()).post_ad()
        await settle(api)
        for path, status in (
            ("/ads.atom?q=oak", 200), ("/sitemap.xml", 200), ("/sitemaps/ads-0.xml", 200),
            ("/sitemaps/ads-0.xml", 429), ("/ads.atom?q=oak", 200), ("/ads.atom?q=table", 429),
            ("/sitemap.xml", 429),
        ):  # fmt: skip
            answer = await api.client.get(path)
            assert answer.status_code == status, path
