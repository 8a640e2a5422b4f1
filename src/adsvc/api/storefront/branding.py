"""What the site adds to the storefront: the accent, texts, a logo, pages, the name as an app.

All of it becomes files beside the built ones when a process starts, and when administrators have
changed the site, and so costs no request more.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from pathlib import Path

from adsvc.api.caching import ReadResponse, etag_of
from adsvc.api.html import html
from adsvc.api.storefront.files import (
    CONTENT_TYPES,
    FOR_EVER,
    HASHED,
    STILL_POLICY,
    BuiltFile,
)
from adsvc.api.storefront.views import Icons, Section, View, Words
from adsvc.enums import PagePlace
from adsvc.errors import ConfigurationError
from adsvc.kit.http.messages import PUBLIC
from adsvc.kit.pictures.containers import variant_name
from adsvc.schemas.site import SiteLook, SitePage
from adsvc.settings import Settings
from adsvc.settings.colours import palettes

MANIFEST = "manifest.webmanifest"

# `imprint.md` in the language of the site, `imprint.de.md` in German.
PAGE_NAME = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*))?\.md")

KIBIBYTE = 1024
LARGEST_PAGE = 256 * KIBIBYTE
MOST_PAGES = 64
LARGEST_LOGO = 128 * KIBIBYTE

ICON = re.compile(r'<link rel="(?:icon|apple-touch-icon)"[^>]*>')
STYLE = re.compile(r'<link rel="stylesheet"[^>]*?href="(/assets/[^"]+\.css)"')

THEME_FILE = "theme.css"
SCHEME = (
    "html:root{{--accent:{0.accent};--accent-ink:{0.ink};--accent-soft:{0.soft};"
    "--accent-text:{0.text}}}"
)
DARK = "@media (prefers-color-scheme:dark){{{}}}"


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """A page from a Markdown file, as HTML in which no text is markup by accident."""

    slug: str
    # Empty where the file's name says none.
    language: str
    title: str
    body: str
    place: str = PagePlace.FOOTER
    # The language of the text, where neither `language` nor that of the site is it.
    written: str = ""

    @property
    def name(self) -> str:
        return f"{self.slug}.{self.language}" if self.language else self.slug


@dataclass(frozen=True, slots=True)
class Branding:
    files: Mapping[str, BuiltFile]
    # Elements for the head of every page, and the style sheets behind the built ones.
    head: str
    # The built page, with the icon of the site.
    index: str
    logo: str = ""
    styles: Sequence[str] = ()
    pages: Sequence[OperatorPage] = ()
    site: SiteLook = field(default_factory=SiteLook)
    # The site's own.
    language: str = ""

    def texts(self, language: str) -> dict[str, str]:
        """The texts of the site by their names, each in that language if it is there, and the logo.

        `said` of `web/src/data/site.ts` chooses the same.
        """
        order = (language, self.language.partition("-")[0])
        said = {name: _said(by_language, order) for name, by_language in self.site.texts().items()}
        return {**said, "logo": self.logo}

    def sections(self, language: str) -> Sequence[Section]:
        """Those of the home page, with their texts in that language if they are there."""
        order = (language, self.language.partition("-")[0])
        return [
            Section(each.kind, _said(each.title, order), _said(each.text, order))
            for each in self.site.sections
        ]

    def links(self, language: str, place: str = PagePlace.FOOTER) -> list[tuple[str, str]]:
        """Addresses and titles of the pages of the place, each in that language if it is there.

        `pageLinks` of `web/src/data/site.ts` chooses the same.
        """
        best: dict[str, OperatorPage] = {}
        for page in self.pages:
            if page.place != place:
                continue
            before = best.get(page.slug)
            if before is None or _rank(page, language) > _rank(before, language):
                best[page.slug] = page
        return [(f"/pages/{page.name}", page.title) for page in best.values()]


def _said(texts: Mapping[str, str], order: Sequence[str]) -> str:
    found = {tag.partition("-")[0]: text for tag, text in reversed(list(texts.items()))}
    return next((found[tag] for tag in (*order, *reversed(found)) if tag in found), "")


def _rank(page: OperatorPage, language: str) -> int:
    if (page.written or page.language).partition("-")[0] == language:
        return 2
    return 0 if page.language else 1


def branding_of(
    settings: Settings,
    site: SiteLook,
    css: str,
    index: str,
    words: Mapping[str, Words],
    texts: Mapping[str, str],
    icons: Icons,
    pages: Sequence[OperatorPage],
) -> Branding:
    """`index` is the built page, whose style sheets and icons the operator's pages share."""
    files: dict[str, BuiltFile] = {}
    theme = _theme(settings.theme_accent, css, files)
    logo = site.logo or _logo(settings, files)
    index = _with_icon(index, site.icon)
    for page in pages:
        content = html(
            "operator",
            page=page,
            language=page.written or page.language or settings.languages[0],
            site_name=settings.site_name,
            icons=ICON.findall(index),
            styles=[*STYLE.findall(index), *theme],
            logo=logo,
            others=list(_others(page, pages)),
            menu=[each for each in pages if each.place == PagePlace.MENU and _alike(page, each)],
            view=_view(settings, page, words, icons),
        )
        files[f"pages/{page.name}"] = _page_file(content)
    files[MANIFEST] = _file(MANIFEST, _manifest(settings, site.icon))
    sections = [each.model_dump() for each in site.sections]
    frame = {**_frame(settings, logo, pages, list(words)), **site.texts(), "sections": sections}
    if texts:
        frame["texts"] = texts
    head = html("site", manifest=f"/{MANIFEST}", frame=frame)
    return Branding(files, head, index, logo, theme, pages, site, settings.languages[0])


