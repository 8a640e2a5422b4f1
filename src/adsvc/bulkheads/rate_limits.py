"""Token buckets: the limits, and the buckets that a process keeps in its memory.

`services.rate_limits` keeps buckets in PostgreSQL, for all processes together.
"""

import hashlib
import math
import time
from collections.abc import Hashable, Mapping
from enum import Enum
from typing import NamedTuple

from adsvc.addresses import client_network, wider_networks
from adsvc.cache import LruCache
from adsvc.errors import RateLimitedError
from adsvc.settings import RateLimits, Settings

MINUTE = 60
DAY = 24 * 60 * MINUTE
WEEK = 7 * DAY


class Policy(NamedTuple):
    """At most `limit` attempts in `window` seconds, replenished evenly."""

    name: str
    limit: int
    window: int


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

    def policy(self, settings: Settings) -> Policy:
        attempts, window = self._attempts, self._window
        return Policy(
            self._policy,
            attempts if isinstance(attempts, int) else getattr(settings, attempts),
            window if isinstance(window, int) else getattr(settings, window),
        )


class Bucket(NamedTuple):
    """At most `limit` requests with this key in `window` seconds."""

    key: str
    limit: int
    window: int
    # How many are counted together.
    attempts: float = 1
    policy: str = ""

    @property
    def interval(self) -> float:
        return self.window / self.limit

    @property
    def step(self) -> float:
        return self.interval * self.attempts


class Attempts(NamedTuple):
    """Attempts of the client, or on the thing, that the parts identify."""

    limit: Limit
    parts: tuple[str, ...]
    number: float = 1
    # Of all clients in a network around one, which have more room together.
    is_wider: bool = False

    def policy(self, settings: Settings) -> Policy:
        name, limit, window = self.limit.policy(settings)
        if not self.is_wider:
            return Policy(name, limit, window)
        return Policy(f"{name}-network", limit * settings.login_network_factor, window)

    def bucket(self, settings: Settings) -> Bucket:
        name, limit, window = self.policy(settings)
        # Hashed, so that the table has neither names nor addresses, and keys of one length.
        digest = hashlib.sha256("\0".join(self.parts).encode()).hexdigest()[:32]
        return Bucket(f"{name}:{digest}", limit, window, self.number, name)


def attempts_by(limit: Limit, *parts: object, number: float = 1) -> Attempts:
    return Attempts(limit, tuple(map(str, parts)), number)


def attempts_from(limit: Limit, address: str, *parts: str) -> list[Attempts]:
    """By address: first the network of one client, then the wider networks around it.

    Every limit by address also limits these: one person may have a whole /48.
    """
    wider = [Attempts(limit, (wide, *parts), is_wider=True) for wide in wider_networks(address)]
    return [Attempts(limit, (client_network(address), *parts)), *wider]


def policies_of(settings: Settings, *counts: Attempts) -> dict[Hashable, Policy]:
    """For `LocalBuckets`. None if limits are off."""
    is_off = settings.rate_limits is RateLimits.OFF
    return {} if is_off else {counted: counted.policy(settings) for counted in counts}


# The capacity of the cache of clients. An entry takes about 300 bytes.
MOST_CLIENTS = 150_000

# Tolerates what rounding adds to a full window.
ROUNDING_SECONDS = 1e-6


class LocalBuckets:
    """Buckets in the memory of one process.

    The generic cell rate algorithm (ITU-T I.371): a client has one number, the time at which the
    next attempt would be due if they came evenly.
    """

    def __init__(self, capacity: int = MOST_CLIENTS) -> None:
        self._due: LruCache[Hashable, float] = LruCache(capacity)

    def take(self, policies: Mapping[Hashable, Policy]) -> None:
        """Counts an attempt of each key, or none and raises `RateLimitedError`."""
        for key, moment in self._due_with(policies).items():
            self._due.keep(key, moment)

    def require(self, policies: Mapping[Hashable, Policy]) -> None:
        """`RateLimitedError` if one more attempt would be one too many; it counts none."""
        self._due_with(policies)

    def _due_with(self, policies: Mapping[Hashable, Policy]) -> dict[Hashable, float]:
        now = time.monotonic()
        due: dict[Hashable, float] = {}
        for key, policy in policies.items():
            due[key] = max(self._due.get(key) or now, now) + policy.window / policy.limit
            beyond = due[key] - now - policy.window
            if beyond > ROUNDING_SECONDS:
                raise RateLimitedError(*policy, max(1, math.ceil(beyond)))
        return due


class Lease:
    """Attempts that a process grants by itself until `ends`, on the clock of `time.monotonic`."""

    __slots__ = ("ends", "left")

    def __init__(self, ends: float, left: int = 0) -> None:
        self.ends = ends
        self.left = left

    def spend(self) -> bool:
        """Whether one more was granted. The caller has compared `ends`."""
        if not self.left:
            return False
        self.left -= 1
        return True
