"""Limits how many different ads an account may read, because each shows a contact.

A process remembers which ads an account has read, so that reading one again costs nothing, and
takes the right to read more in blocks from the rate limits that all processes share. So a read
needs no round trip, but for one in each block.
"""

import asyncio
import math
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple

from adsvc.db.database import Database
from adsvc.errors import RateLimitedError
from adsvc.services import audit
from adsvc.services.accounts import rate_limits
from adsvc.settings import RateLimits, Settings

LARGEST_BLOCK = 20

# A process may waste the rest of its block: at most a tenth of the limit.
BLOCKS_IN_A_LIMIT = 10

# The capacity, in accounts and ids together. An id takes about a hundred bytes. The account that
# was added first is dropped first, and then needs a new block to read the same ads again.
REMEMBERED = 200_000


@dataclass(slots=True)
class _Account:
    """The reads of one account in its window, as this process knows them."""

    ends: float
    seen: set[int] = field(default_factory=set)
    # How many more it may read before a query is needed.
    leased: int = 0
    # What was left at the last query, and in how many seconds there is more.
    left: int = 0
    reset: int = 1
    # Until then the database would refuse, so no query is sent.
    refused_until: float = float("-inf")
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)


class Remaining(NamedTuple):
    """What an account has left after a read, for `RateLimit`."""

    remaining: int
    reset: int


class AdReads:
    """`spend` counts a read without the database. `require` asks the database if that fails."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self.policy = rate_limits.ad_reads(settings)
        self.enabled = settings.rate_limits is RateLimits.ON
        block = min(LARGEST_BLOCK, max(1, self.policy.limit // BLOCKS_IN_A_LIMIT))
        # Where there is no room for a whole block, there may be room for one read.
        self._blocks = sorted({block, 1}, reverse=True)
        self._accounts: OrderedDict[int, _Account] = OrderedDict()
        self._ids = 0

    def spend(self, user_id: int, ad_id: int) -> Remaining | None:
        """None if a query is needed."""
        account = self._accounts.get(user_id)
        if account is None or time.monotonic() >= account.ends:
            return None
        if ad_id not in account.seen:
            if not account.leased:
                return None
            account.leased -= 1
            account.seen.add(ad_id)
            self._ids += 1
        return Remaining(account.left + account.leased, account.reset)

    async def require(self, user_id: int, ad_id: int) -> Remaining:
        """`RateLimitedError` if it is one more than the account may read."""
        while (remaining := self.spend(user_id, ad_id)) is None:
            account = self._account(user_id)
            async with account.asking:
                # Another request may have sent one meanwhile.
                if not account.leased:
                    await self._lease(user_id, account)
        return remaining

    def _account(self, user_id: int) -> _Account:
        now = time.monotonic()
        account = self._accounts.get(user_id)
        if account is None or now >= account.ends:
            self._forget(user_id)
            while self._ids + len(self._accounts) >= REMEMBERED:
                self._forget(next(iter(self._accounts)))
            account = self._accounts[user_id] = _Account(now + self.policy.window)
        return account

    def _forget(self, user_id: int) -> None:
        account = self._accounts.pop(user_id, None)
        if account is not None:
            self._ids -= len(account.seen)

    async def _lease(self, user_id: int, account: _Account) -> None:
        now = time.monotonic()
        if now < account.refused_until:
            raise self._refusal(math.ceil(account.refused_until - now))
        for block in self._blocks:
            found = await rate_limits.ask(self._database, self.policy, str(user_id), attempts=block)
            if found.granted:
                account.leased, account.left, account.reset = block, found.remaining, found.reset
                return
        account.refused_until = now + found.reset
        event = audit.AuditKind.RATE_LIMITED
        await audit.report(self._database, event, actor=user_id, target=self.policy.name)
        raise self._refusal(found.reset)

    def _refusal(self, wait: int) -> RateLimitedError:
        return RateLimitedError(self.policy.name, self.policy.limit, self.policy.window, wait)
