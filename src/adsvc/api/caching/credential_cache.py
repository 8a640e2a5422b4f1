"""User names and passwords that were verified, or found to be wrong, a moment ago."""

import asyncio
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from weakref import WeakValueDictionary

from adsvc.cache import LruCache

KEPT_SECONDS = 60

CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class WrongCredentials:
    # The hash that the password did not match; None for a name without an account.
    password_hash: str | None
    expires: float


@dataclass(frozen=True, slots=True)
class VerifiedCredentials:
    user_id: int
    # Compared with the stored hash at each use, so that a changed password counts at once.
    password_hash: str
    expires: float


class CredentialCache:
    """Spares clients of HTTP Basic the hashing on every request. It holds no plain text.

    Wrong pairs are kept too, because an open tab with an old password repeats it for ever.

    Entries are found by a keyed digest of name and password. The key is drawn at the start of the
    process and never leaves it.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        # In order of age, which is that of expiry: values are only peeked at.
        self._verified: LruCache[bytes, VerifiedCredentials] = LruCache(CAPACITY, lambda _: 1)
        self._wrong: LruCache[bytes, WrongCredentials] = LruCache(CAPACITY, lambda _: 1)
        self._locks: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    def lock(self, username: str, password: str) -> asyncio.Lock:
        """Held while the pair is verified, so that concurrent requests verify it once."""
        return self._locks.setdefault(self._digest(username, password), asyncio.Lock())

    def get(self, username: str, password: str) -> VerifiedCredentials | None:
        self._drop_expired()
        return self._verified.peek(self._digest(username, password))

    def keep(self, username: str, password: str, *, user_id: int, password_hash: str) -> None:
        self._drop_expired()
        expires = time.monotonic() + KEPT_SECONDS
        verified = VerifiedCredentials(user_id, password_hash, expires)
        self._verified.keep(self._digest(username, password), verified)

    def seconds_left(self, username: str, password: str) -> float:
        """How long the pair counts as verified."""
        verified = self.get(username, password)
        return verified.expires - time.monotonic() if verified else 0

    def key_of(self, authorization: str) -> str:
        """What stands for a header that tells a password, so that no cache has to hold it."""
        return hmac.digest(self._key, authorization.encode(), hashlib.sha256).hex()

    def is_wrong(self, username: str, password: str, password_hash: str | None) -> bool:
        """Whether the pair was found not to match that hash. Repeating it is no new guess."""
        wrong = self._wrong.peek(self._digest(username, password))
        return (
            wrong is not None
            and wrong.expires > time.monotonic()
            and wrong.password_hash == password_hash
        )

    def keep_wrong(
        self, username: str, password: str, *, password_hash: str | None, seconds: float
    ) -> None:
        wrong = WrongCredentials(password_hash, time.monotonic() + seconds)
        self._wrong.keep(self._digest(username, password), wrong)

    def _drop_expired(self) -> None:
        now = time.monotonic()
        self._verified.drop_first_while(lambda verified: verified.expires <= now)

    def _digest(self, username: str, password: str) -> bytes:
        message = f"{username}\0{password}".encode()
        return hmac.digest(self._key, message, hashlib.sha256)
