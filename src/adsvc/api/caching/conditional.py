"""Conditional and range requests (RFC 9110 §13 and §14)."""

import re

from starlette.datastructures import Headers

from adsvc.errors import InvalidRequestError, RangeNotSatisfiableError, faults
from adsvc.versions import ANYTHING, Expected

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
