"""The files of the built storefront, in each coding that the build has left beside them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

import adsvc
from adsvc.api.caching.representation import BROTLI, GZIP, CachedResponse, accepts, etag_of
from adsvc.errors import ConfigurationError
from adsvc.http.headers import IMMUTABLE, PUBLIC, Caching
from adsvc.http.raw import Header
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

# They are kept in memory. A directory with more than this is another one.
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
