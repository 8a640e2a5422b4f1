"""What the operator adds to the storefront: the accent, a logo, pages, and the name as an app.

All of it becomes files beside the built ones when a process starts, and so costs no request more.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from adsvc.api.storefront.views import Icons, View, Words
from adsvc.errors import ConfigurationError
from adsvc.http.responses import PUBLIC
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

THEME = """html:root{{--accent:{light.accent};--accent-ink:{light.ink};--accent-soft:{light.soft}}}
@media (prefers-color-scheme:dark){{html:root{{--accent:{dark.accent};--accent-ink:{dark.ink};\
--accent-soft:{dark.soft}}}}}
"""


@dataclass(frozen=True, slots=True)
class OperatorPage:
    """A page from a Markdown file, as HTML in which no text is markup by accident."""

    slug: str
    # Empty where the file's name says none.
    language: str
    title: str
    body: str

    @property
    def name(self) -> str:
        return f"{self.slug}.{self.language}" if self.language else self.slug


@dataclass(frozen=True, slots=True)
class Branding:
    files: Mapping[str, BuiltFile]
    # Elements for the head of every page.
    head: str
    pages: Sequence[OperatorPage] = ()

    def links(self, language: str) -> list[tuple[str, str]]:
        """Addresses and titles of the pages, each in that language if it is there.

        `pageLinks` of `web/src/data/site.ts` chooses the same.
        """
        best: dict[str, OperatorPage] = {}
        for page in self.pages:
            before = best.get(page.slug)
            if before is None or _rank(page, language) > _rank(before, language):
                best[page.slug] = page
        return [(f"/pages/{page.name}", page.title) for page in best.values()]


def _rank(page: OperatorPage, language: str) -> int:
    if not page.language:
        return 1
    return 2 if page.language.partition("-")[0] == language else 0


def branding_of(
    settings: Settings, index: str, words: Mapping[str, Words], icons: Icons
) -> Branding:
    """`index` is the built page, whose style sheets and icons the operator's pages share."""
    files: dict[str, BuiltFile] = {}
    theme = _theme(settings, files)
    logo = _logo(settings, files)
    pages = _pages(settings.pages_dir)
    for page in pages:
        content = html(
            "operator",
            page=page,
            language=page.language or settings.languages[0],
            site_name=settings.site_name,
            icons=ICON.findall(index),
            styles=[*STYLE.findall(index), *theme],
            logo=logo,
            others=list(_others(page, pages)),
            view=_view(settings, page, words, icons),
        )
        files[f"pages/{page.name}"] = _page_file(content)
    files[MANIFEST] = _file(MANIFEST, _manifest(settings))
    frame = _frame(settings, logo, pages, list(words))
    head = html("site", styles=theme, manifest=f"/{MANIFEST}", frame=frame)
    return Branding(files, head, pages)


def _file(name: str, content: bytes) -> BuiltFile:
    """Its name, below `assets`, has a hash; other files are revalidated."""
    caching = FOR_EVER if name.startswith(HASHED) else PUBLIC
    kind = CONTENT_TYPES[Path(name).suffix].encode()
    headers = ((b"content-type", kind), *caching)
    return BuiltFile(ReadResponse(content, etag_of(content), headers, compressible=True), {})


def _hashed(stem: str, suffix: str, content: bytes, files: dict[str, BuiltFile]) -> str:
    """The address of a file that is immutable."""
    digest = etag_of(content).strip('"')
    name = f"{HASHED}{stem}-{re.sub(r'[^A-Za-z0-9_-]', '', digest)}{suffix}"
    files[name] = _file(name, content)
    return f"/{name}"


def _theme(settings: Settings, files: dict[str, BuiltFile]) -> list[str]:
    """A style sheet with the accent, if there is one: the policy allows none in the page."""
    if settings.theme_accent is None:
        return []
    light, dark = palettes(settings.theme_accent)
    text = THEME.format(light=light, dark=dark)
    return [_hashed("theme", ".css", text.encode(), files)]


def _logo(settings: Settings, files: dict[str, BuiltFile]) -> str:
    path = settings.theme_logo
    if path is None:
        return ""
    content = path.read_bytes()
    if len(content) > LARGEST_LOGO:
        raise ConfigurationError(
            f"ADSVC_THEME_LOGO: {path} has more than {LARGEST_LOGO // KIBIBYTE} KiB"
        )
    return _hashed("logo", path.suffix.lower(), content, files)


def _manifest(settings: Settings) -> bytes:
    """For browsers that install the storefront (W3C Web Application Manifest)."""
    if settings.theme_accent is None:
        background = "#ffffff"
    else:
        background = palettes(settings.theme_accent)[0].soft
    icons = [
        {"src": "/icons/192.png", "sizes": "192x192", "type": "image/png", "purpose": "any"},
        {"src": "/icons/512.png", "sizes": "512x512", "type": "image/png", "purpose": "any"},
        {
            "src": "/icons/maskable.png",
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        },
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
    links = [{"slug": page.slug, "language": page.language, "title": page.title} for page in pages]
    frame: dict[str, object] = {
        "name": settings.site_name,
        # A build without first views does not say which it has.
        **({"languages": languages} if languages else {}),
        "logo": logo,
        "pages": links,
        "most": largest_page(settings),
    }
    if settings.map_tiles is not None:
        frame["map"] = {"tiles": settings.map_tiles, "attribution": settings.map_attribution}
    return frame


def _pages(directory: Path | None) -> list[OperatorPage]:
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


def _refusal(text: str) -> ConfigurationError:
    return ConfigurationError(f"ADSVC_PAGES_DIR: {text}")


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
    tags = [page.language, *settings.languages]
    known = (words.get(tag.partition("-")[0]) for tag in tags)
    said = next((one for one in known if one is not None), next(iter(words.values()), None))
    return View(said, settings.site_name, settings.currency, icons=icons) if said else None


def _others(page: OperatorPage, pages: Sequence[OperatorPage]) -> Iterator[OperatorPage]:
    """The other pages in its language, and itself in others."""
    for other in pages:
        if other is not page and (other.slug == page.slug or other.language == page.language):
            yield other


def _page_file(content: str) -> BuiltFile:
    body = content.encode()
    headers = (
        (b"content-type", CONTENT_TYPES[".html"].encode()),
        (b"content-security-policy", STILL_POLICY.encode()),
        *PUBLIC,
    )
    return BuiltFile(ReadResponse(body, etag_of(body), headers, compressible=True), {})
