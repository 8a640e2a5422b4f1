"""Rate limits: their policies, and counting by account, address and network."""

import asyncio
import hashlib
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple, NoReturn

from asyncpg import PostgresError

from adsvc.addresses import client_network, wider_networks
from adsvc.db.database import Database, Transaction
from adsvc.db.faults import is_database_fault
from adsvc.enums import AuditKind
from adsvc.errors import (
    DatabaseUnavailableError,
    RateLimitedError,
    RateLimitState,
    RefusalError,
    UnavailableError,
)
from adsvc.models.accounts import username_key
from adsvc.repositories import RateLimitRepository, SessionRepository, UserRepository
from adsvc.repositories.accounts.rate_limits import Bucket, LimitResult
from adsvc.services import audit
from adsvc.services.accounts.sessions import network_digest
from adsvc.settings import RateLimits, Settings


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `limit` attempts in `window` seconds, replenished evenly."""

    name: str
    limit: int
    window: int


def login_by_account(settings: Settings) -> Policy:
    """Guesses at one account from one address."""
    return Policy("login", settings.login_attempts, settings.login_window_seconds)


def login_in_all(settings: Settings) -> Policy:
    """Attempts at one account from one address, successful ones included."""
    return Policy("login-in-all", settings.login_attempts_in_all, settings.login_window_seconds)


def login_by_address(settings: Settings) -> Policy:
    """Guesses at any account from one address."""
    return Policy(
        "login-address", settings.login_attempts_per_address, settings.login_window_seconds
    )


def login_from_everywhere(settings: Settings) -> Policy:
    """Guesses at one account from all addresses together."""
    return Policy(
        "login-account",
        settings.login_attempts_per_account,
        settings.login_account_window_seconds,
    )


def passkeys(settings: Settings) -> Policy:
    """Attempts from one address to log in by a passkey."""
    return Policy(
        "login-passkey", settings.login_attempts_per_address, settings.login_window_seconds
    )


def login_by_session(settings: Settings) -> Policy:
    """Guesses at one account with a token of one session."""
    return Policy("login-session", settings.login_attempts, settings.login_window_seconds)


def registration(settings: Settings) -> Policy:
    return Policy(
        "register", settings.registrations_per_address, settings.registration_window_seconds
    )


def mails_of_account(settings: Settings) -> Policy:
    """Requests of one account that send mail."""
    return Policy("mail", settings.mails_per_account, settings.mail_window_seconds)


def mails_from_address(settings: Settings) -> Policy:
    """Requests from one address that send mail or try a token of a mail."""
    return Policy("mail-address", settings.mails_per_address, settings.mail_window_seconds)


def mails_to_target(settings: Settings) -> Policy:
    """Mails to one mailbox or for one user name, and to one mailbox from one address."""
    return Policy("mail-target", settings.mails_per_target, settings.mail_window_seconds)


def mails_to_own_address(settings: Settings) -> Policy:
    """Mails of one account to its own address, after the mailbox has reached its limit."""
    return Policy("mail-own", 1, settings.mail_window_seconds)


def mails_about_keys(settings: Settings) -> Policy:
    """Notices to one account that it has a new key. No other mails can use them up."""
    return Policy("mail-key", settings.mails_per_account, settings.mail_window_seconds)


def mails_about_logins(settings: Settings) -> Policy:
    """Notices to one account of logins from new places: who knows the password could cause many."""
    return Policy("mail-login", settings.mails_per_target, settings.mail_window_seconds)


DAY = 86_400


def guesses_unsaid(_settings: Settings) -> Policy:
    """Wrong codes after a right password of which the owner gets no mail yet: people err."""
    return Policy("codes-guessed", 4, DAY)


def mails_about_guesses(_settings: Settings) -> Policy:
    """Mails to one account about codes that are guessed after its right password."""
    return Policy("mail-guesses", 1, DAY)


def writes(settings: Settings) -> Policy:
    return Policy("write", settings.writes_per_user, settings.write_window_seconds)


def uploads(settings: Settings) -> Policy:
    return Policy("upload", settings.uploads_per_user, settings.upload_window_seconds)


def ad_reads(settings: Settings) -> Policy:
    """Different ads read by one account."""
    return Policy("read", settings.ad_reads_per_user, settings.ad_read_window_seconds)


def reports(settings: Settings) -> Policy:
    return Policy("report", settings.reports_per_user, settings.report_window_seconds)


def messages(settings: Settings) -> Policy:
    return Policy("message", settings.messages_per_user, settings.message_window_seconds)


DAY = 24 * 60 * 60
WEEK = 7 * DAY


def conversations(settings: Settings, age: float) -> Policy:
    """Conversations that an account of this age, in seconds, may begin in any 24 hours.

    They are counted by their rows, because the limit must not be exceeded in any such window.
    """
    if age < DAY:
        limit = settings.conversations_first_day
    elif age < WEEK:
        limit = settings.conversations_first_week
    else:
        limit = settings.conversations_per_day
    return Policy("conversation", limit, DAY)


def strangers(settings: Settings) -> Policy:
    """Conversations with one account that all accounts younger than a week begin in 24 hours."""
    return Policy("receiver", settings.strangers_per_receiver, DAY)


def exports(settings: Settings) -> Policy:
    return Policy("export", settings.exports_per_user, settings.export_window_seconds)


# Expired rows are removed at one of so many attempts, on average.
CLEANING_ODDS = 500


@dataclass(frozen=True, slots=True)
class Count:
    """An attempt under one limit, or several."""

    policy: Policy
    bucket: Bucket


def count(policy: Policy, *parts: str, attempts: int = 1) -> Count:
    """An attempt of the client, or on the thing, that the parts identify."""
    # Hashed, so that the table has neither names nor addresses, and keys of one length.
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
    bucket = Bucket(f"{policy.name}:{digest}", policy.limit, policy.window, attempts)
    return Count(policy, bucket)


def count_address(settings: Settings, policy: Policy, address: str, *parts: str) -> list[Count]:
    """Counts by address: first the network of one client, then the wider networks around it.

    Every limit by address also limits these: one person may have a whole /48.
    """
    wider = _wider(policy, settings)
    return [
        count(policy, client_network(address), *parts),
        *(count(wider, wide, *parts) for wide in wider_networks(address)),
    ]


def _wider(policy: Policy, settings: Settings) -> Policy:
    return Policy(
        f"{policy.name}-network", policy.limit * settings.login_network_factor, policy.window
    )


async def take(
    database: Database,
    settings: Settings,
    policy: Policy,
    *parts: str,
    attempts: int = 1,
    before_refusal: Callable[[], Awaitable[object]] | None = None,
) -> LimitResult | None:
    """Counts an attempt of the client that the parts identify, or raises `RateLimitedError`.

    Several `attempts` are counted together, or none of them. None if limits are off.

    The count is outside of any transaction, because a refusal must not undo it. Before a refusal,
    `before_refusal` may raise another error that comes first.
    """
    if settings.rate_limits is RateLimits.OFF:
        return None
    counted = count(policy, *parts, attempts=attempts)
    results, refusals = await _take_all(database, settings, counted)
    if refusals and before_refusal is not None:
        await before_refusal()
    await _require_none(database, refusals)
    return results[0]


async def take_all(database: Database, settings: Settings, *counts: Count) -> None:
    """Counts one attempt of each, or none and raises `RateLimitedError`."""
    _, refusals = await _take_all(database, settings, *counts)
    await _require_none(database, refusals)


async def take_quietly(database: Database, settings: Settings, *counts: Count) -> bool:
    """As `take_all`, but returns False where that raises: the client must not see the refusal."""
    _, refusals = await _take_all(database, settings, *counts)
    return not refusals


def refuse(transaction: Transaction, policy: Policy, wait: int) -> NoReturn:
    """Refuses an attempt that was counted in the transaction; `wait` is in seconds.

    The audit row takes another connection, so it follows when the transaction has ended.
    """
    event = AuditKind.RATE_LIMITED
    transaction.on_rollback(partial(audit.report, transaction.database, event, target=policy.name))
    raise RateLimitedError(policy.name, policy.limit, policy.window, max(1, wait))


async def give_back(
    database: Database, settings: Settings, policy: Policy, *parts: str, attempts: int = 1
) -> None:
    """Uncounts attempts that failed for another reason. If that fails, they count."""
    await give_back_all(database, settings, count(policy, *parts, attempts=attempts))


async def give_back_all(database: Database, settings: Settings, *counts: Count) -> None:
    """As `give_back`, of several counts."""
    with suppress(PostgresError, DatabaseUnavailableError):
        await _give_back(database, settings, *counts)


@dataclass(frozen=True, slots=True)
class _Refusal:
    count: Count
    wait: int


async def _take_all(
    database: Database, settings: Settings, *counts: Count
) -> tuple[list[LimitResult], list[_Refusal]]:
    """The results, none if limits are off; and the refusals. With a refusal nothing is counted."""
    if settings.rate_limits is RateLimits.OFF:
        return [], []
    repository = RateLimitRepository(database.writer)
    results = await repository.take(*(count.bucket for count in counts))
    if secrets.randbelow(CLEANING_ODDS) == 0:
        await repository.delete_expired()
    refusals = [
        _Refusal(count, result.reset)
        for count, result in zip(counts, results, strict=True)
        if not result.granted
    ]
    return results, refusals


async def _require_none(database: Database, refusals: list[_Refusal]) -> None:
    if refusals:
        longest = max(refusals, key=lambda refusal: refusal.wait)
        policy = longest.count.policy
        await audit.report(database, AuditKind.RATE_LIMITED, target=policy.name)
        raise RateLimitedError(policy.name, policy.limit, policy.window, longest.wait)


async def register_attempt(database: Database, settings: Settings, address: str) -> None:
    """Counts one registration; `RateLimitedError` if it is one too many."""
    counts = count_address(settings, registration(settings), address)
    await take_all(database, settings, *counts)


async def _has_session_here(
    database: Database, settings: Settings, username: str, address: str
) -> bool:
    """For unknown names the query takes the same time."""
    async with database.autocommit() as session:
        user_id = await UserRepository(session).id_of(username) or 0
        digest = network_digest(settings, user_id, address)
        return await SessionRepository(session).is_used_from(user_id, digest)


@dataclass(frozen=True, slots=True)
class _Login:
    """The limits that counted an attempt, and those that give it back if the login succeeds.

    The response has only the limits of the client itself. Those of the networks around it, and of
    the account from everywhere, would reveal what others do.
    """

    counts: list[Count]
    given_back: list[Count]
    if_wrong: RateLimitState | None
    if_right: RateLimitState | None


async def _count_login(
    database: Database,
    settings: Settings,
    username: str,
    address: str,
    *,
    session_id: int | None,
    in_all: bool,
) -> _Login:
    """Counts an attempt, or raises `RateLimitedError`."""
    account = username_key(username)
    counts = [
        *count_address(settings, login_by_account(settings), address, account),
        *count_address(settings, login_by_address(settings), address),
    ]
    total = login_in_all(settings)
    kept = count_address(settings, total, address, account) if in_all else []
    if session_id is not None:
        counts.append(count(login_by_session(settings), str(session_id)))
    first_kept = len(counts)
    if session_id is not None:
        left, refusals = await _take_all(database, settings, *counts, *kept)
    else:
        from_everywhere = count(login_from_everywhere(settings), account)
        left, refusals = await _take_all(database, settings, *counts, *kept, from_everywhere)
        if [refusal.count for refusal in refusals] != [from_everywhere]:
            counts.append(from_everywhere)
        elif await _has_session_here(database, settings, username, address):
            left, refusals = await _take_all(database, settings, *counts, *kept)
    await _require_none(database, refusals)
    own = [_state(counts[0], result) for result in left[:1]]
    given_back = [replace(state, remaining=state.remaining + 1) for state in own]
    of_all = [_state(kept[0], left[first_kept])] if left and kept else []
    return _Login([*counts, *kept], counts, _least(own + of_all), _least(given_back + of_all))


def _state(counted: Count, result: LimitResult) -> RateLimitState:
    policy = counted.policy
    left = result.remaining, result.reset
    return RateLimitState(policy.name, policy.limit, policy.window, *left)


def _least(states: list[RateLimitState]) -> RateLimitState | None:
    """The limit with the fewest attempts left. None if limits are off."""
    return min(states, key=lambda state: state.remaining, default=None)


@asynccontextmanager
async def login_attempt(
    database: Database,
    settings: Settings,
    *,
    username: str,
    address: str,
    session_id: int | None = None,
    in_all: bool = True,
) -> AsyncIterator[RateLimitState | None]:
    """Counts an attempt to log in: a block that ends well gives it back.

    Raises `RateLimitedError` before the block. The block gets the state of the limits after a
    success; an error of the block gets the state after a failure.

    With `in_all`, attempts at an account from an address also count in a wider limit if they
    succeed: each costs as much work as a guess.

    Attempts at an account are counted by address, by the networks around it, and from everywhere.
    Attempts from an address and the networks around it are also counted for all accounts together.
    A caller with a session of the account, or in a network that one is used from, is exempt from
    the limit from everywhere, so that a crowd elsewhere cannot lock the owner out.

    A block that the service could not finish (503) does not show whether the password is right, and
    does not count.
    """
    login = await _count_login(
        database, settings, username, address, session_id=session_id, in_all=in_all
    )
    try:
        yield login.if_right
    except Exception as error:
        if isinstance(error, UnavailableError) or is_database_fault(error):
            await give_back_all(database, settings, *login.counts)
        elif isinstance(error, RefusalError):
            error.rate_limit = login.if_wrong
        raise
    # Many people may share an address or a network, and all of them know their passwords.
    await _give_back(database, settings, *login.given_back)


async def _give_back(database: Database, settings: Settings, *counts: Count) -> None:
    if settings.rate_limits is not RateLimits.OFF:
        await RateLimitRepository(database.writer).refund(*(count.bucket for count in counts))


LARGEST_BLOCK = 20

# A process may waste the rest of a block: at most a tenth of the limit.
BLOCKS_IN_A_LIMIT = 10

# The capacity, in accounts and ids together. An id takes about a hundred bytes. The account that
# was added first is dropped first, and then needs a new block to read the same ads again.
REMEMBERED = 200_000


@dataclass(slots=True)
class _Account:
    """The reads of one account in its window, as this process knows them."""

    ends: float
    seen: set[int] = field(default_factory=set)
    # How many more ads it may read before a query is needed.
    leased: int = 0
    # What was left after the last query, and in how many seconds more will be.
    left: int = 0
    reset: int = 1
    # Until then the database would refuse, so no query is sent.
    refused_until: float = float("-inf")
    querying: asyncio.Lock = field(default_factory=asyncio.Lock)


class Remaining(NamedTuple):
    """What an account has left after a read, for `RateLimit`."""

    remaining: int
    reset: int


class AdReads:
    """Limits how many different ads an account may read, because each shows a contact.

    A process remembers which ads an account has read, so that reading one again costs nothing. It
    takes the right to read more in blocks, from the rate limit that all processes share. So only
    one read in each block needs a query.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self.policy = ad_reads(settings)
        self.enabled = settings.rate_limits is RateLimits.ON
        block = min(LARGEST_BLOCK, max(1, self.policy.limit // BLOCKS_IN_A_LIMIT))
        # If the limit has no room for a whole block, it may have room for one read.
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
        """`RateLimitedError` if the account has read all that it may."""
        while (remaining := self.spend(user_id, ad_id)) is None:
            account = self._account(user_id)
            async with account.querying:
                # Another request may have done the query while this one waited.
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
            bucket = count(self.policy, str(user_id), attempts=block).bucket
            [found] = await RateLimitRepository(self._database.writer).take(bucket)
            if found.granted:
                account.leased, account.left, account.reset = block, found.remaining, found.reset
                return
        account.refused_until = now + found.reset
        event = AuditKind.RATE_LIMITED
        await audit.report(self._database, event, actor=user_id, target=self.policy.name)
        raise self._refusal(found.reset)

    def _refusal(self, wait: int) -> RateLimitedError:
        return RateLimitedError(self.policy.name, self.policy.limit, self.policy.window, wait)
