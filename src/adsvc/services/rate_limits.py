"""Rate limits: attempts that are counted in PostgreSQL, or leased from there to a process. Quota of
texts. Access rules, by which a network is refused for a time, or it or an account has higher
limits.

Access rules are few and in the memory of each process. Lists of thousands of addresses belong to a
firewall.
"""

import asyncio
import hashlib
import math
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum
from functools import lru_cache, partial
from ipaddress import IPv4Network, IPv6Network
from typing import Any, NamedTuple, NoReturn

from asyncpg import PostgresError

from adsvc.enums import STANDARD, AuditKind
from adsvc.errors import (
    DatabaseUnavailableError,
    QuotaExceededError,
    RateLimitedError,
    RateLimitState,
    TooManyError,
)
from adsvc.kit import faults
from adsvc.kit.addresses import address_from, client_network, unmapped_network, wider_networks
from adsvc.kit.bulkheads.admission import DAY, MINUTE, Bucket, Lease, Policy
from adsvc.kit.db.database import Database, Transaction
from adsvc.kit.faults import Fault
from adsvc.kit.invalidation import LruCache
from adsvc.repositories.accounts import rate_limits as limit_rows
from adsvc.repositories.operation import server as server_rows
from adsvc.schemas.base import mailbox
from adsvc.schemas.console import AccessRule, ChangeAccessRule
from adsvc.services import audit
from adsvc.settings import RateLimits, Settings

# Factors with a meaning of their own.
REFUSED, NO_RULE = 0, 1
MOST_RULES = 500
ACCOUNT = re.compile(r"user:([1-9][0-9]{0,17})")
# By the version of the address: a shorter prefix is a typing error.
SHORTEST_PREFIXES = {4: 8, 6: 16}


def _parsed(subject: str) -> IPv4Network | IPv6Network | int | None:
    """A network, or the id of an account; None if it is neither."""
    if account := ACCOUNT.fullmatch(subject):
        return int(account[1])
    try:
        network = unmapped_network(subject)
    except ValueError:
        return None
    return network if network.prefixlen >= SHORTEST_PREFIXES[network.version] else None


def access_rule_fault(subject: str, factor: int, address: str) -> Fault | None:
    """What is wrong with a rule that a client at this address sends."""
    found = _parsed(subject)
    if found is None:
        return faults.wrong_format(
            "must be an address, a network of at least 8 bits (IPv6: 16) without bits of a host, "
            "or user: and the id of an account"
        ).at("/subject")
    if factor != REFUSED:
        return None
    if isinstance(found, int):
        return faults.inconsistent("must not be 0 for an account: suspend it instead").at("/factor")
    if (own := address_from(address)) is not None and own in found:
        return faults.inconsistent("must not refuse the address of the request").at("/subject")
    return None


class AccessRules:
    """Those in effect at one moment."""

    def __init__(self, rules: Sequence[AccessRule] = ()) -> None:
        self.rules = rules
        parsed = [(_parsed(rule.subject), rule.factor) for rule in rules]
        self._accounts: dict[object, int] = {
            each: factor for each, factor in parsed if isinstance(each, int)
        }
        networks = [
            (each, factor) for each, factor in parsed if isinstance(each, IPv4Network | IPv6Network)
        ]
        self._networks = sorted(networks, key=lambda found: -found[0].prefixlen)
        self.can_refuse = any(factor == REFUSED for _, factor in networks)
        # The factor of the narrowest network with the address.
        self.of_address = lru_cache(4096)(self._of_address)

    def of_account(self, user_id: object) -> int:
        return self._accounts.get(user_id, NO_RULE)

    def _of_address(self, text: str) -> int:
        address = address_from(text) if self._networks else None
        if address is None:
            return NO_RULE
        return next((factor for network, factor in self._networks if address in network), NO_RULE)

    def refuse(self, address: str) -> bool:
        return self.can_refuse and self.of_address(address) == REFUSED


NO_RULES = AccessRules()
# Those that apply to the current request.
current_rules: ContextVar[AccessRules] = ContextVar("access_rules", default=NO_RULES)


def read_access_rules(members: Mapping[str, Any], before: AccessRules) -> AccessRules:
    """The stored rules that are not over; `before` if they are the same."""
    now = time.time() * 1000
    rules = [AccessRule.model_validate(each) for each in members.values()]
    rules = sorted((rule for rule in rules if rule.until > now), key=lambda rule: rule.subject)
    return before if rules == before.rules else AccessRules(rules)


async def change_access_rule(
    transaction: Transaction, sent: ChangeAccessRule, *, actor: int | str
) -> None:
    """Adds a rule, replaces that of the same subject, or removes it. The rule is valid."""
    found = _parsed(sent.subject)
    subject = sent.subject if isinstance(found, int) else str(found)
    until = int((time.time() + sent.days * DAY) * 1000)
    rule = AccessRule(subject=subject, factor=sent.factor, until=until, note=sent.note)
    members = None if sent.factor == NO_RULE else rule.model_dump_json()
    if await server_rows.set_access_rule(transaction, subject, members) > MOST_RULES:
        raise TooManyError(MOST_RULES, "access rules")
    kind = AuditKind.ACCESS_RULE_CHANGED
    audit.record(transaction, kind, actor=actor, target=f"{subject} {sent.factor}")


