"""The files of the built storefront, in each coding that the build has made."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

import adsvc
from adsvc.api.caching import BROTLI, GZIP, CachedResponse, accepts, etag_of
from adsvc.errors import ConfigurationError
from adsvc.http.responses import IMMUTABLE, PUBLIC, Caching, Header
from adsvc.limits import MEBIBYTE

# `make web` writes them here, and packages contain them.
DIRECTORY = Path(adsvc.__file__).parent / "web"

INDEX = "index.html"

# File names in this directory contain a hash of the content.
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

# The smaller one first.
CODINGS = ((".br", BROTLI, b"br"), (".gz", GZIP, b"gzip"))

# All files are in memory. A larger directory is no built storefront.
MOST_BYTES = 64 * MEBIBYTE

FOR_EVER: Caching = ((b"cache-control", IMMUTABLE), (b"vary", b"Accept-Encoding"))


@dataclass(frozen=True, slots=True)
class BuiltFile:
    plain: CachedResponse
    # By suffix, the smaller one first.
    coded: Mapping[str, CachedResponse]

    def to(self, request: Request) -> Response:
        accepted = request.headers.get("accept-encoding", "")
        for suffix, coding, _ in CODINGS:
            if suffix in self.coded and accepts(coding, accepted):
                return self.coded[suffix].to(request)
        return self.plain.to(request)


def read_files(directory: Path) -> Mapping[str, BuiltFile]:
    """By path below the directory, without files whose names begin with a dot."""
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
        # A proxy that serves the same files can make the same tag.
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

# Allows our own files alone, no inline script, and no markup made from text by a script. The policy
# `push` gives the address of the service worker and of nothing else. Pictures are previewed as
# blobs before they are sent.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src {pictures} data: blob:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types push"
)


def headers(pictures: str | None) -> tuple[Header, ...]:
    """The headers of every page. `pictures` is another origin of pictures, if there is one."""
    sources = " ".join(filter(None, ("'self'", pictures)))
    return (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", POLICY.format(pictures=sources).encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


# Characters that would end the element, or a line in a parser that reads JSON as a script.
IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}

JSON_LD = '<script type="application/ld+json">{}</script>'


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page. Texts are as people wrote them, and are escaped here.

    `url` and `image` are absolute addresses. Without `url` search engines leave the page out.
    """

    title: str
    site: str = ""
    description: str = ""
    url: str = ""
    image: str = ""
    kind: str = "website"
    # The address of the Atom feed with the page's ads.
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
    """`index.html` in two parts: a page's head takes the place of the title between them."""

    before: str
    after: str
    headers: tuple[Header, ...]

    @classmethod
    def of(cls, html: str, pictures: str | None = None) -> "Shell":
        """`pictures` as in `headers`."""
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
