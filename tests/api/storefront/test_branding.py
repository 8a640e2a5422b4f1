"""What the operator adds: the accent, a logo, pages in Markdown, and the name as an app."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from adsvc.api.storefront.pages import front_of
from adsvc.errors import ConfigurationError
from adsvc.settings import Settings, Storefront, load_settings
from adsvc.settings.colours import (
    DARK_FILL,
    DARK_RAISED,
    LEAST_CONTRAST,
    PAPER,
    contrast,
    palettes,
    parsed,
)
from conftest import ApiFactory
from support.scene.storefront import build

TOKENS = Path(__file__).parents[3] / "web/src/styles/tokens.css"
FRAME = re.compile(r'<script type="application/json" id="site">(.*?)</script>', re.DOTALL)


def test_the_surfaces_are_those_of_the_storefront() -> None:
    light, dark = TOKENS.read_text().split("@media (prefers-color-scheme: dark)")
    assert f"--paper: {PAPER};" in light
    assert f"--raised: {DARK_RAISED};" in dark
    assert f"--fill: {DARK_FILL};" in dark


def test_what_is_no_colour_is_refused() -> None:
    for wrong in ("red", "#fff", "#12345g", "#0b5d57;}body{display:none"):
        with pytest.raises(ConfigurationError, match="ADSVC_THEME_ACCENT"):
            load_settings(theme_accent=wrong)
    assert load_settings(theme_accent="#1D4ED8").theme_accent == "#1d4ed8"


@pytest.mark.parametrize(
    "accent",
    ["#0b5d57", "#1d4ed8", "#9f1239", "#000000", "#7c3aed", "#ffcc00", "#ffffff", "#777777"],
)
def test_both_schemes_can_be_read(accent: str) -> None:
    light, dark = palettes(accent)
    assert light.accent == accent
    for palette, ground in ((light, PAPER), (dark, DARK_RAISED), (dark, DARK_FILL)):
        for one, other in (
            (palette.accent, palette.ink),
            (palette.text, ground),
            (palette.text, palette.soft),
        ):
            assert contrast(parsed(one), parsed(other)) >= LEAST_CONTRAST, (palette, one, other)


class Elements(HTMLParser):
    """Names and attributes of all elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


HOSTILE = """# Imprint <b>& co</b>

<script>alert(1)</script>
<img src=x onerror=alert(1)>
[one](javascript:alert(1)) [two](JaVaScRiPt:alert(1)) [three](data:text/html,<script>)
[four](vbscript:x) <javascript:alert(1)> ![five](javascript:alert(1))
[six](java&#115;cript:alert(1)) [seven](\tjavascript:alert(1)) [eight]("onclick=alert(1))
[mail](mailto:us@example.com "a' title\\" onmouseover=\\"alert(1)")

| a | b |
|---|---|
| 1 | <svg onload=alert(1)> |
"""


