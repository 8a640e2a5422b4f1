"""Finished answers: bytes that need only headers to go out, and the memory that keeps them."""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from adsvc.api.ranges import matches_etag
from adsvc.changes import Change, Changes, Kind
from adsvc.memory import Memory
from adsvc.server import SECURITY_HEADERS, Head, Header

Caching = tuple[Header, ...]

SECURITY = tuple((k.lower().encode(), v.encode()) for k, v in SECURITY_HEADERS.items())

# Below this, compression costs more than it saves: one packet is one packet.
COMPRESS_FROM_BYTES = 1024
COMPRESSION_LEVEL = 5
# What an answer takes besides its body, roughly.
OVERHEAD_BYTES = 2048
# Of the memory for pictures one may take that part: with the default a mebibyte, below which nearly
# all photographs are once they are stored.
PICTURE_PART = 16
# Longer queries are nobody's habit, and would fill the memory with what it does not count.
LONGEST_QUERY = 2048
# Spellings of queries take little time to understand, and anybody can make up new ones.
SPELLINGS = 1000
LONGEST_SPELLING = 512
# Names of pictures that are being deleted: far more than can be under way at once.
DELETED_PICTURES = 10_000

GZIP = re.compile(
    r"(?:^|,)[ \t]*(?:x-)?gzip[ \t]*(?:;[ \t]*q=([01](?:\.[0-9]{0,3})?)[ \t]*)?(?:,|$)",
    re.ASCII | re.IGNORECASE,
)