class Limit(Enum):
    """The name that clients read, the attempts, and the seconds that replenish all of them.

    Attempts and seconds are numbers, or the names of settings.
    """

    # Guesses at one account from one address.
    LOGIN = "login", "login_attempts", "login_window_seconds"
    # Attempts at one account from one address, successful ones included.
    LOGIN_WITH_SUCCESSES = "login-in-all", "login_attempts_in_all", "login_window_seconds"
    # Guesses at any account from one address.
    LOGIN_ADDRESS = "login-address", "login_attempts_per_address", "login_window_seconds"
    # Guesses at one account from all addresses together.
    LOGIN_ACCOUNT = "login-account", "login_attempts_per_account", "login_account_window_seconds"
    # Attempts from one address to log in by a passkey.
    LOGIN_PASSKEY = "login-passkey", "login_attempts_per_address", "login_window_seconds"
    # Steps of logins at OpenID providers from one address: each may cause requests to a provider.
    LOGIN_OIDC = "login-oidc", "login_attempts_per_address", "login_window_seconds"
    # Guesses at one account with a token of one session.
    LOGIN_SESSION = "login-session", "login_attempts", "login_window_seconds"
    # Unknown API keys from one address. In memory.
    UNKNOWN_KEYS = "key", "login_attempts_per_address", "login_window_seconds"
    # Registrations from one address.
    REGISTRATIONS = "register", "registrations_per_address", "registration_window_seconds"
    # Requests of one account that send mail.
    MAILS = "mail", "mails_per_account", "mail_window_seconds"
    # Requests from one address that send mail or try a token of a mail.
    MAILS_BY_ADDRESS = "mail-address", "mails_per_address", "mail_window_seconds"
    # Mails to one mailbox or for one user name, and to one mailbox from one address.
    MAILS_TO_TARGET = "mail-target", "mails_per_target", "mail_window_seconds"
    # Mails of one account to its own address, after the mailbox has reached its limit.
    MAILS_TO_SELF = "mail-own", 1, "mail_window_seconds"
    # Notices to one account that it has a new key. No other mails can use them up.
    MAILS_ABOUT_KEYS = "mail-key", "mails_per_account", "mail_window_seconds"
    # Notices to one account of logins from new places: who knows the password could cause many.
    MAILS_ABOUT_LOGINS = "mail-login", "mails_per_target", "mail_window_seconds"
    # Wrong codes after a right password of which the owner gets no mail yet: people err.
    UNREPORTED_GUESSES = "codes-guessed", 4, DAY
    # Mails to one account about codes that are guessed after its right password.
    MAILS_ABOUT_GUESSES = "mail-guesses", 1, DAY
    # Of one account: changes, received pictures, reports, messages, exports, different ads read.
    WRITES = "write", "writes_per_user", "write_window_seconds"
    UPLOADS = "upload", "uploads_per_user", "upload_window_seconds"
    REPORTS = "report", "reports_per_user", "report_window_seconds"
    MESSAGES = "message", "messages_per_user", "message_window_seconds"
    EXPORTS = "export", "exports_per_user", "export_window_seconds"
    AD_READS = "read", "ad_reads_per_user", "ad_read_window_seconds"
    # Conversations that one account begins in any 24 hours, by its age. They are counted by their
    # rows, because the limit must not be exceeded in any such window.
    CONVERSATIONS_FIRST_DAY = "conversation", "conversations_first_day", DAY
    CONVERSATIONS_FIRST_WEEK = "conversation", "conversations_first_week", DAY
    CONVERSATIONS = "conversation", "conversations_per_day", DAY
    # Those with one account that all accounts younger than a week begin. Counted by rows too.
    STRANGERS = "receiver", "strangers_per_receiver", DAY
    # Searches and suggestions from one address. In memory.
    SEARCHES = "search", "searches_per_address", "search_window_seconds"
    SUGGESTIONS = "suggest", "suggestions_per_address", MINUTE

    def __init__(self, policy: str, attempts: int | str, window: int | str) -> None:
        self._policy = policy
        self._attempts = attempts
        self._window = window

    def policy(self, settings: Settings, factor: int = 1, plan: str = STANDARD) -> Policy:
        """`factor` is that of an access rule."""
        attempts, window = self._attempts, self._window
        if attempts in OF_PLANS:
            attempts = getattr(settings.limits_of(plan), OF_PLANS[attempts])
        limit = attempts if isinstance(attempts, int) else getattr(settings, attempts)
        return Policy(
            self._policy,
            limit * factor,
            window if isinstance(window, int) else getattr(settings, window),
        )


# What an access rule about an account multiplies.
OF_ACCOUNTS = frozenset(
    {
        *(Limit.WRITES, Limit.UPLOADS, Limit.REPORTS, Limit.MESSAGES),
        *(Limit.EXPORTS, Limit.AD_READS, Limit.MAILS),
    }
)
# Settings that a plan replaces, and its own names for them.
OF_PLANS: dict[int | str, str] = {"uploads_per_user": "uploads", "writes_per_user": "writes"}


