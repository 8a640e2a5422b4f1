"""The storefront is served from its built files, beside the interface."""

import gzip
from pathlib import Path

import httpx2
import pytest

from adsvc.api.routers.storefront import OTHERS, PAGES
from adsvc.api.storefront.files import read_files
from adsvc.api.storefront.pages import front_of
from adsvc.errors import ConfigurationError
from adsvc.settings import Settings, Storefront, load_settings
from conftest import ApiFactory
from support.running.in_process import get_unnormalised
from support.scene.api import Api
from support.scene.storefront import INDEX, SCRIPT, build

ASSET = "/assets/app-1a2b3c4d.js"
SHELL = ["/", "/search?q=oak", "/post", "/my", "/my/ads", "/account", "/account/login", "/console",
         "/console/categories", "/review", "/review/1", "/a/1/edit", "/my/saved",
         "/messages", "/messages/1"]  # fmt: skip
BEGIN, _, END = INDEX.partition("</title>")[2].partition("</div>")


async def test_every_page_is_the_shell_under_a_strict_policy(client: httpx2.AsyncClient) -> None:
    for path in SHELL:
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["Content-Type"]) == (
            200, "text/html; charset=utf-8",
        ), path  # fmt: skip
        assert BEGIN in answer.text, path
        assert answer.text.endswith(f"</div>{END}"), path
        assert answer.text.count("<title>") == 1, path
        policy = answer.headers["Content-Security-Policy"]
        for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'",
                     "require-trusted-types-for 'script'", "trusted-types default"):  # fmt: skip
            assert part in policy.split("; "), path
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "public, no-cache", path
        etag = answer.headers["ETag"]
        again = await client.get(path, headers={"If-None-Match": etag})
        assert (again.status_code, again.content) == (304, b""), path
        head = await client.head(path)
        assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", etag), path
        assert (await client.post(path)).status_code == 405, path


async def test_no_page_takes_an_address_of_the_interface(api: Api) -> None:
    # Programs for mail send a POST to the address that people open (RFC 8058); so does the set-up.
    operations = dict(api.app.openapi()["paths"])
    for path in ("/unsubscribe", "/setup"):
        assert set(operations.pop(path)) == {"post"}
    pages = [path for path, _ in (*PAGES, *OTHERS)]
    for path in operations:
        first = "/" + path.split("/")[1]
        assert first not in pages, path
        assert not first.startswith(("/assets", "/sitemap", "/robots", "/favicon")), path
    assert not set(pages) & set(operations)
    for path in ("/login", "/register"):
        answer = await api.client.get(path, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST"), path


async def test_the_console_s_former_address_leads_to_it(client: httpx2.AsyncClient) -> None:
    for path, now in (("/admin", "/console"), ("/admin?list=accounts", "/console/accounts")):
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (308, now)


async def test_the_link_that_ends_mails_opens_a_page_and_takes_a_post(
    client: httpx2.AsyncClient,
) -> None:
    page = await client.get("/unsubscribe?token=x")
    assert page.text.endswith(f"{BEGIN}</div>{END}")
    assert '<meta name="robots" content="noindex">' in page.text
    assert (await client.post("/unsubscribe?token=x")).status_code == 204


async def test_only_private_pages_are_closed_to_search_engines(
    client: httpx2.AsyncClient,
) -> None:
    for path in SHELL:
        hidden = '<meta name="robots" content="noindex">' in (await client.get(path)).text
        assert hidden == (path != "/"), path


async def test_files_go_out_in_the_best_coding_that_the_build_left(
    client: httpx2.AsyncClient,
) -> None:
    etags = set()
    for accepted, coding, body in (
        ("gzip, deflate, br, zstd", "br", b"as Brotli"),
        ("br;q=0, gzip", "gzip", SCRIPT),
        ("identity", None, SCRIPT),
        ("broken, gzipped", None, SCRIPT),
        ("," * 60_000 + " " * 2000, None, SCRIPT),
        (", " * 20_000 + "br;q=0.5", "br", b"as Brotli"),
    ):
        asked = {"Accept-Encoding": accepted}
        answer = await client.get(ASSET, headers=asked)
        name = accepted[:40]
        assert answer.status_code == 200, name
        assert answer.headers.get("Content-Encoding") == coding, name
        assert answer.content == body, name
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable", name
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8", name
        assert "Accept-Encoding" in answer.headers["Vary"], name
        etags.add(etag := answer.headers["ETag"])
        again = await client.get(ASSET, headers={**asked, "If-None-Match": etag})
        assert (again.status_code, again.content) == (304, b""), name
    assert len(etags) == 3
    icon = await client.get("/favicon.ico")
    assert (icon.content, icon.headers["Cache-Control"]) == (b"icon", "public, no-cache")
    picture = await client.get("/assets/icon-5e6f7a8b.svg", headers={"Accept-Encoding": "br"})
    assert picture.headers["Content-Type"] == "image/svg+xml"
    assert "Content-Encoding" not in picture.headers


async def test_nothing_else_in_or_around_the_directory_can_be_had(api: Api) -> None:
    for path in (
        "/assets/", "/assets/nothing.js", "/assets/../index.html", "/assets/%2e%2e/index.html",
        "/assets/..%2findex.html", "/assets//etc/passwd", "/assets/app-1a2b3c4d.js.br",
        "/assets/app-1a2b3c4d.js%00", "/.vite/manifest.json", "/index.html.br",
        "/assets/..\\index.html",
    ):  # fmt: skip
        answer = await get_unnormalised(api.app, path)
        assert answer.status_code == 404, path
        assert answer.headers["Content-Type"] == "application/problem+json", path


async def test_a_wrong_link_leads_people_to_a_page_and_programs_to_a_problem(
    client: httpx2.AsyncClient,
) -> None:
    for path in ("/nowhere", "/a/1/b", "/assets", "/ads/1/nothing", "/sitemaps"):
        for accept, kind in (
            ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"),
            ("*/*", "application/problem+json"),
            ("application/json", "application/problem+json"),
        ):
            answer = await client.get(path, headers={"Accept": accept})
            told = (answer.status_code, answer.headers["Content-Type"])
            assert told == (404, kind), (path, accept)
    # What the interface refuses stays what it is.
    answer = await client.get("/ads/1/details", headers={"Accept": "text/html"})
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.heavy
async def test_without_it_there_is_a_small_page(start_api: ApiFactory, tmp_path: Path) -> None:
    async with start_api(storefront=Storefront.OFF, storefront_dir=build(tmp_path / "web")) as api:
        answer = await api.client.get("/")
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert 'href="/docs"' in answer.text
        for path in ("/search", "/a/1", "/robots.txt", "/sitemap.xml", "/ads.atom", ASSET):
            gone = await api.client.get(path)
            assert gone.status_code == 404, path


def test_a_directory_that_is_none_is_refused_at_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="ADSVC_STOREFRONT_DIR"):
        load_settings(storefront_dir=tmp_path)
    (tmp_path / "index.html").write_text("no title")
    with pytest.raises(ConfigurationError, match="one <title>"):
        front_of(load_settings(storefront_dir=tmp_path))
    with (tmp_path / "film.mov").open("wb") as film:
        film.truncate(2**30)
    with pytest.raises(ConfigurationError, match="64 MiB"):
        read_files(tmp_path)


def test_what_was_not_built_is_not_served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("adsvc.api.storefront.pages.DIRECTORY", tmp_path)
    assert front_of(Settings()) is None
    build(tmp_path)
    front = front_of(Settings())
    assert front is not None
    assert gzip.decompress(front.built[ASSET[1:]].coded[".gz"].body) == SCRIPT
