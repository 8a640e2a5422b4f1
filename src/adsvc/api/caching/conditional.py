"""Conditional and range requests (RFC 9110 §13 and §14)."""

import re

from starlette.datastructures import Headers

from adsvc.errors import RangeNotSatisfiableError

# One range; lists of ranges are ignored, which the RFC allows, and answered with the whole.
SINGLE_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.ASCII)


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