# Anybody may keep it, and must ask each time whether it still holds: 304 is cheap.
# (That they vary by Origin too is added where CORS headers are.)
PUBLIC: Caching = (
    (b"cache-control", b"public, no-cache"),
    (b"vary", b"Accept-Encoding"),
)
PRIVATE: Caching = (
    (b"cache-control", b"private, no-cache"),
    (b"vary", b"Authorization, Accept-Encoding"),
)


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether the client names it, and not only to exclude it by `q=0` (RFC 9110 §12.5.3)."""
    found = GZIP.search(accept_encoding) if accept_encoding else None
    return found is not None and float(found[1] or 1) > 0


@dataclass
class Answer:
    """A successful answer to GET. `author_id` is whose details it tells, if anybody's.

    `headers` are those of a 304 too, and outrank the security headers that every answer has.
    """

    body: bytes
    etag: str
    headers: tuple[Header, ...]
    compressible: bool = False
    author_id: int | None = None

    @property
    def size(self) -> int:
        return (2 if self.compressible else 1) * len(self.body) + OVERHEAD_BYTES

    @cached_property
    def _plain(self) -> "_Representation":
        return self._represented(self.etag, self.body)

    @cached_property
    def _packed(self) -> "_Representation":
        if not self.compressible or len(self.body) < COMPRESS_FROM_BYTES:
            return self._plain
        body = gzip.compress(self.body, COMPRESSION_LEVEL, mtime=0)
        # Each representation has a validator of its own (RFC 9110 §8.8.3.3).
        return self._represented(f'{self.etag[:-1]}-gzip"', body, (b"content-encoding", b"gzip"))

    def _represented(self, etag: str, body: bytes, *coding: Header) -> "_Representation":
        own = {name for name, _ in self.headers}
        security = (header for header in SECURITY if header[0] not in own)
        fixed = ((b"etag", etag.encode()), *self.headers, *security)
        length = (b"content-length", b"%d" % len(body))
        return _Representation(etag, body, Head(200, (*fixed, length, *coding)), fixed)

    def parts(self, if_none_match: str | None, accept_encoding: str) -> tuple[Head, bytes]:
        """Head and body for a client that sent these headers."""
        chosen = self._packed if accepts_gzip(accept_encoding) else self._plain
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


@dataclass
class _Representation:
    """One form of a body, with the heads of both answers that it can be given in."""

    etag: str
    body: bytes
    whole: Head
    fixed: tuple[Header, ...]

    @cached_property
    def unchanged(self) -> Head:
        return Head(304, self.fixed)


def json_answer(
    body: bytes,
    caching: Caching,
    *,
    link: str | None = None,
    author_id: int | None = None,
) -> Answer:
    headers = ((b"content-type", b"application/json"), *caching)
    if link:
        headers = (*headers, (b"link", link.encode()))
    etag = f'"{hashlib.blake2b(body, digest_size=15).hexdigest()}"'
    return Answer(body, etag, headers, compressible=True, author_id=author_id)


class Answers:
    """The answers that are kept while nothing has changed.

    Listings, by query, fall with any change of any ad; one ad with a change of it or its author; a
    picture when it is deleted. What was begun before a change and ends after it is not kept, and
    nothing is given out when nobody has confirmed lately that there were no changes.
    """

    def __init__(self, changes: Changes, *, capacity: int) -> None:
        self._changes = changes
        share = capacity // 3
        self._listings: Memory[bytes, Answer] = Memory(share, lambda answer: answer.size)
        self._ads: Memory[str, Answer] = Memory(share, lambda answer: answer.size)
        self._pictures: Memory[str, Answer] = Memory(share, lambda answer: answer.size)
        self.largest_picture = share // PICTURE_PART
        self._deleted: Memory[str, str] = Memory(DELETED_PICTURES, lambda _: 1)
        # Other spellings of a query, by the one under which its answer is kept.
        self._spellings: Memory[bytes, bytes] = Memory(SPELLINGS, lambda _: 1)
        self._being_made: dict[tuple[bytes, int], asyncio.Future[Answer | None]] = {}
        changes.follow(self._forget)

    def listing(self, query: bytes) -> Answer | None:
        """Also by a spelling that was heard of; only the usual one is sure to be known."""
        if not self._changes.reliable:
            return None
        answer = self._listings.get(query)
        if answer is None and (usual := self._spellings.get(query)) is not None:
            answer = self._listings.get(usual)
        return answer

    def spelled(self, query: bytes, usual: bytes) -> None:
        """Both ask for the same. The answer is kept once, whatever else is sent along."""
        if query != usual and len(query) <= LONGEST_SPELLING:
            self._spellings.keep(query, usual)

    def ad(self, ad_id: str) -> Answer | None:
        return self._ads.get(ad_id) if self._changes.reliable else None

    def picture(self, name: str) -> Answer | None:
        return self._pictures.get(name) if self._changes.reliable else None

    async def make_listing(self, query: bytes, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """Of many who ask at once, one makes it and all take it.

        Only those take it who asked before the next change: later ones expect to see that. So
        it is shared only while changes are heard of.
        """
        if not self._changes.reliable:
            return await self._made(query, make)
        making = (query, self._generation(Kind.AD))
        while making in self._being_made:
            answer = await asyncio.shield(self._being_made[making])
            if answer is not None:
                return answer
        shared = asyncio.get_running_loop().create_future()
        self._being_made[making] = shared
        try:
            answer = await self._made(query, make)
            shared.set_result(answer)
        except Exception as error:
            shared.set_exception(error)
            # Whether anybody waits to be told of it or not.
            shared.exception()
            raise
        finally:
            del self._being_made[making]
            if not shared.done():
                # Whoever goes away leaves it to the next of the others.
                shared.set_result(None)
        return answer

    async def _made(self, query: bytes, make: Callable[[], Awaitable[Answer]]) -> Answer:
        if len(query) > LONGEST_QUERY:
            return await make()
        return await self._keeping(self._listings, query, make, Kind.AD)

    async def make_ad(self, ad_id: int, make: Callable[[], Awaitable[Answer]]) -> Answer:
        return await self._keeping(self._ads, str(ad_id), make, Kind.AD, Kind.USER)

    def picture_generation(self) -> int:
        """For `keep_picture`: ask before the picture is looked for."""
        return self._generation(Kind.IMAGE)

    def keep_picture(self, name: str, answer: Answer, generation: int) -> None:
        # The file goes only after everybody has heard of it, and names do not come back.
        if generation == self._generation(Kind.IMAGE) and not self._deleted.get(name):
            self._pictures.keep(name, answer)

    async def _keeping(
        self,
        memory: Memory[Any, Answer],
        key: bytes | str,
        make: Callable[[], Awaitable[Answer]],
        *kinds: Kind,
    ) -> Answer:
        before = self._generation(*kinds)
        answer = await make()
        if before == self._generation(*kinds):
            memory.keep(key, answer)
        return answer

    def _generation(self, *kinds: Kind) -> int:
        return sum(self._changes.generations[kind] for kind in kinds)

    def _forget(self, change: Change) -> None:
        match change:
            case Change(Kind.AD, identifier):
                self._listings.clear()
                self._ads.drop(identifier) if identifier else self._ads.clear()
            case Change(Kind.USER, identifier):
                self._ads.drop_where(lambda answer: identifier in {"", str(answer.author_id)})
            case Change(Kind.IMAGE, identifier):
                self._deleted.keep(identifier, identifier)
                self._pictures.drop(identifier) if identifier else self._pictures.clear()
