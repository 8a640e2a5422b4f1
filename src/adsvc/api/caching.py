"""Successful responses to GET: bytes in each coding, and a cache that changes invalidate."""

import asyncio
import gzip
import math
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from adsvc.errors import InvalidRequestError, OverloadedError, RangeNotSatisfiableError
from adsvc.invalidation import AdAspect, AdChange, InvalidationKind
from adsvc.kit import faults
from adsvc.kit.http.messages import Caching, Header, RawHead, SharedHeaders, as_etag, secured
from adsvc.kit.invalidation import Invalidation, InvalidationBus, LruCache, SubjectCache
from adsvc.kit.records import ANYTHING, Expected, version_of
from adsvc.repositories.ads.criteria import AdFilter, Sort, aspects_of

# One range; lists of ranges are ignored, which the RFC allows, and answered with the whole.
SINGLE_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.ASCII)

# One member of a list of entity tags (RFC 9110 §8.8.3), which may be empty.
TAG = re.compile(r'[ \t]*+(?:(W/)?"([\x21\x23-\x7e\x80-\xff]*+)"[ \t]*+)?(?:,|$)')

# The suffix of the tag of a compressed body: in any coding it is the same version.
GZIP_SUFFIX = "-gzip"


def expected_by(headers: Headers) -> Expected:
    """The versions that `If-Match` names (RFC 9110 §13.1.1). A weak tag never matches."""
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
    """Weak comparison, as RFC 9110 §13.1.2 requires for `If-None-Match`."""
    if if_none_match is None or if_none_match == etag:
        return if_none_match is not None
    candidates = (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))
    return any(tag in {"*", etag} for tag in candidates)


def satisfiable_range(headers: Headers, etag: str, size: int) -> tuple[int, int] | None:
    """The requested range, as start and stop; None when the whole is to be sent."""
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

# A compressed body is kept if it is at most this part of the plain one, as nearly all are. With one
# that is not kept, each use takes the time of the compression.
PACKED_PART = 2

# What an answer takes besides its bodies, with its heads, and what a lean one takes without any.
OVERHEAD_BYTES = 3584
LEAN_BYTES = 896

# What an ad that a list shows takes in the index of subjects, roughly.
SUBJECT_BYTES = 256

# What an account takes that a response is not for: an integer and its place in a set.
WITHHELD_BYTES = 64

# Of one response: so many take about as much as an ad.
MOST_WITHHELD = 50


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
class ReadResponse:
    """A successful response to GET. `author_id` is the account whose details are in it, if any.

    `subjects` are the ads that a list shows, and of a relaxed one the changes that affect it.

    `headers` and `link` are sent with a 304 too, and replace security headers of the same name.

    One that is `lean` makes its heads anew at each use, which takes 2 µs: the same bytes of memory
    hold 1.6 times as many ads, and one that they do not hold takes 140 µs.

    `valid_until` is a moment on the clock of the `ResponseCache` (`now`). From then on the response
    is no longer true, and the cache does not return it.
    """

    body: bytes
    etag: str
    headers: tuple[Header, ...]
    compressible: bool = False
    author_id: int | None = None
    subjects: "Sequence[ListSubject | int]" = ()
    valid_until: float = math.inf
    link: str | None = None
    lean: bool = False
    # Accounts that it is not for.
    withheld_from: Collection[int] = ()
    _packed_body: bytes | None = field(default=None, init=False)
    _plain: "_Representation | None" = field(default=None, init=False)
    _packed: "_Representation | None" = field(default=None, init=False)

    @property
    def size(self) -> int:
        """As much as it ever takes: it stays the same when a further coding is made."""
        packed = len(self.body) // PACKED_PART if self._is_packable else 0
        overhead = LEAN_BYTES if self.lean else OVERHEAD_BYTES
        return (
            len(self.body)
            + packed
            + overhead
            + SUBJECT_BYTES * len(self.subjects)
            + WITHHELD_BYTES * len(self.withheld_from)
        )

    @property
    def _is_packable(self) -> bool:
        return self.compressible and len(self.body) >= COMPRESS_FROM_BYTES

    def with_members(self, members: bytes) -> "ReadResponse":
        """With these members of JSON at the end of its record, which are no part of its version."""
        return replace(self, body=self.body[:-1] + b"," + members + b"}")

    def _in_plain(self) -> "_Representation":
        plain = self._plain or self._represented(self.etag, self.body)
        if not self.lean:
            self._plain = plain
        return plain

    def _in_gzip(self) -> "_Representation":
        if self._packed is not None:
            return self._packed
        if not self._is_packable:
            return self._in_plain()
        body = self._packed_body or gzip.compress(self.body, COMPRESSION_LEVEL, mtime=0)
        # Each representation has a validator of its own (RFC 9110 §8.8.3.3).
        etag = f'{self.etag[:-1]}{GZIP_SUFFIX}"'
        packed = self._represented(etag, body, (b"content-encoding", b"gzip"))
        if len(body) <= len(self.body) // PACKED_PART:
            self._packed_body = body
            if not self.lean:
                self._packed = packed
        return packed

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
    """Cached, because there are few: one for each kind of response."""
    return SharedHeaders(secured(headers))


