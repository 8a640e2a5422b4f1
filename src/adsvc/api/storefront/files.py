"""The files of the built storefront, in each coding that the build has left beside them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

import adsvc
from adsvc.api.caching.responses import BROTLI, GZIP, CachedResponse, accepts, etag_of
from adsvc.errors import ConfigurationError
from adsvc.http.responses import IMMUTABLE, PUBLIC, Caching, Header
from adsvc.limits import MEBIBYTE

# Where `make web` puts them, and packages carry them.
DIRECTORY = Path(adsvc.__file__).parent / "web"

INDEX = "index.html"

# The names of what is in there contain a hash of their content.
HASHED = "assets/"

CONTENT_TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}

# The better one first.
CODINGS = ((".br", BROTLI, b"br"), (".gz", GZIP, b"gzip"))

# They are in memory. A directory with more than this is no built storefront.
MOST_BYTES = 64 * MEBIBYTE

FOR_EVER: Caching = ((b"cache-control", IMMUTABLE), (b"vary", b"Accept-Encoding"))


@dataclass(frozen=True, slots=True)
class BuiltFile:
    plain: CachedResponse
    # By their suffix, the better one first.
    coded: Mapping[str, CachedResponse]

    def to(self, request: Request) -> Response:
        accepted = request.headers.get("accept-encoding", "")
        for suffix, coding, _ in CODINGS:
            if suffix in self.coded and accepts(coding, accepted):
                return self.coded[suffix].to(request)
        return self.plain.to(request)


def read_files(directory: Path) -> Mapping[str, BuiltFile]:
    """By their paths below the directory. What begins with a dot is the build's own business."""
    contents = dict(_contents(directory))
    names = [name for name in contents if not name.endswith((".br", ".gz"))]
    return {name: _built(name, contents) for name in names}


def _contents(directory: Path) -> Iterator[tuple[str, bytes]]:
    size = 0
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if not path.is_file() or any(part.startswith(".") for part in name.split("/")):
            continue
        size += path.stat().st_size
        if size > MOST_BYTES:
            raise ConfigurationError(
                f"ADSVC_STOREFRONT_DIR: {directory} has more than {MOST_BYTES // MEBIBYTE} MiB of "
                "files, so it is not the directory of a built storefront"
            )
        yield name, path.read_bytes()


def _built(name: str, contents: Mapping[str, bytes]) -> BuiltFile:
    kind = CONTENT_TYPES.get(Path(name).suffix, "application/octet-stream")
    content = contents[name]
    if name.startswith(HASHED):
        # As a proxy can write it too, which sends the same files.
        caching, etag = FOR_EVER, f'"{name.removeprefix(HASHED)}"'
    else:
        caching, etag = PUBLIC, etag_of(content)
    headers: tuple[Header, ...] = ((b"content-type", kind.encode()), *caching)
    coded = {
        suffix: CachedResponse(
            contents[name + suffix],
            f'{etag[:-1]}-{coding.decode()}"',
            (*headers, (b"content-encoding", coding)),
        )
        for suffix, _, coding in CODINGS
        if name + suffix in contents
    }
    return BuiltFile(CachedResponse(content, etag, headers), coded)


TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)

# Nothing but our own files, no inline script, no text that a script makes into markup. Pictures are
# previewed as blobs before they are sent.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src {pictures} data: blob:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)


def headers(pictures: str | None) -> tuple[Header, ...]:
    """Of every page. `pictures` is another origin from which pictures come, if there is one."""
    sources = " ".join(filter(None, ("'self'", pictures)))
    return (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", POLICY.format(pictures=sources).encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


# What would end the element, or the line in a parser that takes JSON for a script.
IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}

JSON_LD = '<script type="application/ld+json">{}</script>'


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of a page says. Texts are as people wrote them, and are escaped here.

    `url` and `image` are whole addresses; without `url` search engines leave the page out.
    """

    title: str
    site: str = ""
    description: str = ""
    url: str = ""
    image: str = ""
    kind: str = "website"
    # Where the Atom feed of what the page shows is.
    feed: str = ""
    data: Sequence[Mapping[str, object]] = ()

    def html(self) -> str:
        return "\n    ".join(self._elements())

    def _elements(self) -> Iterator[str]:
        yield f"<title>{escape(self.title)}</title>"
        if self.description:
            yield _meta("name", "description", self.description)
        if self.feed:
            yield _link("alternate", self.feed, ' type="application/atom+xml"')
        if not self.url:
            yield _meta("name", "robots", "noindex")
            return
        yield _link("canonical", self.url)
        yield from self._open_graph()
        if self.data:
            graph = {"@context": "https://schema.org", "@graph": list(self.data)}
            text = json.dumps(graph, ensure_ascii=False, separators=(",", ":"))
            yield JSON_LD.format(text.translate(IN_SCRIPT))

    def _open_graph(self) -> Iterator[str]:
        texts = {
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "url": self.url,
            "image": self.image,
            "site_name": self.site,
        }
        for name, text in texts.items():
            if text:
                yield _meta("property", f"og:{name}", text)
        yield _meta("name", "twitter:card", "summary_large_image" if self.image else "summary")


def _meta(attribute: str, name: str, text: str) -> str:
    return f'<meta {attribute}="{name}" content="{escape(text)}">'


def _link(relation: str, address: str, more: str = "") -> str:
    return f'<link rel="{relation}"{more} href="{escape(address)}">'


@dataclass(frozen=True, slots=True)
class Shell:
    """`index.html` around its title, in whose place the head of each page goes."""

    before: str
    after: str
    headers: tuple[Header, ...]

    @classmethod
    def of(cls, html: str, pictures: str | None = None) -> "Shell":
        """`pictures` is as of `headers`."""
        parts = TITLE.split(html)
        if len(parts) != 2:  # noqa: PLR2004 - before and after
            raise ConfigurationError("ADSVC_STOREFRONT_DIR: index.html must have one <title>")
        before, after = parts
        return cls(before, after, headers(pictures))

    def html(self, head: Head) -> bytes:
        return f"{self.before}{head.html()}{self.after}".encode()

    def page(self, head: Head, caching: Caching = PUBLIC) -> CachedResponse:
        body = self.html(head)
        return CachedResponse(body, etag_of(body), (*self.headers, *caching), compressible=True)
