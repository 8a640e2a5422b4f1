"""A successful response to GET as bytes, in each of its codings, with its validator."""

import gzip
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from adsvc.errors import InvalidRequestError, RangeNotSatisfiableError, faults
from adsvc.http.headers import Caching, as_etag, secured
from adsvc.http.raw import Header, RawHead, SharedHeaders
from adsvc.versions import ANYTHING, Expected, version_of

# One range; lists of ranges are ignored, which the RFC allows, and answered with the whole.
SINGLE_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.ASCII)

# One member of a list of entity tags (RFC 9110 §8.8.3), which may be empty.
TAG = re.compile(r'[ \t]*+(?:(W/)?"([\x21\x23-\x7e\x80-\xff]*+)"[ \t]*+)?(?:,|$)')

# Of the tag of a compressed body. Whatever it was sent in, it is the same state of the same thing.
GZIP_SUFFIX = "-gzip"


def expected_by(headers: Headers) -> Expected:
    """What `If-Match` asks for (RFC 9110 §13.1.1). A weak tag never matches."""
    fields = headers.getlist("if-match")
    if not fields:
        return ANYTHING
    value = ",".join(fields)
    if value.strip(" \t") == "*":
        return Expected(exists=True)
    tags: list[tuple[str | None, str | None]] = []
    at = 0
    while at < len(value):
        found = TAG.match(value, at)
        if found is None:
            tags.clear()
            break
        tags.append((found[1], found[2]))
        at = found.end()
    sent = [(weak, tag) for weak, tag in tags if tag is not None]
    if not sent:
        detail = "must be *, or tags as ETag has them, in quotes"
        raise InvalidRequestError(faults.wrong_format(detail).of("If-Match"))
    versions = (tag.removesuffix(GZIP_SUFFIX) for weak, tag in sent if not weak)
    return Expected(tuple(versions), exists=True)


def matches_etag(if_none_match: str | None, etag: str) -> bool:
    """Weak comparison, as `If-None-Match` asks for."""
    if if_none_match is None or if_none_match == etag:
        return if_none_match is not None
    candidates = (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))
    return any(tag in {"*", etag} for tag in candidates)


def satisfiable_range(headers: Headers, etag: str, size: int) -> tuple[int, int] | None:
    """The range asked for, as start and stop; None when the whole is to be sent."""
    found = SINGLE_RANGE.fullmatch(headers.get("range", ""))
    # A date in If-Range never matches: there is no Last-Modified here.
    if found is None or headers.get("if-range", etag) != etag:
        return None
    first, last, suffix = found.groups()
    if suffix is not None:
        start, stop = max(size - int(suffix), 0), size
    else:
        start, stop = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            # An invalid range is ignored.
            return None
    if start >= size or start >= stop:
        raise RangeNotSatisfiableError(size)
    return start, stop


# Below this, compression costs more than it saves: one packet is one packet.
COMPRESS_FROM_BYTES = 1024

COMPRESSION_LEVEL = 5

# What an answer takes besides its body, roughly.
OVERHEAD_BYTES = 2048


def _coding(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:^|,)[ \t]*{name}[ \t]*(?:;[ \t]*q=([01](?:\.[0-9]{{0,3}})?)[ \t]*)?(?:,|$)",
        re.ASCII | re.IGNORECASE,
    )


GZIP, BROTLI = _coding("(?:x-)?gzip"), _coding("br")


def accepts(coding: re.Pattern[str], accept_encoding: str) -> bool:
    """Whether the client names it, and not only to exclude it by `q=0` (RFC 9110 §12.5.3)."""
    found = coding.search(accept_encoding) if accept_encoding else None
    return found is not None and float(found[1] or 1) > 0


def etag_of(body: bytes) -> str:
    return as_etag(version_of(body))


@dataclass(slots=True)
class CachedResponse:
    """A successful answer to GET. `author_id` is whose details it tells, if anybody's.

    `headers` and `link` are those of a 304 too, and outrank the security headers that every answer
    has.
    `valid_until` is a moment on the clock of the `ResponseCache` (`now`): from then on the answer
    is no longer true, and is not given from memory.
    """

    body: bytes
    etag: str
    headers: tuple[Header, ...]
    compressible: bool = False
    author_id: int | None = None
    valid_until: float = math.inf
    link: str | None = None
    _plain: "_Representation | None" = field(default=None, init=False)
    _packed: "_Representation | None" = field(default=None, init=False)

    @property
    def size(self) -> int:
        return (2 if self.compressible else 1) * len(self.body) + OVERHEAD_BYTES

    def _in_plain(self) -> "_Representation":
        if self._plain is None:
            self._plain = self._represented(self.etag, self.body)
        return self._plain

    def _in_gzip(self) -> "_Representation":
        if not self.compressible or len(self.body) < COMPRESS_FROM_BYTES:
            return self._in_plain()
        if self._packed is None:
            body = gzip.compress(self.body, COMPRESSION_LEVEL, mtime=0)
            # Each representation has a validator of its own (RFC 9110 §8.8.3.3).
            etag = f'{self.etag[:-1]}{GZIP_SUFFIX}"'
            self._packed = self._represented(etag, body, (b"content-encoding", b"gzip"))
        return self._packed

    def _represented(self, etag: str, body: bytes, *coding: Header) -> "_Representation":
        fixed: tuple[Header, ...] = ((b"etag", etag.encode()),)
        if self.link is not None:
            fixed = (*fixed, (b"link", self.link.encode()))
        length = (b"content-length", b"%d" % len(body))
        shared = _secured(self.headers)
        whole = RawHead(200, (*fixed, length, *coding), shared)
        return _Representation(etag, body, whole, fixed, shared)

    def parts(self, if_none_match: str | None, accept_encoding: str) -> tuple[RawHead, bytes]:
        """Head and body for a client that sent these headers."""
        chosen = self._in_gzip() if accepts(GZIP, accept_encoding) else self._in_plain()
        if if_none_match is not None and matches_etag(if_none_match, chosen.etag):
            return chosen.unchanged, b""
        return chosen.whole, chosen.body

    def to(self, request: Request) -> Response:
        head, body = self.parts(
            request.headers.get("if-none-match"), request.headers.get("accept-encoding", "")
        )
        response = Response(body, head.status)
        response.raw_headers = list(head.headers)
        return response


@lru_cache(maxsize=32)
def _secured(headers: tuple[Header, ...]) -> SharedHeaders:
    """There are few: one for each kind of answer."""
    return SharedHeaders(secured(headers))


@dataclass(slots=True)
class _Representation:
    """One form of a body, with the heads of both answers that it can be given in."""

    etag: str
    body: bytes
    whole: RawHead
    _fixed: Sequence[Header]
    _shared: SharedHeaders
    _unchanged: RawHead | None = None

    @property
    def unchanged(self) -> RawHead:
        if self._unchanged is None:
            self._unchanged = RawHead(304, self._fixed, self._shared)
        return self._unchanged


def json_response(
    body: bytes,
    caching: Caching,
    *,
    link: str | None = None,
    author_id: int | None = None,
    valid_until: float = math.inf,
    media_type: str = "application/json",
    compressible: bool = True,
) -> CachedResponse:
    headers = ((b"content-type", media_type.encode()), *caching)
    return CachedResponse(
        body,
        etag_of(body),
        headers,
        compressible=compressible,
        author_id=author_id,
        valid_until=valid_until,
        link=link,
    )
