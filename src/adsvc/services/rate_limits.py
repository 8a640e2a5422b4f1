"""Rate limits: attempts that are counted in PostgreSQL, or leased from there to a process."""

import asyncio
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NoReturn

from asyncpg import PostgresError

from adsvc.bulkheads.rate_limits import Attempts, Lease, Limit, Policy, attempts_by
from adsvc.db.database import Database, Transaction
from adsvc.enums import AuditKind
from adsvc.errors import DatabaseUnavailableError, RateLimitedError, RateLimitState
from adsvc.repositories.accounts import rate_limits as limit_rows
from adsvc.schemas.names import mailbox
from adsvc.services import audit
from adsvc.settings import RateLimits, Settings

# Expired rows are removed at one of so many attempts, on average.
CLEANING_ODDS = 500


async def states_after(
    database: Database, settings: Settings, *counts: Attempts
) -> Sequence[RateLimitState]:
    """Counts the attempts, or none if one is refused. The states are empty if limits are off.

    The counts are outside of any transaction, because a refusal must not undo them.
    """
    if settings.rate_limits is RateLimits.OFF:
        return ()
    states = await limit_rows.take(
        database.writer, *(counted.bucket(settings) for counted in counts)
    )
    if secrets.randbelow(CLEANING_ODDS) == 0:
        await limit_rows.delete_expired(database.writer)
    return states


async def require_granted(database: Database, states: Sequence[RateLimitState]) -> None:
    """`RateLimitedError` if an attempt was refused."""
    refused = [state for state in states if not state.granted]
    if refused:
        longest = max(refused, key=lambda state: state.reset)
        await audit.report(database, AuditKind.RATE_LIMITED, target=longest.policy)
        raise RateLimitedError(longest.policy, longest.limit, longest.window, longest.reset)


async def take(
    database: Database,
    settings: Settings,
    *counts: Attempts,
    before_refusal: Callable[[], Awaitable[object]] | None = None,
) -> RateLimitState | None:
    """Counts the attempts, or none of them and raises `RateLimitedError`.

    Returns the state of the first limit; None if limits are off. Before a refusal, `before_refusal`
    may raise another error that comes first.
    """
    states = await states_after(database, settings, *counts)
    if before_refusal is not None and not all(state.granted for state in states):
        await before_refusal()
    await require_granted(database, states)
    return next(iter(states), None)


async def try_take(database: Database, settings: Settings, *counts: Attempts) -> bool:
    """As `take`, but returns False where that raises: the client must not see the refusal."""
    states = await states_after(database, settings, *counts)
    return all(state.granted for state in states)


async def give_back(database: Database, settings: Settings, *counts: Attempts) -> None:
    """Uncounts attempts that failed for another reason. If that fails, they count."""
    if settings.rate_limits is not RateLimits.OFF:
        with suppress(PostgresError, DatabaseUnavailableError):
            buckets = (counted.bucket(settings) for counted in counts)
            await limit_rows.refund(database.writer, *buckets)


def raise_rate_limited(transaction: Transaction, policy: Policy, wait: int) -> NoReturn:
    """Refuses an attempt that was counted in the transaction; `wait` is in seconds.

    The audit row takes another connection, so it follows when the transaction has ended.
    """
    event = AuditKind.RATE_LIMITED
    transaction.on_rollback(partial(audit.report, transaction.database, event, target=policy.name))
    raise RateLimitedError(*policy, max(1, wait))


def to_mailbox(mail: str) -> Attempts:
    """Counts one mail to that mailbox, of any account."""
    return attempts_by(Limit.MAILS_TO_TARGET, mailbox(mail))


LARGEST_BLOCK = 20

# A process may waste the rest of a block: at most a tenth of the limit.
BLOCKS_IN_A_LIMIT = 10

# The capacity, in accounts and ids together. An id takes about a hundred bytes. The account that
# was added first is dropped first, and then needs a new block to read the same ads again.
REMEMBERED = 200_000


class _Account(Lease):
    """The reads of one account in its window, as this process knows them."""

    __slots__ = ("querying", "refused_until", "remaining", "reset", "seen")

    def __init__(self, ends: float) -> None:
        super().__init__(ends)
        self.seen: set[int] = set()
        # What remained after the last query, and in how many seconds more will.
        self.remaining, self.reset = 0, 1
        # Until then the database would refuse, so no query is sent.
        self.refused_until = float("-inf")
        self.querying = asyncio.Lock()


class AdReads:
    """Limits how many different ads an account may read, because each shows a contact.

    A process remembers which ads an account has read, so that reading one again costs nothing. It
    takes the right to read more in blocks, from the rate limit that all processes share. So only
    one read in each block needs a query.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self.policy = Limit.AD_READS.policy(settings)
        self.enabled = settings.rate_limits is RateLimits.ON
        block = min(LARGEST_BLOCK, max(1, self.policy.limit // BLOCKS_IN_A_LIMIT))
        # If the limit has no room for a whole block, it may have room for one read.
        self._blocks = sorted({block, 1}, reverse=True)
        self._accounts: OrderedDict[int, _Account] = OrderedDict()
        self._ids = 0

    def spend(self, user_id: int, ad_id: int) -> RateLimitState | None:
        """What the account has left after the read; None if a query is needed."""
        account = self._accounts.get(user_id)
        if account is None or time.monotonic() >= account.ends:
            return None
        if ad_id not in account.seen:
            if not account.spend():
                return None
            account.seen.add(ad_id)
            self._ids += 1
        return RateLimitState(*self.policy, account.remaining + account.left, account.reset)

    async def require(self, user_id: int, ad_id: int) -> RateLimitState:
        """`RateLimitedError` if the account has read all that it may."""
        while (state := self.spend(user_id, ad_id)) is None:
            account = self._account(user_id)
            async with account.querying:
                # Another request may have done the query while this one waited.
                if not account.left:
                    await self._lease(user_id, account)
        return state

    def _account(self, user_id: int) -> _Account:
        account = self._accounts.get(user_id)
        if account is None or time.monotonic() >= account.ends:
            self._forget(user_id)
            while self._ids + len(self._accounts) >= REMEMBERED:
                self._forget(next(iter(self._accounts)))
            account = self._accounts[user_id] = _Account(time.monotonic() + self.policy.window)
        return account

    def _forget(self, user_id: int) -> None:
        account = self._accounts.pop(user_id, None)
        if account is not None:
            self._ids -= len(account.seen)

    async def _lease(self, user_id: int, account: _Account) -> None:
        now = time.monotonic()
        if now < account.refused_until:
            raise RateLimitedError(*self.policy, math.ceil(account.refused_until - now))
        for block in self._blocks:
            counted = attempts_by(Limit.AD_READS, user_id, number=block)
            [state] = await states_after(self._database, self._settings, counted)
            if state.granted:
                account.left, account.remaining, account.reset = block, state.remaining, state.reset
                return
        account.refused_until = now + state.reset
        event = AuditKind.RATE_LIMITED
        await audit.report(self._database, event, actor=user_id, target=self.policy.name)
        raise RateLimitedError(*self.policy, state.reset)