@dataclass(slots=True)
class _Representation:
    """One coding of a body, with the heads of its 200 and its 304."""

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


@lru_cache(maxsize=32)
def _described(media_type: str, caching: Caching) -> tuple[Header, ...]:
    """Cached, so that responses of one kind share them."""
    return ((b"content-type", media_type.encode()), *caching)


def json_response(
    body: bytes,
    caching: Caching,
    *,
    link: str | None = None,
    author_id: int | None = None,
    subjects: "Sequence[ListSubject | int]" = (),
    valid_until: float = math.inf,
    media_type: str = "application/json",
    compressible: bool = True,
    lean: bool = False,
    withheld_from: Collection[int] = (),
) -> ReadResponse:
    return ReadResponse(
        body,
        etag_of(body),
        _described(media_type, caching),
        compressible=compressible,
        author_id=author_id,
        subjects=subjects,
        valid_until=valid_until,
        link=link,
        lean=lean,
        withheld_from=withheld_from,
    )


# One picture takes at most this part of the cache of pictures. With the default capacity that is a
# mebibyte, and nearly all stored photographs are smaller.
PICTURE_PART = 16

# The cache of categories comes on top, with this part of a share. Its largest response, the tree of
# a large site, has some 300 kB.
CATEGORIES_PART = 4

# Longer queries are rare, and the cache does not count the size of its keys.
LONGEST_QUERY = 2048

# Few are enough: a query is parsed quickly, and clients can make up spellings.
ALIASES = 1000

LONGEST_ALIAS = 512

# What of an ad, in which chosen category, of which author; None stands for any of them.
ListSubject = tuple[AdAspect, str | None, int | None]

# Names of pictures that are being deleted: far more than are ever deleted at once.
DELETED_PICTURES = 10_000


class Begun(NamedTuple):
    """How many changes each cache had when a response was begun: see `SubjectCache.keep_since`."""

    ads: int
    details: int
    pictures: int


