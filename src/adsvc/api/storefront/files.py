"""The files of the built storefront, in each coding that the build has made."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

import adsvc
from adsvc.api.caching import BROTLI, GZIP, ReadResponse, accepts, etag_of
from adsvc.api.html import html
from adsvc.api.storefront.views import FirstPicture
from adsvc.errors import ConfigurationError
from adsvc.kit.http.messages import IMMUTABLE, PUBLIC, Caching, Header
from adsvc.kit.settings import MEBIBYTE

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
    plain: ReadResponse
    # By suffix, the smaller one first.
    coded: Mapping[str, ReadResponse]

    def to(self, request: Request) -> Response:
        accepted = request.headers.get("accept-encoding", "")
        for suffix, coding, _ in CODINGS:
            if suffix in self.coded and accepts(coding, accepted):
                return self.coded[suffix].to(request)
        return self.plain.to(request)

    def under(self, policy: str) -> "BuiltFile":
        """With a policy of its own."""
        header = (b"content-security-policy", policy.encode())

        def changed(response: ReadResponse) -> ReadResponse:
            return ReadResponse(response.body, response.etag, (*response.headers, header))

        coded = {suffix: changed(response) for suffix, response in self.coded.items()}
        return BuiltFile(changed(self.plain), coded)


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
    if name.endswith(".html"):
        headers = (*headers, (b"content-security-policy", STILL_POLICY.encode()))
    coded = {
        suffix: ReadResponse(
            contents[name + suffix],
            f'{etag[:-1]}-{coding.decode()}"',
            (*headers, (b"content-encoding", coding)),
        )
        for suffix, _, coding in CODINGS
        if name + suffix in contents
    }
    return BuiltFile(ReadResponse(content, etag, headers), coded)


LANGUAGE = re.compile(r'<html lang="[a-z-]+">')

# The app's element, whose content is a page's first view.
APP = '<div id="app">'

TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)

# Allows our own files alone, no inline script, and no markup made from text by a script. The policy
# `default` (web/src/data/worker.ts) lets the addresses of our workers through and nothing else.
# Pictures are previewed as blobs before they are sent. Tiles of maps are requested as pictures, or
# as data where their format is another.
POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'self'; img-src {pictures} data: blob:; "
    "font-src 'self'; connect-src {requests}; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types default"
)


# Of pages that no script of ours builds: they run none.
STILL_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

# Besides pages. What it may load is what it asks the network for on their behalf.
WORKER = "worker.js"
WORKER_POLICY = "default-src 'none'; connect-src 'self' {pictures}; frame-ancestors 'none'"


# Draws maps, whose tiles are its only requests.
MAP_WORKER = f"{HASHED}maplibre-gl-worker-"
MAP_WORKER_POLICY = "default-src 'none'; connect-src {tiles}; frame-ancestors 'none'"


def headers(
    pictures: str | None, tiles: str | None, scripts: Sequence[str] = ()
) -> tuple[Header, ...]:
    """The headers of every page. `pictures`, `tiles` and `scripts` are other origins, if there are
    any.
    """
    policy = POLICY.format(
        pictures=" ".join(filter(None, ("'self'", pictures, tiles))),
        requests=" ".join(filter(None, ("'self'", tiles, *scripts))),
        scripts=" ".join(("'self'", *scripts)),
    )
    return (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", policy.encode()),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


class SharedImage(NamedTuple):
    """A picture for the preview of a link, with its size in pixels if that is known."""

    url: str
    width: int | None = None
    height: int | None = None

    @property
    def content_type(self) -> str:
        """Empty if the name does not say it."""
        return CONTENT_TYPES.get(Path(self.url).suffix, "")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a page, for the template `head`.

    `url` and `image` are absolute addresses. Without `url` search engines leave the page out.
    """

    title: str
    site: str = ""
    description: str = ""
    url: str = ""
    images: Sequence[SharedImage] = ()
    kind: str = "website"
    # The address of the Atom feed with the page's ads.
    feed: str = ""
    # The address of what other sites show of the page.
    oembed: str = ""
    data: Sequence[Mapping[str, object]] = ()
    # What the browser should load first.
    picture: FirstPicture | None = None
    # The languages that the page is in, and which this is; whether its address names it.
    languages: Sequence[str] = ()
    language: str = ""
    in_address: bool = False


@dataclass(frozen=True, slots=True)
class Shell:
    """`index.html` in parts: a page's head takes the place of the title, and its first view goes
    into the element of the app.
    """

    before: str
    after: str
    # After the view; empty if the file has no such element.
    end: str
    headers: tuple[Header, ...]

    @classmethod
    def of(
        cls,
        index: str,
        *,
        pictures: str | None = None,
        tiles: str | None = None,
        more: str = "",
        scripts: Sequence[str] = (),
        styles: Sequence[str] = (),
    ) -> "Shell":
        """`pictures` and `tiles` as in `headers`; `more` are elements for each head, and `styles`
        the addresses of style sheets behind the built ones.
        """
        parts = TITLE.split(index)
        if len(parts) != 2:  # noqa: PLR2004 - before and after
            raise ConfigurationError("ADSVC_STOREFRONT_DIR: index.html must have one <title>")
        before, after = parts
        links = "".join(f'<link rel="stylesheet" href="{address}">' for address in styles)
        after = after.replace("</head>", f"{links}</head>", 1)
        after, element, end = after.partition(APP)
        return cls(f"{before}{more}", after + element, end, headers(pictures, tiles, scripts))

    def content(self, head: Head, view: str = "") -> bytes:
        before = self.before
        if head.language:
            before = LANGUAGE.sub(f'<html lang="{head.language}">', before, 1)
        return f"{before}{html('head', head=head)}{self.after}{view}{self.end}".encode()

    def page(self, head: Head, caching: Caching = PUBLIC, view: str = "") -> ReadResponse:
        body = self.content(head, view)
        return ReadResponse(body, etag_of(body), (*self.headers, *caching), compressible=True)
