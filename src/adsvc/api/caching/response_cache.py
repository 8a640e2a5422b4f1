"""Finished responses, kept while nothing has changed."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from adsvc.api.caching.representation import CachedResponse
from adsvc.cache import LruCache
from adsvc.errors import OverloadedError
from adsvc.invalidation import Invalidation, InvalidationBus, Kind

# The largest part of the cache of pictures that one may take. With the default it is a mebibyte,
# and nearly all stored photographs are smaller.
PICTURE_PART = 16

# Answers about categories come on top, with so small a part of a share. The largest, the tree of a
# large site, has some 300 kB.
CATEGORIES_PART = 4

# Longer queries are rare, and the cache does not count the size of its keys.
LONGEST_QUERY = 2048

# Few are enough: a query is parsed quickly, and anybody can make up new spellings.
SPELLINGS = 1000

LONGEST_SPELLING = 512

# Names of pictures that are being deleted: far more than can be under way at once.
DELETED_PICTURES = 10_000


class ResponseCache:
    """Responses are dropped as soon as what they show has changed.

    A change of any ad, or of the categories, drops all listings and what tells of categories. A
    change of any ad drops the details of all ads, too: they tell how many ads their author has. A
    change of an ad or of its author drops that ad. The deletion of a picture drops it. A response
    that was begun before a change is not kept after it. Nothing is returned unless the invalidation
    bus is reliable, and no answer from the moment on until which it holds.
    """

    def __init__(
        self,
        changes: InvalidationBus,
        *,
        capacity: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        # The clock of deadlines, in seconds. A deadline is this clock's time before the database
        # was asked, and the seconds that are left by the clock of the database: the clock on this
        # machine's wall has no part in it.
        self.now = now
        self._changes = changes
        share = capacity // 3
        self._listings: LruCache[bytes, CachedResponse] = LruCache(
            share, lambda answer: answer.size
        )

        def ads(eighths: int) -> LruCache[str, CachedResponse]:
            return LruCache(share * eighths // 8, lambda answer: answer.size)

        # As others are told them, as their authors are, and as everybody is. Anybody may walk all
        # ids of the last, and pushes out nothing else.
        self._ads, self._own_ads, self._details = ads(4), ads(1), ads(3)
        self._pictures: LruCache[str, CachedResponse] = LruCache(share, lambda answer: answer.size)
        self.largest_picture = share // PICTURE_PART
        # By path. They are few, and come out of nobody's share.
        self._categories: LruCache[str, CachedResponse] = LruCache(
            share // CATEGORIES_PART, lambda answer: answer.size
        )
        self._deleted: LruCache[str, str] = LruCache(DELETED_PICTURES, lambda _: 1)
        # Other spellings of a query, by the one under which its answer is kept.
        self._spellings: LruCache[bytes, bytes] = LruCache(SPELLINGS, lambda _: 1)
        # How many answers had to be made, by the cache they are for.
        self.misses: Counter[str] = Counter()
        self._being_made: dict[tuple[bytes, int], asyncio.Future[CachedResponse | None]] = {}
        changes.follow(self._forget)

    def listing(self, query: bytes) -> CachedResponse | None:
        """Also by a spelling that was heard of; only the usual one is sure to be known."""
        if not self._changes.reliable:
            return None
        answer = self._listings.get(query)
        if answer is None and (usual := self._spellings.get(query)) is not None:
            answer = self._listings.get(usual)
        return self._if_it_holds(answer)

    def spelled(self, query: bytes, usual: bytes) -> None:
        """Both ask for the same. The answer is kept once, whatever else is sent along."""
        if query != usual and len(query) <= LONGEST_SPELLING:
            self._spellings.keep(query, usual)

    def ad(self, ad_id: str, reader_id: int) -> CachedResponse | None:
        """As that account is told it: its author gets more than others."""
        if not self._changes.reliable:
            return None
        answer = self._ads.get(ad_id)
        if answer is None or answer.author_id == reader_id:
            answer = self._own_ads.get(ad_id)
            if answer is None or answer.author_id != reader_id:
                return None
        return self._if_it_holds(answer)

    def details(self, ad_id: str) -> CachedResponse | None:
        return self._if_it_holds(self._details.get(ad_id)) if self._changes.reliable else None

    def _if_it_holds(self, answer: CachedResponse | None) -> CachedResponse | None:
        return answer if answer is None or self.is_valid(answer) else None

    def is_valid(self, answer: CachedResponse) -> bool:
        """Whether it may still be given: ask again after waiting for something else."""
        return answer.valid_until > self.now()

    def category(self, path: str) -> CachedResponse | None:
        return self._categories.get(path) if self._changes.reliable else None

    def picture(self, name: str) -> CachedResponse | None:
        return self._pictures.get(name) if self._changes.reliable else None

    async def make_listing(
        self, query: bytes, make: Callable[[], Awaitable[CachedResponse]]
    ) -> CachedResponse:
        """Concurrent requests for the same listing share one response.

        Requests that come after a change do not share a response that was begun before it. So none
        is shared unless the invalidation bus is reliable.
        """
        if not self._changes.reliable:
            return await self._made(query, make)
        making = (query, self._generation(Kind.AD, Kind.CATEGORY))
        while making in self._being_made:
            answer = await asyncio.shield(self._being_made[making])
            if answer is not None and self.is_valid(answer):
                return answer
        shared = asyncio.get_running_loop().create_future()
        self._being_made[making] = shared
        try:
            answer = await self._made(query, make)
            shared.set_result(answer)
        except OverloadedError:
            # The places of this request's network are taken; those who wait have their own.
            raise
        except Exception as error:
            shared.set_exception(error)
            # Marks it as retrieved, whether or not another request waits for it.
            shared.exception()
            raise
        finally:
            del self._being_made[making]
            if not shared.done():
                # This request was cancelled or rejected: the next one makes the response.
                shared.set_result(None)
        return answer

    async def _made(
        self, query: bytes, make: Callable[[], Awaitable[CachedResponse]]
    ) -> CachedResponse:
        self.misses["listings"] += 1
        if len(query) > LONGEST_QUERY:
            return await make()
        return await self._keeping(self._listings, query, make, Kind.AD, Kind.CATEGORY)

    async def make_category(
        self, path: str, make: Callable[[], Awaitable[CachedResponse]]
    ) -> CachedResponse:
        """They tell how many ads there are, so they fall with any ad."""
        kept = self.category(path)
        if kept is not None:
            return kept
        self.misses["categories"] += 1
        return await self._keeping(self._categories, path, make, Kind.AD, Kind.CATEGORY)

    def ad_generation(self) -> int:
        """For `keep_ad` and `keep_details`: ask before the ad is read."""
        return self._generation(Kind.AD, Kind.USER)

    def keep_ad(self, ad_id: int, answer: CachedResponse, generation: int, *, own: bool) -> None:
        """`own`: it is what the ad's author alone is told, else what every other account is."""
        self.misses["ads"] += 1
        if generation == self.ad_generation():
            (self._own_ads if own else self._ads).keep(str(ad_id), answer)

    def keep_details(self, ad_id: int, answer: CachedResponse, generation: int) -> None:
        self.misses["details"] += 1
        if generation == self.ad_generation():
            self._details.keep(str(ad_id), answer)

    def picture_generation(self) -> int:
        """For `keep_picture`: ask before the picture is looked for."""
        return self._generation(Kind.IMAGE)

    def keep_picture(self, name: str, answer: CachedResponse, generation: int) -> None:
        self.misses["pictures"] += 1
        # The file goes only after everybody has heard of it, and names do not come back.
        if generation == self._generation(Kind.IMAGE) and not self._deleted.get(name):
            self._pictures.keep(name, answer)

    async def _keeping(
        self,
        cache: LruCache[Any, CachedResponse],
        key: bytes | str,
        make: Callable[[], Awaitable[CachedResponse]],
        *kinds: Kind,
    ) -> CachedResponse:
        before = self._generation(*kinds)
        answer = await make()
        if before == self._generation(*kinds):
            cache.keep(key, answer)
        return answer

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes that each cache has."""
        return {
            "listings": self._listings.size,
            "ads": self._ads.size + self._own_ads.size,
            "details": self._details.size,
            "pictures": self._pictures.size,
            "categories": self._categories.size,
        }

    def _generation(self, *kinds: Kind) -> int:
        return sum(map(self._changes.generations.__getitem__, kinds))

    def _forget(self, change: Invalidation) -> None:
        match change:
            case Invalidation(Kind.CATEGORY):
                self._categories.clear()
                self._listings.clear()
            case Invalidation(Kind.AD, identifier):
                self._categories.clear()
                self._listings.clear()
                self._details.clear()
                for ads in (self._ads, self._own_ads):
                    ads.drop(identifier) if identifier else ads.clear()
            case Invalidation(Kind.USER, identifier):
                for ads in (self._ads, self._own_ads, self._details):
                    ads.drop_where(lambda answer: identifier in {"", str(answer.author_id)})
            case Invalidation(Kind.IMAGE, identifier):
                self._deleted.keep(identifier, identifier)
                self._pictures.drop(identifier) if identifier else self._pictures.clear()