class ResponseCache:
    """A cache of responses. A change drops the responses that show what has changed.

    A change of an ad drops that ad, the listings that show it, and those that may show or count it
    now or did so before: `subjects_of` and `_changed_subjects` are the rule. Where the ad appears
    or disappears, it also drops the responses on categories and the details of its author's ads,
    which contain numbers of ads. A change of an ad of which nothing else is known drops all of
    them. A change of the categories drops all listings and all responses on categories. A change of
    an account drops its ads. The deletion of a picture drops that picture. A response that was
    begun before a change is not cached after it. The cache returns nothing while the invalidation
    bus is unreliable, and no response that has expired.
    """

    def __init__(
        self,
        changes: InvalidationBus,
        *,
        capacity: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        # The clock of deadlines, in seconds. A deadline is the time on this clock before the query,
        # plus the seconds that are left by the database's clock. This machine's time of day has no
        # part in it.
        self.now = now
        self._changes = changes
        share = capacity // 3

        def cache(capacity: int) -> SubjectCache[Any, ReadResponse]:
            return SubjectCache(capacity, lambda answer: answer.size)

        self._listings = cache(share)
        # The chosen categories of listings, and for each category those that it is, or is below.
        self._branches: dict[str, tuple[int, ...]] = {}
        self._roots: dict[int, set[str]] = {}
        # By id, ads as other accounts see them, as their authors see them, and their details. Their
        # subject is the author. A client that reads the details of all ids pushes out nothing else.
        # Details are half as large.
        self._ads, self._own_ads, self._details = (cache(share * n // 8) for n in (5, 1, 2))
        self._pictures = cache(share)
        self.largest_picture = share // PICTURE_PART
        # By path. They are few, and not part of the three shares.
        self._categories = cache(share // CATEGORIES_PART)
        self._deleted: LruCache[str, str] = LruCache(DELETED_PICTURES)
        # The canonical form of a query, by its aliases.
        self._aliases: LruCache[bytes, bytes] = LruCache(ALIASES)
        # How many responses had to be made, by cache.
        self.misses: Counter[str] = Counter()
        # With the number of changes when it was begun.
        self._pending: dict[bytes, tuple[int, asyncio.Future[ReadResponse | None]]] = {}
        changes.follow(self._forget)

    @property
    def making(self) -> int:
        """How many listings are being made now, each for all requests that want it."""
        return len(self._pending)

    def listing(self, query: bytes) -> ReadResponse | None:
        """By the canonical form of the query, or by an alias of it."""
        if not self._changes.reliable:
            return None
        answer = self._listings.get(query)
        if answer is None and (canonical := self._aliases.get(query)) is not None:
            answer = self._listings.get(canonical)
        return self._if_valid(answer)

    def add_alias(self, query: bytes, canonical: bytes) -> None:
        """Records that both are the same query. Its response is cached by the canonical form."""
        if query != canonical and len(query) <= LONGEST_ALIAS:
            self._aliases.keep(query, canonical)

    def ad(self, ad_id: str, reader_id: int) -> ReadResponse | None:
        """The ad as that account sees it: its author sees more than others."""
        if not self._changes.reliable:
            return None
        answer = self._ads.get(ad_id)
        if answer is None or answer.author_id == reader_id:
            answer = self._own_ads.get(ad_id)
            if answer is None or answer.author_id != reader_id:
                return None
        return self._if_valid(answer)

    def details(self, ad_id: str) -> ReadResponse | None:
        return self._if_valid(self._details.get(ad_id)) if self._changes.reliable else None

    def _if_valid(self, answer: ReadResponse | None) -> ReadResponse | None:
        return answer if answer is None or self.is_valid(answer) else None

    def is_valid(self, answer: ReadResponse) -> bool:
        """Whether it may still be sent. Check again after each `await`."""
        return answer.valid_until > self.now()

    def category(self, path: str) -> ReadResponse | None:
        return self._categories.get(path) if self._changes.reliable else None

    def picture(self, name: str) -> ReadResponse | None:
        return self._pictures.get(name) if self._changes.reliable else None

    async def make_listing(
        self, query: bytes, ads: AdFilter, sort: Sort, make: Callable[[], Awaitable[ReadResponse]]
    ) -> ReadResponse:
        """Concurrent requests for the same listing share one response.

        A request that comes after a change that affects the listing does not share a response that
        was begun before it.
        While the invalidation bus is unreliable, none is shared.
        """
        return await self.make_list(query, self.subjects_of(ads, sort), make)

    async def make_list(
        self,
        query: bytes,
        criteria: Sequence[ListSubject],
        make: Callable[[], Awaitable[ReadResponse]],
    ) -> ReadResponse:
        """As `make_listing`, of a list that changes with `criteria` and the ads that it shows."""
        if not self._changes.reliable:
            return await self._made(self._listings, "listings", query, make, criteria)
        while (making := self._pending.get(query)) is not None:
            begun, others = making
            changed = self._listings.changed_since(begun)
            if changed is None or not changed.isdisjoint(criteria):
                break
            answer = await asyncio.shield(others)
            if answer is not None and changed.isdisjoint(answer.subjects) and self.is_valid(answer):
                return answer
        shared = asyncio.get_running_loop().create_future()
        self._pending[query] = making = self._listings.changes, shared
        try:
            answer = await self._made(self._listings, "listings", query, make, criteria)
            shared.set_result(answer)
        except OverloadedError:
            # The bulkhead is full for this request's network. The requests that wait may be of
            # others.
            raise
        except Exception as error:
            shared.set_exception(error)
            # Marks it as retrieved, whether or not another request waits for it.
            shared.exception()
            raise
        finally:
            # A later request may be making it anew.
            if self._pending.get(query) is making:
                del self._pending[query]
            if not shared.done():
                # This request was cancelled or rejected: the next one makes the response.
                shared.set_result(None)
        return answer

    async def _made(
        self,
        cache: SubjectCache[Any, ReadResponse],
        name: str,
        key: bytes | str,
        make: Callable[[], Awaitable[ReadResponse]],
        criteria: Sequence[ListSubject] = (),
    ) -> ReadResponse:
        self.misses[name] += 1
        begun = cache.changes
        answer = await make()
        if len(key) <= LONGEST_QUERY:
            cache.keep_since(begun, key, answer, (*criteria, *answer.subjects))
        return answer

    def subjects_of(self, ads: AdFilter, sort: Sort) -> Sequence[ListSubject]:
        """The changes that affect a list whether or not it shows the ad.

        They may bring the ad onto it or away from it, or to another place, or change its count.
        Only categories and authors are compared: whether words, prices or places match is not.
        """
        root = None
        if ads.category is not None:
            root, ids = ads.category.root, ads.category.ids
            if self._branches.get(root) != ids:
                self._branches[root] = ids
                for category_id in ids:
                    self._roots.setdefault(category_id, set()).add(root)
        return [(aspect, root, ads.author) for aspect in aspects_of(ads, sort)]

    def _changed_subjects(self, ad: AdChange) -> frozenset[ListSubject | int]:
        """The ad itself, and what `subjects_of` gives for the lists it could or can be on."""
        categories = ad.category_id, ad.category_before
        roots = {None}.union(*(self._roots.get(category, ()) for category in categories))
        authors = None, ad.author_id
        return frozenset({ad.id, *product(ad.aspects, roots, authors)})

    async def make_category(
        self, path: str, make: Callable[[], Awaitable[ReadResponse]]
    ) -> ReadResponse:
        """The response contains numbers of ads, so a change of any ad drops it."""
        return self.category(path) or await self._made(self._categories, "categories", path, make)

    def begun(self) -> Begun:
        """For the methods that keep a response. Call it before the query."""
        return Begun(self._ads.changes, self._details.changes, self._pictures.changes)

    def keep_ad(self, ad_id: int, answer: ReadResponse, begun: Begun, *, own: bool) -> None:
        """`own`: the response is for the ad's author; else it is for all other accounts."""
        self.misses["ads"] += 1
        # Both have the same changes.
        ads = self._own_ads if own else self._ads
        ads.keep_since(begun.ads, str(ad_id), answer, (answer.author_id,))

    def keep_details(self, ad_id: int, answer: ReadResponse, begun: Begun) -> None:
        self.misses["details"] += 1
        self._details.keep_since(begun.details, str(ad_id), answer, (answer.author_id,))

    def keep_picture(self, name: str, answer: ReadResponse, begun: Begun) -> None:
        self.misses["pictures"] += 1
        # A picture can be read until some time after its deletion was announced. Names are not
        # reused.
        if not self._deleted.get(name):
            self._pictures.keep_since(begun.pictures, name, answer)

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes in each cache."""
        return {
            "listings": self._listings.size,
            "ads": self._ads.size + self._own_ads.size,
            "details": self._details.size,
            "pictures": self._pictures.size,
            "categories": self._categories.size,
        }

    def _forget(self, change: Invalidation) -> None:
        match change:
            case Invalidation(InvalidationKind.CATEGORY):
                self._categories.clear()
                self._listings.clear()
                self._branches.clear()
                self._roots.clear()
            case Invalidation(InvalidationKind.AD, identifier, None):
                for cache in (self._categories, self._listings, self._details):
                    cache.clear()
                self._ads.forget(identifier)
                self._own_ads.forget(identifier)
            case Invalidation(InvalidationKind.AD, identifier, AdChange() as ad):
                for ads in (self._ads, self._own_ads, self._details):
                    ads.forget(identifier)
                self._listings.drop_about(self._changed_subjects(ad))
                if ad.is_counted:
                    self._categories.clear()
                    self._details.forget(ad.author_id)
            case Invalidation(InvalidationKind.USER, identifier):
                for ads in (self._ads, self._own_ads, self._details):
                    ads.forget(identifier and int(identifier))
            case Invalidation(InvalidationKind.IMAGE, identifier):
                self._deleted.keep(identifier, identifier)
                self._pictures.forget(identifier)