class Attempts(NamedTuple):
    """Attempts of the client, or on the thing, that the parts identify."""

    limit: Limit
    parts: tuple[str, ...]
    number: float = 1
    # Of all clients in a network around one, which have more room together.
    is_wider: bool = False
    # That of an access rule.
    factor: int = 1
    # Of the account.
    plan: str = STANDARD

    def policy(self, settings: Settings) -> Policy:
        name, limit, window = self.limit.policy(settings, self.factor, self.plan)
        if not self.is_wider:
            return Policy(name, limit, window)
        return Policy(f"{name}-network", limit * settings.login_network_factor, window)

    def bucket(self, settings: Settings) -> Bucket:
        name, limit, window = self.policy(settings)
        # Hashed, so that the table has neither names nor addresses, and keys of one length.
        # With another plan an account begins anew.
        parts = self.parts if self.plan == STANDARD else (*self.parts, self.plan)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        return Bucket(f"{name}:{digest}", limit, window, self.number, name)


def attempts_by(limit: Limit, *parts: object, number: float = 1, plan: str = STANDARD) -> Attempts:
    factor = current_rules.get().of_account(parts[0]) if limit in OF_ACCOUNTS else 1
    return Attempts(limit, tuple(map(str, parts)), number, factor=factor, plan=plan)


def attempts_from(limit: Limit, address: str, *parts: str) -> list[Attempts]:
    """By address: first the network of one client, then the wider networks around it.

    Every limit by address also limits these: one person may have a whole /48. An access rule does
    not multiply those that are about one account or mailbox too.
    """
    factor = 1 if parts else current_rules.get().of_address(address)
    wider = [
        Attempts(limit, (wide, *parts), is_wider=True, factor=factor)
        for wide in wider_networks(address)
    ]
    return [Attempts(limit, (client_network(address), *parts), factor=factor), *wider]


def policies_of(settings: Settings, *counts: Attempts) -> dict[Hashable, Policy]:
    """For `LocalBuckets`. None if limits are off."""
    is_off = settings.rate_limits is RateLimits.OFF
    return {} if is_off else {counted: counted.policy(settings) for counted in counts}


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


async def states_now(
    database: Database, settings: Settings, *counts: Attempts
) -> Sequence[RateLimitState]:
    """How many attempts are left. Counts none."""
    buckets = (counted.bucket(settings) for counted in counts)
    return await limit_rows.states(database.reader, *buckets)


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

    __slots__ = ("policy", "querying", "refused_until", "remaining", "reset", "seen")

    def __init__(self, ends: float, policy: Policy) -> None:
        super().__init__(ends)
        self.policy = policy
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
        return RateLimitState(*account.policy, account.remaining + account.left, account.reset)

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
            ends = time.monotonic() + self.policy.window
            account = self._accounts[user_id] = _Account(ends, self.policy)
        return account

    def _forget(self, user_id: int) -> None:
        account = self._accounts.pop(user_id, None)
        if account is not None:
            self._ids -= len(account.seen)

    async def _lease(self, user_id: int, account: _Account) -> None:
        now = time.monotonic()
        if now < account.refused_until:
            raise RateLimitedError(*account.policy, math.ceil(account.refused_until - now))
        for block in self._blocks:
            counted = attempts_by(Limit.AD_READS, user_id, number=block)
            account.policy = counted.policy(self._settings)
            [state] = await states_after(self._database, self._settings, counted)
            if state.granted:
                account.left, account.remaining, account.reset = block, state.remaining, state.reset
                return
        account.refused_until = now + state.reset
        event = AuditKind.RATE_LIMITED
        await audit.report(self._database, event, actor=user_id, target=self.policy.name)
        raise RateLimitedError(*account.policy, state.reset)


KNOWN_SECONDS = 60
MOST_ACCOUNTS = 10_000


class TextQuota:
    """Checks an account's use of its quota, in the database only when it may be near its end.

    Of many requests at once, each is checked before the others write, so together they may exceed
    the quota a little.
    """

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._quota = settings.text_quota_bytes
        # For each text that this process does not check, others may write texts of this size
        # together.
        self._largest = 4 * settings.json_body_max_bytes
        # Requests that certainly fit into the quota.
        self._leases: LruCache[int, Lease] = LruCache(MOST_ACCOUNTS)

    async def require(self, user_id: int) -> None:
        """`QuotaExceededError` for an account whose texts have no room left."""
        if not self._quota:
            return
        lease = self._leases.get(user_id)
        if lease is None or time.monotonic() >= lease.ends or not lease.spend():
            used = await limit_rows.used_by(self._database.reader, user_id)
            if used >= self._quota:
                raise QuotaExceededError(self._quota, used, "texts")
            fit = (self._quota - used) // self._largest
            # This one is among them.
            lease = Lease(time.monotonic() + KNOWN_SECONDS, max(0, fit - 1))
            self._leases.keep(user_id, lease)