def _with_icon(index: str, icon: str | None) -> str:
    if icon is None:
        return index
    tiny, apple = variant_name(icon, "tiny"), variant_name(icon, "apple")
    links = (
        f'<link rel="icon" href="{tiny}" sizes="48x48" type="image/png">'
        f'<link rel="apple-touch-icon" href="{apple}">'
    )
    return ICON.sub("", index).replace("</head>", f"{links}</head>", 1)


def _file(name: str, content: bytes) -> BuiltFile:
    """Its name, below `assets`, has a hash; other files are revalidated."""
    caching = FOR_EVER if name.startswith(HASHED) else PUBLIC
    kind = CONTENT_TYPES[Path(name).suffix].encode()
    headers = ((b"content-type", kind), *caching)
    return BuiltFile(ReadResponse(content, etag_of(content), headers, compressible=True), {})


def hashed(stem: str, suffix: str, content: bytes, files: dict[str, BuiltFile]) -> str:
    """The address of a file that is immutable."""
    digest = etag_of(content).strip('"')
    name = f"{HASHED}{stem}-{re.sub(r'[^A-Za-z0-9_-]', '', digest)}{suffix}"
    files[name] = _file(name, content)
    return f"/{name}"


def _theme(accent: str | None, css: str, files: dict[str, BuiltFile]) -> list[str]:
    """A style sheet, if there is something in it: the policy allows none in the page."""
    if accent is None and not css:
        return []
    text = css
    if accent is not None:
        light, dark = map(SCHEME.format, palettes(accent))
        text = f"{light}\n{DARK.format(dark)}\n{css}"
    files[THEME_FILE] = _file(THEME_FILE, text.encode())
    return [hashed("theme", ".css", text.encode(), files)]


def _logo(settings: Settings, files: dict[str, BuiltFile]) -> str:
    path = settings.theme_logo
    if path is None:
        return ""
    content = path.read_bytes()
    if len(content) > LARGEST_LOGO:
        raise ConfigurationError(
            f"ADSVC_THEME_LOGO: {path} has more than {LARGEST_LOGO // KIBIBYTE} KiB"
        )
    return hashed("logo", path.suffix.lower(), content, files)


def _manifest(settings: Settings, icon: str | None) -> bytes:
    """For browsers that install the storefront (W3C Web Application Manifest)."""
    if settings.theme_accent is None:
        background = "#ffffff"
    else:
        background = palettes(settings.theme_accent)[0].soft
    small, large, maskable = "/icons/192.png", "/icons/512.png", "/icons/maskable.png"
    if icon is not None:
        small, large, maskable = variant_name(icon, "small"), icon, variant_name(icon, "maskable")
    icons = [
        {"src": src, "sizes": f"{side}x{side}", "type": "image/png", "purpose": purpose}
        for src, side, purpose in (
            (small, 192, "any"),
            (large, 512, "any"),
            (maskable, 512, "maskable"),
        )
    ]
    manifest = {
        "id": "/",
        "name": settings.site_name,
        "short_name": settings.site_name,
        "lang": settings.languages[0],
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": background,
        "theme_color": "#ffffff",
        "icons": icons,
    }
    return json.dumps(manifest, ensure_ascii=False).encode()


def largest_page(settings: Settings) -> int:
    """The most records that a page of any list may have."""
    return min(settings.page_size_max, settings.search_page_size_max)


