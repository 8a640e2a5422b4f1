"""Caches of callers: by access token, and by user name and password."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

from adsvc.cache import LruCache
from adsvc.invalidation import Invalidation, InvalidationBus, InvalidationKind
from adsvc.security.tokens import Claims

KEPT_SECONDS = 60

CREDENTIALS_CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class WrongCredentials:
    # The hash that the password did not match; None if there was no such account.
    password_hash: str | None
    expires: float


@dataclass(frozen=True, slots=True)
class VerifiedCredentials:
    user_id: int
    # Compared with the stored hash at each use, so that a changed password counts at once.
    password_hash: str
    expires: float


class CredentialCache:
    """Spares HTTP Basic the hashing on every request. It contains no plain text.

    Wrong pairs are cached too, because an open tab with an old password repeats it forever.

    The key of an entry is a keyed digest of name and password. The secret of the digest is drawn at
    the start of the process and never leaves it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._key = secrets.token_bytes(32)
        # In order of age, which is the order of expiry, because reads do not move an entry.
        self._verified: LruCache[bytes, VerifiedCredentials] = LruCache(
            CREDENTIALS_CAPACITY, lambda _: 1
        )
        self._wrong: LruCache[bytes, WrongCredentials] = LruCache(CREDENTIALS_CAPACITY, lambda _: 1)
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        """The number of verified pairs."""
        return self._verified.size

    def lock(self, username: str, password: str) -> asyncio.Lock:
        """Held while the pair is verified, so that concurrent requests verify it once."""
        return self._locks.setdefault(self._digest(username, password), asyncio.Lock())

    def get(self, username: str, password: str) -> VerifiedCredentials | None:
        self._drop_expired()
        return self._verified.peek(self._digest(username, password))

    def keep(self, username: str, password: str, *, user_id: int, password_hash: str) -> None:
        self._drop_expired()
        expires = self.now() + KEPT_SECONDS
        verified = VerifiedCredentials(user_id, password_hash, expires)
        self._verified.keep(self._digest(username, password), verified)

    def seconds_left(self, username: str, password: str) -> float:
        """How long the pair counts as verified."""
        verified = self.get(username, password)
        return verified.expires - self.now() if verified else 0

    def key_of(self, authorization: str) -> str:
        """A digest that other caches use as the key of a header with a password."""
        return hmac.digest(self._key, authorization.encode(), hashlib.sha256).hex()

    def is_wrong(self, username: str, password: str, password_hash: str | None) -> bool:
        """Whether the pair was found not to match that hash. Repeating it is no new guess."""
        wrong = self._wrong.peek(self._digest(username, password))
        return (
            wrong is not None
            and wrong.expires > self.now()
            and wrong.password_hash == password_hash
        )

    def keep_wrong(
        self, username: str, password: str, *, password_hash: str | None, seconds: float
    ) -> None:
        wrong = WrongCredentials(password_hash, self.now() + seconds)
        self._wrong.keep(self._digest(username, password), wrong)

    def _drop_expired(self) -> None:
        now = self.now()
        self._verified.drop_first_while(lambda verified: verified.expires <= now)

    def _digest(self, username: str, password: str) -> bytes:
        message = f"{username}\0{password}".encode()
        return hmac.digest(self._key, message, hashlib.sha256)


# Tokens are a few hundred bytes; so many fit into a few megabytes.
TOKENS_CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class KnownCaller:
    """A caller by a cached token or password. An account's change drops its entries."""

    user_id: int
    # None for a caller who sent user name and password.
    session_id: int | None
    # Seconds since 1970.
    expires_at: float
    is_admin: bool
    has_verified_mail: bool = False


class TokenCache:
    """Callers by tokens that have not expired and whose session and account have not ended.

    The end of a session drops that session's entries; a change of an account drops all of its
    entries.

    The key is the value of `Authorization` as most clients write it; other spellings are not found.
    For a user name and password it is `CredentialCache.key_of` of that value.
    """

    def __init__(self, changes: InvalidationBus, *, enabled: bool) -> None:
        self._changes = changes
        self._known: LruCache[str, KnownCaller] = LruCache(
            TOKENS_CAPACITY if enabled else 0, lambda _: 1
        )
        # How often a caller was found, and how often one had to be looked up.
        self.hits = self.misses = 0
        changes.follow(self._forget)

    @property
    def generation(self) -> int:
        """Read it before the query of the database, and pass it to `keep` afterwards."""
        generations = self._changes.generations
        return generations[InvalidationKind.SESSION] + generations[InvalidationKind.USER]

    def get(self, authorization: str) -> KnownCaller | None:
        known = self._known.get(authorization)
        if known is None or not self._changes.reliable or known.expires_at <= time.time():
            return None
        self.hits += 1
        return known

    def keep(
        self,
        token: str,
        claims: Claims,
        generation: int,
        *,
        is_admin: bool,
        has_verified_mail: bool = False,
    ) -> None:
        """Not cached if a session or an account has ended since: it may have been this one."""
        known = KnownCaller(
            claims.user_id, claims.session_id, claims.expires_at, is_admin, has_verified_mail
        )
        self.keep_known(f"Bearer {token}", known, generation)

    def keep_known(self, key: str, known: KnownCaller, generation: int) -> None:
        self.misses += 1
        if generation == self.generation:
            self._known.keep(key, known)

    def _forget(self, change: Invalidation) -> None:
        match change:
            case Invalidation(InvalidationKind.SESSION | InvalidationKind.USER, ""):
                self._known.clear()
            case Invalidation(InvalidationKind.SESSION, identifier):
                self._known.drop_where(lambda known: str(known.session_id) == identifier)
            case Invalidation(InvalidationKind.USER, identifier):
                self._known.drop_where(lambda known: str(known.user_id) == identifier)
