"""User names and passwords that were verified, or found to be wrong, a moment ago."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from weakref import WeakValueDictionary

REMEMBERED_SECONDS = 60

CAPACITY = 10_000


@dataclass(frozen=True, slots=True)
class Wrong:
    # What the pair did not fit; None for a name that nobody had.
    password_hash: str | None
    expires: float


@dataclass(frozen=True, slots=True)
class VerifiedCredentials:
    user_id: int
    # Compared with the stored hash at each use: a changed password is a forgotten one.
    password_hash: str
    expires: float


class CredentialCache:
    """Spares clients of HTTP Basic the hashing on every request; nothing is kept as plain text.

    Of pairs that were wrong too: a tab that was left open repeats an old one for ever.

    Entries are found by a keyed digest of name and password, whose key lives and dies with the
    process.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._entries: OrderedDict[bytes, VerifiedCredentials] = OrderedDict()
        self._wrong: OrderedDict[bytes, Wrong] = OrderedDict()
        self._turns: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    def turn(self, username: str, password: str) -> asyncio.Lock:
        """To be held while the pair is verified, so that this happens once for many requests."""
        return self._turns.setdefault(self._digest(username, password), asyncio.Lock())

    def recall(self, username: str, password: str) -> VerifiedCredentials | None:
        self._forget_expired()
        return self._entries.get(self._digest(username, password))

    def remember(self, username: str, password: str, *, user_id: int, password_hash: str) -> None:
        self._forget_expired()
        digest = self._digest(username, password)
        self._entries.pop(digest, None)
        self._entries[digest] = VerifiedCredentials(
            user_id, password_hash, time.monotonic() + REMEMBERED_SECONDS
        )
        while len(self._entries) > CAPACITY:
            self._entries.popitem(last=False)

    def is_wrong(self, username: str, password: str, password_hash: str | None) -> bool:
        """Whether the pair was found not to fit that hash; to try it again is no new guess."""
        wrong = self._wrong.get(self._digest(username, password))
        return (
            wrong is not None
            and wrong.expires > time.monotonic()
            and wrong.password_hash == password_hash
        )

    def remember_wrong(
        self, username: str, password: str, *, password_hash: str | None, seconds: float
    ) -> None:
        digest = self._digest(username, password)
        self._wrong.pop(digest, None)
        self._wrong[digest] = Wrong(password_hash, time.monotonic() + seconds)
        while len(self._wrong) > CAPACITY:
            self._wrong.popitem(last=False)

    def _forget_expired(self) -> None:
        # The oldest come first.
        now = time.monotonic()
        while self._entries and next(iter(self._entries.values())).expires <= now:
            self._entries.popitem(last=False)

    def _digest(self, username: str, password: str) -> bytes:
        message = f"{username}\0{password}".encode()
        return hmac.digest(self._key, message, hashlib.sha256)