@pytest.mark.heavy
async def test_pages_of_the_operator(start_api: ApiFactory, tmp_path: Path) -> None:
    texts = tmp_path / "pages"
    texts.mkdir()
    (texts / "imprint.md").write_text(HOSTILE)
    (texts / "imprint.de.md").write_text("# Impressum\n\nMusterweg 1 ä")
    (texts / "terms.md").write_text("Terms </script><script>alert(1)</script>\n===\n\n- one\n")
    (texts / "notes.txt").write_text("Not a page.")
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    async with start_api(
        storefront=Storefront.ON,
        storefront_dir=build(tmp_path / "web"),
        pages_dir=texts,
        theme_logo=tmp_path / "logo.svg",
        theme_accent="#1d4ed8",
        site_name="Flea & Co",
    ) as api:
        answer = await api.client.get("/pages/imprint")
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script" not in policy
        elements = Elements(answer.text).found
        names = {name for name, _ in elements}
        assert not names & {"script", "b", "iframe", "object"}, names
        # The one of the search box.
        assert [found["class"] for name, found in elements if name == "svg"] == ["icon"]
        assert {"search", "form"} <= names
        assert {"table", "td"} <= names
        addresses = [found.get("href") or found.get("src") or "" for _, found in elements]
        assert not [one for one in addresses if re.match("(?i)[^/]*(script|data):", one)]
        assert "mailto:us@example.com" in addresses
        attributes = {attribute for _, found in elements for attribute in found}
        assert not [one for one in attributes if one.startswith("on")]
        assert "<title>Imprint &lt;b&gt;&amp; co&lt;/b&gt; · Flea &amp; Co</title>" in answer.text
        german = await api.client.get("/pages/imprint.de")
        assert '<html lang="de">' in german.text
        assert '<a href="/pages/imprint">' in german.text
        assert 'hreflang="de">Impressum</a>' in answer.text
        etag = answer.headers["ETag"]
        again = await api.client.get("/pages/imprint", headers={"If-None-Match": etag})
        assert again.status_code == 304
        for path in ("/pages/notes", "/pages/nothing", "/pages/..%2fpages%2fterms"):
            assert (await api.client.get(path)).status_code == 404, path

        home = (await api.client.get("/")).text
        [written] = FRAME.findall(home)
        frame = json.loads(written)
        assert frame["name"] == "Flea & Co"
        assert [(page["slug"], page["language"]) for page in frame["pages"]] == [
            ("imprint", "de"), ("imprint", ""), ("terms", ""),
        ]  # fmt: skip
        logo = await api.client.get(frame["logo"])
        assert logo.headers["Content-Type"] == "image/svg+xml"
        [theme] = re.findall(r'href="(/assets/theme-[^"]+\.css)"', home)
        style = await api.client.get(theme)
        assert "--accent:#1d4ed8" in style.text
        assert "immutable" in style.headers["Cache-Control"]
        assert theme in answer.text
        manifest = (await api.client.get("/manifest.webmanifest")).json()
        assert (manifest["name"], manifest["display"]) == ("Flea & Co", "standalone")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("Imprint.md", b"# Imprint", "lower-case"),
        ("imprint.german-language-tag.md", b"# Imprint", "lower-case"),
        ("imprint.md", b"No heading", "heading"),
        ("imprint.md", b"# \xff", "UTF-8"),
        ("imprint.md", b"# Long\n" + b"x" * 300_000, "256 KiB"),
    ],
)
def test_a_page_that_cannot_be_shown_is_refused_at_start(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(content)
    settings = Settings(storefront_dir=build(tmp_path / "web"), pages_dir=tmp_path)
    with pytest.raises(ConfigurationError, match=f"ADSVC_PAGES_DIR: .*{reason}"):
        front_of(settings)
    with pytest.raises(ConfigurationError, match="ADSVC_PAGES_DIR"):
        load_settings(pages_dir=tmp_path / "nothing")
    with pytest.raises(ConfigurationError, match="ADSVC_THEME_LOGO"):
        load_settings(theme_logo=tmp_path / name)


@pytest.mark.heavy
async def test_tiles_open_the_policy_for_their_host_alone(
    tmp_path: Path, start_api: ApiFactory
) -> None:
    directory = build(tmp_path)
    worker = "assets/maplibre-gl-worker-1a2b3c4d.js"
    (directory / worker).write_bytes(b"")
    tiles = "https://tiles.example.com/{z}/{x}/{y}.png?key=1"
    words = "[© </script> contributors](https://example.com/copyright)"
    async with start_api(
        storefront=Storefront.ON, storefront_dir=directory, map_tiles=tiles, map_attribution=words
    ) as api:
        home = await api.client.get("/")
        [written] = FRAME.findall(home.text)
        assert json.loads(written)["map"] == {"tiles": tiles, "attribution": words}
        policy = home.headers["Content-Security-Policy"].split("; ")
        assert "connect-src 'self' https://tiles.example.com" in policy
        assert "img-src 'self' https://tiles.example.com data: blob:" in policy
        assert "script-src 'self'" in policy
        drawing = await api.client.get(f"/{worker}")
        assert (
            "connect-src https://tiles.example.com;" in (drawing.headers["Content-Security-Policy"])
        )
    async with start_api(storefront=Storefront.ON, storefront_dir=directory) as api:
        home = await api.client.get("/")
        [written] = FRAME.findall(home.text)
        assert "map" not in json.loads(written)
        assert "connect-src 'self';" in home.headers["Content-Security-Policy"]
        drawing = await api.client.get(f"/{worker}")
        assert "connect-src 'none';" in drawing.headers["Content-Security-Policy"]


@pytest.mark.heavy
def test_tiles_are_a_file_or_have_places_for_each_tile() -> None:
    for right in ("https://tiles.example.com/town.pmtiles", "http://localhost:1/{z}/{x}/{y}.mvt"):
        assert load_settings(map_tiles=right).map_tiles == right
    for wrong in (
        "tiles.example.com/{z}/{x}/{y}.png", "https://tiles.example.com/{z}/{x}.png",
        "https://tiles.example.com", "https://tiles.example.com/a b.pmtiles",
        "https://tiles.example.com;script-src *.pmtiles", "https://*.example.com/a.pmtiles",
        "javascript:alert(1).pmtiles", "https://Tiles.example.com/town.pmtiles",
    ):  # fmt: skip
        with pytest.raises(ConfigurationError, match="ADSVC_MAP_TILES"):
            load_settings(map_tiles=wrong)


@pytest.mark.heavy
async def test_the_site_has_the_languages_that_the_operator_chose(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    web = build(tmp_path / "web")
    for languages, offered in (
        (("de", "fr"), ["de"]),
        (("fr",), ["en"]),
        (("de", "en"), ["en", "de"]),
    ):
        async with start_api(
            storefront=Storefront.ON, storefront_dir=web, languages=languages
        ) as api:
            page = (await api.client.get("/", headers={"Accept-Language": "en"})).text
            assert f'"languages":{json.dumps(offered, separators=(",", ":"))}' in page
            assert ("Neue Anzeigen" in page) is ("en" not in offered)
            assert page.count("hreflang") == (len(offered) + 1 if len(offered) > 1 else 0)


@pytest.mark.heavy
async def test_icons_are_there_without_scripts(start_api: ApiFactory, tmp_path: Path) -> None:
    web = build(tmp_path / "web")
    sprite = '<svg><symbol id="tag"/><symbol viewBox="0 0 24 24" id="search"/></svg>'
    (web / "assets/icons-0a1b2c3d.svg").write_text(sprite)
    async with start_api(storefront=Storefront.ON, storefront_dir=web) as api:
        page = (await api.client.get("/search")).text
    assert '<use href="/assets/icons-0a1b2c3d.svg#search"/>' in page
    assert '<use href="/assets/icons-0a1b2c3d.svg#tag"/>' in page


@pytest.mark.heavy
async def test_categories_have_their_icons_and_colours(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    web = build(tmp_path / "web")
    (web / "assets/icons-0a1b2c3d.svg").write_text('<svg><symbol id="tag"/></svg>')
    (web / "assets/category-icons-0a1b2c3d.svg").write_text('<svg><symbol id="horse"/></svg>')
    async with start_api(storefront=Storefront.ON, storefront_dir=web) as api:
        admin = await api.admin()
        horses = {"name": "Horses", "icon": "horse", "color": "#A16207"}
        saved = await admin.put("/categories/horses", json=horses)
        assert (saved.json()["icon"], saved.json()["color"]) == ("horse", "#a16207")
        await admin.put("/categories/other", json={"name": "Other"})
        page = await api.client.get("/")
        found = [each for name, each in Elements(page.text).found if name in {"svg", "use"}]
        shown = [each["color"] for each in found if "color" in each]
        icons = [each["href"] for each in found if "href" in each]
        assert shown == ["#a16207"]
        assert icons[-2:] == [
            "/assets/category-icons-0a1b2c3d.svg#horse", "/assets/icons-0a1b2c3d.svg#tag",
        ]  # fmt: skip
        for member, wrong in (
            ("icon", "unicorn"), ("icon", 'horse"/><script>'), ("color", "red"),
            ("color", '#fff"onload=x'),
        ):  # fmt: skip
            refused = await admin.put("/categories/other", json={"name": "O", member: wrong})
            assert refused.status_code == 400, wrong
            assert refused.json()["errors"][0]["pointer"] == f"/{member}"


@pytest.mark.heavy
async def test_a_language_of_the_operator_is_one_file(
    start_api: ApiFactory, tmp_path: Path
) -> None:
    texts = {"home.newest": "Nouvelles annonces", "results.count.one": "{count} annonce"}
    (tmp_path / "fr.json").write_text(json.dumps(texts))
    async with start_api(
        storefront=Storefront.ON,
        storefront_dir=build(tmp_path / "web"),
        languages_dir=tmp_path,
    ) as api:
        admin = await api.admin()
        saved = await admin.patch("/admin/site", json={"languages": ["fr", "de"]})
        assert saved.status_code == 200
        page = (await api.client.get("/", headers={"Accept-Language": "fr-CH"})).text
        assert '<html lang="fr">' in page
        assert "Nouvelles annonces" in page
        assert 'hreflang="fr"' in page
        frame = json.loads(FRAME.findall(page)[0])
        assert set(frame["languages"]) == {"de", "fr"}
        file = await api.client.get(frame["texts"]["fr"])
        assert (file.json(), file.headers["Content-Type"]) == (texts, "application/json")
        results = (await api.client.get("/search", headers={"Accept-Language": "fr"})).text
        assert "0 annonce" in results
        # What the file lacks is in English.
        assert "All ads" in results
        unknown = await admin.patch("/admin/site", json={"languages": ["fr", "it"]})
        assert unknown.json()["errors"][0]["pointer"] == "/languages"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("xyz.json", "{}", "a further language"),
        ("de.json", "{}", "a further language"),
        ("fr-CA.json", "{}", "a further language"),
        ("fr.json", "{", "JSON"),
        ("fr.json", '{"home.newest": 1}', "an object of texts"),
        ("fr.json", f'{{"long": "{"x" * 1_100_000}"}}', "1024 KiB"),
    ],
)
def test_a_language_that_cannot_be_used_is_refused_at_start(
    tmp_path: Path, name: str, content: str, reason: str
) -> None:
    languages = tmp_path / "languages"
    languages.mkdir()
    (languages / name).write_text(content)
    settings = Settings(storefront_dir=build(tmp_path / "web"), languages_dir=languages)
    with pytest.raises(ConfigurationError, match=f"ADSVC_LANGUAGES_DIR: .*{reason}"):
        front_of(settings)