def _frame(
    settings: Settings, logo: str, pages: Sequence[OperatorPage], languages: Sequence[str]
) -> dict[str, object]:
    """What the app's frame shows at once: the name of the site, the logo, links to the pages; and
    where its maps come from.
    """
    members = ("slug", "language", "title", "place")
    links = [{name: getattr(page, name) for name in members} for page in pages]
    frame: dict[str, object] = {
        "name": settings.site_name,
        "language": settings.languages[0],
        "registration": settings.registration,
        "off": list(settings.features_off),
        # A build without first views does not say which it has.
        **({"languages": languages} if languages else {}),
        "logo": logo,
        "pages": links,
        "most": largest_page(settings),
    }
    if settings.map_tiles is not None:
        frame["map"] = {"tiles": settings.map_tiles, "attribution": settings.map_attribution}
    return frame


def operator_pages(directory: Path | None) -> list[OperatorPage]:
    if directory is None:
        return []
    paths = sorted(directory.glob("*.md"))
    if len(paths) > MOST_PAGES:
        raise _refusal(f"{directory} has more than {MOST_PAGES} pages")
    return [_page(path) for path in paths]


def _page(path: Path) -> OperatorPage:
    found = PAGE_NAME.fullmatch(path.name)
    if found is None:
        raise _refusal(
            f"{path.name} must have a name such as imprint.md or imprint.de.md: lower-case "
            "letters, digits and hyphens, then perhaps the tag of a language"
        )
    content = path.read_bytes()
    if len(content) > LARGEST_PAGE:
        raise _refusal(f"{path.name} has more than {LARGEST_PAGE // KIBIBYTE} KiB")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise _refusal(f"{path.name} must be UTF-8") from None
    title, body = _rendered(text)
    if not title:
        raise _refusal(f"{path.name} must begin with a heading, which is its title: # Imprint")
    return OperatorPage(found[1], found[2] or "", title, body)


def administered_pages(
    pages: Iterable[SitePage], languages: Sequence[str]
) -> Iterator[OperatorPage]:
    """Those of the console: each has the first language of the site that it has at its address."""
    for page in pages:
        own = next((tag for tag in languages if tag in page.text), next(iter(page.text)))
        for tag, text in page.text.items():
            title = page.title[tag]
            body = f"<h1>{escape(title)}</h1>\n{_rendered(text)[1]}"
            language = "" if tag == own else tag
            yield OperatorPage(page.slug, language, title, body, page.place, tag)


def render_pages(pages: Iterable[SitePage]) -> None:
    """So that `administered_pages` finds them rendered."""
    for page in pages:
        for text in page.text.values():
            _rendered(text)


def _refusal(text: str) -> ConfigurationError:
    return ConfigurationError(f"ADSVC_PAGES_DIR: {text}")


# Pages are made anew with each change of the site.
@lru_cache(maxsize=4 * MOST_PAGES)
def _rendered(markdown: str) -> tuple[str, str]:
    """The title, which is empty without a heading at the beginning, and all as HTML.

    HTML in the file is shown as text, and links lead to addresses alone, not to scripts
    (`validateLink` of markdown-it).
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415 - takes memory, and few sites have pages

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(markdown)
    title = ""
    if tokens and tokens[0].type == "heading_open":
        children = tokens[1].children or ()
        title = "".join(
            child.content for child in children if child.type in {"text", "code_inline"}
        )
    return title.strip(), str(parser.renderer.render(tokens, parser.options, {}))


def _view(
    settings: Settings, page: OperatorPage, words: Mapping[str, Words], icons: Icons
) -> View | None:
    """In the language of the page, for the search box; none in a build without first views."""
    tags = [page.written, page.language, *settings.languages]
    known = (words.get(tag.partition("-")[0]) for tag in tags)
    said = next((one for one in known if one is not None), next(iter(words.values()), None))
    return View(said, settings.site_name, settings.money, icons=icons) if said else None


def _others(page: OperatorPage, pages: Sequence[OperatorPage]) -> Iterator[OperatorPage]:
    """The other pages of the footer in its language, and itself in others."""
    for other in pages:
        is_linked = other.place == PagePlace.FOOTER and _alike(page, other)
        if other is not page and (other.slug == page.slug or is_linked):
            yield other


def _alike(page: OperatorPage, other: OperatorPage) -> bool:
    """Whether the pages are in one language."""
    return (page.written or page.language) == (other.written or other.language)


def _page_file(content: str) -> BuiltFile:
    body = content.encode()
    headers = (
        (b"content-type", CONTENT_TYPES[".html"].encode()),
        (b"content-security-policy", STILL_POLICY.encode()),
        *PUBLIC,
    )
    return BuiltFile(ReadResponse(body, etag_of(body), headers, compressible=True), {})
